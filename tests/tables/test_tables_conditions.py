"""A filter is total: it is refused by the types of its columns, or it fails on no value, whatever the engine.

Every type of an engine, filled with the values at its ends, meets every other type, every kind of literal and every
function on the list. Were one of these conditions accepted and to fail, whether it fails would tell what somebody's
value is.
"""

import datetime as dt
import math
import operator
import re
from collections.abc import Iterable
from decimal import Decimal
from fractions import Fraction
from itertools import product
from uuid import UUID

import pyarrow as pa
import pytest
import tables_engines
from tiers import ALL, each

from discreet.errors import DiscreetError, ParameterError
from discreet.tables import Table
from discreet.tables import total as module
from discreet.tables.derived import derived
from discreet.tables.engines import engine_of
from discreet.tables.engines.duckdb import DuckDB
from discreet.tables.total import PARTS, UNITS
from discreet.tables.where import predicate, row_by_row

ibis = pytest.importorskip("ibis")

SURE = 10**6
DUCKDB = {
    "b": ("BOOLEAN", "true", "false"),
    "i1": ("TINYINT", "127", "-128"),
    "i4": ("INTEGER", "2147483647", "-2147483648", "2026"),
    "i8": ("BIGINT", "9223372036854775807", "-9223372036854775808", "0"),
    "u1": ("UTINYINT", "255", "0"),
    "u8": ("UBIGINT", "18446744073709551615", "0"),
    "h": ("HUGEINT", "170141183460469231731687303715884105727", "-170141183460469231731687303715884105728", "5"),
    "f4": ("FLOAT", "'inf'", "'nan'", "1e-45", "3.4e38", "0.1", "-0.0"),
    "f8": ("DOUBLE", "'-inf'", "'nan'", "5e-324", "1.7e308", "0.1"),
    "d0": ("DECIMAL(38, 0)", "99999999999999999999999999999999999999", "-1"),
    "d2": ("DECIMAL(9, 2)", "9999999.99", "-9999999.99", "0.10"),
    "d3": ("DECIMAL(18, 3)", "999999999999999.999", "0.1"),
    "d37": ("DECIMAL(38, 37)", "9.9999999999999999999999999999999999999", "-9"),
    "s": ("VARCHAR", "'x'", "''", "'5'", "'2020-01-01'", "'00000000-0000-0000-0000-000000000000'", "'日本'", "'true'"),
    "n": ("VARCHAR COLLATE NOCASE", "'X'", "''"),
    "e": ("mood", "'a'", "'b'"),
    "t": ("DATE", "'infinity'", "'-infinity'", "'5881580-07-10'", "'5877642-06-25 (BC)'", "'2020-01-01'"),
    "t0": ("TIMESTAMP_S", "'290000-01-01'", "'infinity'", "'2020-01-01'"),
    "t3": ("TIMESTAMP_MS", "'290000-01-01'", "'-infinity'", "'2020-01-01'"),
    "t6": ("TIMESTAMP", "'294247-01-10'", "'290000-01-01 (BC)'", "'infinity'", "'2020-01-01'"),
    "t9": ("TIMESTAMP_NS", "'2262-04-11'", "'1677-09-22'", "'infinity'"),
    "z": ("TIMESTAMPTZ", "'294247-01-09'", "'-infinity'", "'2020-01-01'"),
    "u": ("UUID", "'00000000-0000-0000-0000-000000000000'"),
    "j": ("JSON", "'[1]'", "'\"x\"'"),
    "m": ("TIME", "'24:00:00'", "'00:00:00'"),
    "mz": ("TIMETZ", "'24:00:00+15:59'"),
    "v": ("INTERVAL", "'1 year'", "'-178000000 years'"),
    "x": ("BLOB", "'\\xFF'::BLOB", "''::BLOB"),
    "g": ("BIGNUM", "'1' || repeat('0', 300)", "'-1'"),
    "q": ("BIT", "'0101'"),
    "a": ("INTEGER[]", "[1]", "[]"),
    "uh": ("UHUGEINT", "340282366920938463463374607431768211455"),
}
SQLITE = {
    "b": ("BOOLEAN", "1", "'x'", "7"),
    "i": ("INTEGER", "9223372036854775807", "'x'", "1.5", "x'FF'"),
    "f": ("REAL", "9e999", "-9e999", "'x'", "5e-324"),
    "d": ("DECIMAL(9, 2)", "1e300", "'x'"),
    "s": ("TEXT", "'x'", "5", "x'FFFE'", "CAST(x'FF' AS TEXT)"),
    "n": ("TEXT COLLATE NOCASE", "'X'"),
    "t": ("DATE", "'no day'", "'2020-01-01'", "'99999-01-01'", "5"),
    "z": ("TIMESTAMP", "'no time'", "'2020-01-01 00:00:00'", "-1e300"),
    "tz": ("TIMESTAMPTZ", "'2020-01-01 00:00:00+15:00'", "x'00'"),
    "x": ("BLOB", "x'00'"),
}
POSTGRES = {
    "b": ("BOOLEAN", "true"),
    "i2": ("SMALLINT", "32767", "-32768"),
    "i4": ("INTEGER", "2147483647", "2026"),
    "i8": ("BIGINT", "9223372036854775807", "-9223372036854775808"),
    "f4": ("REAL", "'inf'", "'nan'", "1e-45", "3.4e38"),
    "f8": ("DOUBLE PRECISION", "'-inf'", "'nan'", "5e-324", "1.7e308"),
    "n": ("NUMERIC", "'1e1000'", "'NaN'", "'1e-1000'", "'-Infinity'"),
    "n2": ("NUMERIC(9, 2)", "'NaN'", "9999999.99"),
    "s": ("TEXT", "'x'", "''", "'5'", "'日本'", "repeat('a', 60000)"),
    "c": ('TEXT COLLATE "C"', "'x'", "'%'"),
    "k": ('TEXT COLLATE "POSIX"', "'x'", "'Y'"),
    "o": ("TEXT COLLATE loose", "'x'", "'X'"),
    "h": ("CHAR(3)", "'x'"),
    "w": ("VARCHAR(9)", "'x\\'"),
    "t": ("DATE", "'infinity'", "'-infinity'", "'5874897-12-31'", "'4713-01-01 BC'"),
    "t3": ("TIMESTAMP(3)", "'infinity'", "'294276-12-31'"),
    "t6": ("TIMESTAMP", "'-infinity'", "'294276-12-31'", "'2020-01-01'"),
    "z": ("TIMESTAMPTZ", "'infinity'", "'294276-12-31'"),
    "u": ("UUID", "'00000000-0000-0000-0000-000000000000'"),
    "j": ("JSON", "'[1]'"),
    "jb": ("JSONB", "'[1]'"),
    "m": ("TIME", "'24:00:00'"),
    "mz": ("TIMETZ", "'24:00:00+15:59'"),
    "v": ("INTERVAL", "'178000000 years'"),
    "x": ("BYTEA", "'\\xFF'"),
    "p": ("INET", "'127.0.0.1'"),
}
SPARK = {
    "b": ("BOOLEAN", "true"),
    "i1": ("TINYINT", "127", "-128"),
    "i8": ("BIGINT", "9223372036854775807", "-9223372036854775808"),
    "f4": ("FLOAT", "'Infinity'", "'NaN'", "1e-45"),
    "f8": ("DOUBLE", "'-Infinity'", "'NaN'", "5e-324"),
    "d2": ("DECIMAL(9, 2)", "9999999.99"),
    "d37": ("DECIMAL(38, 37)", "9.9999999999999999999999999999999999999"),
    "s": ("STRING", "'x'", "'5'", "''"),
    "t": ("DATE", "'9999-12-31'", "'0001-01-01'", "'+99999-12-31'"),
    "z": ("TIMESTAMP", "'9999-12-31 00:00:00'", "'0001-01-01 00:00:00'", "'+294247-01-10 00:00:00'"),
    "w": ("TIMESTAMP_NTZ", "'9999-12-31 00:00:00'", "'0001-01-01 00:00:00'", "'+294247-01-10 00:00:00'"),
    "x": ("BINARY", "'x'"),
}
TYPES = {"duckdb": DUCKDB, "sqlite": SQLITE, "postgres": POSTGRES, "pyspark": SPARK}
BEFORE = {
    "duckdb": ["CREATE TYPE mood AS ENUM ('a', 'b')"],
    "postgres": ["CREATE COLLATION loose (provider = icu, locale = 'und-u-ks-level2', deterministic = false)"],
}
LITERALS = [
    *(0, 5, -1, 2026, 128, 2**31, 2**63 - 1, -(2**63), 0.1, 1.5, 5.0, 1e300, 5e-324, math.nan, math.inf, True, None),
    *(Decimal("1.5"), Decimal("1e30"), Decimal("1e-30"), Decimal("0.10"), Decimal("NaN"), b"x", b""),
    *("x", "", "5", "true", "2020-01-01", "2020-01-01T00:00:00.000001", "00000000-0000-0000-0000-000000000000", "a'\\"),
    *(dt.date(1, 1, 1), dt.date(9999, 12, 31), dt.datetime(1, 1, 1), dt.datetime(9999, 12, 31, 23, 59, 59, 999999)),
    *(dt.datetime(2020, 1, 1), dt.datetime(2020, 1, 1, tzinfo=dt.UTC), dt.time(0), dt.timedelta(1), UUID(int=0)),
]
COMPARISONS = [operator.eq, operator.lt, lambda x, y: x.identical_to(y), lambda x, y: x.isin([y])]
PAIRS = [*COMPARISONS, lambda x, y: x.coalesce(y) == x, lambda x, y: x.between(y, x), lambda x, y: x.coalesce(y) == y]
TEXTS = ["a", "a_%", "%", "", "'", "\\", "x\\", "a" * 60_000, "\0", "\ud800"]
ONE = [
    *(lambda x: x.isnull(), lambda x: x.notnull(), lambda x: x.isnan(), lambda x: ~x, lambda x: x ^ x, lambda x: x & x),
    *(lambda x: x.length() > 1, lambda x: x.lower() == "x", lambda x: x.upper() != x, lambda x: x.strip() == x),
    *(lambda x: x.contains(x), lambda x: x.startswith(x), lambda x: x.endswith(x), lambda x: x.like(x)),
    *(lambda x: x.year() == 2020, lambda x: x.month() >= 7, lambda x: x.day() == 1, lambda x: x.hour() < 9),
    *(lambda x: x.minute() < 9, lambda x: x.day_of_week.index() == 0, lambda x: x.year() == x.month()),
    *(lambda x: x.year().coalesce(5) == 5, lambda x: x.lower().startswith("x"), lambda x: x.cast("int64") == 1),
    *(lambda x, text=text: x.contains(text) | x.startswith(text) | x.endswith(text) for text in TEXTS),
    *(lambda x, text=text: x.like(text) for text in TEXTS),
]


