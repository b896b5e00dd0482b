"""A fork while a question is being written: the child can ask its own."""

import threading
import time
from types import SimpleNamespace

import ibis
from ledger_shelves import POSIX, in_child

from discreet.tables.ready import Question


def asked(compile_):
    """Write a question in the words of an engine that takes its time."""
    backend = SimpleNamespace(name="duckdb", compile=compile_)
    return Question.of(SimpleNamespace(get_backend=lambda: backend), b"", None).words


@POSIX
def test_a_child_of_a_process_that_writes_a_question_can_write_its_own():
    inside = threading.Event()

    def slowly(_):
        inside.set()
        time.sleep(0.3)
        return "slow"

    thread = threading.Thread(target=asked, args=(slowly,))
    thread.start()
    assert inside.wait(60)
    before = ibis.options.sql.fuse_selects
    told = in_child(lambda: (asked(lambda _: str(ibis.options.sql.fuse_selects)), ibis.options.sql.fuse_selects))
    thread.join()
    assert (before, told, ibis.options.sql.fuse_selects) == (False, "('False', True)", True)
