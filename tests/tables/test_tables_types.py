"""Engines' types: for each type and role, values on which a query must not fail, and what each is released as.

Of each type there is a table of people, one with each odd value and some with a usual one. Whether a person is in it
or not, the question has an answer; the answers differ by what the map says; and nobody else's key is released
otherwise for it.
"""

import datetime as dt
import math
import random
from dataclasses import dataclass, field
from decimal import Decimal
from zoneinfo import ZoneInfo

import numpy as np
import pyarrow as pa
import pytest
import tables_engines
import tables_reference as reference
from tables_totals import column, exact
from tiers import each

from discreet import DiscreetError
from discreet.tables import Bounding, Mean, People, Rows, Sum, Table
from discreet.tables.bounding import arrow_types
from discreet.tables.engines import engine_of
from discreet.tables.engines.engine import Engine
from discreet.tables.keys import Wire

ibis = pytest.importorskip("ibis")

SALT = bytes(range(16))
MANY = 5
"""So many people have the usual value."""
FIRST, LAST = dt.date(1, 1, 1), dt.date(9999, 12, 31)
START, END = dt.datetime(1, 1, 2), dt.datetime(9999, 12, 30)
UTC_START, UTC_END = (moment.replace(tzinfo=dt.UTC) for moment in (START, END))
NIGHT = dt.time(23, 59, 59, 999999)
NAN = reference.NAN
MOST = 2**63 - 1
HUGE = Decimal("9" * 29 + "." + "9" * 9)


@dataclass
class Odd:
    """A type, the Python type of its keys, the usual value and odd ones: as SQL, with the keys that they become."""

    kind: str
    python: type
    usual: tuple
    odd: dict
    more: list = field(default_factory=list)
    """Values that become null."""

    def values(self):
        return [*self.odd.items(), *((text, None) for text in self.more), ("NULL", None)]


def quoted(text):
    return "'" + text.replace("'", "''") + "'"


def plainly(python, *keys):
    """Values that are written as they are released."""
    return {quoted(str(key)): python(key) for key in keys}


