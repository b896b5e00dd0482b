"""A derived column is made of its row alone: on every engine it is what plain Python makes of it, or null."""

import datetime as dt
import json
import math
import operator
import re
from decimal import Decimal
from itertools import chain, product

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import tables_engines
from click.testing import CliRunner

from discreet.cli.app import app
from discreet.errors import ParameterError, UnsupportedError
from discreet.ledger import Ledger
from discreet.tables import Bounding, Sum, Table
from discreet.tables.derived import derived
from discreet.tables.engines import engine_of
from discreet.tables.engines.rowwise import like
from discreet.tables.keys import Wire
from discreet.tables.ready import Question
from discreet.tables.total import LOWER, UPPER
from discreet.tables.where import used

ibis = pytest.importorskip("ibis")
_ = ibis._

MOST, LEAST = 2**63 - 1, -(2**63)
DAYS = [dt.date(1, 1, 1), dt.date(9999, 12, 31), dt.date(2026, 1, 1), dt.date(2020, 2, 29), dt.date(1969, 12, 31), None]
DAYS += [dt.date(2021, 1, 3), dt.date(2024, 12, 30), dt.date(1600, 2, 29), dt.date(1582, 10, 10), dt.date(2026, 12, 31)]
TIMES = [dt.datetime(1, 1, 3), dt.datetime(9999, 12, 29, 23, 59), dt.datetime(2026, 1, 31, 23, 59, 59, 999999), None]
TIMES += [
    dt.datetime(1969, 12, 31, 23, 59, 59, 999999),
    dt.datetime(2026, 3, 29, 1, 30),
    dt.datetime(2026, 10, 25, 0, 30),
]
NUMBERS = [0, 1, -1, 17, 10, -10, 9, -9, None, MOST, LEAST, MOST - 3, LEAST + 3, 2**32, -(2**31), 3037000500]
FLOATS = [
    0.0,
    -0.0,
    math.nan,
    math.inf,
    -math.inf,
    5e-324,
    1.7e308,
    0.1,
    -2.5,
    1e100,
    1.1e100,
    2.0**53,
    -7.0,
    None,
    1e-101,
]
PRICES = [Decimal("0.00"), Decimal("9999999.99"), Decimal("-9999999.99"), Decimal("10.00"), Decimal("-0.01"), None]
TEXTS = [
    "",
    " Rome\t",
    "ÉCOLE",
    "straße",
    "ǅ",
    "İstanbul",
    "日本語",
    "e\u0301a",
    "👩‍👩‍👧 ab",
    None,
    "a" * 2000,
    "\u00a0x\u00a0",
]
TEXTS += ["Ωmega", "МОСКВА", "ﬁx", "ı", "rome", "x\n\v", "%", "A_b", "\U0001f1eb\U0001f1f7", "'", "\u202eabc", "N", "S"]
SCHEMA = ibis.schema(
    {
        "id": "int64",
        "d": "date",
        "t": "timestamp(6)",
        "i": "int64",
        "j": "int32",
        "f": "float64",
        "g": "float64",
        "m": "decimal(9, 2)",
        "c": "string",
    }
)


