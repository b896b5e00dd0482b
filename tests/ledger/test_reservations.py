"""Reservations: charged together, made once each, whatever crashes or races."""

import json
import multiprocessing
import os
import pickle
import signal
import subprocess
import sys
import time
from fractions import Fraction

import pandas as pd
import pytest
from tiers import cases

from discreet import BudgetError, IntegerGaussian, IntegerLaplace, Ledger, LedgerError
from discreet.accounting import Amount, Event, accountants
from discreet.errors import KindError, ParameterError
from discreet.ledger import reservations
from discreet.tables import People, Table

TENTH = Event.of(moves=[("0.1", 1)])
THIRD = Event.of(moves=[("1/3", 1)])


def books(**given):
    return Ledger.in_memory(**({"epsilon": 5, "delta": "2e-6", "accountant": "plain"} | given))


class TestWhatIsCharged:
    def test_a_hundred_tenths_fit_where_a_tenth_fits_fifty_times(self):
        book = books()
        plan = book.reserve([TENTH] * 100)
        assert book.spent.epsilon < Fraction("4.78")
        assert plan.left == {TENTH: 100}
        (entry,) = book.entries()
        assert entry.amount == book.spent == Amount(entry.event.epsilon, entry.event.delta)

    @pytest.mark.parametrize("accountant", ["plain", "adaptive", "zcdp"])
    @pytest.mark.parametrize("n", [1, 3, 40])
    def test_a_plan_never_takes_more_than_its_releases_one_by_one(self, accountant, n):
        together, apart = (books(epsilon=20, accountant=accountant) for _ in range(2))
        together.reserve([TENTH] * n)
        for _ in range(n):
            apart.charge(event=TENTH)
        counts = accountants()[accountant].for_budget(Amount(Fraction(20), Fraction("2e-6")))
        nothing, whole = counts.start, Amount(Fraction(20), Fraction("2e-6"))
        event = together.entries()[0].event
        one_by_one = Event(TENTH.parts * n)
        assert counts.share(nothing, event, whole) <= counts.share(nothing, one_by_one, whole)

    def test_the_adaptive_books_of_small_releases_count_them_one_by_one(self):
        book = books(epsilon=20, accountant="adaptive")
        book.reserve([TENTH] * 10)
        assert len(book.entries()[0].event.parts) == 10
        assert book.reserve([TENTH] * 10).left.total() == 10

    def test_adaptive_books_take_the_joint_point_where_units_are_too_many(self):
        book = books(accountant="adaptive")
        book.reserve([TENTH] * 100)
        (part,) = book.entries()[0].event.parts
        assert (part.mechanism, part.parameters) == ("Reservation", (("releases", Fraction(100)),))

    def test_a_gaussian_is_counted_by_its_law_and_not_by_a_point(self):
        noise = IntegerGaussian(variance=1000, epsilon=1).event(1)
        book = books(epsilon=1)
        book.reserve([noise] * 10)
        assert book.spent.epsilon < Fraction(1, 2) < noise.epsilon

    def test_what_does_not_fit_is_refused_and_nothing_changes(self):
        book = books(epsilon=4)
        with pytest.raises(BudgetError, match="nothing was charged"):
            book.reserve([TENTH] * 100)
        assert book.entries() == []

    def test_without_a_delta_losses_add_up(self):
        book = books(delta=0)
        book.reserve([TENTH] * 3)
        assert book.spent == Amount(Fraction(3, 10), Fraction(0))

    @pytest.mark.parametrize("bad", [[], [3], 7, [IntegerLaplace(scale=1)], TENTH, [Event.of(moves=[])]])
    def test_what_is_no_list_of_releases_is_refused(self, bad):
        book = books()
        with pytest.raises((KindError, ParameterError), match="releases=<class"):
            book.reserve(bad)
        assert book.entries() == []

    def test_nobody_else_writes_a_reservation(self):
        with pytest.raises(ParameterError, match="reserve"):
            books().charge(epsilon=1, receipt={reservations.RESERVED: {}})