@pytest.fixture(scope="module", params=tables_engines.parameters())
def ends(request, tmp_path_factory):
    """A table on an engine with a column of each type, filled with the values at its ends; and its empty twin."""
    engine, stop = tables_engines.start(request.param, tmp_path_factory.mktemp(request.param))
    yield made(engine)
    stop()


def made(engine):
    name, connection, columns = engine.name, engine.connection, TYPES[engine.name]
    run = connection._session.sql if name == "pyspark" else connection.con.execute
    for sql in BEFORE.get(name, []):
        run(sql)
    depth = max(len(values) for _, *values in columns.values())
    rows = [
        ", ".join(_cast(name, kind, values[i % len(values)]) for kind, *values in columns.values())
        for i in range(depth)
    ]
    rows.append(", ".join(_cast(name, kind, "NULL") for kind, *_ in columns.values()))
    if name == "pyspark":
        names = ", ".join(columns)
        selects = " UNION ALL ".join(f"SELECT {row}" for row in rows)
        run(f"SELECT * FROM ({selects}) AS ends ({names})").createOrReplaceTempView("ends")
        run("SELECT * FROM ends WHERE false").createOrReplaceTempView("nobody")
    else:
        kinds = ", ".join(f"{column} {kind}" for column, (kind, *_) in columns.items())
        for table in ("ends", "nobody"):
            run(f"CREATE TABLE {table} ({kinds})")
        for row in rows:
            run(f"INSERT INTO ends VALUES ({row})")
        if name != "duckdb":
            connection.con.commit()
    engine_of(connection.table("ends")).check(connection.table("ends"), ())  # SQLite gets our functions.
    return connection.table("ends"), connection.table("nobody")


