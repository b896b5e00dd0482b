"""Sums that are packed: what is unpacked is what was added up, and it is done where it saves memory alone."""

import random

import pyarrow as pa
import pytest

from discreet.tables import Bounding, Mean, People, Quantile, Rows, Sum
from discreet.tables.engines import engine_of
from discreet.tables.packing import NARROW, ROWS, WIDE, Packing
from discreet.tables.spread import Sizes

ibis = pytest.importorskip("ibis")
TWO = [People(), Sum("a", -3, 5, 1), Mean("b", 0, 100, 1), Quantile("b", "1/2", low=0, high=100, grid=1)]


def bounds(rng):
    """Some bounds, of which a few are of one value, and a few as wide as they may be."""
    for i in range(rng.randint(2, 7)):
        low, bits = rng.randint(-(2**30), 2**30), rng.choice((0, 1, 7, 16, 17, 30))
        yield f"s{i}", (low, low + rng.choice((2**bits - 1, 2**bits))) if bits else (low, low)


def test_fields_hold_the_sums_of_as_many_rows_as_may_be_and_none_reaches_the_next():
    rng, packed = random.Random(16), 0
    for _ in range(500):
        ends = dict(bounds(rng))
        packing = Packing.of(ends)
        if packing is None:
            continue
        packed += 1
        rows, numbers = 2**ROWS - 1, {}
        sums = {name: rng.choice((low, high)) * rows for name, (low, high) in ends.items()} | {"n": rows}
        for field in packing.fields:
            distance = sums[field.name] - field.low * rows
            assert 0 <= distance < 2**field.width <= 2**NARROW
            numbers[field.number] = numbers.get(field.number, 0) + (distance << field.shift)
        assert max(numbers.values()) < 2**WIDE
        assert len(numbers) < len(ends)
        for field in packing.fields:
            bits = numbers[field.number] >> field.shift & 2**field.width - 1
            assert bits + field.low * rows == sums[field.name]
    assert packed > 100


def test_values_at_their_bounds_come_back_from_the_engine():
    ends = {"s0": (-7, -2), "s1": (-(2**29), 2**30 - 2**29), "s2": (0, 1), "s3": (5, 5)}
    rng, packing = random.Random(7), Packing.of(ends)
    assert {field.number for field in packing.fields} == {0, 1, 2}
    rows = [{"g": rng.randrange(9)} | {name: rng.choice(both) for name, both in ends.items()} for _ in range(500)]
    backend = ibis.duckdb.connect()
    backend.con.register("rows_of", pa.Table.from_pylist(rows))
    table = backend.table("rows_of")
    words = backend.compile(packing.unpacked(packing.each(table, ["g"], engine_of(table))))
    for each in backend.con.sql(words).to_arrow_table().to_pylist():
        own = [row for row in rows if row["g"] == each["g"]]
        assert {name: each[name] for name in ("n", *ends)} == {"n": len(own)} | {
            name: sum(row[name] for row in own) for name in ends
        }


@pytest.mark.parametrize(
    ("plan", "packs"),
    [
        (Bounding(TWO, person="p", by="k", max_groups=3), True),
        (Bounding(TWO, person="p", by="k", max_groups=3, sizes=Sizes()), True),
        (Bounding([*TWO, Rows(2)], person="p", by="k", max_groups=3, sizes=Sizes(rows=2)), False),
        (Bounding(TWO, person="p"), False),
        (Bounding(TWO, person=None, by="k"), False),
        (Bounding(TWO[2:], person="p", by="k"), False),
        (Bounding([*TWO[2:], Sum("a", 0, 2**31, 1)], person="p", by="k"), False),
    ],
    ids=["several", "sizes", "sizes of rows", "no groups", "no person", "one sum", "wide bounds"],
)
def test_sums_are_packed_where_groups_are_waited_for_and_fewer_numbers_hold_them(plan, packs):
    backend = ibis.duckdb.connect()
    table = backend.create_table(
        "rows_of", schema=ibis.schema({"p": "int64", "k": "string", "a": "int64", "b": "float"})
    )
    words = backend.compile(plan.expression(table, bytes(16)))
    assert ("cast_to_type" in words.lower()) == packs