class TestWhatIsHandedOut:
    def test_each_release_is_made_once(self):
        book = books()
        plan = book.reserve([TENTH, TENTH, THIRD], table="rides")
        spent = book.spent
        entries = [plan.charge(event=event, table="rides", receipt={"a": 1}) for event in (TENTH, THIRD, TENTH)]
        assert [(entry.kind, entry.about, any(entry.amount)) for entry in entries] == [("release", 1, False)] * 3
        assert entries[0].receipt == {"entry": 1, "receipt": {"a": 1}}
        assert (book.spent, plan.left.total()) == (spent, 0)
        for event in (TENTH, THIRD):
            with pytest.raises(BudgetError, match="nothing is left of the plan of entry"):
                plan.charge(event=event)
        book.verify()

    def test_a_release_beside_the_plan_is_refused(self):
        book = books()
        plan = book.reserve([TENTH])
        for other in (THIRD, Event.of(moves=[("0.1", 1)], delta="1e-9"), IntegerLaplace(scale=10).event(1)):
            with pytest.raises(BudgetError, match="none of the 1 that are left of entry 1"):
                plan.charge(event=other)
        assert len(book.entries()) == 1

    def test_it_is_found_again_and_pickles(self, tmp_path):
        book = Ledger(tmp_path / "b.db", epsilon=1)
        plan = book.reserve([TENTH] * 2)
        pickle.loads(pickle.dumps(plan)).charge(event=TENTH)
        assert Ledger(tmp_path / "b.db").reservation(1).left == {TENTH: 1}
        for wrong in (2, 3):
            with pytest.raises(ParameterError, match="reservation"):
                book.reservation(wrong)

    def test_a_reservation_is_taken_back_only_while_nothing_is_released(self):
        book = books()
        plan, other = book.reserve([TENTH] * 2), book.reserve([THIRD])
        plan.charge(event=TENTH)
        with pytest.raises(ParameterError, match="nothing was released"):
            book.void(1, reason="no", unseen=True)
        book.void(2, reason="a typing error", unseen=True)
        with pytest.raises(ParameterError, match="taken back"):
            other.charge(event=THIRD)
        with pytest.raises(ParameterError, match="charge on these books"):
            book.void(3, reason="a release is no charge", unseen=True)
        assert book.mark_failed(3, reason="OSError").about == 3
        book.verify()

    def test_a_failed_release_stays_made(self, tmp_path):
        book = books()
        plan = book.reserve([TENTH])
        entry = plan.charge(event=TENTH)
        plan.mark_failed(entry.number, reason="EngineError")
        assert not plan.left
        assert [each.kind for each in book.entries()] == ["charge", "release", "failed"]


