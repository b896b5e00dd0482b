"""Reservations inside an organisation's rules, answers that bind their charges, and receipts that are no plans."""

import json
import random
from datetime import UTC, datetime
from fractions import Fraction

import pytest

from discreet import BudgetError, IntegerGaussian, Ledger, LedgerError, ParameterError
from discreet.accounting import Event
from discreet.ledger import Period, books
from discreet.ledger.limits import Limits
from discreet.ledger.reservations import RESERVED

TENTH = Event.of(moves=[("0.1", 1)])
MONTH = Period("month", epsilon=1, start="2026-11-01")
PLAN = {"releases": [[TENTH.to_dict(), 3]], "fine": "1/1000000"}


@pytest.fixture
def clock(monkeypatch):
    """Return what sets the clock of the books."""

    def set_to(day):
        when = datetime.fromisoformat(day).replace(tzinfo=UTC)
        monkeypatch.setattr(books, "now", lambda: when.isoformat(timespec="microseconds"))

    set_to("2026-11-15")
    return set_to


class TestPeriods:
    def test_a_reserved_release_is_made_in_its_own_period_or_never(self, clock, shelf):
        book = Ledger(shelf / "b", epsilon=9, period=MONTH)
        plan = book.reserve([TENTH] * 10)
        plan.charge(event=TENTH)
        clock("2026-12-02")
        with pytest.raises(BudgetError, match=r"entry 1 was reserved in a month that is over.*stays spent"):
            plan.charge(event=TENTH)
        assert not plan.left
        assert book.charge(epsilon=1).epsilon == 1
        assert "Entry 1 reserved 10 releases: 1 made, 9 not made before its period was over." in str(book)
        assert book.reservation(1).left.total() == 0
        assert book.spent.epsilon == 2
        book.verify()

    def test_a_release_that_waited_for_the_next_period_is_damage(self, clock, monkeypatch, shelf):
        book = Ledger(shelf / "b", epsilon=9, period=MONTH)
        plan = book.reserve([TENTH] * 10)
        with monkeypatch.context() as patch:
            patch.setattr(Limits, "is_over", lambda *_: False)
            clock("2026-12-02")
            plan.charge(event=TENTH)
        for call in (lambda: Ledger(shelf / "b"), book.verify):
            with pytest.raises(LedgerError, match="damaged"):
                call()

    def test_a_clock_that_goes_back_leads_to_no_earlier_reservation(self, clock):
        book = Ledger.in_memory(epsilon=9, period=MONTH)
        plan = book.reserve([TENTH])
        clock("2026-12-02")
        book.charge(epsilon="0.1")
        clock("2026-11-20")
        with pytest.raises(BudgetError, match="that is over"):
            plan.charge(event=TENTH)

    @pytest.mark.usefixtures("clock")
    def test_the_point_is_chosen_by_what_the_period_and_the_analyst_have_left(self):
        whole = {"epsilon": 100, "delta": "1e-2", "accountant": "plain"}
        month = Period("month", epsilon=5, delta="2e-6", start="2026-11-01")
        for rules, who in (({"period": month}, None), ({"analysts": {"ana": ("5", "2e-6")}}, "ana")):
            book = Ledger.in_memory(**whole, **rules)
            book.reserve([TENTH] * 100, who=who)
            (entry,) = (entry for entry in book.entries() if entry.kind == "charge")
            assert entry.epsilon < Fraction("4.7")
            assert entry.delta < Fraction("2e-6")
            book.verify()

    @pytest.mark.usefixtures("clock")
    def test_releases_that_fit_one_by_one_fit(self):
        month = Period("month", epsilon=1, delta="1e-6", start="2026-11-01")
        book = Ledger.in_memory(epsilon=3, delta="1e-2", accountant="plain", period=month)
        assert book.reserve([TENTH] * 10).left.total() == 10
        assert book.spent.epsilon <= 1


