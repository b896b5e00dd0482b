"""What a second attack found: outcomes, types and words of tables that depended on one row, and slips that were raw."""

import datetime as dt
import json
import threading

import numpy as np
import pytest
import tables_engines
from tiers import each

from discreet import Ledger
from discreet.errors import DiscreetError, EngineError, ParameterError, UnsupportedError
from discreet.tables import Bounding, Histogram, People, Table
from discreet.tables.engines import engine_of

ibis = pytest.importorskip("ibis")
pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")

PRIVATE = {"epsilon": 1000, "delta": "1/2", "max_groups": 1}


def raw(kind, values):
    """An Arrow array of what a type's bytes may hold, valid or not."""
    return pa.Array.from_buffers(kind, len(values), [None, pa.py_buffer(np.asarray(values, "i8").tobytes())])


@pytest.fixture(scope="module")
def infinite(tmp_path_factory):
    """A table on PostgreSQL in which some stays have no end, or no beginning."""
    engine, stop = tables_engines.start("postgres", tmp_path_factory.mktemp("postgres"))
    con = engine.connection
    con.con.execute("CREATE TABLE stays (who int, until date, at timestamp, zoned timestamptz, n bigint)")
    for i, end in enumerate(("infinity", "-infinity", "2026-01-31")):
        con.con.execute("INSERT INTO stays VALUES (%s, %s, %s, %s, 2026)", (i, end, end, end))
    con.con.commit()
    yield Table(con.table("stays"), person="who")
    stop()


@pytest.mark.xdist_group("postgres")
class TestPartsOfTimes:
    @pytest.mark.parametrize("column", ["until", "at", "zoned"])
    def test_the_year_of_an_infinite_day_is_the_first_or_the_last_one(self, infinite, column):
        wide = {lambda t: t[column].year() == 10**10: 0, lambda t: t[column].year() == t.n: 1}
        wide |= {lambda t: t[column].month() < t.n: 3, lambda t: t[column].day_of_week.index() < t.n: 3}
        wide |= {lambda t: t[column].year() == 9999: 1, lambda t: t[column].year() == 1: 1}
        for condition, number in wide.items():
            people = infinite.where(condition).count_people(epsilon=1000).columns["people"]
            assert people == [number]


class TestParquet:
    def test_files_of_different_types_are_refused_whatever_their_values(self, tmp_path):
        pq.write_table(pa.table({"user": [1], "code": [7]}), tmp_path / "a.parquet")
        others = [pa.table({"user": [2], "code": ["8"]}), pa.table({"user": [2], "code": ["flu"]})]
        others += [pa.table({"user": [2]}), pa.table({"user": pa.array([2], pa.int32()), "code": [7]})]
        for other in others:
            pq.write_table(other, tmp_path / "b.parquet")
            with pytest.raises(ParameterError, match=r"source='b\.parquet': need the columns of a\.parquet"):
                Table(tmp_path / "*.parquet", person="user")

    def test_files_of_the_same_types_are_one_table(self, tmp_path):
        for i, nullable in enumerate((True, False)):
            schema = pa.schema([pa.field("user", pa.int64(), nullable)])
            pq.write_table(pa.table({"user": [i]}, schema=schema), tmp_path / f"{i}.parquet")
        assert Table(tmp_path / "*.parquet", person="user").count_people(epsilon=1000).columns["people"] == [2]

    @pytest.mark.parametrize("other", ["2", "Rome"])
    def test_columns_of_folders_are_text_whatever_their_names(self, tmp_path, other):
        for name in ("1", other):
            (tmp_path / f"city={name}").mkdir()
            pq.write_table(pa.table({"user": [1]}), tmp_path / f"city={name}" / "a.parquet")
        table = Table(tmp_path / "*" / "*.parquet", person="user")
        assert table.where("city = '1'").count_people(epsilon=1000).columns["people"] == [1]
        with pytest.raises(ParameterError, match="a text"):
            table.where("city = 1")