def rows():
    """Rows in which the numbers meet each other."""
    found = []
    for i, (x, y) in enumerate(product(NUMBERS, [0, 1, -1, 2**31 - 1, -(2**31), None, 3])):
        f, g = FLOATS[i % len(FLOATS)], FLOATS[i // len(FLOATS) % 5]
        cells = (DAYS[i % len(DAYS)], TIMES[i % len(TIMES)], x, y, f, g, PRICES[i % len(PRICES)], TEXTS[i % len(TEXTS)])
        found.append(dict(zip(SCHEMA.names, (i, *cells), strict=True)))
    return found


def null(call):
    """A function of values, none of which is None."""
    return lambda *values: None if any(value is None for value in values) else call(*values)


def whole(sign):
    return null(lambda x, y: z if LEAST <= (z := sign(x, y)) <= MOST else None)


def real(sign):
    def moderate(x):
        x = float(x)
        return None if not abs(x) <= 1e100 else 0.0 if abs(x) < 1e-100 else x

    def made(x, y):
        x, y = moderate(x), moderate(y)
        undefined = x is None or y is None or (sign is operator.truediv and y == 0)
        return None if undefined else sign(x, y)

    return null(made)


def floor_to(width):
    def made(x):
        if isinstance(x, float) and not abs(x) < 2**53:
            return None
        found = math.floor(x) // width * width
        return found if found >= LEAST else None

    return null(made)


def start(unit):
    def made(x):
        day = x.date() if isinstance(x, dt.datetime) else x
        month = {"year": 1, "quarter": (day.month - 1) // 3 * 3 + 1}.get(unit, day.month)
        if unit in ("day", "week"):
            return day - dt.timedelta(days=day.weekday() if unit == "week" else 0)
        return day.replace(month=month, day=1)

    return null(made)


def binned(ends, names):
    return null(
        lambda x: next((n for low, high, n in zip(ends, ends[1:], names, strict=False) if low <= x < high), None)
    )


def lower(text):
    return text.translate(str.maketrans(UPPER, LOWER))


BLANKS = " \t\n\v\f\r"
MONTHS = [dt.date(2026 + i // 12, i % 12 + 1, 1) for i in range(13)]
SAME = {  # What a text says, and the same in plain Python.
    **{f"d by {unit}": ("d", start(unit)) for unit in ("year", "quarter", "month", "week", "day")},
    **{f"t by {unit}": ("t", start(unit)) for unit in ("year", "quarter", "month", "week", "day")},
    "t by hour": ("t", null(lambda t: t.replace(minute=0, second=0, microsecond=0))),
    "t by minute": ("t", null(lambda t: t.replace(second=0, microsecond=0))),
    "date_trunc('month', t) as first": ("t", start("month")),
    **{f"{part}({c})": (c, null(operator.attrgetter(part))) for part in ("year", "month", "day") for c in "dt"},
    **{f"{part}(t)": ("t", null(operator.attrgetter(part))) for part in ("hour", "minute")},
    **{f"quarter({c})": (c, null(lambda x: (x.month + 2) // 3)) for c in "dt"},
    **{f"week({c})": (c, null(lambda x: x.isocalendar().week)) for c in "dt"},
    **{f"weekday({c})": (c, null(lambda x: x.weekday())) for c in "dt"},
    "extract(month from d)": ("d", null(lambda x: x.month)),
    "d by month from 2026-01 to 2026-12": ("d", binned(MONTHS, MONTHS)),
    "t by quarter from 2026 to 2026": ("t", null(lambda x: start("quarter")(x) if x.year == 2026 else None)),
    "t by week from 2026-01 to 2026-02-01": ("t", null(lambda x: dt.date(2026, 1, 26) if x == TIMES[2] else None)),
    **{f"{c} by {width}": (c, floor_to(width)) for c in "ijfm" for width in (1, 7, 10, 10**15)},
    "i by 10 from -20 to 30": ("i", binned([*range(-20, 31, 10)], [*range(-20, 31, 10)])),
    "f by 10 from -20 to 30": ("f", binned([*range(-20, 31, 10)], [*range(-20, 31, 10)])),
    "bin(m, -0.01, 0.5, 10)": (
        "m",
        binned([Decimal("-0.01"), Decimal("0.5"), 10], [Decimal("-0.01"), Decimal("0.50")]),
    ),
    "bin(f, -2.5, 0, 0.1, 1e300)": ("f", binned([-2.5, 0, 0.1, 1e300], [-2.5, 0.0, 0.1])),
    "bin(d, '1600-02-29', '2026-01-01')": (
        "d",
        binned([dt.date(1600, 2, 29), dt.date(2026, 1, 1)], [dt.date(1600, 2, 29)]),
    ),
    "lower(c)": ("c", null(lower)),
    "upper(c)": ("c", null(lambda x: x.translate(str.maketrans(LOWER, UPPER)))),
    "trim(c)": ("c", null(lambda x: x.strip(BLANKS))),
    "lower(trim(c)) as neat": ("c", null(lambda x: lower(x.strip(BLANKS)))),
    "length(c)": ("c", null(len)),
    "left(c, 2)": ("c", null(lambda x: x[:2])),
    "substring(c, 2, 3)": ("c", null(lambda x: x[1:4])),
    "substring(c, 1, 0)": ("c", null(lambda x: "")),
    "c LIKE '%o_e%'": ("c", null(lambda x: any(x[k] == "o" and x[k + 2] == "e" for k in range(len(x) - 2)))),
    "c LIKE 'a%'": ("c", null(lambda x: x.startswith("a"))),
    "c ILIKE 'É%e' as like": ("c", null(lambda x: len(x) > 1 and lower(x)[0] == "é" and lower(x)[-1] == "e")),
    "map(c, {'N': 'north', 'S': 'south', '日本語': 'east'})": ("c", {"N": "north", "S": "south", "日本語": "east"}.get),
    "coalesce(map(c, {'N': 1}), -1) as code": ("c", lambda x: 1 if x == "N" else -1),
    "CASE WHEN i < 0 THEN 'below' WHEN i > 9 THEN 'above' END as where_": (
        "i",
        null(lambda x: "below" if x < 0 else "above" if x > 9 else None),
    ),
    "CASE c WHEN 'N' THEN 0.5 ELSE 2 END": ("c", lambda x: 0.5 if x == "N" else 2.0),
    "i >= 10 AND NOT i = 17": ("i", null(lambda x: x >= 10 and x != 17)),
    "coalesce(i, 0)": ("i", lambda x: 0 if x is None else x),
    "i + j": ("ij", whole(operator.add)),
    "i - j": ("ij", whole(operator.sub)),
    "j - i": ("ij", whole(lambda x, y: y - x)),
    "i * j": ("ij", whole(operator.mul)),
    "i * i": ("i", null(lambda x: whole(operator.mul)(x, x))),
    "-i": ("i", null(lambda x: whole(operator.sub)(0, x))),
    "i / j": ("ij", real(operator.truediv)),
    "2 * i + 1 as odd": ("i", null(lambda x: whole(operator.add)(whole(operator.mul)(2, x), 1))),
    "f + g": ("fg", real(operator.add)),
    "f - g": ("fg", real(operator.sub)),
    "f * g": ("fg", real(operator.mul)),
    "f / g": ("fg", real(operator.truediv)),
    "f * i": ("fi", real(operator.mul)),
    "f / 0": ("f", lambda x: None),
    "m * j": ("mj", real(operator.mul)),
    "m - f": ("mf", real(operator.sub)),
    "i / m": ("im", real(operator.truediv)),
    "m / m as one": ("m", lambda x: real(operator.truediv)(x, x)),
    "m * 1.19": ("m", lambda x: real(operator.mul)(x, 1.19)),
    "year(d) * 100 + month(d) as ym": ("d", null(lambda x: x.year * 100 + x.month)),
}
DECIMAL = [text for text, (columns, _) in SAME.items() if columns == "m" and (" by " in text or "bin(" in text)]
OF_IBIS = {
    "month": (_.d.truncate("M").name("month"), "d", start("month")),
    "by hour": (_.t.truncate("h"), "t", null(lambda t: t.replace(minute=0, second=0, microsecond=0))),
    "by day": (_.t.date(), "t", null(lambda t: t.date())),
    "week": (_.d.week_of_year(), "d", null(lambda x: x.isocalendar().week)),
    "cases": (_.c.cases(("N", "north"), else_="other"), "c", lambda x: "north" if x == "N" else "other"),
    "choice": ((_.i > 3).ifelse(1, 0), "i", lambda x: int(x is not None and x > 3)),
    "sum": (_.i + _.j, "ij", whole(operator.add)),
    "quotient": (_.f / _.g, "fg", real(operator.truediv)),
    "neat": (_.c.strip().upper(), "c", null(lambda x: x.strip(BLANKS).translate(str.maketrans(LOWER, UPPER)))),
    "part": (_.c.substr(1, 2), "c", null(lambda x: x[1:3])),
}


def made(table, columns):
    """Derived columns as they are released, by the row's id."""
    found = [derived(table, column, f"x{i}") for i, column in enumerate(columns)]
    wide = table.select(table.id, *(column.name(each.name) for each, column in found))
    engine, kinds = engine_of(table), [column.type() for _, column in found]
    query = wide.select(wide.id, **{each.name: engine.key(wide[each.name]) for each, _ in found})
    answer, fetch = engine.answer(query, Question.of(table, b"", query).words, [each.name for each, _ in found])
    ids = answer.column("id").to_pylist()
    sent = [Wire.of(k).read(array).to_pylist() for k, array in zip(kinds, fetch(np.arange(len(ids))), strict=True)]
    return [dict(zip(ids, values, strict=True)) for values in sent]


def right(engine, columns, call, seen):
    """What plain Python makes of rows; a float that is a key is never -0.0."""
    return {row["id"]: call(*(row[column] for column in columns)) for row in seen}


def alike(x, y):
    return type(x) is type(y) and (x == y or (x != x and y != y))


@pytest.fixture(scope="module", params=tables_engines.parameters())
def loaded(request, tmp_path_factory):
    engine, stop = tables_engines.start(request.param, tmp_path_factory.mktemp(request.param))
    exact = rows()
    plain = [row | {"m": None if row["m"] is None else float(row["m"])} for row in exact]
    yield engine, engine.load(SCHEMA, plain if request.param == "sqlite" else exact), engine.seen(exact)
    stop()


def test_a_derived_column_is_what_plain_python_makes_of_the_row_on_every_engine(loaded):
    engine, table, seen = loaded
    exact = engine.name != "sqlite"  # SQLite has no decimal numbers; what is computed of them are floats everywhere.
    texts = {text: (text, *said) for text, said in SAME.items() if exact or text not in DECIMAL}
    everything = texts | OF_IBIS
    answers = made(table, [column for column, *_ in everything.values()])
    for name, (_, columns, call), found in zip(everything, everything.values(), answers, strict=True):
        expected = right(engine, columns, call, seen)
        wrong = {i: (found[i], x) for i, x in expected.items() if not alike(found[i], None if x is None else x)}
        assert not wrong, (name, list(wrong.items())[:5])


@pytest.mark.xdist_group("postgres")
def test_a_decimal_number_that_is_none_makes_no_arithmetic_fail(tmp_path):
    """PostgreSQL has a NaN among numbers, which is null, and numbers that are too small for floats, which are 0."""
    engine, stop = tables_engines.start("postgres", tmp_path)
    con = engine.connection
    with con.con.cursor() as cursor:
        cursor.execute("CREATE TABLE odd (id int8, m numeric(20, 2), n numeric, o numeric(27, 9), p numeric(999, 990))")
        cursor.execute("INSERT INTO odd VALUES (0, 'NaN', 1, 'NaN', 1), (1, 999999999999999999.99, 2, 1e-9, 1e-990)")
        cursor.execute("INSERT INTO odd VALUES (2, 1, 3, 0, NULL)")
    con.con.commit()
    found = made(con.table("odd"), ["m * 2", "m / o", "m by 10", "p * 2"])
    assert found[0] == {0: None, 1: 2e18, 2: 2.0}
    assert found[1] == {0: None, 1: 1e18 / 1e-9, 2: None}
    assert found[2:] == [{0: None, 1: 10**18 - 10, 2: 0}, {0: 2.0, 1: 0.0, 2: None}]
    with pytest.raises(ParameterError, match="numbers below 2"):
        derived(con.table("odd"), "n * 2", "x")
    stop()


@pytest.mark.parametrize("kind", ["decimal(18, 3)", "decimal(38, 20)", "decimal(4, 4)"])
def test_decimal_numbers_of_any_length_are_the_nearest_floats(kind):
    precision, scale = (int(x) for x in re.findall(r"\d+", kind))
    top = Decimal(min(10**precision, 2**53) - 1).scaleb(-scale)
    numbers = [top, -top, Decimal(1).scaleb(-scale), Decimal(0), None]
    table = ibis.memtable(pa.table({"id": range(5), "m": pa.array(numbers, pa.decimal128(precision, scale))}))
    con = ibis.duckdb.connect()
    held = con.create_table("t_held", table)
    assert made(held, ["m * 1"])[0] == dict(enumerate(None if x is None else float(x) for x in numbers))


@pytest.mark.parametrize("kind", ["decimal(38, 0)", "decimal(38, 19)"])
def test_decimal_numbers_that_may_be_two_types_are_refused(kind):
    with pytest.raises(ParameterError, match="numbers below 2"):
        derived(ibis.table({"id": "int64", "m": kind}, name="x"), "m + 1", "y")


def test_a_choice_among_literals_is_added_up_as_floats_are_on_every_engine(loaded):
    """In floats 100 times 1.005 is below 100.5; for DuckDB and PostgreSQL, literals are exact, and would round up."""
    _, table, seen = loaded
    chosen = Table(table, person="id").derive(v="CASE WHEN id < 0 THEN 2.5 ELSE 1.005 END")
    plan = Bounding(Sum("v", 0, 10, "0.01"), person="id")
    assert plan(chosen._ibis).columns[0].tolist() == [sum(250 if row["id"] < 0 else 100 for row in seen)]


# Asked of a table.

PEOPLE = pa.table(
    {
        "user": list(range(60)),
        "age": [i * 2 for i in range(60)],
        "day": [dt.date(2026, 1 + i % 12, 15) for i in range(60)],
        "city": ["Rome ", "rome", "BATH"] * 20,
    }
)
SURE = {"epsilon": 10**6, "max_groups": 1}


def people(**more):
    return Table(PEOPLE, person="user", **more)


def test_bins_are_known_keys_in_their_order_and_need_no_delta():
    answer = people().group_by("age by 50 from 0 to 100 as a", keys="bins").count_people(**SURE)
    assert (answer.keys, answer.columns["people"], answer.receipt.delta) == ([(0,), (50,)], [25, 25], 0)
    both = people().group_by(
        "day by quarter from 2026 to 2026", "CASE WHEN age < 60 THEN 'y' ELSE 'o' END", keys="bins"
    )
    assert len(both.known) == 8
    assert both.known[0] == (dt.date(2026, 1, 1), "y")
    for month, days in (("2026-01", 31), ("2026-04", 30), ("2026-02", 28), ("2028-02", 29)):
        known = people().group_by(f"day by day from {month} to {month}", keys="bins").known
        assert (len(known), known[-1]) == (days, dt.date.fromisoformat(f"{month}-{days}"))
    months = people().group_by("day by month from 2026-02 to 2027-01", keys="bins").count_people(**SURE)
    assert months.columns["people"] == [5] * 11 + [0]


def test_known_keys_of_each_column_are_multiplied_in_the_order_of_the_groups():
    words = "day by quarter from 2026 to 2026 as q"
    keys = {"q": "bins", "city": ["Rome", "Bath"]}
    both = people().group_by("city", words, keys=keys)
    assert both.known == tuple((city, dt.date(2026, month, 1)) for city in ("Rome", "Bath") for month in (1, 4, 7, 10))
    assert people().group_by(words, "city", keys=keys).known[:2] == (
        (dt.date(2026, 1, 1), "Rome"),
        (dt.date(2026, 1, 1), "Bath"),
    )
    listed = people().group_by("city", words, keys=list(both.known)).count_people(**SURE)
    assert both.count_people(**SURE).to_rows() == listed.to_rows()
    assert people().group_by("city", keys={"city": ["Rome"]}).known == ("Rome",)


@pytest.mark.parametrize(
    ("keys", "need"),
    [
        ({"city": ["Rome"]}, "need the keys of city, age; or none, and a delta"),
        ({"city": ["Rome"], "age": "bins"}, "'age' has none: {'age': [...]} lists its keys"),
        ({"city": ["Rome"], "age": ["x"]}, "need an integer from"),
        ({"city": ["Rome", "Rome"], "age": [1]}, "need distinct keys"),
        ({"city": ["Rome"], "age": []}, "need at least one key"),
        ({"city": [str(i) for i in range(3000)], "age": range(3000)}, "need fewer columns or keys: at most 4,194,304"),
    ],
)
def test_keys_of_each_column_that_do_not_fit_are_refused(keys, need):
    with pytest.raises(ParameterError, match=re.escape(need)):
        people().group_by("city", "age", keys=keys)


def test_bins_whose_product_is_too_large_are_refused_before_they_are_made():
    words = [f"age + {i} by 1 from 0 to 1000 as a{i}" for i in range(4)]
    with pytest.raises(ParameterError, match="need fewer columns or keys: at most 4,194,304 groups"):
        people().group_by(*words, keys="bins")


@pytest.mark.parametrize("by", ["date of visit by month", 'month("date of visit")'])
def test_a_text_in_the_place_of_days_is_told_how_to_become_one(by, tmp_path):
    (tmp_path / "v.csv").write_text("user,date of visit,date\n1,2026-01-05,2026-01-05\n")
    declare = """types={"date of visit": "date"}, or --type 'date of visit=date'"""
    with pytest.raises(ParameterError) as told:
        Table(tmp_path / "v.csv", person="user").group_by(by)
    need = f"date or timestamp where string is; columns of CSV and JSON are text unless declared: {declare}"
    assert str(told.value).endswith(need)
    frame = pa.table({"user": [1], "date of visit": ["2026-01-05"]})
    with pytest.raises(ParameterError, match=r"where string is; the column is text: convert it first$"):
        Table(frame, person="user").group_by(by)


def test_known_months_of_times_with_a_zone_begin_in_utc():
    texts = ["2025-12-31 23:59", "2026-01-01 00:00", "2026-01-31 23:59", "2026-02-01 00:00", "2026-03-31 23:00"]
    times = [dt.datetime.fromisoformat(f"{text}+00:00") for text in texts]
    frame = pa.table({"user": range(5), "z": pa.array(times, pa.timestamp("us", "Asia/Tokyo"))})
    table = Table(frame, person="user")
    answer = table.group_by("z by month from 2026-01 to 2026-03", keys="bins").count_people(**SURE)
    assert answer.columns["people"] == [2, 1, 1]


@pytest.mark.parametrize("by", ["age", "age by 10", "lower(city)", _.age + 1])
def test_a_column_without_bins_says_so(by):
    with pytest.raises(ParameterError, match="keys='bins': need columns whose bins are known"):
        people().group_by(by, keys="bins")


def test_keys_of_derived_columns_are_typed_listed_and_explained_like_others():
    t = people()
    assert t.typed_keys("day by month", "age by 10", texts=["2026-01-01,30"]) == [(dt.date(2026, 1, 1), 30)]
    found = t.group_by("lower(trim(city)) as town").keys(epsilon=50, delta="1e-3")
    assert sorted(found.keys) == [("bath",), ("rome",)]
    assert t.group_by(_.day.truncate("Q").name("q")).explain(epsilon=1, delta="1e-6").receipt.derived == {
        "q": "day by quarter"
    }
    assert t.suggest_max_groups("age by 50", epsilon=10).receipt.derived == {"age by 50": "age by 50"}


def test_a_derived_column_can_be_filtered_summed_and_derived_from():
    t = (
        people()
        .derive(half="age / 2", decade="age by 10")
        .where("decade = 20 AND half > 10")
        .derive(twice=_.decade * 2)
    )
    assert t.sum("half", low=0, high=100, epsilon=10**6).columns["sum"] == [pytest.approx(11 + 12 + 13 + 14, abs=0.1)]
    assert t.group_by("twice", keys=[40]).count_people(**SURE).columns["people"] == [4]


def test_no_column_is_replaced_least_of_all_the_persons():
    for by in ("age by 10 as user", "1 + age as age", _.age.name("user")):
        with pytest.raises(ParameterError, match="a name that no column has"):
            people().group_by(by)
    with pytest.raises(ParameterError, match="a name that no column has, in capitals or not"):
        people().group_by("age by 10 as USER")
    with pytest.raises(ParameterError, match="a name that no column has"):
        people().derive(x="age by 10").group_by("age by 20 as x")
    assert people().derive(x="age by 10").derive(x="age by 10").derived[0].text == "age by 10"


def test_kept_answers_tell_derivations_of_one_name_apart(tmp_path):
    pq.write_table(PEOPLE, tmp_path / "people.parquet")
    book = Ledger(tmp_path / "b.db", epsilon=10**8, accountant="plain")
    t = Table(tmp_path / "people.parquet", person="user", ledger=book, version="1")

    def asked(by):
        return t.group_by(by, keys=[0, 30]).count_people(epsilon=1, max_groups=1).receipt

    assert [asked(by).kept for by in ("age by 10 as a", "age by 30 as a", "age by 10 as a", "age by 20 as a")] == [
        *(False, False, True, False)
    ]
    assert asked("age by 30 as a").to_dict()["derived"] == {"a": "age by 30"}


def test_no_two_expressions_are_told_alike():
    columns = ["lower(city)", "city", "it's", "True", "nan", "1", "x", 'q"', "q", "a b", "a  b"]
    table = ibis.table(dict.fromkeys(columns, "string") | {"t": "timestamp", "b": "boolean"}, name="people")
    zoned = ibis.table({"t": "timestamp('UTC')"}, name="zoned")
    noon = dt.datetime(2026, 1, 31, 12)
    expressions = [
        *(table[name] for name in columns),
        *(table[name].lower() for name in columns),
        *(table.q == value for value in ("x", "1", "True", 'q"', "it's", "it''s", "'it''s'", "None", "\\n", "\n")),
        *((table.q == "x").ifelse(value, None) for value in (1, 2, 1.5, True, "1", "1.5", "True", noon, str(noon))),
        *((table.q == "x").ifelse(value, None) for value in (noon.date(), Decimal("1.5"), Decimal("1.50001"))),
        *(table.q == table[name] for name in columns[:-1]),
        *(table.t.truncate(unit) for unit in "YQMWDhm"),
        table.t.date(),
        table.city.substr(1, 3),
    ]
    told = [derived(table, each, "x")[0].text for each in expressions]
    assert len(set(told)) == len(told)
    assert told[:3] == ['"lower(city)"', "city", '"it\'s"']
    assert derived(table, "Substring(city, 1, 3)", "x")[0].text != told[-1] == "substring(city, 2, 3)"
    other = dt.timezone(dt.timedelta(hours=2))
    apart = [noon.replace(tzinfo=dt.UTC), noon.replace(tzinfo=other), noon.replace(tzinfo=other, fold=1, hour=13)]
    assert len({derived(zoned, zoned.t == each, "x")[0].text for each in apart}) == 3
    months = ["t by month", _.t.truncate("M")]  # A day, and a time.
    assert len({derived(table, each, "x")[0].text for each in months}) == 2
    assert [derived(table, each, "x")[1].type().is_date() for each in months] == [True, False]


def test_a_column_that_is_called_like_an_expression_is_another_question(tmp_path):
    pq.write_table(PEOPLE.append_column("lower(city)", PEOPLE["city"]), tmp_path / "people.parquet")
    book = Ledger(tmp_path / "b.db", epsilon=10**8, accountant="plain")
    t = Table(tmp_path / "people.parquet", person="user", ledger=book, version="1")

    def kept(column):
        return t.derive(x=column).group_by("x", keys=["rome"]).count_people(epsilon=1, max_groups=1).receipt.kept

    assert [kept(each) for each in (_.city.lower(), _["lower(city)"], "lower(city)", '"lower(city)"')] == [
        *(False, False, True, True)
    ]


def test_blanks_count_within_quotes_alone():
    table = ibis.table(dict.fromkeys(["a b", "a  b", "c"], "string"), name="people")
    one, two, text, note = (
        derived(table, each, "x")
        for each in ('upper(  "a b" )', 'upper("a  b")', "c   =  'x  y'", "c -- a note\n = 'x'")
    )
    assert [used(column) for _, column in (one, two, text, note)] == [{"a b"}, {"a  b"}, {"c"}, {"c"}]
    assert (one[0].text, two[0].text, text[0].text) == ('upper( "a b" )', 'upper("a  b")', "c = 'x  y'")
    assert note[1].type().is_boolean()


def test_a_map_has_keys_of_every_type():
    t = Table(
        pa.table({"user": [1, 2, 3], "n": [1, -2, 3], "f": [0.5, -2.0, 1.0], "b": [True, False, None]}), person="user"
    )
    for text in ("map(n, {1: 'x', -2: 'y'})", "map(f, {0.5: 'x', -2: 'y'})", "map(b, {true: 'x', false: 'y'})"):
        found = t.group_by(text, keys="bins").count_people(epsilon=10**6, max_groups=1)
        assert (found.keys, found.columns["people"]) == ([("x",), ("y",)], [1, 1])


def test_names_differ_in_more_than_case(tmp_path):
    con = ibis.sqlite.connect(tmp_path / "x.db")
    con.con.executescript("CREATE TABLE people (user INTEGER, city TEXT); INSERT INTO people VALUES (1, 'Rome')")
    public = pa.table({"city": ["Rome"], "City ": ["x"], "USER": [2]})
    for t, make in product(
        [people(), Table(con.table("people"), person="user")],
        [
            lambda t: t.derive(CITY="lower(city)"),
            lambda t: t.derive(User=_.city),
            lambda t: t.join(public, on="city"),
        ],
    ):
        with pytest.raises(ParameterError, match="a name that no column has"):
            make(t)
    twice = con.table("people").mutate(CITY=_.city.lower())
    with pytest.raises(ParameterError, match="differ in more than case"):
        Table(twice, person="user")


NOT_LISTED = {
    "date_trunc('hour', time, 'America/New_York')": "one of year",
    "date_trunc('hour', time AT TIME ZONE 'UTC')": "one of year",
    "trim(LEADING 'x' FROM city)": "one of year",
    "length(city, 'utf8')": "one of year",
    "substring(city, 1, 2, 3)": "one of year",
    "week(day, 1)": "one of year",
    "extract(lower(week) FROM day)": "one of year",
    "city LIKE 'x' ESCAPE '!'": "one of year",
    "day = DATE '2026-01-31 10:00'": "one of year",
    "day = TRY_CAST('2026-01-31' AS date)": "one of year",
    "map(city, {lower('x'): 'y'})": "one of year",
    "map(city, {x: 'y'})": "a dictionary",
    "map(age, {'1': 'y'})": "a number",
    "sum(age)": "one of year",
    "(SELECT 1)": "one of year",
    "random()": "one of year",
    "CAST(age AS text)": "one of year",
    "age % 2": "one of year",
    "count(*) OVER ()": "one of year",
    "row_number() OVER (ORDER BY age)": "one of year",
    "agee by 10": "did you mean 'age'",
    "citty": "did you mean 'city'",
    "age, city": "each column by itself",
    "age by 0.5": "a whole number from 1",
    "age by month": "days or times by month",
    "day by 10": "one of year, quarter",
    "day by hour": "one of year, quarter, month, week, day that",
    "day by month from 2026-13 to 2027-01": "a range of",
    "day by day from 2020 to 2026": "a range of",
    "age by 10 from 0 to 95": "whole widths",
    "bin(age, 10, 0)": "ascend",
    "bin(age, 0, 10, 10, 20)": "ascend",
    "bin(age, 0, 'x')": "ascend",
    "bin(city, 0, 1)": "ascend",
    "lower(age)": "string where int64 is",
    "city + 1": "floating or integer or decimal where string is",
    "hour(day)": "timestamp where date is",
    "left(city, age)": "whole numbers",
    "left(city, 100000)": "at most 1000",
    "CASE WHEN age < 3 THEN 'x' ELSE 1 END": "of one type",
    "map(city, 'x')": "a dictionary",
    "1 + 1": "arithmetic with a column",
    "lower('x')": "not a literal",
    "CASE WHEN age < 3 THEN 'a very long name of a group' ELSE 'another long name' END": "at most 60 bytes",
    "age = 3; DROP TABLE x": "need",
    "age = (": "need",
}


@pytest.mark.parametrize("text", NOT_LISTED)
def test_what_is_not_on_the_list_is_refused_with_what_to_write(text):
    with pytest.raises(ParameterError, match=NOT_LISTED[text]):
        people().group_by(text)


@pytest.mark.parametrize(
    "expression", [_.age.sum(), _.age.cast("string"), _.age.bucket([0, 10]), ibis.random(), _.age.max().over()]
)
def test_an_expression_that_is_not_on_the_list_is_refused(expression):
    with pytest.raises(ParameterError, match="one row at a time"):
        people().group_by(expression)


def test_a_text_column_of_csv_says_how_its_type_is_declared(tmp_path):
    (tmp_path / "p.csv").write_text("user,age\n1,30\n2,x\n")
    with pytest.raises(ParameterError, match=r"--type age=integer"):
        Table(tmp_path / "p.csv", person="user").group_by("age by 10")
    typed = Table(tmp_path / "p.csv", person="user", types={"age": "integer"}).group_by("age by 10", keys=[30, None])
    assert typed.count_people(**SURE).columns["people"] == [1, 1]


def test_a_filter_that_is_too_deep_for_sqlite_costs_nothing():
    con = ibis.sqlite.connect()
    con.con.execute("CREATE TABLE e (user INTEGER, age INTEGER)")
    book, answered = Ledger.in_memory(epsilon=1), 0
    for depth in range(1, 60, 4):
        try:
            deep = Table(con.table("e"), person="user", ledger=book).where("NOT (" * depth + "age = 1" + ")" * depth)
            deep.group_by("1 + (1 + (1 + (1 + age))) as x", keys=[5]).count_people(epsilon="1/100", max_groups=1)
            answered += 1
        except (ParameterError, UnsupportedError):
            continue
    assert answered in range(2, 14)
    assert [entry.kind for entry in book.entries()] == ["charge"] * answered


def test_the_command_line_takes_what_python_takes(tmp_path):
    pq.write_table(PEOPLE, tmp_path / "p.parquet")
    asked = [
        "count",
        str(tmp_path / "p.parquet"),
        "--person",
        "user",
        "--epsilon",
        "1000000",
        "--max-groups",
        "1",
        "--json",
    ]
    by = ["--by", "day by quarter from 2026 to 2026-12 as q", "--bins", "--where", "city ILIKE 'rome%'"]
    found = json.loads(CliRunner().invoke(app, [*asked, *by]).stdout)
    assert [row["people"] for row in found["rows"]] == [10] * 4
    assert found["receipt"]["derived"] == {"q": "day by quarter from 2026 to 2026-12"}
    typed = json.loads(CliRunner().invoke(app, [*asked, "--by", "age by 100", "--key", "100"]).stdout)
    assert [(row["age by 100"], row["people"]) for row in typed["rows"]] == [(100, 10)]
    assert CliRunner().invoke(app, [*asked, *by, "--key", "2026-01-01"]).exit_code == 2


def test_an_unquoted_day_is_told_to_be_quoted():
    with pytest.raises(ParameterError, match="need a day in quotes, such as '2026-11-03'"):
        people().where("day > 2026-11-03")


def test_like_is_what_a_regular_expression_says_without_trying_twice():
    """All short patterns and texts; and a pattern of many parts, on which trying again would take for ever."""
    for pattern in map("".join, chain.from_iterable(product("ab%_\n", repeat=k) for k in range(5))):
        known = "".join({"%": ".*", "_": "."}.get(sign) or sign for sign in pattern)
        for text in map("".join, chain.from_iterable(product("ab\n", repeat=k) for k in range(4))):
            assert like(text.encode(), pattern) is (re.fullmatch(known, text, re.DOTALL) is not None)
    assert like(b"a.b(c", "_.b(%") is True
    assert like(b"axb(c", "_.b(%") is False
    assert like(b"a" * 100_000, "%a" * 400 + "%b%a") is False


@pytest.mark.parametrize("name", ["birth date", "Geburts-Jahr", 'a "b" c', "1st", "by 10"])
def test_a_column_whose_name_is_no_word_is_derived_from_by_its_name(name):
    table = ibis.memtable(pa.table({name: [7, 12], "x": [1, 2]}))
    found, column = derived(table, f"{name} by 10 as ten")
    assert (found.text, column.to_pyarrow().to_pylist()) == (f"{name} by 10", [0, 10])


def test_what_is_no_expression_says_what_is_one_and_how_names_are_quoted():
    table = ibis.table({"birth date": "date", "age": "int64"}, name="t")
    for text in ("age by 10 years from 0 to 9", "year(birth date)"):
        with pytest.raises(ParameterError, match=r'need a column, a literal, CASE.*is quoted: "birth date"'):
            derived(table, text)
    assert derived(table, 'year("birth date")')[0].text == 'year("birth date")'