def _cast(engine, kind, value):
    return f"CAST({value} AS {kind})" if engine == "pyspark" else value


def accepted(table, conditions: Iterable):
    """The conditions that are not refused, by the types alone; Ibis refuses some where they are written."""
    found = []
    for condition in conditions:
        try:
            expression = condition(table)
        except Exception:  # Ibis has no such method for the type, or takes no such literal.
            continue
        try:
            found.append(row_by_row(table, expression))
        except DiscreetError:
            continue
    return found


def every_condition(table):
    columns = table.columns
    for a, b, pair in product(columns, columns, PAIRS):
        yield lambda t, a=a, b=b, pair=pair: pair(t[a], t[b])
    for a, literal, pair in product(columns, LITERALS, (operator.ge, COMPARISONS[-1], PAIRS[-1])):
        yield lambda t, a=a, literal=literal, pair=pair: pair(t[a], ibis.literal(literal))
    for a, one in product(columns, ONE):
        yield lambda t, a=a, one=one: one(t[a])


def every_text(table):
    columns = table.columns
    sides = [*columns, "0", "-1", "5", "128", "1.5", "1e300", "9223372036854775807", "'x'", "'2020-01-01'", "TRUE"]
    sides += ["'00000000-0000-0000-0000-000000000000'", "'2020-01-01T00:00:00+01:00'", "1e-30", "9" * 38, "9" * 39]
    for a, b, sign in product(columns, sides, ("=", "<")):
        yield f"{a} {sign} {b}"
    for a, b in product(columns, sides):
        yield f"{a} IN ({b}, {b})"
        yield f"{a} BETWEEN {b} AND {b}"
    for a in columns:
        yield from (f"{a} LIKE 'x%'", f"{a} IS NULL", f"NOT {a}", f"{a} LIKE '{'x' * 60_000}'", f"{a} LIKE 'x\\'")