class TestFrames:
    def ask(self, column):
        table = Table(pa.table({"user": list(range(len(column))), "x": column}), person="user")
        Table(table._ibis, person="x").count_people(epsilon=1000)
        return table.group_by("x").count_people(**PRIVATE).keys, table

    def test_bytes_that_are_no_utf8_are_replaced(self):
        column = pa.Array.from_buffers(pa.string(), 2, pa.array([b"Rome", b"\xff"]).buffers())
        keys, table = self.ask(column)
        assert set(keys) <= {("Rome",), ("\ufffd",)}
        assert table.where("x = 'Rome'").count_people(epsilon=1000).columns["people"] == [1]

    @pytest.mark.parametrize("digits", [5, 9, 38])
    def test_a_number_of_too_many_digits_stops_no_question(self, digits):
        column = raw(pa.decimal128(digits, 0), [[1, 0], [2**63 - 1, 2**63 - 1], [-1, -1], [0, -(2**63)]])
        _, table = self.ask(column)
        people = table.where("x > 0").count_people(epsilon=1000).columns["people"]
        assert people == [1]
        assert table.where("x IS NULL").count_people(epsilon=1000).columns["people"] == [2]

    @pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
    def test_times_with_a_zone_are_answered_at_any_distance(self, unit):
        column = raw(pa.timestamp(unit, "Europe/Rome"), [0, 2**63 - 1, -(2**63) + 1])
        _, table = self.ask(column)
        for condition, people in (("x > '2200-01-01'", 1), ("x < '1700-01-01'", 1), ("x IS NOT NULL", 3)):
            assert table.where(condition).count_people(epsilon=1000).columns["people"] == [people]

    @pytest.mark.parametrize(("unit", "micro"), [("s", 0), ("ms", 123000), ("us", 123456), ("ns", 123456)])
    def test_times_with_a_zone_keep_their_microseconds_and_nulls(self, unit, micro):
        moment = dt.datetime(2026, 1, 31, 12, 0, 0, micro, dt.UTC)
        column = pa.array([moment, None] * 50, pa.timestamp(unit, "UTC"))
        keys, _ = self.ask(column)
        assert set(keys) == {(None,), (moment,)}

    def test_whether_what_cannot_be_held_is_null_is_not_answered(self):
        table = Table(pa.table({"user": [1], "x": raw(pa.duration("s"), [2**63 - 1])}), person="user")
        for condition in ("x IS NULL", "x IS NOT NULL", lambda t: t.x.isnull()):
            with pytest.raises(ParameterError, match="a column of single values"):
                table.where(condition)


class TestLeftOut:
    def table(self, groups):
        users, cities = np.divmod(np.arange(3000 * groups), groups)
        return Table(pa.table({"user": users, "city": cities}), person="user")

    def test_nothing_is_said_where_nothing_can_be_told(self):
        answer = self.table(80).group_by("city").count_people(epsilon=10, delta="1e-6", max_groups=70)
        assert answer.left_out is None
        assert answer.bias.endswith("is not known: of each person, 64 are counted at most.")
        rows = self.table(80).count_rows(epsilon=10, max_rows=70)
        assert rows.left_out is None
        assert rows.bias.endswith("is not known: of each person, 64 are counted at most.")

    def test_it_says_how_many_of_each_person_are_counted(self):
        answer = self.table(80).group_by("city").count_people(epsilon=10, delta="1e-6", max_groups=40)
        assert answer.left_out is not None
        assert "counting up to 64 of each person" in answer.bias

    def test_known_keys_that_are_few_leave_nothing_untold(self):
        groups = self.table(5).group_by("city", keys=range(60))
        answer = groups.count_people(epsilon=10, max_groups=2)
        assert answer.left_out.low <= 0.6 <= answer.left_out.high


class TestSQLite:
    def table(self, ledger=None):
        con = ibis.sqlite.connect()
        con.con.execute("CREATE TABLE events (user INTEGER, city TEXT)")
        con.con.executemany("INSERT INTO events VALUES (?, ?)", [(i, "Rome") for i in range(100)])
        con.con.commit()
        return Table(con.table("events"), person="user", ledger=ledger), con.con

    def test_another_thread_is_refused_in_words_and_costs_nothing(self):
        book, failures = Ledger.in_memory(epsilon=1000, delta="1/2"), []
        table = self.table(book)[0]

        def ask(call):
            try:
                call()
            except Exception as error:
                failures.append(error)

        for call in (
            lambda: table.count_people(epsilon=1),
            lambda: table.group_by("city").count_people(epsilon=1, delta="1e-3", max_groups=1),
        ):
            thread = threading.Thread(target=ask, args=(call,))
            thread.start()
            thread.join()
        assert [type(error) for error in failures] == [UnsupportedError, UnsupportedError]
        assert "nothing was charged" in str(failures[0])
        assert not book.entries()

    def test_an_open_cursor_stops_the_first_question_at_most(self):
        book = Ledger.in_memory(epsilon=10_000, delta="1/2")
        table, con = self.table(book)
        cursor = con.execute("SELECT * FROM events")
        cursor.fetchone()
        try:
            table.count_people(epsilon=1)
        except UnsupportedError:
            assert not book.entries()
        cursor.close()
        table.count_people(epsilon=1)
        cursor = con.execute("SELECT * FROM events")
        cursor.fetchone()
        assert table.group_by("city").count_people(**PRIVATE).keys == [("Rome",)]
        assert {entry.kind for entry in book.entries()} == {"charge"}