class TestTables:
    def test_a_table_makes_the_releases_that_were_explained(self):
        rides = pd.DataFrame({"user": [1, 2, 2], "city": ["Rome", "Bath", "Rome"]})
        book, table = books(), Table(rides, person="user")
        ask = {"epsilon": "0.5", "max_groups": 2}
        by_city = table.group_by("city", keys=["Rome", "Bath"])
        keys = {"epsilon": "0.3", "delta": "1e-7"}
        plan = book.reserve(
            [
                table.explain(People(), epsilon="0.1"),
                by_city.explain(People(), **ask),
                table.group_by("city").explain_keys(**keys),
            ]
        )
        spent = book.spent
        charged = Table(rides, person="user", ledger=plan)
        answer = charged.group_by("city", keys=["Rome", "Bath"]).count_people(**ask)
        assert (answer.receipt.entry, book.spent) == (2, spent)
        charged.count_people(epsilon="0.1")
        charged.group_by("city").keys(**keys)
        with pytest.raises(BudgetError, match="nothing is left of the plan"):
            charged.count_people(epsilon="0.1")
        assert len(book.entries()) == 4

    def test_a_failure_says_that_it_is_made(self, monkeypatch):
        rides = pd.DataFrame({"user": [1]})
        book = books()
        plan = book.reserve([Table(rides, person="user").explain(People(), epsilon="0.1")])
        table = Table(rides, person="user", ledger=plan)
        monkeypatch.setattr("discreet.tables.asking.Waiting", lambda words: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            table.count_people(epsilon="0.1")
        assert [entry.kind for entry in book.entries()] == ["charge", "release", "failed"]


class TestBooks:
    def test_they_say_what_is_left(self):
        book = books()
        plan = book.reserve([TENTH] * 100)
        plan.charge(event=TENTH, table="rides")
        assert book.to_dict()["reservations"] == [{"entry": 1, "releases": 100, "made": 1, "over": False}]
        assert "1 charge, 1 released from reservations" in str(book)
        assert "Entry 1 reserved 100 releases: 1 made, 99 left." in str(book)
        why = str(book.why(1))
        assert "100 releases reserved" in why
        assert "dominated by a pair of laws" in why
        assert "release reserved by entry 1" in str(book.why(2))
        json.dumps(book.to_dict())
        book.to_html()

    def test_verify_computes_the_joint_cost_anew(self, monkeypatch):
        book = books()
        with monkeypatch.context() as patch:
            patch.setattr(reservations.LossDistribution, "fairest", lambda *_: Amount(Fraction(1), Fraction("1e-6")))
            book.reserve([TENTH] * 100)
        assert book.spent.epsilon == 1
        with pytest.raises(LedgerError, match="damaged"):
            book.verify()


RELEASE = """
import sys
from discreet import Ledger
from discreet.accounting import Event
from discreet.errors import BudgetError
plan = Ledger(sys.argv[1]).reservation(1)
made = 0
print("ready", flush=True)
try:
    while True:
        plan.charge(event=Event.of(moves=[("0.1", 1)]))
        made += 1
        print("made", flush=True)
except BudgetError:
    pass
"""


def started(path):
    return subprocess.Popen(
        [sys.executable, "-c", RELEASE, str(path)], stdout=subprocess.PIPE, text=True, env=os.environ
    )


class TestCrashesAndRaces:
    def test_no_release_is_made_twice_by_processes_that_race(self, tmp_path):
        path = tmp_path / "b.db"
        Ledger(path, epsilon=9).reserve([TENTH] * 30)
        racers = [started(path) for _ in range(3)]
        made = sum(racer.communicate(timeout=120)[0].count("made") for racer in racers)
        assert made == 30
        assert [racer.returncode for racer in racers] == [0] * 3
        Ledger(path).verify()

    def test_what_was_reserved_and_not_made_stays_reserved_when_a_process_is_killed(self, tmp_path):
        path = tmp_path / "b.db"
        Ledger(path, epsilon=90).reserve([TENTH] * 800)
        for _ in range(cases(1, 3)):
            racer = started(path)
            assert racer.stdout.readline() == "ready\n"
            seen = 0
            while seen < 3:
                assert racer.stdout.readline() == "made\n"
                seen += 1
            time.sleep(0.01)
            racer.send_signal(signal.SIGKILL)
            rest = racer.communicate(timeout=60)[0]
            book = Ledger(path)
            left = book.reservation(1).left[TENTH]
            made = sum(entry.kind == "release" for entry in book.entries())
            assert made + left == 800
            assert made >= seen + rest.count("made")
            assert book.spent.epsilon == 80
        book.verify()


class TestNames:
    def test_a_name_is_reserved_once_and_again_after_it_was_taken_back(self):
        book = books()
        plan = book.reserve([TENTH] * 3, name="november")
        spent = book.spent
        assert book.reserve([TENTH] * 3, name="november") == plan == book.reserved_as("november")
        assert book.spent == spent
        assert len(book.entries()) == 1
        assert book.reserve([TENTH] * 3, name="december") != plan
        assert book.reserve([TENTH] * 3) != plan
        book.void(plan.number, reason="a mistake", unseen=True)
        assert book.reserved_as("november") is None
        assert book.reserve([TENTH] * 3, name="november").number == 5
        book.verify()

    def test_a_name_stands_when_nothing_is_left_on_the_books(self):
        book = Ledger.in_memory(epsilon="0.1")
        plan = book.reserve([TENTH], name="all")
        assert book.left.epsilon == 0
        assert book.reserve([TENTH], name="all") == plan
        with pytest.raises(BudgetError):
            book.reserve([TENTH], name="more")

    def test_other_releases_under_the_same_name_are_refused(self):
        book = books()
        book.reserve([TENTH] * 3, name="november")
        with pytest.raises(ParameterError, match="the same releases"):
            book.reserve([THIRD], name="november")
        assert len(book.entries()) == 1

    def test_a_text_in_a_receipt_is_no_name(self):
        book = books()
        key = book.reserve([TENTH], name="november") and book.entries()[0].receipt["discreet:named"]
        book.void(1, reason="a mistake", unseen=True)
        book.charge(epsilon="0.1", receipt={"discreet:named": key})
        book.reserve([TENTH], receipt={"discreet:named": key})
        assert book.reserved_as("november") is None

    @pytest.mark.parametrize("name", ["", "  ", 7, "\0", b"x"])
    def test_what_is_no_name_is_refused(self, name):
        with pytest.raises((ParameterError, KindError)):
            books().reserve([TENTH], name=name)
        with pytest.raises((ParameterError, KindError)):
            books().reserved_as(name)

    def test_of_several_processes_at_the_same_moment_one_pays(self, tmp_path):
        from ledger_racers import reserve_named

        path = tmp_path / "books.db"
        Ledger(path, epsilon=9).close()
        spawn = multiprocessing.get_context("spawn")
        barrier, results, runs = spawn.Barrier(2), spawn.Queue(), cases(10, 60)
        racers = [spawn.Process(target=reserve_named, args=(path, TENTH, runs, barrier, results)) for _ in range(2)]
        for racer in racers:
            racer.start()
        found = [results.get(timeout=60) for _ in racers]
        for racer in racers:
            racer.join()
        assert found[0] == found[1] == list(range(1, runs + 1))
        assert len(Ledger(path).entries()) == runs
