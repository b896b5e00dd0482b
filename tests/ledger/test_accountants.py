"""What the books promise holds for every accountant."""

import json
import pickle
import random
from contextlib import suppress
from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace

import pytest
from command import ok
from ledger_past import raw, write
from ledger_racers import spend_all
from ledger_shelves import POSIX, PROCESSES, killed, on_shelves, seconds
from tiers import cases

from discreet import BudgetError, Ledger, LedgerError
from discreet.accounting import Accountant, Adaptive, Amount, Event, Plain, accountants
from discreet.ledger.formats import STEP

KINDS = ["plain", "adaptive", "zcdp"]
EVENTS = [
    Event.of(moves=[("0.02", 1)]),
    Event.of(moves=[("0.013", 3)], delta="1e-8"),
    Event.of(moves=[("1/7", 1), ("0.01", 4)]),
    Event.of(moves=[], delta="3e-7"),
    Event.of(moves=[(1, 1)]),
    Event.of(moves=[("0.4", 2)], delta="1e-7"),
]
BUDGET = Amount(Fraction(3), Fraction("5e-6"))
each_kind = pytest.mark.parametrize("kind", KINDS)


def made(path, kind):
    return Ledger(path, **BUDGET._asdict(), accountant=kind)


def fill(book, count, event=EVENTS[0]):
    for i in range(count):
        book.charge(event=event, table=f"table {i}")
    return book


def recounted(rule, entries):
    """What the entries come to, from their events alone."""
    state = rule.start
    for entry in entries:
        if entry.event is not None:
            state = (rule.without if entry.kind == "void" else rule.after)(state, entry.event)
    return state


def test_every_accountant_is_here():
    assert {name for name, kind in accountants().items() if kind.__module__.startswith("discreet.")} == set(KINDS)