WHOLE = {str(n): n for n in (MOST, -MOST, 1234567890123456789, 1234567890123456788, 2**53 + 1, 0)}
BIGINT = Odd("BIGINT", int, ("7", 7), WHOLE)
REALS = {"1e308": 1e308, "-1e-320": -1e-320, "0.1": 0.1, "9007199254740993": 9007199254740992.0}
FLOATS = {quoted("NaN"): NAN, quoted("Infinity"): math.inf, quoted("-Infinity"): -math.inf, quoted("-0.0"): 0.0}
TEXTS = {quoted(text): text for text in ("A", "a ", " a", "e\u0301", "é", "🙂", "it's", "\\", "|", "%", "")}
UUID = "6F9619FF-8b86-d011-B42D-00CF4FC964FF"
UUIDS = {
    quoted(UUID): UUID.lower(),
    quoted("00000000-0000-0000-0000-000000000000"): "0" * 8 + "-0000" * 3 + "-" + "0" * 12,
}
HOURS = {
    quoted("2026-10-25 00:30:00+00"): dt.datetime(2026, 10, 25, 0, 30, tzinfo=dt.UTC),
    quoted("2026-10-25 01:30:00+00"): dt.datetime(2026, 10, 25, 1, 30, tzinfo=dt.UTC),
}
"""Both are half past two in Rome."""
USUAL = {
    "day": ("'2026-01-31'", dt.date(2026, 1, 31)),
    "moment": ("'2026-01-31 12:00:00.000001'", dt.datetime(2026, 1, 31, 12, 0, 0, 1)),
    "zone": ("'2026-01-31 12:00:00+01'", dt.datetime(2026, 1, 31, 11, tzinfo=dt.UTC)),
    "clock": ("'12:00:00'", dt.time(12)),
    "text": ("'a'", "a"),
}
TYPES = {
    "duckdb": [
        BIGINT,
        Odd("TINYINT", int, ("7", 7), {"-128": -128, "127": 127}),
        Odd("UBIGINT", int, ("7", 7), {str(2**64 - 1): 2**64 - 1, str(2**63): 2**63}),
        Odd("HUGEINT", Decimal, ("7", 7), {str(2**127 - 1): Decimal(2**127 - 1), str(-(2**127)): Decimal(-(2**127))}),
        Odd("DECIMAL(38, 37)", Decimal, ("7", 7), {"1e-37": Decimal("1e-37"), "-9.5": Decimal("-9.5")}),
        Odd("DECIMAL(4, 4)", Decimal, ("0.5", Decimal("0.5")), {"-0.0001": Decimal("-0.0001"), "0": Decimal(0)}),
        Odd("DECIMAL(18, 0)", Decimal, ("7", 7), {"123456789012345678": Decimal(123456789012345678)}),
        Odd("DOUBLE", float, ("0.5", 0.5), REALS | FLOATS),
        Odd("FLOAT", float, ("0.5", 0.5), {"1e-45": 1.401298464324817e-45, **FLOATS}),
        Odd("BOOLEAN", bool, ("true", True), {"false": False}),
        Odd("VARCHAR", str, USUAL["text"], TEXTS),
        Odd("VARCHAR COLLATE NOCASE", str, USUAL["text"], TEXTS),
        Odd("ENUM('a', 'A')", str, USUAL["text"], {"'A'": "A"}),
        Odd("UUID", str, ("gen_random_uuid()", None), UUIDS),
        Odd(
            "DATE",
            dt.date,
            USUAL["day"],
            {
                quoted("infinity"): LAST,
                quoted("-infinity"): FIRST,
                quoted("5881580-07-10"): LAST,
                quoted("5877642-06-25 (BC)"): FIRST,
            },
        ),
        Odd(
            "TIMESTAMP",
            dt.datetime,
            USUAL["moment"],
            {
                quoted("infinity"): END,
                quoted("-infinity"): START,
                quoted("290309-12-22 (BC)"): START,
                quoted("2263-01-01"): dt.datetime(2263, 1, 1),
            },
        ),
        Odd(
            "TIMESTAMP_S",
            dt.datetime,
            ("'2026-01-31'", dt.datetime(2026, 1, 31)),
            {quoted("infinity"): END, quoted("294247-01-10"): END},
        ),
        Odd("TIMESTAMP_MS", dt.datetime, ("'2026-01-31'", dt.datetime(2026, 1, 31)), {quoted("-infinity"): START}),
        Odd(
            "TIMESTAMP_NS",
            dt.datetime,
            USUAL["moment"],
            {
                quoted("infinity"): dt.datetime(2262, 4, 11),
                quoted("2026-01-01 00:00:00.000000001"): dt.datetime(2026, 1, 1),
            },
        ),
        Odd(
            "TIMESTAMPTZ",
            dt.datetime,
            USUAL["zone"],
            HOURS | {quoted("infinity"): UTC_END, quoted("-infinity"): UTC_START},
        ),
        Odd("TIME", dt.time, USUAL["clock"], {quoted("24:00:00"): NIGHT, quoted("00:00:00"): dt.time(0)}),
        Odd(
            "TIMETZ",
            dt.time,
            USUAL["clock"],
            {quoted("24:00:00+15:59:59"): NIGHT, quoted("12:00:01+02"): dt.time(12, 0, 1)},
        ),
    ],
    "postgres": [
        BIGINT,
        Odd("SMALLINT", int, ("7", 7), {"-32768": -32768}),
        Odd(
            "NUMERIC",
            Decimal,
            ("7", 7),
            {
                quoted("1e400"): HUGE,
                quoted("-Infinity"): HUGE.copy_negate(),
                quoted("1e-1000"): Decimal(0),
                quoted("1.50"): Decimal("1.5"),
            },
            [quoted("NaN")],
        ),
        Odd("NUMERIC(60, 10)", Decimal, ("7", 7), {quoted("1e40"): HUGE}, [quoted("NaN")]),
        Odd("NUMERIC(9, 2)", Decimal, ("7", 7), {quoted("-1234567.89"): Decimal("-1234567.89")}, [quoted("NaN")]),
        Odd("MONEY", Decimal, ("7", 7), {quoted("-92233720368547758.08"): Decimal("-999999999999999.9999")}),
        Odd("FLOAT8", float, ("0.5", 0.5), {quoted(text): key for text, key in REALS.items()} | FLOATS),
        Odd("FLOAT4", float, ("0.5", 0.5), {quoted("1e-45"): 1.401298464324817e-45, **FLOATS}),
        Odd("BOOLEAN", bool, ("true", True), {"false": False}),
        Odd("TEXT", str, USUAL["text"], TEXTS),
        Odd("CITEXT", str, USUAL["text"], TEXTS),
        Odd('TEXT COLLATE "caseless"', str, USUAL["text"], TEXTS),
        Odd("CHAR(3)", str, USUAL["text"], {"'A'": "A", "'a  '": "a", "' a'": " a"}),
        Odd("MOOD", str, USUAL["text"], {"'A'": "A"}),
        Odd("UUID", str, ("gen_random_uuid()", None), UUIDS),
        Odd(
            "DATE",
            dt.date,
            USUAL["day"],
            {
                quoted("infinity"): LAST,
                quoted("-infinity"): FIRST,
                quoted("5874897-12-31"): LAST,
                quoted("4713-01-01 BC"): FIRST,
            },
        ),
        Odd(
            "TIMESTAMP",
            dt.datetime,
            USUAL["moment"],
            {
                quoted("infinity"): END,
                quoted("-infinity"): START,
                quoted("294276-12-31"): END,
                quoted("1600-01-01 00:00:00.000001"): dt.datetime(1600, 1, 1, 0, 0, 0, 1),
            },
        ),
        Odd(
            "TIMESTAMPTZ",
            dt.datetime,
            USUAL["zone"],
            HOURS | {quoted("infinity"): UTC_END, quoted("-infinity"): UTC_START},
        ),
        Odd(
            "TIME", dt.time, USUAL["clock"], {quoted("24:00:00"): NIGHT, quoted("01:02:03.000004"): dt.time(1, 2, 3, 4)}
        ),
        Odd(
            "TIMETZ",
            dt.time,
            USUAL["clock"],
            {quoted("24:00:00+15:59"): NIGHT, quoted("00:30:00.5+02"): dt.time(0, 30, 0, 500000)},
        ),
    ],
    "sqlite": [
        Odd("BIGINT", int, ("7", 7), WHOLE, ["'no number'", "1.5", "x'00ff'", "CAST(x'ff' AS TEXT)"]),
        Odd(
            "REAL",
            float,
            ("0.5", 0.5),
            {"9e999": math.inf, "-9e999": -math.inf, "-0.0": 0.0, **REALS},
            ["'no number'", "x'00ff'", "CAST(x'ff' AS TEXT)"],
        ),
        Odd(
            "DECIMAL(9, 2)",
            Decimal,
            ("7", 7),
            {"1.501": Decimal("1.5"), "-0.001": Decimal(0)},
            ["1e30", "9e999", "'no number'", "CAST(x'ff' AS TEXT)"],
        ),
        Odd("DECIMAL", Decimal, ("7", 7), {"1.5": Decimal("1.5")}, ["1e30", "'no number'"]),
        Odd("BOOLEAN", bool, ("1", True), {"0": False, "7": True}, ["'no truth'", "CAST(x'ff' AS TEXT)"]),
        Odd(
            "TEXT",
            str,
            USUAL["text"],
            TEXTS
            | {
                "x'61'": "a",
                "CAST(x'ff61' AS TEXT)": "\ufffda",
                "x'fe61'": "\ufffda",
                "CAST(x'610062' AS TEXT)": "a\0b",
                "5": "5",
            },
        ),
        Odd("TEXT COLLATE NOCASE", str, USUAL["text"], TEXTS),
        Odd("TEXT COLLATE RTRIM", str, USUAL["text"], TEXTS),
        Odd("UUID", str, (quoted(UUID), UUID.lower()), UUIDS, ["'no uuid'", "CAST(x'ff' AS TEXT)", "7"]),
        Odd(
            "DATE",
            dt.date,
            USUAL["day"],
            {"'0001-01-01'": FIRST, "'2026-01-01 00:00'": dt.date(2026, 1, 1)},
            ["'no day'", "'12026-01-01'", "x'ff'", "CAST(x'ff' AS TEXT)", "7"],
        ),
        Odd("DATE COLLATE NOCASE", dt.date, USUAL["day"], {}, ["'a'", "'A'"]),
        Odd(
            "TIMESTAMP",
            dt.datetime,
            USUAL["moment"],
            {"'9999-12-31 23:59:59'": END, "'2026-01-01T00:00:00+01:00'": dt.datetime(2025, 12, 31, 23)},
            ["'no time'", "CAST(x'ff' AS TEXT)", "7"],
        ),
        Odd(
            "TIMESTAMPTZ",
            dt.datetime,
            ("'2026-01-31 12:00:00+01:00'", USUAL["zone"][1]),
            {"'0001-01-01 00:00:00+12:00'": UTC_START, **HOURS},
            ["'no time'"],
        ),
        Odd(
            "TIME",
            dt.time,
            USUAL["clock"],
            {"'23:59:59.999999'": NIGHT, "'01:02+03:00'": dt.time(1, 2)},
            ["'25:00'", "CAST(x'ff' AS TEXT)", "7"],
        ),
    ],
    "pyspark": [
        BIGINT,
        Odd(
            "DECIMAL(38, 18)",
            Decimal,
            ("7", 7),
            {"1e-18": Decimal("1e-18"), "'12345678901234567890'": Decimal("12345678901234567890")},
        ),
        Odd("DOUBLE", float, ("0.5", 0.5), REALS | FLOATS),
        Odd("FLOAT", float, ("0.5", 0.5), FLOATS),
        Odd("BOOLEAN", bool, ("true", True), {"false": False}),
        Odd(
            "STRING",
            str,
            USUAL["text"],
            {"'A'": "A", "'a '": "a ", "X'ff61'": "\ufffda", "X'fe61'": "\ufffda", "'🙂'": "🙂"},
        ),
        Odd("STRING COLLATE UTF8_LCASE", str, USUAL["text"], {"'A'": "A", "'a '": "a "}),
        Odd("STRING COLLATE UNICODE_CI", str, USUAL["text"], {"'A'": "A", "'é'": "é", "'e\u0301'": "e\u0301"}),
        Odd(
            "DATE", dt.date, USUAL["day"], {"'+5881580-07-10'": LAST, "'-5877641-06-23'": FIRST, "'0001-01-01'": FIRST}
        ),
        Odd(
            "TIMESTAMP",
            dt.datetime,
            USUAL["moment"],
            {
                "'2263-01-01 00:00:00'": dt.datetime(2263, 1, 1),
                "'+294247-01-10 04:00:54.775807'": END,
                "'1600-01-01 00:00:00'": dt.datetime(1600, 1, 1),
            },
        ),
        Odd(
            "TIMESTAMP_NTZ",
            dt.datetime,
            USUAL["moment"],
            {"'2026-03-29 02:30:00'": dt.datetime(2026, 3, 29, 2, 30), "'+294247-01-10 04:00:54.775807'": END},
        ),
    ],
}
CASES = [
    pytest.param(name, odd, id=f"{name}-{odd.kind}", marks=tables_engines.marks(name))
    for name, types in TYPES.items()
    for odd in types
]


