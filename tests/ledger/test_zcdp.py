"""The zCDP filter holds against adaptive analysts, converts exactly, and counts Gaussian releases by their rho."""

import json
from fractions import Fraction

import pytest
from command import ok, run
from hypothesis import given
from hypothesis import strategies as st
from ledger_past import forge_terms
from scipy.optimize import minimize_scalar
from test_adaptive import HALF, worst

from discreet import (
    Composition,
    GaussianThreshold,
    IntegerGaussian,
    IntegerLaplace,
    Integers,
    LaplaceThreshold,
    Ledger,
    Vectors,
)
from discreet.accounting import ZCDP, Amount, Event, Plain, compare, zcdp
from discreet.accounting.comparison import _allowed as allowed
from discreet.errors import BudgetError, LedgerError, ParameterError
from discreet.reals import exp, float_up, sign

BUDGET = Amount(Fraction(3), Fraction("5e-6"))
VECTORS = Vectors(Integers())


def worth(rho, epsilon, order):
    """The delta that rho is worth at an order, written out another way [Canonne, Kamath, Steinke 2020]."""
    a, x = Fraction(order), (Fraction(order) - 1) * (Fraction(order) * rho - epsilon)
    assert a.denominator == 1
    return exp(x) * (1 - 1 / a) ** int(a) / (a - 1)


class TestGames:
    @pytest.mark.parametrize(
        ("epsilon", "rho", "moves"),
        [(1, "1/2", (1, 2)), ("3/2", "5/8", (1, 2)), (2, 1, (1, 2)), ("3/2", "9/8", (1, 3))],
    )
    @pytest.mark.parametrize("own", ["0", "1/50"])
    def test_no_adaptive_analyst_gets_more_than_is_promised(self, epsilon, rho, moves, own):
        epsilon, rho, own = Fraction(epsilon), Fraction(rho), Fraction(own)
        composed = min(Fraction(float_up(worth(rho, epsilon, order))) for order in range(2, 9))
        budget = Amount(epsilon, composed + own)
        rule = ZCDP(rho, Fraction(2), composed, own)
        got = worst(rule, budget, HALF, moves, [own / 2] if own else [])
        assert 0 < got <= budget.delta

    @pytest.mark.usefixtures("own_accountants")
    def test_a_rule_that_counts_a_move_as_half_is_found_out(self):
        """A rho of 1/2 is promised, and one of 2 is played."""
        epsilon, rho = Fraction(1), Fraction(1, 2)
        composed = min(Fraction(float_up(worth(rho, epsilon, order))) for order in range(2, 9))

        class Half(ZCDP):
            name = "a quarter of rho, for tests"

            def cost(self, event):
                rho, delta = event.concentrated
                return rho / 4, delta

        rule = Half(rho, Fraction(2), composed, Fraction(0))
        assert worst(rule, Amount(epsilon, composed), HALF, (1, 2)) > composed


