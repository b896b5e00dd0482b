"""What is fetched after the noise depends on the groups that are released, and on nothing else of a table."""

import datetime as dt
import math
from dataclasses import replace

import pytest
import tables_engines
from telling import told
from tiers import each

from discreet import EngineError, Ledger
from discreet.tables import Bounding, Table

ibis = pytest.importorskip("ibis")
pytestmark = pytest.mark.usefixtures("given_coins")

SURE = 10**6
MANY = 5
KEYS = {  # Keys of many people each, and keys that one person alone may have.
    "string": (["Rome", "Bath", None, "rome"], ["ROME", "Rome ", "", "x" * 3000]),
    "int64": ([7, -7], [2**63 - 1, -(2**63)]),
    "float64": ([0.5, -2.0], [math.nan, math.inf]),
    "date": ([dt.date(2026, 1, 31), dt.date(2026, 2, 1)], [dt.date(1, 1, 1)]),
}
CASES = [(kind, shown, alone) for kind, (some, one) in KEYS.items() for shown in (some, []) for alone in one]


@pytest.fixture(scope="module", params=tables_engines.parameters(deep=tables_engines.NAMES[1:]))
def engine(request, tmp_path_factory):
    made, stop = tables_engines.start(request.param, tmp_path_factory.mktemp("engine"))
    yield made
    stop()


@pytest.fixture
def fetched(monkeypatch):
    """What engines sent for keys, each time: how many, of which types, and which; or an error, where one is put in."""
    sent, run = [], Bounding.run

    def watched(plan, table, question):
        found = run(plan, table, question)

        def fetch(rows):
            if sent and isinstance(sent[0], Exception):
                raise sent[0]
            columns = found.fetch(rows)
            sent.append([(len(rows), column.type, sorted(map(repr, column.to_pylist()))) for column in columns])
            return columns

        return replace(found, fetch=fetch)

    monkeypatch.setattr(Bounding, "run", watched)
    return sent


def loaded(engine, kind, keys, *alone):
    """A table of many people with each of some keys, and of one person with a key of their own."""
    owners = [key for key in keys for _ in range(MANY)]
    rows = [{"id": i, "k": key} for i, key in enumerate([*owners[:2], *alone, *owners[2:]])]
    return engine.load(ibis.schema({"id": "int64", "k": kind}), rows)


def count(table, **more):
    groups = Table(table, person="id", **more).group_by("k")
    return groups.count_people(epsilon=SURE, delta="1e-9", max_groups=1, left_out=0)


@pytest.mark.parametrize(("kind", "shown", "alone"), each(CASES, 2), ids=lambda x: f"{x!r:.12}")
def test_one_person_changes_nothing_of_what_is_fetched(engine, fetched, kind, shown, alone):
    seen = []
    for people in ((), (alone,)):
        answer = count(loaded(engine, kind, shown, *people))
        assert len(answer) == len(shown)  # The threshold withholds what one person alone has.
        seen.append((answer.keys, answer.columns, answer.to_arrow().schema, str(answer), [*fetched]))
        assert fetched == [[(len(shown), fetched[0][0][1], fetched[0][0][2])]]
        fetched.clear()
    assert seen[0] == seen[1]


def test_nor_of_an_error(engine, fetched):
    seen = []
    for people in ((), ("ROME",)):
        fetched[:] = [RuntimeError("the key 'Rome' of row 3")]
        book = Ledger.in_memory(epsilon=SURE, delta="1e-6", accountant="plain")
        with pytest.raises(EngineError) as caught:
            count(loaded(engine, "string", KEYS["string"][0], *people), ledger=book)
        seen.append((told(caught.value), [(entry.kind, entry.epsilon, entry.delta) for entry in book.entries()]))
        assert "Rome" not in seen[-1][0]
    assert seen[0] == seen[1]
    assert [kind for kind, *_ in seen[0][1]] == ["charge", "failed"]