@pytest.fixture(scope="module")
def engines(tmp_path_factory):
    """Engines by name, each started when it is first asked for."""
    started = {}

    def start(name):
        if name not in started:
            started[name] = tables_engines.start(name, tmp_path_factory.mktemp(name))
            if name == "postgres":
                for text in (
                    "CREATE EXTENSION citext",
                    "CREATE TYPE mood AS ENUM ('a', 'A')",
                    "CREATE COLLATION caseless (provider = icu, locale = 'und-u-ks-level2', deterministic = false)",
                    "SET TIME ZONE 'Europe/Rome'",
                ):
                    run(started[name][0], text)
            if name == "duckdb":
                run(started[name][0], "SET TimeZone = 'Europe/Rome'")
        return started[name][0]

    yield start
    for _, stop in started.values():
        stop()


def run(engine, text):
    con = engine.connection
    if engine.name == "pyspark":
        con._session.sql(text).collect()
    elif engine.name == "duckdb":
        con.con.execute(text)
    else:
        con.con.execute(text)
        con.con.commit()


def made(engine, columns, rows, name="odd"):
    """Return a table of columns with types, and rows of SQL."""
    if engine.name == "pyspark":
        cast = [
            ", ".join(_spark(value, kind) for value, kind in zip(row, columns.values(), strict=True)) for row in rows
        ]
        names = ", ".join(columns)
        selects = " UNION ALL ".join(f"(SELECT {row})" for row in cast)
        run(engine, f"CREATE OR REPLACE TEMP VIEW {name} AS SELECT * FROM ({selects}) AS made({names})")
        return engine.connection.table(name)
    run(engine, f'DROP TABLE IF EXISTS "{name}"')
    run(engine, f"""CREATE TABLE "{name}" ({", ".join(f"{column} {kind}" for column, kind in columns.items())})""")
    for row in rows:
        run(engine, f'INSERT INTO "{name}" VALUES ({", ".join(row)})')
    return engine.connection.table(name)