class TestAnalysts:
    def test_a_plan_that_is_cheap_for_the_whole_is_charged_as_fits_who_asks(self):
        book = Ledger.in_memory(epsilon=20, delta="1e-5", analysts={"ana": ("5", "2e-6")})
        plan = book.reserve([TENTH] * 100, who="ana")  # One by one they take less of the whole, and 10 of her 5.
        assert plan.left.total() == 100
        assert book.analysts["ana"].spent.epsilon < 5

    def test_a_reserved_release_says_who_asks(self, shelf):
        book = Ledger(shelf / "b", epsilon=9, analysts={"ana": 5, "ben": 1})
        plan = book.reserve([TENTH] * 3, who="ana")
        for nobody in (None, "zed", "Ana"):
            with pytest.raises(ParameterError, match="who="):
                plan.charge(event=TENTH, who=nobody)
        assert plan.charge(event=TENTH, who="ben").who == "ben"
        assert Ledger(shelf / "b", who="ana").reservation(plan.number).charge(event=TENTH).who == "ana"

    def test_a_gaussian_without_an_epsilon_fits_no_plain_limit_and_is_told_so(self, clock):
        zcdp = {"epsilon": 5, "delta": "1e-5", "accountant": "zcdp"}
        noise = IntegerGaussian(variance=1000).event(1)
        for rules, who in (({"analysts": {"ana": 5}}, "ana"), ({"period": MONTH}, None)):
            with pytest.raises(BudgetError, match="its loss is zCDP alone: state it at an epsilon"):
                Ledger.in_memory(**zcdp, **rules).charge(event=noise, who=who)

    def test_a_page_tells_nobody_from_who_is_called_so(self):
        book = Ledger.in_memory(epsilon=1)
        book.charge(epsilon="1/4", who="not said")
        book.charge(epsilon="1/8")
        assert "<bdi>not said</bdi> 25 %, <bdi>not said</bdi> 12.5 %" in book.to_html()


class TestAnswers:
    def test_a_charge_whose_answer_is_kept_stands(self, shelf):
        book = Ledger(shelf / "b", epsilon=1)
        book.charge(epsilon="1/2")
        book.keep(1, question="people", answer=7)
        with pytest.raises(ParameterError, match="number=1: need a charge whose answer was not kept"):
            book.void(1, reason="a wrong file", unseen=True)
        assert book.left.epsilon == Fraction(1, 2)

    def test_no_answer_is_kept_of_a_charge_that_was_taken_back(self, shelf):
        book = Ledger(shelf / "b", epsilon=1)
        book.charge(epsilon="1/2")
        book.void(1, reason="a wrong file", unseen=True)
        with pytest.raises(ParameterError, match="number=1: need a charge that was not taken back"):
            book.keep(1, question="people", answer=7)
        assert book.kept("people") is None

    def test_a_question_fits_into_an_index(self, shelf):
        book = Ledger(shelf / "b", epsilon=1)
        book.charge(epsilon="1/2")
        seeds = random.Random(7919)
        long = "".join(chr(seeds.randrange(0x10000, 0x20000)) for _ in range(500))
        with pytest.raises(ParameterError, match="at most 2000 bytes"):
            book.keep(1, question=f"{long}.", answer=7)
        book.keep(1, question=long, answer=7)
        assert book.kept(long)[1] == 7

    @pytest.mark.parametrize("first", ["void", "answer"])
    def test_both_together_are_damage(self, shelf, monkeypatch, first):
        book = Ledger(shelf / "b", epsilon=1)
        book.charge(epsilon="1/2")
        notes = {
            "void": lambda: book.void(1, reason="x", unseen=True),
            "answer": lambda: book.keep(1, question="q", answer=7),
        }
        notes.pop(first)()
        count = books._notes
        with monkeypatch.context() as patch:
            patch.setattr(books, "_notes", lambda c, kind, n: 0 if kind in ("void", "answer") else count(c, kind, n))
            next(iter(notes.values()))()
        with pytest.raises(LedgerError, match="damaged"):
            Ledger(shelf / "b")