@each_kind
class TestPromises:
    def test_charges_and_voids_in_any_order_agree_with_their_events(self, kind, shelf):
        """Several hands, reopened and pickled, against a count in the test: just what exceeds is refused."""
        rule = accountants()[kind].for_budget(BUDGET)
        for seed in range(cases(1, 4)):
            dice = random.Random(seed)
            path, state, standing, refused = shelf / f"{seed}.db", rule.start, {}, 0
            hands = [made(path, kind), Ledger(path)]
            for _ in range(cases(40 if isinstance(shelf, Path) else 20, 150)):
                hand = dice.randrange(2)
                if dice.random() < 0.2:
                    hands[hand] = dice.choice([Ledger(path), pickle.loads(pickle.dumps(hands[hand]))])
                if standing and dice.random() < 0.25:
                    number, event = standing.popitem()
                    state = rule.without(state, event)
                    hands[hand].void(number, reason="nobody saw it", unseen=True)
                else:
                    event = dice.choice(EVENTS)
                    after = rule.after(state, event)
                    if rule.exceeds(after, BUDGET):
                        with pytest.raises(BudgetError, match=r"would come to .* of .*; nothing was charged"):
                            hands[hand].charge(event=event)
                        refused += 1
                    else:
                        standing[hands[hand].charge(event=event).number], state = event, after
                assert hands[1 - hand].left == hands[hand].left == rule.left(state, BUDGET)
                assert hands[hand].spent == rule.spent(state)
            assert refused
            hands[0].verify()
            entries = Ledger(path).entries()
            assert recounted(rule, entries) == state
            assert tuple(sum(costs) for costs in zip(*(e.cost.values() for e in entries), strict=True)) == state

    def test_what_is_left_fits_and_nothing_that_is_more_does(self, kind):
        book = fill(Ledger.in_memory(**BUDGET._asdict(), accountant=kind), 40)
        left = book.left
        with pytest.raises(BudgetError):
            book.charge(epsilon=left.epsilon + Fraction(1, 10**9))
        with pytest.raises(BudgetError):
            book.charge(epsilon=0, delta=left.delta + Fraction(1, 10**30))
        book.charge(epsilon=left.epsilon, delta=left.delta)

    @on_shelves(
        "sql",
        [
            "UPDATE entries SET event = replace(event, '1/50', '1/500') WHERE number = 34",
            "UPDATE checkpoint SET state = replace(state, '\"', '\"1')",
            "UPDATE budget SET accountant = replace(accountant, '44', '94')",
            "UPDATE budget SET accountant = 'plain '",
            "DELETE FROM entries WHERE number = 34",
        ],
        5,
    )
    def test_damage_is_seen(self, kind, sql, shelf):
        book = fill(made(shelf / "b.db", kind), STEP + 3)
        write(book.path, sql)
        with raw(book.path) as connection:
            (text,) = connection.execute("SELECT accountant FROM budget").fetchone()
        if text == book._accountant.text and "budget" in sql:
            return  # Plain books have no numbers to change.
        for call in (lambda: Ledger(book.path), book.verify):
            with pytest.raises(LedgerError):
                call()

    def test_checkpoints_hold_what_all_entries_come_to(self, kind, shelf):
        book = fill(made(shelf / "b.db", kind), STEP + 5, EVENTS[1])
        rule = Accountant.read(book._accountant.text)
        again = Ledger(book.path)
        assert again.left == book.left == rule.left(recounted(rule, again.entries()), BUDGET)
        write(book.path, "UPDATE entries SET event = replace(event, '13/1000', '12/1000') WHERE number = 3")
        Ledger(book.path)
        with pytest.raises(LedgerError):
            Ledger(book.path).verify()

    def test_a_file_keeps_its_accountant(self, kind, shelf):
        book = fill(made(shelf / "b.db", kind), 3)
        for again in (Ledger(book.path), Ledger(book.path, **BUDGET._asdict()), pickle.loads(pickle.dumps(book))):
            assert again.to_dict()["accountant"] == kind
            assert again.entries() == book.entries()
        for other in set(KINDS) - {kind}:
            with pytest.raises(LedgerError, match=f"is counted by accountant='{kind}'"):
                Ledger(book.path, accountant=other)

    @pytest.mark.deep
    def test_eight_processes_share_the_last_of_it(self, kind, shelf):
        book = made(shelf / "b.db", kind)
        event = Event.of(moves=[("0.2", 1)])
        alone = SimpleNamespace(rule=accountants()[kind].for_budget(BUDGET), count=0)
        state = alone.rule.start
        while not alone.rule.exceeds(state := alone.rule.after(state, event), BUDGET):
            alone.count += 1
        results = PROCESSES.Queue()
        racers = [PROCESSES.Process(target=spend_all, args=(book.path, event, results)) for _ in range(8)]
        for racer in racers:
            racer.start()
        counts = [results.get(timeout=120) for _ in racers]
        for racer in racers:
            racer.join()
        assert sum(counts) == alone.count == len(book.entries())
        book.verify()

    @POSIX
    @pytest.mark.deep
    def test_kills_waste_and_never_exceed(self, kind, shelf):
        seed, reported = random.Random(7919), 0
        book, event = made(shelf / "b.db", kind), Event.of(moves=[("0.01", 1)])
        longest = 4 * seconds(lambda: Ledger.in_memory(**BUDGET._asdict(), accountant=kind).charge(event=event))

        def spend(pipe):
            import os

            with suppress(BudgetError):
                while True:
                    book.charge(event=event)
                    os.write(pipe, b".")

        for _ in range(cases(10, 100)):
            with killed(2, max(longest, 0.02), seed, spend) as pipe:
                reported += pipe.readall().count(b".")
            assert reported <= len(book.entries())
        book.verify()
        assert not book._accountant.exceeds(recounted(book._accountant, book.entries()), BUDGET)