def _spark(value, kind):
    base, _, collation = kind.partition(" COLLATE ")
    return f"CAST({value} AS {base})" + (f" COLLATE {collation}" if collation else "")


def told(found):
    """A result, with one name for NaN."""
    return {reference.plain(key): n for key, n in found.items()}


def loaded(engine, odd):
    """A table with the usual people, then one person for each odd value; g is a group, and n an amount."""
    texts = [odd.usual[0]] * MANY + [text for text, _ in odd.values()]
    rows = [(str(i), text, "'g'" if i % 2 else "'h'") for i, text in enumerate(texts)]
    text = "STRING" if engine.name == "pyspark" else "TEXT"
    return made(engine, {"u": "INTEGER", "c": odd.kind, "g": text}, rows)


@pytest.mark.parametrize(("name", "odd"), CASES)
def test_a_key_of_any_value_is_released_as_its_type_has_it_and_no_other_key_for_it(name, odd, engines):
    engine = engines(name)
    table = loaded(engine, odd)
    plan = Bounding(People(), person="u", by="c", max_groups=1, salt=SALT)
    found = plan(table)
    expected = [key for _, key in odd.values()] + ([odd.usual[1]] * MANY if odd.usual[1] is not None else [])
    keys = [key for (key,) in found.keys(np.arange(len(found.people)))]
    counts = told(column(plan, found))
    for key in set(expected):
        assert counts[key] == expected.count(key), key
    assert sum(counts.values()) == len(odd.values()) + MANY
    assert {type(key) for key in keys} <= {odd.python, type(None)}
    moments = [key for key in keys if isinstance(key, dt.datetime)]
    assert all(key.tzinfo in (None, dt.UTC, ZoneInfo("UTC")) or str(key.tzinfo) == "UTC" for key in moments)
    # The types are the column's, whoever is there.
    assert arrow_types(table, ["c"]) == (Wire.of(table.c.type()).type,)