class TestNumbers:
    @pytest.mark.parametrize(
        ("epsilon", "delta", "own", "move", "count"),
        [(3, "5e-6", "0", "0.02", 1054), (1, "1e-6", "0", "0.01", 487), (20, "1e-6", "0", "0.1", 957)],
    )
    def test_as_many_counts_fit_as_are_known(self, epsilon, delta, own, move, count):
        budget = Amount(Fraction(epsilon), Fraction(delta))
        rule = ZCDP.for_budget(budget, Fraction(own))
        assert allowed(rule, budget, Event.of(moves=[(move, 1)])) == count
        assert rule.is_sound(budget)

    @pytest.mark.parametrize("epsilon", ["1/10", 1, 3, 20])
    @pytest.mark.parametrize("delta", ["1e-3", "1e-9"])
    def test_rho_is_nearly_the_greatest_at_any_order(self, epsilon, delta):
        import numpy as np

        rule = ZCDP.for_budget(Amount(Fraction(epsilon), Fraction(delta)), Fraction(0))
        e, d = float(Fraction(epsilon)), float(delta)

        def lost(u):
            a = 1 + np.exp(u)
            return -(e + (np.log(d) - np.log(1 / (a - 1)) - a * np.log1p(-1 / a)) / (a - 1)) / a

        best = -min(minimize_scalar(lost, bounds=(low, low + 3), method="bounded").fun for low in range(-6, 9))
        assert float(rule.rho) == pytest.approx(best, rel=1e-5)
        assert float(rule.rho) < best * (1 + 1e-9)

    @given(st.fractions(min_value=Fraction(1, 10**9), max_value=10**4), st.integers(2, 40))
    def test_what_is_said_to_be_sound_is_within_the_formula(self, rho, order):
        epsilon, composed = Fraction(3), Fraction("1e-5")
        rule = ZCDP(rho, Fraction(order), composed, Fraction(0))
        sound = sign(worth(rho, epsilon, order) - composed) <= 0
        assert rule.is_sound(Amount(epsilon, composed)) is sound

    @pytest.mark.parametrize("epsilon", ["1e-300", "1e-9", 1000, 10**330])
    def test_odd_budgets_have_books(self, epsilon):
        budget = Amount(Fraction(epsilon), Fraction("1e-6"))
        rule = ZCDP.for_budget(budget)
        assert rule.is_sound(budget)
        assert rule.exceeds(
            rule.after(rule.start, Event.of(moves=[(rule.left(rule.start, budget).epsilon + 1, 1)])), budget
        )

    @pytest.mark.parametrize(
        "change",
        [
            {"rho": "1/4"},
            {"composed": "1/100000"},
            {"release_delta": "1/1000"},
            {"release_delta": "1/333333"},
            {"order": "1"},
            {"rho": "-1"},
        ],
    )
    def test_terms_that_promise_too_much_are_unsound(self, change):
        rule = ZCDP.for_budget(BUDGET)
        assert rule.is_sound(BUDGET)
        assert not ZCDP.of_terms({**rule.terms, **change}).is_sound(BUDGET)

    def test_terms_that_promise_too_much_are_damage(self, tmp_path, monkeypatch):
        most = zcdp._exact_rho
        monkeypatch.setattr(zcdp, "_exact_rho", lambda *law: most(*law) * Fraction(1001, 1000))
        book = Ledger(tmp_path / "b.db", **BUDGET._asdict(), accountant="zcdp")
        monkeypatch.undo()
        with pytest.raises(LedgerError, match="damaged"):
            book.verify()

    @given(st.fractions(min_value=0, max_value=10**30))
    def test_a_root_is_below_and_near(self, x):
        root = zcdp._root_down(x)
        assert root * root <= x
        assert (root + max(root, 1) / 10**15) ** 2 > x

    def test_what_is_spent_is_at_least_what_a_gaussian_tells(self):
        """The exact profile of one Gaussian is within the epsilon and the delta of its rho."""
        rule, gaussian = ZCDP.for_budget(BUDGET), IntegerGaussian(variance=10)
        spent = rule.spent(rule.cost(gaussian.event(1)))
        gaussian.require(1, Fraction(1, 20))
        IntegerGaussian(variance=10, epsilon=spent.epsilon).require(1, tuple(spent))
        assert 0 < spent.epsilon < 3
        assert spent.delta == rule.composed

    def test_a_delta_is_needed(self):
        for budget in ({"epsilon": 1}, {"epsilon": 1, "delta": "1e-6", "release_delta": "1e-6"}):
            with pytest.raises(ParameterError, match="release_delta"):
                Ledger.in_memory(**budget, accountant="zcdp")


