"""An organisation's rules inside the whole budget: what an analyst may spend, and what a period."""

import json
import pickle
import random
from collections import Counter
from datetime import UTC, date, datetime, timedelta
from fractions import Fraction

import pytest
from command import assert_one_line, ok, run
from hypothesis import given
from hypothesis import strategies as st
from ledger_past import raw, write
from ledger_racers import spend_as
from ledger_shelves import POSIX, PROCESSES, in_child
from tiers import cases

from discreet import BudgetError, KindError, Ledger, LedgerError, ParameterError
from discreet.accounting import Accountant, Event
from discreet.ledger import Amount, Period, books
from discreet.ledger.entries import Mark
from discreet.ledger.formats import STEP
from discreet.ledger.limits import Limits

HALF = Fraction(1, 2)


@pytest.fixture
def clock(monkeypatch):
    """Return what sets the clock of the books."""

    def set_to(text):
        when = datetime.fromisoformat(text).replace(tzinfo=UTC)
        monkeypatch.setattr(books, "now", lambda: when.isoformat(timespec="microseconds"))

    return set_to


class TestAnalysts:
    def test_each_spends_at_most_the_limit_inside_the_whole(self, shelf):
        book = Ledger(shelf / "b", epsilon=2, delta="1e-6", accountant="plain", analysts={"ana": 1, "ben": (2, "1e-7")})
        book.charge(epsilon=HALF, delta="5e-7", who="ana")
        with pytest.raises(BudgetError, match=r"than is left to 'ana' in .*: epsilon=0.5, delta=5e-7, of epsilon=1"):
            book.charge(epsilon="0.6", who="ana")
        with pytest.raises(BudgetError, match=r"more than is left to 'ben' in .*: epsilon=2, delta=1e-7"):
            book.charge(epsilon="0.1", delta="2e-7", who="ben")
        book.charge(epsilon="3/2", who="ben")
        with pytest.raises(BudgetError, match=r"more than is left in .*: epsilon=0, "):  # The whole comes first.
            book.charge(epsilon="0.1", who="ana")
        for again in (book, Ledger(shelf / "b"), pickle.loads(pickle.dumps(book))):
            assert {name: x.spent.epsilon for name, x in again.analysts.items()} == {"ana": HALF, "ben": Fraction(3, 2)}
            assert again.analysts["ben"].left == Amount(HALF, Fraction("1e-7"))
            again.verify()

    def test_what_others_have_just_spent_counts(self, shelf):
        one, two = (Ledger(shelf / "b", epsilon=3, analysts={"ana": 1}) for _ in range(2))
        one.charge(epsilon=1, who="ana")
        with pytest.raises(BudgetError, match="left to 'ana'"):
            two.charge(epsilon="1/10", who="ana")
        assert len(two.entries()) == 2

    def test_who_asks_is_one_of_them(self):
        book = Ledger.in_memory(epsilon=2, analysts={"ana": 1})
        for who in (None, "Ana", "eve", ""):
            for ask in (book.charge, book.require):
                with pytest.raises(ParameterError, match=r"who=.*: need one of ana"):
                    ask(epsilon=HALF, who=who)
        assert [entry.kind for entry in book.entries()] == ["limit"]
        Ledger.in_memory(epsilon=2).charge(epsilon=1, who="eve")  # Where there are none, anybody may.

    def test_a_ledger_may_be_opened_in_a_name(self, shelf):
        Ledger(shelf / "b", epsilon=3, analysts={"ana": 1, "ben": 2})
        mine = Ledger(shelf / "b", who="ana")
        assert mine.left.epsilon == 1
        entry = mine.charge(epsilon=HALF)
        assert (entry.who, mine.left.epsilon, mine.last_left.epsilon) == ("ana", HALF, HALF)
        assert mine.charge(epsilon=HALF, who="ben").who == "ben"
        assert mine.void(entry.number, reason="none", unseen=True).who == "ana"
        for again in (pickle.loads(pickle.dumps(mine)), eval(repr(mine))):
            assert (again.left.epsilon, repr(again)) == (1, repr(mine))
        assert Ledger(shelf / "b").left.epsilon == Fraction(5, 2)
        assert mine.to_dict()["left"]["epsilon"] == "1"

    def test_limits_are_set_and_changed_on_the_record(self, shelf):
        book = Ledger(shelf / "b", epsilon=3, delta="1e-6", accountant="plain", analysts={"ana": 1})
        book.charge(epsilon=1, delta="1e-7", who="ana")
        entry = book.set_limit("ana", epsilon=2, who="boss")
        assert (entry.kind, entry.who, entry.amount, entry.event, entry.about) == ("limit", "boss", (0, 0), None, None)
        assert entry.receipt == {"analyst": "ana", "epsilon": "2", "delta": "1/1000000"}
        assert book.analysts["ana"].left == Amount(Fraction(1), Fraction("9e-7"))
        for less in ({"epsilon": "0.99"}, {"epsilon": 2, "delta": "9e-8"}):
            with pytest.raises(ParameterError, match="need at least what was spent: epsilon=1, delta=1e-7"):
                book.set_limit("ana", **less)
        book.set_limit("ana", epsilon=1, delta="1e-7")  # Just that: nothing more.
        with pytest.raises(BudgetError, match="left to 'ana'"):
            book.charge(epsilon="1e-9", who="ana")
        book.set_limit("ben", epsilon=1)
        assert Ledger(shelf / "b").charge(epsilon=1, who="ben").number == 6
        book.verify()
        assert "ana may spend epsilon 1 and delta 1e-7" in str(book)

    def test_what_was_charged_before_the_first_limit_does_not_count(self):
        book = Ledger.in_memory(epsilon=3)
        first = book.charge(epsilon=1, who="ana")
        book.set_limit("ana", epsilon=HALF)
        book.charge(epsilon=HALF, who="ana")
        book.void(first.number, reason="none", unseen=True)
        assert book.analysts["ana"].spent.epsilon == HALF
        book.verify()

    def test_what_is_taken_back_is_taken_back_from_who_had_asked(self, shelf):
        book = Ledger(shelf / "b", epsilon=3, analysts={"ana": 1, "boss": 1})
        entry = book.charge(epsilon=1, who="ana")
        book.mark_failed(entry.number, reason="none", who="boss")
        assert book.analysts["ana"].left.epsilon == 0
        book.void(entry.number, reason="none", unseen=True, who="boss")
        for again in (book, Ledger(shelf / "b")):
            assert (again.analysts["ana"].left.epsilon, again.analysts["boss"].left.epsilon) == (1, 1)
            again.verify()

    def test_long_books_remember_who_spent_what(self, shelf):
        book = Ledger(shelf / "b", epsilon=100, analysts={"ana": 1, "ben": 2})
        for i in range(STEP + 3):
            book.charge(epsilon="1/50", who="ana" if i % 2 else "ben")
        again = Ledger(shelf / "b")
        assert again.analysts == book.analysts
        assert again.analysts["ana"].spent.epsilon == Fraction(17, 50)
        again.verify()

    @pytest.mark.parametrize("kind", ["plain", "adaptive", "zcdp"])
    def test_a_limit_counts_plainly_whoever_counts_the_whole(self, kind):
        book = Ledger.in_memory(epsilon=1, delta="1e-6", accountant=kind, analysts={"ana": HALF, "ben": (HALF, 0)})
        for _ in range(25):
            book.charge(epsilon="0.01", who="ana")
        assert book.analysts["ana"].left.epsilon == Fraction(1, 4)
        unstated = Event.of(moves=[(0, 1)], delta=0) if kind == "plain" else Event.of(moves=[], delta="2e-6")
        with pytest.raises((BudgetError, ParameterError)):
            book.charge(event=unstated, who="ben")

    def test_books_say_what_they_were_made_with(self, shelf):
        given = {"epsilon": 3, "analysts": {"ana": 1}}
        Ledger(shelf / "b", **given)
        Ledger(shelf / "b", **given).set_limit("ben", epsilon=1)
        for other in ({"ana": 1}, {"ana": 1, "ben": 2}, {}):
            with pytest.raises(LedgerError, match="has other analysts, or other limits: leave analysts= away"):
                Ledger(shelf / "b", analysts=other)
        Ledger(shelf / "b", analysts={"ben": 1, "ana": (1, 0)})

    @pytest.mark.parametrize(
        "bad", [5, ["ana"], {"ana": -1}, {"": 1}, {" ": 1}, {5: 1}, {"ana": (1, 2, 3)}, {"ana": "x"}, {"a\0b": 1}]
    )
    def test_limits_are_amounts_by_name(self, bad):
        with pytest.raises((KindError, ParameterError)):
            Ledger.in_memory(epsilon=1, analysts=bad)

    def test_of_eight_processes_no_name_spends_more_than_its_limit(self, shelf):
        path = str(shelf / "b")
        Ledger(path, epsilon=10, analysts={"ana": 1, "ben": HALF})
        results = PROCESSES.Queue()
        racers = [PROCESSES.Process(target=spend_as, args=(path, ("ana", "ben")[i % 2], results)) for i in range(8)]
        for racer in racers:
            racer.start()
        counts = Counter()
        for _ in racers:
            who, count = results.get(timeout=300)
            counts[who] += count
        for racer in racers:
            racer.join(60)
        assert counts == {"ana": 20, "ben": 10}
        book = Ledger(path)
        assert all(analyst.left.epsilon == 0 for analyst in book.analysts.values())
        book.verify()

    @pytest.mark.parametrize(
        "sql",
        [
            "UPDATE entries SET receipt = replace(receipt, '\"1\"', '\"9\"') WHERE number = 1",
            "UPDATE entries SET who = 'ben' WHERE number = 3",
            "UPDATE checkpoint SET state = replace(state, 'ana', 'eve')",
        ],
    )
    def test_a_limit_is_under_the_digests(self, shelf, sql):
        book = Ledger(shelf / "b", epsilon=10, analysts={"ana": 1, "ben": 1})
        for _ in range(STEP):
            book.charge(epsilon="1/100", who="ana")
        write(shelf / "b", sql)
        with pytest.raises(LedgerError):
            book.verify()

    def test_plain_values_and_sheets_show_them(self):
        book = Ledger.in_memory(epsilon=3, analysts={"ana": 1, "<b>\n=x": 1})
        book.charge(epsilon=HALF, who="ana")
        told = json.loads(json.dumps(book.to_dict()))
        assert told["analysts"]["ana"] == {
            "limit": {"epsilon": "1", "delta": "0"},
            "spent": {"epsilon": "1/2", "delta": "0"},
            "left": {"epsilon": "1/2", "delta": "0"},
        }
        assert "ana: epsilon 0.5 and delta 0 spent, epsilon 0.5 and delta 0 left." in str(book)
        assert "<b>" not in book.sheet._repr_html_()
        assert book.why(1).title.endswith("entry 1")