@pytest.mark.parametrize(("name", "odd"), each([case for case in CASES if case.values[0] != "pyspark"], 7))
def test_what_is_released_is_a_key_that_finds_its_group_and_is_sent_as_its_type_whoever_is_there(name, odd, engines):
    table = loaded(engines(name), odd)
    plan = Bounding(People(), person="u", by="c", max_groups=1, salt=SALT)
    found, nobody = plan(table), plan(table.filter(table.u < 0))
    assert [sent.type for sent in found.fetch(found.rows)] == [sent.type for sent in nobody.fetch(nobody.rows)]
    counts = told(column(plan, found))
    known = [key for (key,) in found.keys(np.arange(len(found.people))) if key == key]
    again = exact(Bounding(People(), person="u", by="c", max_groups=1, keys=known, salt=SALT), table)
    assert again == [counts[reference.plain(key)] for key in known]


@pytest.mark.parametrize(("name", "odd"), each(CASES, 9))
def test_a_person_of_any_value_is_one_person(name, odd, engines):
    engine = engines(name)
    table = loaded(engine, odd)
    usual = table.filter(table.u < MANY)
    (many,), (all_,) = (exact(Bounding(People(), person="c"), rows) for rows in (usual, table))
    assert many in (1, MANY)  # Of a usual value that is random, each.
    assert many <= all_ <= many + len(odd.values()) - 1  # Null is nobody.
    plans = [Bounding(People(), person=who, by="g", max_groups=1) for who in ("c", ["c", "g"])]
    for plan in plans[: 1 if name == "pyspark" else 2]:
        found = exact(plan, table)
        assert set(found) <= {"g", "h"}
        assert all_ <= sum(found.values()) <= all_ * len(plan.person)


NUMBERS = [case for case in CASES if case.values[1].python in (int, float, Decimal)]
BOUNDS = [(-(10**12), 10**12, 10**9), (-1, 10**6, 1), (0, "1e-9", "1e-15"), (-(2**31), 2**31, 3)]


