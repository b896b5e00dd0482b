"""Values that are taken from Arrow columns, and numbers of other widths: what Arrow's own functions give, in NumPy."""

from decimal import Decimal

import numpy as np
import pytest
from tiers import cases

from discreet.tables.engines import taking
from discreet.tables.engines.taking import of_types, taken
from discreet.tables.keys import Wire

pa = pytest.importorskip("pyarrow", reason="pip install 'discreet[tables]'")

RNG = np.random.default_rng(3)
MADE = {
    pa.int64(): lambda: int(RNG.integers(-(2**63), 2**63 - 1)),
    pa.float64(): lambda: float(RNG.choice([0.0, -0.0, np.inf, 1e-320, RNG.normal()])),
    pa.binary(): lambda: RNG.bytes(RNG.integers(0, 5)),
    pa.string(): lambda: str(RNG.integers(0, 99)),
    pa.int32(): lambda: int(RNG.integers(-9, 9)),
    pa.bool_(): lambda: bool(RNG.integers(0, 2)),
}


def column(kind, made, *, nulls=True):
    """A column in chunks, some of them empty, each a part of a larger array."""
    chunks = []
    for size in RNG.integers(0, 25, RNG.integers(0, 4)):
        values = [None if nulls and RNG.random() < 0.2 else made() for _ in range(size + 9)]
        chunks.append(pa.array(values, kind).slice(RNG.integers(0, 9), size))
    return pa.chunked_array(chunks, kind)


@pytest.mark.parametrize("kind", MADE, ids=str)
@pytest.mark.parametrize("few", [3, 1 << 14])
def test_taken_is_what_arrow_takes(kind, few, monkeypatch):
    monkeypatch.setattr(taking, "_FEW", few)
    for _ in range(cases(20, 300)):
        whole = column(kind, MADE[kind])
        rows = RNG.integers(0, len(whole), RNG.integers(0, 40)) if len(whole) else np.empty(0, np.intp)
        found, wanted = taken(whole, rows), whole.take(pa.array(rows, pa.int64()))
        found.validate(full=True)
        assert (found.type, repr(found.to_pylist())) == (kind, repr(wanted.to_pylist()))


@pytest.mark.parametrize(("kind", "most"), [(pa.int32(), 2**31), (pa.decimal128(38, 0), 2**63)], ids=str)
def test_numbers_of_other_widths_are_the_same_numbers(kind, most):
    ends = [-most, -most + 1, -1, 0, 1, most - 1]
    schema = pa.schema([("a", pa.int64()), ("k", pa.binary())])
    for _ in range(cases(20, 300)):
        wide = column(
            kind, lambda: Decimal(int(RNG.choice(ends))) if most > 2**31 else int(RNG.choice(ends)), nulls=False
        )
        table = pa.table({"a": wide, "k": pa.chunked_array([pa.array([b"x"] * len(wide), pa.binary())])})
        assert of_types(table, schema) == table.cast(schema)


@pytest.mark.parametrize("beyond", [2**63, -(2**63) - 1, 2**64, 10**37])
def test_a_number_beyond_is_refused_as_arrow_refuses_it(beyond):
    table = pa.table({"a": pa.array([Decimal(1), Decimal(beyond)], pa.decimal128(38, 0))})
    schema = pa.schema([("a", pa.int64())])
    with pytest.raises(pa.ArrowInvalid):
        table.cast(schema)
    with pytest.raises(OverflowError, match="beyond 64 bits"):
        of_types(table, schema)


def test_other_types_and_nulls_are_left_to_arrow():
    table = pa.table({"a": pa.array([Decimal(1), None], pa.decimal128(38, 0)), "b": pa.array([1, 2], pa.int8())})
    schema = pa.schema([("a", pa.int64()), ("b", pa.float64())])
    assert of_types(table, schema) == table.cast(schema)


def test_bytes_are_read_as_texts_or_refused():
    ibis = pytest.importorskip("ibis", reason="pip install 'discreet[tables]'")
    read = Wire.of(ibis.dtype("string")).read
    assert read(pa.array([b"R\xc3\xb3me", None, b""])).equals(pa.array(["Róme", None, ""]))
    assert read(pa.chunked_array([pa.array([b"a"])])).to_pylist() == ["a"]
    for wrong in (pa.array([b"\xff"]), pa.chunked_array([pa.array([b"\xff"])])):
        with pytest.raises(pa.ArrowInvalid):
            read(wrong)
