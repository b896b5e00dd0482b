"""What an engine was seen to understand before anything is charged is what then runs, once."""

import contextlib
import sqlite3
from dataclasses import replace

import pandas as pd
import pytest

from discreet import Ledger
from discreet.tables import Bounding, People, Table
from discreet.tables.engines import Engine, engine_of
from discreet.tables.engines.duckdb import DuckDB
from discreet.tables.engines.sqlite import SQLite
from discreet.tables.ready import Question, Ready

ibis = pytest.importorskip("ibis")
PRIVATE = {"epsilon": 5, "delta": "1e-6"}
QUESTIONS = {
    "people": (1, lambda t: t.count_people(epsilon=1)),
    "known groups": (1, lambda t: t.group_by("city", keys=["Rome"]).count_rows(epsilon=1, max_groups=1, max_rows=2)),
    "private groups": (1, lambda t: t.group_by("city").count_people(**PRIVATE, max_groups=2)),
    "a list of groups": (1, lambda t: t.group_by("city").keys(**PRIVATE, max_groups=2)),
    "how many groups": (1, lambda t: t.suggest_max_groups("city")),
    "max_groups that are chosen": (2, lambda t: t.group_by("city").count_people(**PRIVATE, max_groups="auto")),
}


def rows():
    return pd.DataFrame({"user": [i % 9 for i in range(20)], "city": ["Rome", "Bath"] * 10})


@pytest.fixture
def log(monkeypatch):
    """What happens: words that are made, a charge, and words that an engine is sent."""
    found = []

    def noted(kind, name, word):
        before = getattr(kind, name)
        monkeypatch.setattr(kind, name, lambda *a, **k: [answer := before(*a, **k), found.append(word(a, answer))][0])

    for kind in (DuckDB, SQLite):
        noted(kind, "words", lambda _, words: ("compiled", words))
    noted(Ledger, "charge", lambda *_: ("charged", None))
    answer = Engine.answer
    monkeypatch.setattr(
        Engine, "answer", lambda self, q, words, keys: [found.append(("sent", words)), answer(self, q, words, keys)][1]
    )
    return found


@pytest.mark.parametrize("question", QUESTIONS)
@pytest.mark.parametrize("source", ["a frame", "sqlite"])
def test_the_words_that_were_checked_before_the_charge_are_those_that_run(question, source, log, tmp_path):
    place, book = {"source": rows()}, Ledger.in_memory(epsilon=9, delta="1e-5")
    if source == "sqlite":
        with contextlib.closing(sqlite3.connect(tmp_path / "events.db")) as connection:
            connection.execute("CREATE TABLE events (user INTEGER, city TEXT)")
            connection.executemany("INSERT INTO events VALUES (?, ?)", rows().values.tolist())
            connection.commit()
        place = {"source": f"sqlite://{tmp_path}/events.db", "table": "events"}
    t = Table(**place, person="user", ledger=book)
    log.clear()
    checks, ask = QUESTIONS[question]
    ask(t)
    kinds, words = zip(*log, strict=True)
    assert kinds[: checks + 2] == ("compiled",) * checks + ("charged", "sent")
    assert words[checks + 1] == words[0]
    assert kinds.count("charged") == 1
    for place, kind in enumerate(kinds):
        assert kind != "sent" or words[place] in words[:place]
    if checks == 1 and question != "a list of groups":  # Which asks for what is left in a second round.
        assert len(log) == 3


def test_a_question_is_asked_once_and_then_under_another_salt():
    table = ibis.memtable(rows())
    bounding = Bounding([People()], person="user", by="city")
    ready = Ready.of(table, bounding)
    first, second = ready.question(bounding), ready.question(bounding)
    assert first.salt != second.salt
    assert first.words != second.words
    given = replace(bounding, salt=bytes(range(16)))
    assert Ready.of(table, given).question(given).words == Ready(table).question(given).words


def test_a_table_that_was_made_ready_for_another_question_is_not_asked_that_one():
    table = ibis.memtable(rows())
    one, other = (Bounding([People()], person="user", by="city", max_groups=m, salt=bytes(16)) for m in (1, 2))
    assert sorted(one(Ready.of(table, other)).people) == sorted(one(table).people)
    assert sum(one(Ready.of(table, other)).people) < sum(other(Ready.of(table, one)).people)


def test_an_answer_has_the_types_of_its_query_whatever_its_rows():
    table = ibis.memtable(rows())
    for nobody in (table, table.filter(table.user < 0)):
        question = Ready(nobody).question(Bounding([People()], person="user", by="city"))
        found, _ = engine_of(nobody).answer(question.query, question.words, ["k0"])
        assert found.schema.types == question.query.schema().to_pyarrow().types


@pytest.mark.parametrize("fused", [True, False])
def test_how_ibis_writes_the_queries_of_others_is_left_as_it_was(fused, monkeypatch):
    monkeypatch.setattr(ibis.options.sql, "fuse_selects", fused)
    table, bounding = ibis.memtable(rows()), Bounding([People()], person="user", by="city")
    words = Ready(table).question(replace(bounding, salt=bytes(16))).words
    assert ibis.options.sql.fuse_selects is fused
    with pytest.raises(AttributeError):
        Question.of(table, bytes(16), None)
    assert ibis.options.sql.fuse_selects is fused
    ibis.options.sql.fuse_selects = not fused
    assert Ready(table).question(replace(bounding, salt=bytes(16))).words == words