SMALLEST = [case for case in NUMBERS if case.values[0] == "postgres" and case.values[1].kind in ("FLOAT8", "NUMERIC")]
"""PostgreSQL alone fails on a number that is too small."""


@pytest.mark.parametrize(("name", "odd"), list({id(case): case for case in [*each(NUMBERS, 2), *SMALLEST]}.values()))
def test_a_value_of_any_size_is_clipped(name, odd, engines):
    engine = engines(name)
    table = loaded(engine, odd)
    usual = table.filter(table.u < MANY)
    for low, high, grid in BOUNDS[:1] if name == "pyspark" else each(BOUNDS, 2):
        plan = Bounding(Sum("c", low, high, grid), person="u")
        (fewer,), (more,) = exact(plan, usual), exact(plan, table)
        assert abs(more - fewer) <= plan.sensitivity(plan.aggregates[0], len(odd.values()))[1]
        mean = exact(Bounding(Mean("c", low, high, grid), person="u", by="g", max_groups=1), table)
        assert all(
            abs(total) <= (MANY + len(odd.values())) * max(plan.aggregates[0].steps) * 2 for total in mean.values()
        )


CASELESS = {
    "duckdb": ["VARCHAR COLLATE NOCASE", "VARCHAR COLLATE NOACCENT", "VARCHAR COLLATE NOCASE.NOACCENT"],
    "postgres": ["CITEXT", 'TEXT COLLATE "caseless"'],
    "sqlite": ["TEXT COLLATE NOCASE", "TEXT COLLATE RTRIM"],
    "pyspark": ["STRING COLLATE UTF8_LCASE"],
}
SPELT = ["a", "A", "á", "a ", "e\u0301", "é", "É", "ss", "ß", "b", "B"]


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        pytest.param(name, kind, id=f"{name}-{kind}", marks=tables_engines.marks(name))
        for name, kinds in CASELESS.items()
        for kind in kinds
    ],
)
def test_texts_are_told_apart_by_their_bytes_whatever_the_collation(name, kind, engines):
    """The reference engine compares bytes, and one person changes there what the map says."""
    engine, pick = engines(name), random.Random(5)
    rows = [{"p": pick.choice(SPELT) + pick.choice("12"), "c": pick.choice(SPELT)} for _ in range(60)]
    table = made(engine, {"p": kind, "c": kind}, [tuple(map(quoted, row.values())) for row in rows])
    plans = [
        Bounding(People(), person="p", by="c", max_groups=2, salt=SALT),
        Bounding(People(), person="p", salt=SALT),
        Bounding(People(), person=None, by=["c", "p"], salt=SALT),
        Bounding(Rows(2), person="p", by="c", max_groups=2, keys=["a", "A", "é"], salt=SALT),
    ]
    for plan in plans[:1] if name == "pyspark" else plans:
        assert exact(plan, table) == reference.result(plan, rows, SALT)


def test_a_default_collation_of_duckdb_changes_nothing():
    con = ibis.duckdb.connect()
    con.con.execute("SET default_collation = 'nocase'")
    con.con.execute("CREATE TABLE visits AS SELECT * FROM (VALUES ('a', 'x'), ('A', 'X'), ('b', 'x')) AS v(p, c)")
    table = con.table("visits")
    assert exact(Bounding(People(), person="p", by="c", max_groups=1), table) == {"x": 2, "X": 1}
    assert exact(Bounding(People(), person="p", by="c", max_groups=1, keys=["X"]), table) == [1]


@pytest.mark.parametrize("name", ["duckdb", "sqlite", "postgres"])
def test_a_null_beside_changes_no_other_key(name, engines):
    """Through pandas, integers beside a null were floats, of which two may be one."""
    keys = [1234567890123456789, 1234567890123456788, MOST, -MOST, -1]
    rows = [(str(i), str(key)) for i, key in enumerate(keys)]
    for more in ([], [("9", "NULL")]):
        table = made(engines(name), {"u": "INTEGER", "c": "BIGINT"}, rows + more)
        found = exact(Bounding(People(), person="u", by="c", max_groups=1), table)
        assert set(found) == {*keys, *(None for _ in more)}
        assert all(type(key) is int for key in found if key is not None)