class TestDays:
    @given(
        st.sampled_from(["day", "week", "month", "quarter", "year"]),
        st.dates(date(2000, 1, 1), date(2040, 1, 1)),
        st.integers(0, 9000),
    )
    def test_every_day_is_in_one_period(self, every, start, days):
        period, day = Period(every, epsilon=1, start=start), start + timedelta(days=days)
        index = period.index_of(day)
        assert period.begin(index) <= day < period.begin(index + 1)
        assert period.begin(0) == start
        assert period.index_of(start - timedelta(days=1)) == 0

    def test_short_months_begin_on_their_last_day(self):
        month = Period("month", epsilon=1, start="2027-10-31")
        begins = [month.begin(i).isoformat()[5:] for i in range(6)]
        assert begins == ["10-31", "11-30", "12-31", "01-31", "02-29", "03-31"]
        assert [month.index_of(date(2028, 2, 28)), month.index_of(date(2028, 2, 29))] == [3, 4]

    @pytest.mark.parametrize(
        "bad",
        [
            {"every": "hour"}, {"every": 5}, {"every": ["day"]}, {"epsilon": 0}, {"epsilon": -1}, {"delta": -1},
            {"start": "1.11.2026"}, {"start": 5}, {"start": None}, {"start": datetime(2026, 1, 1)},
        ],
        ids=str,
    )  # fmt: skip
    def test_a_period_has_a_length_a_budget_and_a_day(self, bad):
        with pytest.raises((KindError, ParameterError)):
            Period(**{"every": "day", "epsilon": 1, "start": "2026-11-01", **bad})


