"""Keys are fetched after the totals, for the groups that are asked for."""

from decimal import Decimal

import numpy as np
import pyarrow as pa
import pytest
import tables_engines

from discreet.errors import ParameterError
from discreet.tables import Bounding, People, Table
from discreet.tables.spread import Sizes

ibis = pytest.importorskip("ibis")

PEOPLE = {f"c{i}": i + 1 for i in range(8)} | {None: 9}


@pytest.fixture(scope="module", params=tables_engines.parameters())
def engine(request, tmp_path_factory):
    made, stop = tables_engines.start(request.param, tmp_path_factory.mktemp("engine"))
    yield made
    stop()


@pytest.fixture
def totals(engine):
    rows = [{"id": 100 * n + i, "city": city} for city, n in PEOPLE.items() for i in range(n)]
    table = engine.load(ibis.schema({"id": "int64", "city": "string"}), rows)
    return lambda: Bounding(People(), person="id", by="city", sizes=Sizes()).apply(table)


def test_keys_are_those_of_the_places_in_the_order_asked_for(totals):
    found = totals()
    for places in ([], [3], [8, 0, 5, 2], range(9), [4, 7, 6, 1]):
        chosen = np.array(places, np.intp)
        assert [PEOPLE[key] for (key,) in found.keys(chosen)] == found.people[chosen].tolist()


def test_the_driver_of_spark_gets_no_key_that_is_not_asked_for(engine, totals, monkeypatch):
    if engine.name != "pyspark":
        return
    frame, sent = type(engine.connection._session.range(1)), []
    to_arrow = frame.toArrow
    monkeypatch.setattr(frame, "toArrow", lambda self: [sent.append(to_arrow(self)), sent[-1]][1])
    found = totals()
    assert [table.column_names for table in sent] == [["people", "a0", "b", "row"]]
    found.keys(np.array([2, 1]))
    assert [len(table) for table in sent[1:]] == [2]


def test_known_decimals_with_all_digits_behind_the_point_are_found():
    con = ibis.duckdb.connect()
    con.raw_sql(
        "CREATE TABLE paid AS SELECT i id, ([0.05, -0.10, 0])[1 + i % 3]::DECIMAL(2, 2) rate FROM range(3000) t(i)"
    )
    rates = [Decimal("0.05"), Decimal("-0.1"), Decimal(0), Decimal("0.99")]
    groups = Table(con.table("paid"), person="id").group_by("rate", keys=rates)
    people = groups.count_people(epsilon=50, max_groups=1).columns["people"]
    assert [round(n, -2) for n in people] == [1000, 1000, 1000, 0]


@pytest.mark.parametrize(("by", "key"), [(("f",), float("nan")), (("f", "s"), (float("nan"), "a"))])
def test_nan_is_no_known_key_alone_or_among_others(by, key):
    t = Table(pa.table({"f": [1.0], "s": ["a"]}), person=None)
    with pytest.raises(ParameterError, match="a number"):
        t.group_by(*by, keys=[key])