class TestEvents:
    def test_a_gaussian_says_its_rho(self):
        (part,) = IntegerGaussian(variance=18).event(1).parts
        assert (part.moves, part.delta, part.concentrated) == ((), 1, (Fraction(1, 36), 0))
        (part,) = IntegerGaussian(variance=18, epsilon=1, domain=VECTORS).event((3, 3, 1)).parts
        assert part.moves == ((Fraction(1), 1),)
        assert 0 < part.delta < Fraction("1e-2")
        assert part.concentrated == (Fraction(3, 36), 0)

    def test_a_threshold_says_how_likely_a_new_key_is_seen(self):
        m = GaussianThreshold(variance=54, threshold=37, epsilon=1)
        (part,) = m.event((3, 3, 1)).parts
        seen = float_up(1 - (1 - m.noise.tail(37)) ** 3)
        assert part.concentrated == (Fraction(3, 108), Fraction(seen))

    def test_laplace_is_told_by_its_moves(self):
        assert IntegerLaplace(scale=10, domain=VECTORS).event(3).concentrated == (Fraction(9, 200), 0)
        event = LaplaceThreshold(scale=10, threshold=200).event((3, 3, 1))
        assert event.parts[0].concentrated is None
        assert event.concentrated == (Fraction(3, 200), event.delta)

    def test_parts_add_up_and_are_read_again(self):
        event = Composition([IntegerGaussian(variance=18), IntegerGaussian(variance=9)]).event(1)
        event += Event.of(moves=[("1/2", 2)], delta="1e-6")
        assert event.concentrated == (Fraction(1, 36) + Fraction(1, 18) + Fraction(1, 4), Fraction("1e-6"))
        assert Event.from_dict(json.loads(json.dumps(event.to_dict()))) == event
        assert "concentrated" not in event.to_dict()["parts"][2]

    @pytest.mark.parametrize("rho", [("1",), ("1", "2", "3"), ("-1", "0"), (None, 0), 5])
    def test_a_rho_and_a_delta_are_two_amounts(self, rho):
        with pytest.raises((ValueError, TypeError), match="concentrated="):
            Event.of(moves=[], concentrated=rho)

    def test_no_noise_is_paid_for_by_nothing(self):
        with pytest.raises(ParameterError, match="a finite loss"):
            IntegerGaussian(variance=0).event(1)


class TestBooks:
    def test_gaussians_are_charged_by_their_rho(self):
        book = Ledger.in_memory(**BUDGET._asdict(), accountant="zcdp")
        entry = book.charge(event=IntegerGaussian(variance=10).event(1))
        assert entry.cost == {"rho": Fraction(1, 20), "delta": 0}
        book.charge(event=IntegerGaussian(variance=10, epsilon=1).event(1))
        book.charge(event=IntegerGaussian(variance=10, delta="1e-9").event(1))
        with pytest.raises(
            BudgetError, match=r"rho=0.05, delta=0: more .*; rho would come to 0.2 of 0.198959; nothing"
        ):
            book.charge(event=IntegerGaussian(variance=10).event(1))
        assert "rho      [#######################.......]  0.15 of 0.198959 spent" in str(book)
        book.verify()

    @pytest.mark.parametrize("kind", ["plain", "adaptive"])
    def test_other_books_charge_a_point_and_refuse_a_rho_alone(self, kind):
        book = Ledger.in_memory(**BUDGET._asdict(), accountant=kind)
        entry = book.charge(event=IntegerGaussian(variance=400, epsilon="1/2").event(1))
        assert entry.epsilon == Fraction(1, 2)
        assert 0 < entry.delta < Fraction("1e-12")
        with pytest.raises(BudgetError, match=r"delta=1: more .*; its loss is zCDP alone: state it at an epsilon"):
            book.charge(event=IntegerGaussian(variance=400).event(1))
        assert len(book.entries()) == 1

    def test_old_events_and_new_ones_stand_side_by_side(self, tmp_path):
        book = Ledger(tmp_path / "b.db", **BUDGET._asdict(), accountant="zcdp")
        events = [Event.of(moves=[("0.02", 3)], delta="1e-9"), IntegerGaussian(variance=100).event(1)]
        for event in events:
            book.charge(event=event)
        assert [entry.event for entry in Ledger(book.path).entries()] == events
        book.void(2, reason="nobody saw it", unseen=True)
        assert Ledger(book.path).entries()[-1].cost["rho"] == Fraction(-1, 200)

    @pytest.mark.parametrize(
        "change",
        [{"rho": "-1"}, {"rho": "1"}, {"order": "1"}, {"order": "-8"}, {"order": 8}, {"order": "8/0"}, {"a": "1"}],
    )
    def test_forged_terms_are_damage(self, change, tmp_path):
        path = tmp_path / "b.db"
        Ledger(path, **BUDGET._asdict(), accountant="zcdp").close()
        forge_terms(path)
        Ledger(path).verify()
        forge_terms(path, **change)
        with pytest.raises(LedgerError, match="is damaged"):
            Ledger(path).verify()

    def test_a_refusal_says_what_is_left_in_the_units_of_the_charge(self):
        book = Ledger.in_memory(**BUDGET._asdict(), accountant="zcdp")
        with pytest.raises(
            BudgetError, match=r"^rho=0.5, delta=0: more than is left in memory: rho=0.198959, delta=2.5e-6;"
        ):
            book.charge(epsilon=1)

    def test_numbers_of_thousands_of_digits_stand_on_the_books(self, tmp_path):
        long, other = 3**5000, 7**2800
        path, part = tmp_path / "b.db", Fraction(1, long)
        Ledger(path, epsilon=1, delta=Fraction(1, other), accountant="zcdp", release_delta=part).close()
        Ledger(path).verify()


