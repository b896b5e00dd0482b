"""What the processes of test_stores.py do against each other; a module of its own, so that they start quickly."""

import os

from discreet import BudgetError, Ledger


def race(paths, shared, barrier, results):
    """Charge the last of each budget at the same time as others do, then a shared one until nothing is left."""
    won, count = [], 0
    for path in paths:
        barrier.wait(60)
        book = Ledger(path, epsilon=1)  # The first makes the file, too.
        barrier.wait(60)
        try:
            book.charge(epsilon="3/5", receipt=os.getpid())
            won.append(path)
        except BudgetError:
            pass
    barrier.wait(60)
    book = Ledger(shared)
    try:
        while True:
            book.charge(epsilon="1/50")
            count += 1
    except BudgetError:
        results.put((won, count))


def spend_all(path, event, results):
    """Charge an event as often as it fits; tell how often that was."""
    book, count = Ledger(path), 0
    try:
        while True:
            book.charge(event=event)
            count += 1
    except BudgetError:
        results.put(count)


def spend_as(path, who, results):
    """Charge under a name as often as it fits; tell how often that was."""
    book, count = Ledger(path, who=who), 0
    try:
        while True:
            book.charge(epsilon="1/20")
            count += 1
    except BudgetError:
        results.put((who, count))


def reserve_named(path, event, runs, barrier, results):
    """Reserve under one name after the other at the same moment as others do; tell the numbers of the entries."""
    book, found = Ledger(path), []
    for run in range(runs):
        barrier.wait(60)
        found.append(book.reserve([event], name=f"run {run}").number)
    results.put(found)