class TestDefault:
    def test_1108_counts_fit_without_further_arguments(self):
        book = Ledger.in_memory(epsilon=3, delta="5e-6")
        for _ in range(1108):
            book.charge(epsilon="0.02")
        with pytest.raises(BudgetError, match="; units would come to 4436 of 4434; nothing"):
            book.charge(epsilon="0.02")

    def test_the_adaptive_filter_counts_where_there_is_a_delta(self, tmp_path):
        assert isinstance(Ledger.in_memory(epsilon=1, delta="1e-6")._accountant, Adaptive)
        for delta in (None, 0, "0"):
            book = Ledger(tmp_path / "b.db", epsilon=1, delta=delta)
            assert isinstance(book._accountant, Plain)

    def test_books_in_memory_print_as_they_are_made(self):
        for book in (
            Ledger.in_memory(epsilon=1, delta="1e-6"),
            Ledger.in_memory(epsilon=1),
            Ledger.in_memory(epsilon=1, delta="1e-6", accountant="plain"),
            Ledger.in_memory(epsilon=1, delta="1e-6", release_delta="1e-6"),
        ):
            again = eval(repr(book), {"Ledger": Ledger})
            assert (again._accountant.text, again.left) == (book._accountant.text, book.left)

    def test_a_second_book_of_a_budget_takes_no_second_recursion(self, monkeypatch):
        from discreet.accounting import adaptive

        Ledger.in_memory(epsilon=1, delta="1e-6").verify()
        monkeypatch.setattr(adaptive, "_values", pytest.fail)
        Ledger.in_memory(epsilon=1, delta="1e-6").verify()


class TestWords:
    @pytest.mark.parametrize(
        ("cost", "says"),
        [
            ({"epsilon": "0.1", "delta": "1e-6"}, "; the releases' own deltas would come to 1e-6 of 5e-7; nothing"),
            ({"epsilon": "0.5", "delta": "1e-6"}, "delta=5e-7; the releases' own deltas would come to 1e-6 of 5e-7;"),
            ({"epsilon": 2}, "; units would come to 2052 of 2051, the plain sum of epsilons to 2 of 1; nothing"),
        ],
    )
    def test_a_refusal_says_what_is_exhausted_and_what_fits(self, cost, says):
        book = Ledger.in_memory(epsilon=1, delta="1e-6")
        with pytest.raises(BudgetError) as refusal:
            book.charge(**cost)
        assert says in str(refusal.value)
        assert "more than is left in memory: epsilon=1, delta=5e-7;" in str(refusal.value)

    def test_units_that_are_out_of_use_are_not_spoken_of(self):
        book = Ledger.in_memory(epsilon=1, delta="1e-6")
        book.charge(epsilon="0.6")
        assert "units" not in book.to_dict()["readings"]
        assert "units" not in str(book)
        with pytest.raises(BudgetError, match=r"delta=5e-7; the plain sum of epsilons would come to 1.1 of 1; nothing"):
            book.charge(epsilon="0.5")

    @pytest.mark.parametrize(
        ("moves", "remark", "units"),
        [
            ([("0.01", 1)], None, 4),
            ([("0.0025", 4)], None, 2),
            ([("0.012", 1)], "0.012 counted as 0.015", 9),
            ([("0.012", 5)], "5 x 0.012 counted as 5 x 0.015", 45),
            ([("0.001", 1), ("0.01", 2)], "0.001 counted as 0.005", 9),
            ([("0.3", 1)], "0.3 only by plain addition, as all that follows", 2052),
        ],
    )
    def test_an_entry_says_where_it_was_rounded_up(self, moves, remark, units, tmp_path):
        book = Ledger(tmp_path / "b.db", epsilon=1, delta="1e-6")
        entry = book.charge(event=Event.of(moves=moves))
        assert (entry.remark, entry.cost["units"]) == (remark, units)
        assert book.entries() == [entry]
        page, told = ok("budget", book.path, "--entry", 1), json.loads(ok("budget", book.path, "--entry", 1, "--json"))
        assert (remark or "counted") in page if remark else "counted" not in page
        assert (told["remark"], told["cost"]["units"]) == (remark, str(units))
        says = "Counted as a little more than their epsilons, which are between the steps of these books: 1;"
        assert (says in str(book)) is (says in ok("budget", book.path)) is (remark is not None and units <= 2051)