class TestCompare:
    RELEASES = ("0.02", "0.2:10:1e-8", "1", "gaussian:0.2:10:1e-8")

    def test_counts_are_what_the_books_allow(self):
        event = Event.of(moves=[("0.1", 3)], delta="1e-7")
        found = compare(**BUDGET._asdict(), releases={"x": event})["x"]
        for kind, count in found.items():
            book = Ledger.in_memory(**BUDGET._asdict(), accountant=kind)
            for _ in range(count):
                book.charge(event=event)
            with pytest.raises(BudgetError):
                book.charge(event=event)

    def test_the_command_line_shows_them(self):
        words = ["budget", "--compare", "--epsilon", 3, "--delta", "5e-6"]
        words += [word for release in self.RELEASES for word in ("--release", release)]
        told = json.loads(ok(*words, "--json"))["allowed"]
        assert [list(told[release].values()) for release in self.RELEASES] == [
            [150, 1108, 994],
            [15, 110, 99],
            [3, 3, 0],
            [15, 15, 223],
        ]
        assert ok(*words).splitlines()[3].split() == ["0.02", "150", "1,108", "994"]

    @pytest.mark.parametrize(
        ("words", "says"),
        [
            (["--compare", "--epsilon", "3", "--release", "1"], "--compare needs"),
            (["--release", "1"], "--compare needs"),
            (["b.db", "--compare", "--epsilon", "3", "--delta", "1e-6", "--release", "1"], "no PATH"),
            (["--compare", "--epsilon", "3", "--delta", "1e-6", "--release", "1:2:3:4"], "EPSILON[:GROUPS[:DELTA]]"),
            (["--compare", "--epsilon", "3", "--delta", "1e-6", "--release", "1:0"], "EPSILON[:GROUPS[:DELTA]]"),
            (["--compare", "--epsilon", "3", "--delta", "0", "--release", "1"], "0 < delta < 1"),
            ([], "Missing argument"),
        ],
    )
    def test_wrong_use_is_said(self, words, says):
        assert says in run("budget", *words).stderr

    def test_what_costs_nothing_fits_for_ever(self):
        with pytest.raises(ParameterError, match="costs something"):
            allowed(Plain(), BUDGET, Event.of(moves=[]))