def hold(table, conditions, size=150):
    """Ask the engine all of them, many at a time; find the one that fails."""
    for start in range(0, len(conditions), size):
        some = conditions[start : start + size]
        query = table.aggregate([c.ifelse(1, 0).sum().name(f"c{i}") for i, c in enumerate(some)])
        try:
            query.to_pyarrow()
        except Exception as error:
            if len(some) == 1:
                pytest.fail(f"{ibis.to_sql(query)}: {error}")
            hold(table, some, max(size // 12, 1))
            pytest.fail(f"fails together: {error}")


def test_no_accepted_condition_fails_on_a_value(ends, monkeypatch):
    """DuckDB without its second wall, which would hide a hole in the first."""
    table, _ = ends
    monkeypatch.setattr(module.Total, "walled", lambda _, op: op.to_expr())
    conditions = accepted(table, each(every_condition(table), 17))
    assert len(conditions) > (300 if len(table.columns) < 20 else 1000) / (1 if ALL else 17)
    if table.get_backend().name == "pyspark":
        conditions = conditions[::7]
    hold(table, conditions)


def test_no_accepted_text_fails_on_a_value(ends):
    table, _ = ends
    conditions = []
    for text in each(every_text(table), 7):
        try:
            conditions.append(predicate(table, text))
        except DiscreetError:
            continue
    assert len(conditions) > 100 / (1 if ALL else 7)
    if table.get_backend().name == "pyspark":
        conditions = conditions[::7]
    hold(table, conditions)


def test_what_fails_on_a_value_all_the_same_holds_for_no_row_in_duckdb():
    table = ibis.memtable({"s": ["5", "x", "6", None], "f": [1e300, 5.0, 6.0, math.nan]})
    total = module.Total(table, "where", "")
    for condition in (
        table.s.cast("int64") == 5,
        table.f.cast("int8") == 5,
        table.s.cast("date") < table.s.cast("date"),
    ):
        with pytest.raises(Exception, match=r"Conver|cast"):
            table.filter(condition).count().to_pyarrow()
        table.filter(total.walled(condition.op())).count().to_pyarrow()
    found = table.filter(total.walled((table.s.cast("int64") == 5).op()))
    assert found.s.to_pyarrow().to_pylist() == ["5"]


def test_a_long_pattern_is_refused():
    table = ibis.memtable({"s": ["x"]})
    assert predicate(table, f"s LIKE '{'x' * 1000}'") is not None
    with pytest.raises(DiscreetError, match="at most 1000 characters"):
        predicate(table, f"s LIKE '{'x' * 1001}'")


def test_what_is_refused_does_not_depend_on_the_rows(ends):
    full, empty = ends
    texts = list(every_text(full))[:: 5 if ALL else 21]

    def refused(table):
        found = []
        for text in texts:
            try:
                predicate(table, text)
            except DiscreetError as error:
                found.append((text, str(error)))
        return found

    assert refused(full) == refused(empty)


# The attack.


PEOPLE = pa.table(
    {
        "name": [f"name{i}" for i in range(20)],
        "disease": ["HIV" if i == 7 else "flu" for i in range(20)],
        "visit_id": pa.array([str(UUID(int=i)) for i in range(20)]),
    }
)


def people():
    connection = ibis.duckdb.connect()
    connection.con.register("arrow", PEOPLE)
    connection.con.execute("CREATE TABLE people AS SELECT name, disease, visit_id::UUID AS visit_id FROM arrow")
    return Table(connection.table("people"), person="name")


@pytest.mark.parametrize("name", ["name7", "name8"])
@pytest.mark.parametrize(
    "trap",
    [
        lambda t: t.name == ibis.literal(UUID(int=0)),
        lambda t: t.name == t.visit_id,
        lambda t: t.name.isin([5]),
        lambda t: t.name.isin([True]),
        lambda t: t.name.isin([dt.date(2020, 1, 1)]),
        lambda t: t.name.isin([Decimal("1.5")]),
        lambda t: t.name.isin([dt.timedelta(1)]),
        lambda t: t.name.isin([UUID(int=0)]),
        lambda t: ibis.coalesce(t.name, t.visit_id.cast("string")) == "x",
        lambda t: t.name.cast("int64") == 5,
    ],
)
def test_whether_a_filter_is_refused_tells_nothing_of_a_person(name, trap):
    with pytest.raises(ParameterError):
        people().where(lambda t: (t.name == name) & (t.disease == "HIV") & trap(t))


def test_nor_does_a_text():
    for name in ("name7", "name8"):
        with pytest.raises(ParameterError, match="not of uuid"):
            people().where(f"name = '{name}' AND disease = 'HIV' AND name = visit_id")


# What a condition means.


NUMBERS = {
    "i1": (pa.int8(), [0, 5, -1, 127, -128]),
    "i8": (pa.int64(), [0, 5, -1, 2**53 + 1, 2**63 - 1, -(2**63)]),
    "u8": (pa.uint64(), [0, 5, 2**64 - 1, 2**63]),
    "f4": (pa.float32(), [0.0, 0.1, 5.0, -1.0, 3e38]),
    "f8": (pa.float64(), [0.0, 0.1, 5.0, 1e300, 5e-324]),
    "d2": (pa.decimal128(9, 2), [Decimal(x) for x in ("0.00", "0.10", "5.00", "-1.00", "9999999.99")]),
}


@pytest.mark.parametrize("column", NUMBERS)
def test_numbers_compare_as_numbers_do(column):
    """Against exact arithmetic; a float stands for itself beside floats, and for what is written beside decimals."""
    kind, values = NUMBERS[column]
    values = pa.array(values, kind).to_pylist()
    table = ibis.memtable(pa.table({"x": pa.array(values, kind), "i": range(len(values))}))
    asked = 0
    for literal, sign in product([0, 5, -1, 128, 2**53 + 1, 2**63 - 1, 0.1, 5.0, 1e300, Decimal("0.10")], COMPARISONS):
        conditions = accepted(table, [lambda t, literal=literal, sign=sign: sign(t.x, ibis.literal(literal))])
        asked += len(conditions)
        number = Fraction(float(literal)) if column.startswith("f") else Fraction(str(literal))
        plain = operator.eq if sign in COMPARISONS[2:] else sign
        right = [i for i, value in enumerate(values) if plain(Fraction(value), number)]
        for condition in conditions:
            assert sorted(table.filter(condition).i.to_pyarrow().to_pylist()) == right, (literal, sign)
    assert asked >= 15


TIMES = [dt.datetime(2026, 1, 31, 12), dt.datetime(2026, 7, 1), dt.datetime(2026, 1, 31, 12, 0, 1)]


@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
def test_times_of_every_precision_compare_with_texts_and_times(unit):
    frame = pa.table({"t": pa.array(TIMES, pa.timestamp(unit)), "d": pa.array([t.date() for t in TIMES])})
    t = Table(frame, person=None)
    assert t.where("t = '2026-01-31T12:00:00'").count_rows(epsilon=SURE).columns["rows"] == [1]
    assert t.where("t >= '2026-01-31T12:00:01' AND d < '2026-07-01'").count_rows(epsilon=SURE).columns["rows"] == [1]
    assert t.where(ibis._.t < dt.datetime(2026, 7, 1)).count_rows(epsilon=SURE).columns["rows"] == [2]
    assert t.where(ibis._.d == dt.datetime(2026, 7, 1)).count_rows(epsilon=SURE).columns["rows"] == [1]
    assert t.where(ibis._.t.year() == 2026).count_rows(epsilon=SURE).columns["rows"] == [3]
    with pytest.raises(ParameterError, match="day"):
        t.where(ibis._.d == dt.datetime(2026, 7, 1, 12))


def test_a_time_without_a_zone_is_in_the_zone_of_the_column():
    rome = pa.array([dt.datetime(2026, 1, 31, 11, tzinfo=dt.UTC)], pa.timestamp("us", "Europe/Rome"))
    t = Table(pa.table({"t": rome}), person=None)
    for text in ("2026-01-31T12:00:00", "2026-01-31T11:00:00+00:00", "2026-01-31T12:00:00+01:00"):
        assert t.where(f"t = '{text}'").count_rows(epsilon=SURE).columns["rows"] == [1]
    with pytest.raises(ParameterError, match="without a time zone"):
        Table(pa.table({"t": pa.array(TIMES)}), person=None).where("t = '2026-01-31T12:00:00+01:00'")


MANY = [  # One moment, or one day, in many forms; others; and none.
    *("2026-02-01", "2026-02-01 00:00", "2026-02-01T00:00:00", "20260201T000000", "2026-02-01 00:00:00.000000"),
    *("2026-02-01T01:00:00+01:00", "2026-02-01T00:00:00Z", "2026-01-31T23:30:00-05:00", "2026-02-01T00:00:00.5"),
    *("2026-01-31 23:59:59.999999", "0001-01-01", "0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59.999999-14:00"),
    *("", "no day", "99999-01-01", "2026-02-30", 5, -1e300, b"2026-02-01", b"\xff", None),
]
ENDS = [
    dt.datetime(1, 1, 1),
    dt.datetime(2026, 1, 1),
    dt.datetime(2026, 2, 1),
    dt.datetime(2026, 2, 1, 0, 0, 0, 500000),
]
ORDER = {"=": operator.eq, "<>": operator.ne, "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge}


def read(x):
    """A moment in plain Python, in UTC; None for what is none, and an end of time for what is beyond."""
    try:
        moment = dt.datetime.fromisoformat(x if isinstance(x, str) else x.decode())
    except (AttributeError, ValueError):
        return None
    try:
        return moment.astimezone(dt.UTC).replace(tzinfo=None) if moment.tzinfo else moment
    except OverflowError:
        return dt.datetime.min if moment.year == 1 else dt.datetime.max


def day(x):
    return None if read(x) is None else dt.datetime.fromisoformat(x if isinstance(x, str) else x.decode()).date()


@pytest.fixture(scope="module")
def moments():
    con = ibis.sqlite.connect()
    con.con.execute("CREATE TABLE events (i INTEGER, t TIMESTAMP, u TIMESTAMP(3), z TIMESTAMPTZ, d DATE, o TIMESTAMP)")
    rows = [(i, x, x, x, x, MANY[-1 - i]) for i, x in enumerate(MANY)]
    con.con.executemany("INSERT INTO events VALUES (?, ?, ?, ?, ?, ?)", rows)
    con.con.execute("INSERT INTO events SELECT 99, x, x, x, x, x FROM (SELECT CAST(x'FF41' AS TEXT) AS x)")
    table = con.table("events")
    engine_of(table).check(table, ())
    return table


def held(table, text):
    return set(table.filter(predicate(table, text)).i.execute())


def right(values, holds):
    return {i for i, x in enumerate(values) if x is not None and holds(x)}


@pytest.mark.parametrize("column", ["t", "u", "z", "d"])
def test_sqlite_compares_moments_and_not_their_texts(moments, column):
    ends, zone = sorted({end.date() for end in ENDS}) if column == "d" else ENDS, "+00:00" * (column == "z")
    made, (_, first, last, *_) = [*map(day if column == "d" else read, MANY)], ends
    for (sign, order), end in product(ORDER.items(), ends):
        expected = {i for i, x in enumerate(made) if x is not None and order(x, end)}
        assert held(moments, f"{column} {sign} '{end}{zone}'") == expected, (sign, end)
    between = held(moments, f"{column} BETWEEN '{first}{zone}' AND '{last}{zone}'")
    assert between == right(made, lambda x: first <= x <= last)
    assert held(moments, f"{column} IN ('{last}{zone}')") == right(made, lambda x: x == last)
    months = derived(moments, f"{column} by month from 2026-01 to 2026-02", "m")[1]
    for i, month in (
        moments.select("i", m=months.cast("string").fill_null("none")).filter(ibis._.i < 99).execute().values.tolist()
    ):
        x = made[i]
        assert month == (f"2026-{x.month:02}-01" if x is not None and x.year == 2026 else "none"), MANY[i]


def test_sqlite_compares_moments_with_each_other(moments):
    sides = [(read(x), read(y)) for x, y in zip(MANY, reversed(MANY), strict=True)]
    assert held(moments, "t < o") == {i for i, (x, y) in enumerate(sides) if None not in (x, y) and x < y}
    known = [read(x) or ENDS[2] for x in MANY]
    assert held(moments, "coalesce(t, '2026-02-01') = '2026-02-01'") == {99, *right(known, lambda x: x == ENDS[2])}


def test_no_choice_fails_on_a_text_that_is_no_utf_8():
    con = ibis.sqlite.connect()
    con.con.execute("CREATE TABLE events (i INTEGER, s TEXT, f REAL, d DATE)")
    con.con.execute("INSERT INTO events SELECT x, x, x, x FROM (SELECT CAST(x'FF41' AS TEXT) AS x)")
    texts = [
        "lower(coalesce(s, 'x'))",
        "CASE WHEN s = 'x' THEN 0 ELSE i END + 1",
        "coalesce(f, 0) * 2",
        "year(coalesce(d, '2026-01-01'))",
    ]
    for text in [*texts, "coalesce(i, 0) by 10", "CASE WHEN i = 1 THEN 'x' ELSE s END LIKE 'x'"]:
        Table(con.table("events"), person=None).group_by(text).count_rows(epsilon=1, delta="1e-6")


def test_what_is_not_like_a_pattern():
    t = Table(pa.table({"s": ["x", "X", "y", "y", "y", None]}), person=None)
    for text, count in {
        "s NOT LIKE 'x'": 4,
        "s NOT ILIKE 'x'": 3,
        "NOT s LIKE 'x'": 4,
        "NOT s NOT LIKE 'x'": 1,
    }.items():
        assert t.where(text).count_rows(epsilon=SURE).columns["rows"] == [count], text


WRONG = {
    "name = 5": "a text, where a column of string",
    "year = 3.5": "a whole number from",
    "year = 'x'": "a number",
    "year = 99999999999999999999": "a whole number from",
    "price = 0.125": r"a number that decimal\(9, 2\) can hold",
    "name = visit": "columns of boolean, .*, not of uuid",
    "name = day": "values of one type, not of date and string",
    "visit = '00000000-0000-0000-0000-000000000000'": "not of uuid",
    "day = '2026-02-30'": "a day such as",
    "flag = 1": "true or false",
    "year": "boolean where int32 is",
    "1 = 1": "a column in each comparison",
    "name LIKE 'a\\'": "without backslashes",
}


@pytest.mark.parametrize("text", WRONG)
def test_a_refusal_says_what_is_needed(text):
    schema = {"name": "string", "year": "int32", "price": "decimal(9, 2)", "visit": "uuid", "day": "date"}
    with pytest.raises(ParameterError, match=rf"where=.*need .*{WRONG[text]}"):
        predicate(ibis.table(schema | {"flag": "boolean"}, name="events"), text)


def test_a_function_that_is_called_like_a_good_one_is_refused():
    @ibis.udf.scalar.builtin
    def Lowercase(text: str) -> str: ...

    with pytest.raises(ParameterError, match="not a function"):
        people().where(lambda t: Lowercase(t.name) == "x")


def test_a_condition_that_is_too_deep_is_refused():
    deep = ibis._.name == "x"
    for _ in range(2000):
        deep = ~(deep | (ibis._.name == "y"))
    with pytest.raises(ParameterError, match="fewer conditions within each other"):
        people().where(deep)


# Columns that are derived.


def every_column(table):
    """Texts that derive a column from one, and from two."""
    ones = [
        *("{} by 1", "{} by 1000000000000000", "{} by 7 from -7 to 70", "{} by month from 2026-01 to 2026-12"),
        *(f"{{}} by {unit}" for unit in UNITS),
        *(f"{part}({{}})" for part in PARTS),
        *("lower({})", "upper({})", "trim({})", "length({})", "left({}, 3)", "substring({}, 2, 1000)", "-{}", "{} / 2"),
        *(
            "bin({}, -1, 0.5, 2)",
            "bin({}, '1', '2')",
            "bin({}, '2020-01-01', '2021-01-01')",
            "map({}, {{'x': 1, 'y': 2}})",
        ),
        *("CASE {} WHEN 5 THEN 1 ELSE 0.5 END", "coalesce({}, 5) + 1", "{} ILIKE 'x%_y'", "{} * 9223372036854775807"),
        *("lower(trim({}))", "year({}) * month({})", "{} IS NULL", "CASE WHEN {} THEN 1 END", "{} - 0.1", "{} * 1e300"),
        *("coalesce({}, 5)", "coalesce({}, 'x')", "coalesce({}, '2020-01-01')", "CASE WHEN true THEN {} END"),
    ]
    for one, name in product(ones, table.columns):
        yield one.format(name, name)
    for (a, b), sign in product(product(table.columns, repeat=2), ("+", "-", "*", "/")):
        yield f"{a} {sign} {b}"
        yield f"coalesce({a}, {b})"


def test_no_accepted_column_fails_on_a_value_and_its_words_say_whether_it_is(ends, monkeypatch):
    """Without DuckDB's second wall; each as the key of a group, whose type is the one that was said before."""
    full, empty = ends
    monkeypatch.setattr(DuckDB, "attempt", lambda _, value: value)
    engine, found = engine_of(full), []
    for text in dict.fromkeys(each(every_column(full), 11)):
        try:
            column = derived(full, text, "x")[1]
        except DiscreetError as error:
            with pytest.raises(type(error), match=re.escape(str(error))):
                derived(empty, text, "x")
            continue
        key = engine.key(column)
        found.append((text, engine.hex(key).length() if key.type().is_binary() else key))
    assert len(found) > 100 / (1 if ALL else 11)
    for start in range(0, len(found), 60):
        some = found[start : start + 60]
        try:
            full.aggregate([key.min().name(f"c{i}") for i, (_, key) in enumerate(some)]).to_pyarrow()
        except Exception:
            for text, key in some:
                try:
                    full.aggregate(key.min().name("c")).to_pyarrow()
                except Exception as error:
                    pytest.fail(f"{text}: {error}")
            raise