class TestSlips:
    @pytest.fixture
    def table(self):
        book = Ledger.in_memory(epsilon=1000, delta="1/2")
        return Table(pa.table({"user": [1, 2], "city": ["Rome", "Bath"]}), person="user", ledger=book)

    @pytest.mark.parametrize(
        "call",
        [
            lambda t: t.group_by("city", keys=["\ud800"]),
            lambda t: t.typed_keys("city", texts=["\ud800"]),
            lambda t: t.where(ibis._.town == "Rome"),
            lambda t: t.where(ibis._.city.no_such_method()),
            lambda t: t.where("NOT (" * 3000 + "user = 1" + ")" * 3000).count_people(epsilon=1),
            lambda t: t.where(lambda rows: ibis.and_(*[rows.user == i for i in range(3000)])).count_people(epsilon=1),
            lambda t: t.suggest_max_groups("city", epsilon="1e-400"),
            lambda t: t.group_by("city").count_people(epsilon=1, delta="1e-3", max_groups="auto", left_out="1e-400"),
            lambda t: t.group_by("city").count_people(epsilon=1, delta="1e-3", max_groups=1, left_out=1e-320),
        ],
    )
    def test_a_slip_is_a_declared_error_and_costs_nothing(self, table, call):
        with pytest.raises(DiscreetError):
            call(table)
        assert not table.ledger.entries()

    @pytest.mark.parametrize(
        "option", [["--max-groups", "0"], ["--left-out", "0"], ["--left-out", "0.1"], ["--delta", ""]]
    )
    def test_what_is_for_groups_needs_groups(self, tmp_path, option):
        from click.testing import CliRunner

        from discreet.cli.app import app

        (tmp_path / "s.csv").write_text("user,city\n1,Rome\n", encoding="utf-8")
        command = ["count", str(tmp_path / "s.csv"), "--person", "user", "--epsilon", "1", *option, "--json"]
        result = CliRunner().invoke(app, command)
        assert result.exit_code == 2
        assert f"{option[0]} needs --by" in json.loads(result.stderr)["error"]


QUIET, SIGNED, LOADED = 0x7FF8 << 48, 0xFFF8 << 48, (0x7FF8 << 48) + 1


class TestKeysOfOtherBits:
    """Floats that engines take for one key, and whose bits differ: NaN has a sign and a payload, and 0.0 a sign."""

    BOUNDING = Bounding([People(), Histogram("x", 0, 300, 640)], person="user", by="k")

    @pytest.mark.parametrize("kind", ["f8", "f4"])
    @pytest.mark.parametrize("other", [float("nan"), -0.0])
    def test_one_persons_bits_move_nobody_else(self, kind, other):
        """Of two, one is alone in a bin; of twenty, one may be the first of many there."""
        whole = np.array([other], kind).view(kind.replace("f", "u"))[0]
        for many, place in [(2, 0), (2, 1), *((20, place) for place in each(range(20), 7))]:
            bits = np.full(many, whole)
            bits[place] ^= whole.dtype.type(1 << (8 * whole.itemsize - 1))
            keys = np.concatenate([bits.view(kind), np.full(10, 5, kind)])
            users, half = list(range(many + 10)), many // 2
            frame = pa.table({"user": users, "k": pa.array(keys), "x": [100.0, 400.0] * (half + 5)})
            totals = self.BOUNDING.apply(Table(frame, person="user")._ibis)
            found = zip(totals.people.tolist(), totals.columns[1].dense(2).tolist(), strict=True)
            assert sorted(found) == sorted([(10, [5, 5]), (many, [half, half])])

    def test_all_nan_travel_as_the_same_bits(self):
        keys = np.array([QUIET, SIGNED, LOADED], np.uint64).view(float)
        table = Table(pa.table({"user": [0, 1, 2], "k": pa.array(keys), "x": [100.0, 400.0, 400.0]}), person="user")
        fetched = table._ibis.select(k=engine_of(table._ibis).key(table._ibis.k)).to_pyarrow().column("k").to_numpy()
        assert set(fetched.view(np.uint64).tolist()) == {QUIET}

    def test_a_bin_of_no_group_is_an_error_and_moves_nobody(self):
        keys = np.array([QUIET, SIGNED], np.uint64).view(float)
        answer = pa.table({"k0": keys, "people": [1, 1], "h": [0, 2], "x": [0, 1]})
        with pytest.raises(EngineError, match="the engine takes keys for equal that Arrow tells apart"):
            self.BOUNDING._histograms(answer, np.array([0, 2]), np.array([0]))