class TestReceipts:
    def test_a_receipt_of_ones_own_may_have_that_word(self):
        book = Ledger.in_memory(epsilon=1)
        book.charge(epsilon="0.1", receipt={"reserved": "three seats"})
        assert book.to_dict()["reservations"] == []
        for call in (book.verify, book.to_html, lambda: str(book), lambda: str(book.why(1))):
            call()
        with pytest.raises(ParameterError, match="which reserve\\(\\) alone writes"):
            book.charge(epsilon="0.1", receipt={RESERVED: PLAN})

    @pytest.mark.parametrize(
        "told",
        [
            "three seats",
            5,
            None,
            {},
            {"releases": PLAN["releases"]},
            PLAN | {"more": 1},
            PLAN | {"releases": []},
            PLAN | {"releases": [[{"version": 1}, 1]]},
            PLAN | {"releases": [[TENTH.to_dict(), 1, 1]]},
            PLAN | {"releases": PLAN["releases"] * 2},
            *(PLAN | {"releases": [[TENTH.to_dict(), count]]} for count in (1.5, -5, 0, True, "3", 10**8)),
            *(PLAN | {"fine": fine} for fine in ("0", "-1", "2", "x", 1, None)),
        ],
        ids=json.dumps,
    )
    def test_a_plan_that_no_ledger_wrote_is_damage(self, tmp_path, monkeypatch, told):
        path = tmp_path / "b.db"
        with monkeypatch.context() as patch:
            patch.setattr("discreet.ledger.entries.Plan.read", lambda _: None)
            Ledger(path, epsilon=9)._charged(TENTH, None, {RESERVED: told, "receipt": None}, None)
        with pytest.raises(LedgerError, match="damaged"):
            Ledger(path)

    @pytest.mark.parametrize("event", [TENTH, TENTH + TENTH, Event(()), TENTH + TENTH + TENTH + TENTH])
    def test_a_plan_whose_charge_is_another_is_damage(self, event):
        book = Ledger.in_memory(epsilon=9)
        book._charged(event, None, {RESERVED: PLAN, "receipt": None}, None)
        with pytest.raises(LedgerError, match="damaged"):
            book.verify()
        for call in (book.to_html, lambda: str(book), lambda: str(book.why(1))):
            call()


def test_a_release_costs_no_more_work_after_many(monkeypatch):
    book = Ledger.in_memory(epsilon=9)
    plan = book.reserve([TENTH] * 60)
    read, counts = Event.from_dict, []
    calls = []
    monkeypatch.setattr(Event, "from_dict", lambda told: calls.append(1) or read(told))
    for _ in range(60):
        plan.charge(event=TENTH)
        counts.append(len(calls))
        calls.clear()
    assert counts[-1] <= counts[1]


class TestPlaces:
    @pytest.mark.parametrize(
        "url",
        [
            "postgresql+psycopg://ana:s3cret@h/db",
            "mysql://ana:s3cret@h/db",
            " mysql://ana:s3cret@h/db",
            "https://ana:s3cret@h/db",
            "postgresql:/ana:s3cret@h/db",
            "POSTGRESQL://ana:s3cret@h:x/db",
            " postgres://ana:s3cret@h:x/db",
        ],
    )
    def test_a_url_that_is_refused_is_not_shown(self, url):
        pytest.importorskip("psycopg")
        with pytest.raises(ParameterError, match="postgresql://user@host/database") as caught:
            Ledger(url, epsilon=1)
        assert "s3cret" not in str(caught.value)

    def test_a_scheme_is_the_same_in_capitals_and_after_a_blank(self):
        pytest.importorskip("psycopg")
        assert books._store(" POSTGRESQL://ana:s3cret@h/db ", 1).path == "postgresql://ana@h/db"
