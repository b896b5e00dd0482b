"""The order in which a person's groups are kept: what becomes of groups that share a place."""

import hashlib

import pytest
import tables_engines
from tables_totals import exact
from tiers import crossed

from discreet.tables import Bounding, People, bounding
from discreet.tables.engines import engine_of
from discreet.tables.engines.duckdb import DuckDB
from discreet.tables.engines.spark import Spark
from discreet.tables.spread import Sizes

ibis = pytest.importorskip("ibis")

SALT = bytes(range(16))


@pytest.fixture(scope="module", params=tables_engines.parameters())
def engine(request, tmp_path_factory):
    made, stop = tables_engines.start(request.param, tmp_path_factory.mktemp("engine"))
    yield made
    stop()


def test_a_digest_is_the_first_bytes_of_md5_the_least_significant_first(engine):
    """Also where it stands beside an aggregate, twice, and where what has a digest is dropped by it."""
    texts = ["", "a", "Rome", *(f"{i}" for i in range(40))]
    table = engine.load(ibis.schema({"x": "string"}), [{"x": text} for text in texts])
    us = engine_of(table)
    us.check(table, ["x"])
    each = table.group_by("x").agg(n=table.count())
    coded = us.once(each.mutate(c=us.digest(each.x), d=us.digest(each.x + "!")))
    first = {
        x: int.from_bytes(hashlib.md5(x.encode()).digest()[:7], "little") for x in (*texts, *(f"{x}!" for x in texts))
    }
    found = coded.select("x", "n", "c", "d").to_pyarrow().to_pylist()
    assert sorted(map(tuple, map(dict.values, found))) == sorted((x, 1, first[x], first[f"{x}!"]) for x in texts)
    rest = us.without(each, us.digest(each.x), [first[x] for x in texts[5:]])
    assert rest.columns == ("x", "n")
    assert sorted(rest.to_pyarrow()["x"].to_pylist()) == sorted(texts[:5])


@pytest.mark.parametrize(("person", "digests"), [("int64", 1), ("string", 2)])
def test_spark_is_told_once_to_compute_a_digest(monkeypatch, person, digests):
    """Beside an aggregate, Spark computes as often as it is told: seven times a digest, once."""
    monkeypatch.setattr(Spark, "check", lambda self, table, columns: None)
    monkeypatch.setattr(bounding, "engine_of", lambda table: Spark(None))
    events = ibis.table({"id": person, "city": "string"}, name="events")
    query = Bounding(People(), person="id", by="city", max_groups=2).expression(events, SALT)
    assert ibis.to_sql(query, dialect="pyspark").upper().count("MD5(") == digests


def test_of_close_floats_which_share_a_code_the_least_are_kept(engine):
    """Also where they are so large that all of them have one code."""
    close, far = [1e-13, 2e-13, 3e-13, 4e-13], [1e200, 1e201, 1e202]
    rows = [{"id": 1, "x": x} for x in close] + [{"id": 2, "x": x} for x in far]
    plan = Bounding(People(), person="id", by="x", max_groups=2, salt=SALT)
    table = engine.load(ibis.schema({"id": "int64", "x": "float64"}), rows)
    assert exact(plan, table) == dict.fromkeys([*close[:2], *far[:2]], 1)


@pytest.mark.parametrize("groups", [1, 2, 3, 4])
@pytest.mark.parametrize("max_groups", [1, 2, 3])
def test_groups_that_share_a_place_are_kept_or_left_out_together(monkeypatch, groups, max_groups):
    """Whatever the digests are, nobody is in more than max_groups, and which ones others' rows do not decide."""
    monkeypatch.setattr(DuckDB, "digest", lambda self, text: ibis.literal(1, "int64"))
    rows = [{"id": i, "city": f"c{j}"} for i in (1, 2) for j in range(groups if i == 1 else 1)]
    plan = Bounding(People(), person="id", by="city", max_groups=max_groups, sizes=Sizes(), salt=SALT)
    kept = groups if groups <= max_groups else 0
    assert exact(plan, ibis.memtable(rows)) == {f"c{j}": (j == 0) + (j < kept) for j in range(max(kept, 1))}


@crossed(
    5,
    keys=[["Rome", "Bath", "", "Rom"], [0, 7, -1, 9], [0.0, -0.0, 1.5, float("nan"), 2e300]],
    by=[["k"], ["k", "l"]],
)
def test_common_groups_change_nothing_but_the_time(monkeypatch, keys, by):
    """None, some or all of the rows may be looked at first, and any of them may be the first."""
    keys = [None, *keys]
    rows = [{"id": i % 7, "k": keys[i % len(keys)], "l": i % 3} for i in range(60)]
    plan, found = Bounding(People(), person="id", by=by, max_groups=2, sizes=Sizes(), salt=SALT), []
    for ahead in (0, 1, 3, 1000):
        monkeypatch.setattr(DuckDB, "ahead", ahead)
        found += [exact(plan, ibis.memtable(some)) for some in (rows, rows[::-1])]
    assert all(sorted(map(repr, each.items())) == sorted(map(repr, found[0].items())) for each in found)
    assert sum(found[0].values()) == 14