MONTH = Period("month", epsilon=1, delta="1e-6", start="2026-11-01")


class TestPeriods:
    @pytest.mark.parametrize("kind", ["plain", "adaptive", "zcdp"])
    def test_a_period_ends_and_the_whole_never_refills(self, shelf, clock, kind):
        clock("2026-11-05")
        whole = {"epsilon": 2, "delta": "4e-6", "accountant": kind}
        book, event = Ledger(shelf / "b", **whole, period=MONTH), Event.of(moves=[("0.2", 1)])
        alone = Ledger.in_memory(epsilon=1, delta="1e-6", accountant=kind)
        for i in range(12):
            clock(f"{2026 + (10 + i) // 12}-{(10 + i) % 12 + 1:02}-{30 - 29 * (i % 2):02}")
            fits = 0
            try:
                while True:
                    book.charge(event=event)
                    fits += 1
            except BudgetError as error:
                refused = str(error)
            if "left of the month" not in refused:
                break
            if i == 0:
                assert fits == _fits(alone, event)
        assert "more than is left in" in refused  # By now the whole is exhausted, and time does not help.
        count = len(book.entries())
        for later in ("2027-12-01", "2099-01-01"):
            clock(later)
            for again in (book, Ledger(shelf / "b")):
                with pytest.raises(BudgetError, match="more than is left in"):
                    again.charge(event=event)
        assert count == _fits(Ledger.in_memory(**whole), event) == len(book.entries())
        book.verify()

    def test_the_refusal_says_when_the_next_begins(self, clock):
        clock("2026-11-05")
        book = Ledger.in_memory(epsilon=3, period=Period("month", epsilon=1, start="2026-11-01"))
        book.charge(epsilon="0.8")
        with pytest.raises(BudgetError) as caught:
            book.charge(epsilon="0.5")
        assert str(caught.value) == (
            "epsilon=0.5, delta=0: more than is left of the month from 2026-11-01 in memory: epsilon=0.2, delta=0; "
            "epsilon would come to 1.3 of 1; the next begins on 2026-12-01; nothing was charged"
        )
        with pytest.raises(BudgetError, match="left of the month"):
            book.require(epsilon="0.5")
        assert (book.left.epsilon, book.last_left.epsilon) == (Fraction("0.2"), Fraction("0.2"))
        clock("2026-12-01")
        assert book.left.epsilon == 1
        book.require(epsilon="0.5")

    def test_a_clock_that_goes_back_fills_nothing_again(self, shelf, clock):
        clock("2026-12-05")
        book = Ledger(shelf / "b", epsilon=9, period=Period("month", epsilon=1, start="2026-11-01"))
        book.charge(epsilon=1)
        for when in ("2026-11-20", "2026-12-31", "2020-01-01", "2026-11-01"):
            clock(when)
            for again in (book, Ledger(shelf / "b")):
                assert again.left.epsilon == 0
                with pytest.raises(BudgetError, match="left of the month from 2026-12-01"):
                    again.charge(epsilon="1/100")
        clock("2027-01-01")
        book.charge(epsilon=HALF)
        clock("2026-12-05")  # Again back: what is charged now belongs to January.
        book.charge(epsilon=HALF)
        with pytest.raises(BudgetError, match="left of the month from 2027-01-01"):
            Ledger(shelf / "b").charge(epsilon="1/100")
        book.verify()

    def test_only_charges_of_this_period_come_back_to_it(self, shelf, clock):
        clock("2026-11-05")
        book = Ledger(shelf / "b", epsilon=3, period=Period("month", epsilon=1, start="2026-11-01"))
        first, second = book.charge(epsilon=HALF), book.charge(epsilon=HALF)
        book.void(first.number, reason="none", unseen=True)
        assert book.left.epsilon == HALF
        clock("2026-12-05")
        book.charge(epsilon=1)
        book.void(second.number, reason="none", unseen=True)
        for again in (book, Ledger(shelf / "b")):
            assert (again.left.epsilon, again.spent.epsilon) == (0, 1)
            with pytest.raises(BudgetError, match="left of the month from 2026-12-01"):
                again.charge(epsilon="1/100")
        clock("2027-01-05")
        book.void(
            4, reason="none", unseen=True
        )  # As the first entry of January: it fills December no more, nor January twice.
        assert (book.left.epsilon, book.spent.epsilon) == (1, 0)
        book.verify()

    def test_days_before_the_first_are_in_the_first(self, clock):
        clock("2026-01-01")
        book = Ledger.in_memory(epsilon=3, period=Period("week", epsilon=1, start="2026-11-01"))
        book.charge(epsilon=1)
        clock("2026-11-07")
        assert book.left.epsilon == 0
        clock("2026-11-08")
        assert book.left.epsilon == 1

    def test_any_walk_of_the_clock_agrees_with_a_count_by_hand(self, shelf, clock):
        """Against a count in the test: each period, and the whole, by a clock that jumps both ways."""
        for seed in range(cases(1, 8)):
            dice, period = random.Random(seed), Period("week", epsilon=1, start="2026-11-01")
            book = Ledger(shelf / f"{seed}", epsilon=5, period=period)
            spent, index, standing, number = {}, 0, {}, 0
            for _ in range(cases(30, 120)):
                day = date(2026, 11, 1) + timedelta(days=dice.randrange(60))
                clock(day.isoformat())
                index_now = max(index, (day - period.start).days // 7)
                cost = Fraction(dice.randrange(1, 5), 8)
                if standing and dice.random() < 0.2:
                    which, (then, back) = standing.popitem()
                    book.void(which, reason="none", unseen=True)
                    spent[then] -= back
                    index, number = index_now, number + 1
                elif spent.get(index_now, 0) + cost > 1 or sum(spent.values()) + cost > 5:
                    with pytest.raises(BudgetError):
                        book.charge(epsilon=cost)
                else:
                    number, index = book.charge(epsilon=cost).number, index_now
                    spent[index] = spent.get(index, 0) + cost
                    standing[number] = index, cost
                assert book.spent.epsilon == sum(spent.values())
                now = max(index, index_now)
                assert book.left.epsilon == min(1 - spent.get(now, 0), 5 - sum(spent.values()))
            book.verify()
            assert Ledger(shelf / f"{seed}").left == book.left

    def test_long_books_know_their_period(self, shelf, clock):
        clock("2026-11-05")
        book = Ledger(shelf / "b", epsilon=30, period=Period("month", epsilon=1, start="2026-11-01"))
        for i in range(2 * STEP + 3):
            clock("2026-11-05" if i < STEP - 2 else "2026-12-05")
            book.charge(epsilon="1/50")
        assert Ledger(shelf / "b").left.epsilon == book.left.epsilon == 1 - Fraction(STEP + 5, 50)
        Ledger(shelf / "b").verify()

    def test_books_say_what_they_were_made_with(self, shelf, clock):
        clock("2026-11-05")
        Ledger(shelf / "b", epsilon=3, delta="1e-5", period=MONTH)
        Ledger(shelf / "b", epsilon=3, delta="1e-5", period=MONTH)
        other = Period("month", epsilon=1, delta="1e-6", start="2026-11-02")
        with pytest.raises(LedgerError, match="was made with other periods: leave period= away"):
            Ledger(shelf / "b", period=other)
        Ledger(shelf / "c", epsilon=3)
        with pytest.raises(LedgerError, match="was made with other periods"):
            Ledger(shelf / "c", period=MONTH)
        for wrong in ({"epsilon": "0.9", "delta": "1e-5"}, {"epsilon": 3, "delta": "1e-7"}):
            with pytest.raises(ParameterError, match="at most the whole"):
                Ledger.in_memory(**wrong, period=MONTH)
        for junk in ("month", 5, {"every": "month"}):
            with pytest.raises(KindError, match=r"period=.*a Period"):
                Ledger.in_memory(epsilon=3, period=junk)

    def test_the_genesis_holds_the_period(self, shelf, clock):
        clock("2026-11-05")
        book = Ledger(shelf / "b", epsilon=3, delta="1e-5", period=MONTH)
        write(shelf / "b", "UPDATE budget SET amount = replace(amount, '2026-11-01', '2026-11-02')")
        for call in (book.verify, lambda: Ledger(shelf / "b")):
            with pytest.raises(LedgerError):
                call()

    def test_the_numbers_of_a_period_are_computed_anew(self, shelf, clock):
        clock("2026-11-05")
        Ledger(shelf / "b", epsilon=3, delta="1e-5", period=MONTH).verify()
        with raw(shelf / "b") as connection:
            ((made, text, whole, state),) = connection.execute(
                "SELECT made, accountant, amount, state FROM budget CROSS JOIN checkpoint"
            )
        told = json.loads(whole)
        terms = json.loads(told["period"]["accountant"])
        told["period"]["accountant"] = json.dumps(terms | {"units": terms["units"] * 2})
        forged = json.dumps(told)
        start = Mark.start(Accountant.read(text), made, text, forged, limits=Limits.read(told))
        seal = start.at(0, start.digest, state).seal
        write(
            shelf / "b",
            ("UPDATE budget SET amount = ?, digest = ?", (forged, start.digest)),
            ("UPDATE checkpoint SET digest = ?, seal = ?", (start.digest, seal)),
        )
        with pytest.raises(LedgerError, match="is damaged"):
            Ledger(shelf / "b").verify()

    def test_plain_values_sheets_and_pages_say_both(self, clock):
        clock("2026-11-05")
        book = Ledger.in_memory(epsilon=3, delta="1e-5", accountant="plain", period=MONTH)
        book.charge(epsilon="1/4")
        told = json.loads(json.dumps(book.to_dict()))["period"]
        assert (told["begins"], told["ends"], told["every"]) == ("2026-11-01", "2026-12-01", "month")
        assert told["readings"]["epsilon"] == {"spent": "1/4", "of": "1"}
        assert "This month, from 2026-11-01 to 2026-12-01: epsilon 0.25 of 1, delta 0 of 1e-6 spent." in str(book)
        clock("2026-12-05")
        assert book.to_dict()["period"]["readings"]["epsilon"] == {"spent": "0", "of": "1"}
        page = books.timeline_page("Books", book.to_dict(), book.sheet).to_html()
        assert "Whatever was known before, of all answers of one month together" in page

    @POSIX
    def test_periods_and_analysts_go_together_and_through_a_fork(self, shelf, clock):
        clock("2026-11-05")
        period = Period("day", epsilon=1, start="2026-11-01")
        book = Ledger(shelf / "b", epsilon=9, period=period, analysts={"ana": "3/2", "ben": 9})
        assert in_child(lambda: book.charge(epsilon=1, who="ana").number) == "3"
        with pytest.raises(BudgetError, match="left of the day from 2026-11-05"):
            book.charge(epsilon=HALF, who="ben")
        clock("2026-11-06")
        with pytest.raises(BudgetError, match="left to 'ana'"):
            book.charge(epsilon=1, who="ana")
        assert Ledger(shelf / "b", who="ana").left.epsilon == HALF
        book.charge(epsilon=1, who="ben")
        book.verify()


class TestCommands:
    def test_books_with_rules_are_made_charged_and_shown(self, tmp_path):
        path, table = tmp_path / "b.db", tmp_path / "t.csv"
        table.write_text("person,city\n" + "".join(f"{i},Rome\n" for i in range(50)))
        ok("budget", path, "--create", "--epsilon", 9, "--period", "month:2", "--start", "2026-11-01",
           "--analyst", "ana=1", "--analyst", "ben=2:0")  # fmt: skip
        count = ("count", table, "--person", "person", "--epsilon", "0.5", "--ledger", path)
        ok(*count, "--who", "ana")
        ok(*count, "--who", "ben")
        assert_one_line(run(*count), 2)
        assert_one_line(run(*count, "--who", "eve"), 2)
        assert "left to 'ana'" in run(*count, "--who", "ana", "--epsilon", "0.6").stderr
        mine = json.loads(ok("budget", path, "--who", "ana", "--json"))
        assert mine["readings"]["epsilon"] == {"spent": "1/2", "of": "1"}
        assert [entry["number"] for entry in mine["entries"]] == [1, 3]
        shown = ok("budget", path, "--who", "ana")
        assert "epsilon  [###############...............]  0.5 of 1 spent, 0.5 left" in shown
        ok("budget", path, "--analyst", "ana=0.5", "--who", "boss")
        assert Ledger(path).entries()[-1].who == "boss"
        assert Ledger(path).analysts["ana"].left.epsilon == 0
        assert "ana: epsilon 0.5 and delta 0 spent, epsilon 0 and delta 0 left." in ok("budget", path)
        assert "of 2" in json.dumps(ok("budget", path))

    @pytest.mark.parametrize(
        "words",
        [
            ["--analyst", "ana"], ["--analyst", "=1"], ["--analyst", "a=1", "--analyst", "a=2"],
            ["--start", "2026-11-01"], ["--period", "month:1"], ["--period", "month", "--start", "2026-11-01"],
            ["--period", "moon:1", "--start", "2026-11-01"], ["--period", "month:1", "--start", "soon"],
        ],
        ids=" ".join,
    )  # fmt: skip
    def test_slips_are_answered(self, tmp_path, words):
        assert_one_line(run("budget", tmp_path / "b.db", "--create", "--epsilon", 3, *words), 2)
        assert not list(tmp_path.iterdir())

    def test_who_needs_books(self, tmp_path):
        (tmp_path / "t.csv").write_text("person\n1\n")
        assert_one_line(run("count", tmp_path / "t.csv", "--person", "person", "--epsilon", 1, "--who", "ana"), 2)


def _fits(book, event):
    count = 0
    try:
        while True:
            book.charge(event=event)
            count += 1
    except BudgetError:
        return count