HOSTILE = {
    "times in seconds": pa.array([0, 10**15, -(10**15), None], pa.timestamp("s")),
    "times in milliseconds": pa.array([0, 2**63 - 3, -(2**63) + 2, None], pa.timestamp("ms")),
    "times in nanoseconds": pa.array([0, 2**63 - 1, -(2**63) + 2, 1], pa.timestamp("ns")),
    "times in nanoseconds with a zone": pa.array([0, 2**63 - 2, 1, None], pa.timestamp("ns", "Europe/Rome")),
    "times of day in nanoseconds": pa.array([0, 1, 86399999999999, None], pa.time64("ns")),
    "times of day in seconds": pa.array([0, 1, 86399, None], pa.time32("s")),
    "narrow floats": pa.array([0.0, -0.0, float("nan"), None], pa.float32()),
    "categories": pa.array(["a", "A", "a", None]).dictionary_encode(),
    "large texts": pa.array(["a", "A", "a", None], pa.large_string()),
}


@pytest.mark.parametrize("column", HOSTILE.values(), ids=HOSTILE)
def test_frames_of_any_type_are_keys_and_people(column):
    frame = pa.table({"u": range(len(column)), "c": column, "g": ["g"] * len(column)})
    for size in each(range(len(column), 0, -1), 5):
        table = ibis.memtable(frame.slice(0, size))
        assert sum(exact(Bounding(People(), person="u", by="c", max_groups=1), table).values()) == size
        assert sum(exact(Bounding(People(), person="c", by="g", max_groups=1), table).values()) <= size


def test_a_known_key_in_the_hour_that_repeats_is_one_of_two():
    rome = ZoneInfo("Europe/Rome")
    hours = [dt.datetime(2026, 10, 25, 2, 30, fold=fold, tzinfo=rome) for fold in (0, 1)]
    frame = pa.table({"u": [1, 2, 3], "c": pa.array([hours[0], hours[1], hours[1]], pa.timestamp("us", "Europe/Rome"))})
    groups = Table(frame, person="u").group_by("c", keys=hours)
    assert [key.hour for key in groups.known] == [0, 1]
    assert groups.count_people(epsilon=1000, max_groups=1).columns["people"] == [1, 2]


@pytest.mark.parametrize("name", ["duckdb", "sqlite", "postgres"])
@pytest.mark.parametrize("called", ["t1", "t5", "T12"])
def test_a_table_with_the_name_of_a_part_of_the_query_is_refused(name, called, engines):
    table = made(engines(name), {"id": "INTEGER", "k0": "INTEGER"}, [("1", "1")], called)
    with pytest.raises(DiscreetError, match="make a view"):
        Bounding(People(), person="id", by="k0")(table)
    run(engines(name), f'DROP TABLE "{called}"')


REFUSED = {
    "duckdb": ["UHUGEINT", "BIT", "BLOB", "INTERVAL", "JSON", "INTEGER[]", "BIGNUM"],
    "postgres": ["BYTEA", "JSON", "JSONB", "INTERVAL", "INET", "XML", "BIT(3)", "POINT", "INTEGER[]", "INT4RANGE"],
    "sqlite": ["BLOB", "JSON", ""],
}


@pytest.mark.parametrize(
    ("name", "kind"),
    [pytest.param(name, kind, id=f"{name}-{kind}") for name, kinds in REFUSED.items() for kind in kinds],
)
def test_a_type_that_is_no_key_is_refused_before_anything_is_asked(name, kind, engines, monkeypatch):
    row = [("1", "1")] if not kind else []  # Ibis guesses a type that SQLite does not say.
    table = made(engines(name), {"u": "INTEGER", "c": kind}, row)
    monkeypatch.setattr(Engine, "answer", lambda *_: pytest.fail("the engine was asked"))
    with pytest.raises(DiscreetError, match="column"):
        Bounding(People(), person="u", by="c")(table)


def test_bytes_are_people_as_they_are():
    table = ibis.memtable(pa.table({"p": [b"\xff", b"\xfe", b"\xff", b"", None], "c": ["a", "a", "b", "b", "b"]}))
    assert exact(Bounding(People(), person="p"), table) == [3]
    assert sum(exact(Bounding(People(), person="p", by="c", max_groups=2), table).values()) == 4


def test_an_engine_that_is_not_known_is_refused():
    class Other:
        name = "mysql"

    class Held:
        @staticmethod
        def get_backend():
            return Other

    with pytest.raises(DiscreetError, match="mysql is none of the engines"):
        engine_of(Held)
