"""The adaptive filter holds against every adaptive analyst, and allows nearly all that any rule could."""

import itertools
import json
import sqlite3
from contextlib import closing, suppress
from fractions import Fraction
from functools import cache, partial

import pandas as pd
import pytest
from command import ok, run
from hypothesis import given
from hypothesis import strategies as st
from ledger_past import forge_terms
from tiers import each

from discreet import Ledger
from discreet.accounting import Accountant, Adaptive, Amount, Event, Plain, adaptive
from discreet.errors import BudgetError, LedgerError, ParameterError
from discreet.reals import exp, expm1
from discreet.tables import Table

HALF = Fraction(1, 2)
NEAR = Fraction(1, 1 << 30)


@cache
def rational(make, *args):
    """A rational within 2**-200 or so of a real number."""
    real = make(*args)
    return real if isinstance(real, Fraction) else sum(real.enclosure(240)) / 2


@cache
def rises(m, step):
    return rational(lambda x: 1 / (1 + exp(-x)), m * step)


@cache
def payoff(j, step, epsilon):
    over = j * step - epsilon
    return rational(lambda x: -expm1(-x), over) if over > 0 else Fraction(0)


def worst(accountant, budget, step, moves, deltas=()):
    """The true delta at the budget's epsilon, for the best of all adaptive analysts that the accountant allows.

    An analyst chooses a randomized response, or a coin that tells everything, and goes on as its outcome suggests.
    """
    events = [(m, Event.of(moves=[(m * step, 1)])) for m in moves]
    tells = [(d, Event.of(moves=[], delta=d)) for d in deltas]

    @cache
    def value(state, j):
        best = payoff(j, step, budget.epsilon)
        for m, event in events:
            after = accountant.after(state, event)
            if not accountant.exceeds(after, budget):
                p = rises(m, step)
                best = max(best, p * value(after, j + m) + (1 - p) * value(after, j - m))
        for d, event in tells:
            after = accountant.after(state, event)
            if not accountant.exceeds(after, budget):
                best = max(best, d + (1 - d) * value(after, j))
        return best

    return value(accountant.start, 0)


def filter_value(epsilon, step, menu, units):
    return next(itertools.islice(adaptive._values(Fraction(epsilon), step, menu), units, None))


class Loose:
    """A wrong rule: outside the units, plain charges may use all of delta."""

    def __init__(self, rule):
        self.rule, self.start, self.after = rule, rule.start, rule.after

    def exceeds(self, state, budget):
        units, epsilon, delta = state
        inside = units <= self.rule.units and delta <= self.rule.release_delta
        return not (inside or (epsilon <= budget.epsilon and delta <= budget.delta))


class Natural:
    """A wrong rule: go on while the loss distributions of what was chosen, added up, are within the budget."""

    start = ()

    def __init__(self, step):
        self.step = step

    def after(self, state, event):
        return tuple(sorted([*state, *(int(epsilon / self.step) for epsilon, _ in event.moves)]))

    def exceeds(self, state, budget):
        return fixed(state, self.step, budget.epsilon) > budget.delta


@cache
def fixed(moves, step, epsilon):
    """The true delta of randomized responses that are all chosen in advance."""
    laws = {0: Fraction(1)}
    for m in moves:
        p, after = rises(m, step), {}
        for j, chance in laws.items():
            for to, share in ((j + m, p), (j - m, 1 - p)):
                after[to] = after.get(to, 0) + chance * share
        laws = after
    return sum(chance * payoff(j, step, epsilon) for j, chance in laws.items())


GAMES = [
    (1, HALF, (1,), 4),
    (1, HALF, (1, 2), 8),
    ("3/2", HALF, (1, 2), 6),
    ("3/2", HALF, (1, 2), 8),
    ("5/4", HALF, (1, 2), 7),
    (2, HALF, (1, 2), 8),
    ("1/2", Fraction(1, 4), (1, 2, 3), 9),
    ("3/4", Fraction(1, 4), (1, 2), 12),
    (1, Fraction(1, 4), (1, 2, 3), 12),
]


class TestGames:
    @pytest.mark.parametrize(("epsilon", "step", "menu", "units"), GAMES)
    def test_the_value_is_what_the_best_analyst_gets_and_the_or_is_free(self, epsilon, step, menu, units):
        promised = filter_value(epsilon, step, menu, units)
        rule = Adaptive(step, menu, units, Fraction(0))
        got = worst(rule, Amount(Fraction(epsilon), promised), step, menu)
        assert got > 0
        assert got <= promised <= got * (1 + NEAR)

    @pytest.mark.parametrize(("epsilon", "step", "menu", "units"), GAMES)
    def test_analysts_between_and_beyond_the_menu_get_no_more(self, epsilon, step, menu, units):
        """Moves of half a step and beyond the largest, on a lattice twice as fine."""
        promised = filter_value(epsilon, step, menu, units)
        rule = Adaptive(step, menu, min(units, 7), Fraction(0))
        moves = sorted({1, 2, 3, 2 * max(menu) + 1})
        assert worst(rule, Amount(Fraction(epsilon), promised), step / 2, moves) <= promised

    @pytest.mark.parametrize("share", ["1/4", "1", "4"])
    @pytest.mark.parametrize(("epsilon", "step", "menu", "units"), GAMES[3:6])
    def test_deltas_of_releases_fit_beside(self, epsilon, step, menu, units, share):
        promised = filter_value(epsilon, step, menu, units)
        own = promised * Fraction(share)
        rule = Adaptive(step, menu, units, own)
        budget = Amount(Fraction(epsilon), promised + own)
        assert worst(rule, budget, step, menu, [own / 4]) <= budget.delta

    def test_moves_that_are_counted_together_are_no_cheaper_than_they_are(self):
        """Four moves of a quarter count as one of 1, and no analyst gains by it."""
        step, menu, units = HALF, (1, 2), 4
        rule = Adaptive(step, menu, units, Fraction(0))
        assert rule.after(rule.start, Event.of(moves=[("1/4", 4)]))[0] == 2
        assert rule.after(rule.start, Event.of(moves=[("1/4", 3)]))[0] == 2
        assert rule.after(rule.start, Event.of(moves=[("1/2", 3)]))[0] == 3
        assert rule.after(rule.start, Event.of(moves=[("1/100", 100)]))[0] == 2
        assert rule.after(rule.start, Event.of(moves=[("3/4", 2)]))[0] == 8
        assert rule.after(rule.start, Event.of(moves=[("9/8", 1)]))[0] == 5 > rule.units

    def test_a_rule_that_allows_all_of_delta_outside_the_units_is_found_out(self):
        epsilon, step, menu, units = Fraction(5, 4), Fraction(1, 4), (1, 2, 3), 12
        promised = filter_value(epsilon, step, menu, units)
        rule, budget = Adaptive(step, menu, units, promised / 4), Amount(epsilon, promised * 5 / 4)
        assert worst(rule, budget, step, menu, [promised / 16]) <= budget.delta
        assert worst(Loose(rule), budget, step, menu, [promised / 16]) > budget.delta * Fraction(7, 5)

    def test_books_that_add_up_loss_distributions_are_found_out(self):
        epsilon, step, menu = Fraction(3, 2), Fraction(1, 4), (1, 4)
        budget = Amount(epsilon, fixed((1, 1, 1, 1, 4), step, epsilon))
        assert worst(Natural(step), budget, step, menu) > budget.delta * Fraction(138, 100)


class TestNumbers:
    @pytest.mark.parametrize(("epsilon", "step", "menu", "units"), GAMES)
    def test_more_units_are_never_worth_less(self, epsilon, step, menu, units):
        values = list(itertools.islice(adaptive._values(Fraction(epsilon), step, menu), units + 20))
        assert values == sorted(values)
        assert values[0] == 0 < values[-1] < 1

    @pytest.mark.parametrize(("epsilon", "delta"), [(1, "1e-6"), ("1/10", "1e-9")])
    def test_a_shorter_lattice_is_never_worth_less(self, epsilon, delta, monkeypatch):
        step = adaptive._round(Fraction(epsilon) / 300)
        values = partial(adaptive._values, Fraction(epsilon), step, adaptive._MENU)
        long = [float(v) for v in itertools.islice(values(), 600)]
        monkeypatch.setattr(adaptive, "_ABOVE", 60)
        monkeypatch.setattr(adaptive, "_BELOW", 40)
        short = [float(v) for v in itertools.islice(values(), 600)]
        assert all(a <= b for a, b in zip(long, short, strict=True))
        assert short[-1] > long[-1] > 0

    @pytest.mark.parametrize(("above", "below"), [(600, 300), (1, 300), (2, 300), (600, 1), (600, 2), (3, 3)])
    def test_no_value_is_below_the_exact_one_wherever_the_lattice_ends(self, above, below, monkeypatch):
        """A second recursion, in rationals, on a lattice without ends."""
        step, menu, epsilon = HALF, (1, 2), Fraction(1)
        monkeypatch.setattr(adaptive, "_ABOVE", above)
        monkeypatch.setattr(adaptive, "_BELOW", below)

        @cache
        def exactly(b, j):
            best = payoff(j, step, epsilon)
            for m in menu:
                if m * m <= b:
                    p = rises(m, step)
                    best = max(best, p * exactly(b - m * m, j + m) + (1 - p) * exactly(b - m * m, j - m))
            return best

        for b, value in enumerate(itertools.islice(adaptive._values(epsilon, step, menu), 25)):
            assert exactly(b, 0) <= value * adaptive._AGAIN
            assert (above, below) != (600, 300) or value * adaptive._AGAIN <= exactly(b, 0) * (1 + NEAR)

    @pytest.mark.parametrize(
        ("epsilon", "step"),
        [("1e-9", "5e-12"), ("0.1", "5e-4"), (1, "0.005"), (3, "0.01"), (7, "0.02"), (20, "0.05"), (10**9, 5 * 10**6)],
    )
    def test_steps_are_round(self, epsilon, step):
        assert adaptive._round(Fraction(epsilon) / 300) == Fraction(step)

    @given(st.fractions(min_value=Fraction(1, 10**30), max_value=10**30))
    def test_a_step_is_near(self, x):
        assert Fraction(1, 2) < adaptive._round(x) / x < 2
        assert str(float(adaptive._round(x))).lstrip("0.")[0] in "125"


def counts(budget, **event):
    """How many of one event fit, by the books' own answer."""
    book = Ledger.in_memory(**budget, accountant="adaptive")
    with suppress(BudgetError):
        while True:
            book.charge(event=Event.of(**event))
    return len(book.entries())


class TestFigures:
    @pytest.mark.parametrize(
        ("epsilon", "delta", "move", "plain", "least"),
        [(1, "1e-6", "0.01", 100, 500), (3, "5e-6", "0.02", 150, 1090), (20, "1e-6", "0.1", 200, 990)],
    )
    def test_many_counts_fit(self, epsilon, delta, move, plain, least):
        rule, budget = Adaptive.for_budget(Amount(Fraction(epsilon), Fraction(delta))), Fraction(epsilon)
        (units, _, _) = rule.after(rule.start, Event.of(moves=[(move, 1)]))
        assert rule.is_sound(Amount(budget, Fraction(delta)))
        assert rule.units // units >= least > plain

    def test_a_ledger_allows_them(self):
        assert counts({"epsilon": 1, "delta": "1e-6"}, moves=[("0.01", 1)]) >= 500
        assert counts({"epsilon": 1, "delta": "1e-6"}, moves=[("0.5", 1)]) == 2
        assert counts({"epsilon": 3, "delta": "5e-6"}, moves=[("0.02", 10)], delta="2e-8") >= 105

    @given(st.lists(st.fractions(min_value=Fraction(1, 1000), max_value=1, max_denominator=1000), max_size=30))
    def test_never_fewer_than_plain(self, moves):
        budget = Amount(Fraction(1), Fraction("1e-6"))
        rule, state, plain = Adaptive.for_budget(budget), Adaptive.start, Plain.start
        for move in moves:
            event = Event.of(moves=[(move, 1)])
            state, plain = rule.after(state, event), Plain().after(plain, event)
            assert Plain().exceeds(plain, budget) or not rule.exceeds(state, budget)

    def test_half_of_delta_is_kept_unless_another_part_is_said(self):
        budget = Amount(Fraction(1), Fraction("1e-6"))
        all_, half, none = (Adaptive.for_budget(budget, part) for part in (Fraction("1e-6"), None, Fraction(0)))
        assert (all_.units, all_.release_delta) == (0, Fraction("1e-6"))
        assert half.release_delta == Fraction("5e-7")
        assert 0 < half.units < none.units

    def test_without_a_delta_it_is_plain(self):
        assert Adaptive.for_budget(Amount(Fraction(1), Fraction(0))).units == 0

    @pytest.mark.parametrize("epsilon", each(["1e-300", "1e-9", 1000, 10**6, 10**300], 4))
    def test_odd_budgets_have_books(self, epsilon):
        budget = Amount(Fraction(epsilon), Fraction("1e-6"))
        rule = Adaptive.for_budget(budget)
        assert not rule.exceeds(rule.after(rule.start, Event.of(moves=[(epsilon, 1)])), budget)
        assert rule.exceeds(rule.after(rule.start, Event.of(moves=[(epsilon, 2)])), budget)


class TestState:
    RULE = Adaptive(Fraction(1, 100), adaptive._MENU, 4434, Fraction("1e-6"))
    EVENTS = (
        Event.of(moves=[("0.013", 7)], delta="1e-9"),
        Event.of(moves=[("0.02", 1)]),
        Event.of(moves=[("1/3", 1), ("0.0001", 1000)], delta="1e-8"),
        Event.of(moves=[(5, 2)]),
    )

    def test_the_order_of_charges_does_not_matter_and_voids_undo(self):
        states = set()
        for events in itertools.permutations(self.EVENTS):
            state = self.RULE.start
            for event in events:
                state = self.RULE.after(state, event)
            states.add(state)
            for event in self.EVENTS:
                state = self.RULE.without(state, event)
            assert state == self.RULE.start
        assert len(states) == 1

    def test_what_is_left_fits_and_a_step_more_does_not(self):
        budget = Amount(Fraction(3), Fraction("5e-6"))
        for used in (0, 1000, 4000, 4400, 4433, 4434, 5000):
            for epsilon in (Fraction(0), Fraction(29, 10), Fraction(10)):
                state = (Fraction(used), epsilon, Fraction("4e-7"))
                if self.RULE.exceeds(state, budget):
                    continue
                left = self.RULE.left(state, budget)
                assert left.delta == Fraction("6e-7")
                fits = Event.of(moves=[(left.epsilon, 1)], delta=left.delta)
                assert not self.RULE.exceeds(self.RULE.after(state, fits), budget)
                more = Event.of(moves=[(left.epsilon + Fraction(1, 10**6), 1)])
                assert self.RULE.exceeds(self.RULE.after(state, more), budget)
                beyond = Event.of(moves=[], delta=left.delta + Fraction(1, 10**30))
                assert self.RULE.exceeds(self.RULE.after(state, beyond), budget)


class TestBooks:
    def test_terms_stand_on_the_books_and_are_read_again(self, tmp_path):
        path = tmp_path / "b.db"
        book = Ledger(path, epsilon=1, delta="1e-6", accountant="adaptive", release_delta="1e-7")
        for _ in range(20):
            book.charge(event=Event.of(moves=[("0.01", 10)], delta="5e-9"))
        assert book.spent == Amount(Fraction(2), Fraction("1e-7"))
        with pytest.raises(BudgetError, match="more than is left"):
            book.charge(epsilon="0.01", delta="1e-12")
        again = Ledger(path, epsilon=1, delta="1e-6", release_delta="1e-7")
        again.verify()
        assert again.left == book.left
        assert again.left.delta == 0 < again.left.epsilon
        with closing(sqlite3.connect(path)) as connection:
            (text,) = connection.execute("SELECT accountant FROM budget").fetchone()
        assert Accountant.read(text) == Adaptive.for_budget(Amount(Fraction(1), Fraction("1e-6")), Fraction("1e-7"))
        for wrong in ({"release_delta": "2e-7"}, {"accountant": "plain"}):
            with pytest.raises(LedgerError, match="leave"):
                Ledger(path, epsilon=1, delta="1e-6", **wrong)

    def test_terms_that_promise_too_much_are_damage(self, tmp_path, monkeypatch):
        path, most = tmp_path / "b.db", adaptive._most_units
        monkeypatch.setattr(adaptive, "_most_units", lambda *law: most(*law) + 30)
        book = Ledger(path, epsilon=1, delta="1e-6", accountant="adaptive")
        with pytest.raises(LedgerError, match="damaged"):
            book.verify()

    @pytest.mark.parametrize("change", [{"units": 10**9}, {"release_delta": "1"}, {"release_delta": "-1"}])
    def test_terms_out_of_range_are_unsound(self, change):
        budget = Amount(Fraction(1), Fraction("1e-6"))
        rule = Adaptive(Fraction(1, 100), (1, 2), 10, Fraction(0))
        assert rule.is_sound(budget)
        assert not Adaptive.of_terms({**json.loads(json.dumps(rule.terms)), **change}).is_sound(budget)

    @pytest.mark.parametrize(
        "change",
        [
            {"step": "-1/100"},
            {"step": "0"},
            {"step": "1/100000"},
            {"step": "1/0"},
            {"step": 1},
            {"menu": []},
            {"menu": [2, 1]},
            {"menu": [1, 1, 2]},
            {"menu": [0, 1]},
            {"menu": [-1]},
            {"menu": [1, 2000]},
            {"menu": [1.5]},
            {"menu": "12"},
            {"menu": None},
            {"units": -1},
            {"units": 1.5},
            {"units": True},
            {"units": "5"},
            {"release_delta": "x"},
        ],
    )
    def test_forged_terms_are_damage_and_found_at_once(self, change, tmp_path, monkeypatch):
        path = tmp_path / "b.db"
        Ledger(path, epsilon=1, delta="1e-6", accountant="adaptive").close()
        forge_terms(path)
        Ledger(path).verify()
        forge_terms(path, **change)
        monkeypatch.setattr(adaptive, "_values", None)  # It may need more memory than there is.
        with pytest.raises(LedgerError, match="is damaged"):
            Ledger(path).verify()

    @pytest.mark.parametrize("part", ["2e-6", "-1e-9", "nan"])
    def test_the_part_for_releases_is_a_part(self, part, tmp_path):
        with pytest.raises(ParameterError, match="release_delta"):
            Ledger(tmp_path / "b.db", epsilon=1, delta="1e-6", accountant="adaptive", release_delta=part)
        assert not list(tmp_path.iterdir())

    def test_books_say_their_units_and_the_plain_sum_while_it_may_decide(self):
        book = Ledger.in_memory(epsilon=1, delta="1e-6", accountant="adaptive")
        book.charge(event=Event.of(moves=[("0.05", 10)], delta="1e-8"))
        text = str(book)
        assert "units    [###############...............]  1000 of 2051 spent, 1051 left" in text
        assert "epsilon  [###############...............]  0.5 of 1 spent, 0.5 left" in text
        assert "1e-8 of 5e-7 spent, 4.9e-7 left" in text
        book.charge(event=Event.of(moves=[("0.05", 10)], delta="1e-8"))
        book.charge(event=Event.of(moves=[("0.005", 4)]))
        assert "epsilon  [" not in str(book)
        assert book.to_dict()["readings"]["units"] == {"spent": "2004", "of": "2051"}

    def test_a_table_is_charged_by_its_groups(self):
        book = Ledger.in_memory(epsilon=1, delta="1e-6", accountant="adaptive")
        people = Table(pd.DataFrame({"who": range(30), "city": ["Rome", "Oslo"] * 15}), person="who", ledger=book)
        answer = people.group_by("city").count_people(epsilon="0.1", delta="1e-8", max_groups=4, noise="laplace")
        units = book.to_dict()["readings"]["units"]["spent"]
        assert units == str(4 * 5**2 + 1)  # Four groups, and a twentieth for what bounding leaves out.
        assert answer.left == book.left == Amount(Fraction(9, 10), Fraction("5e-7") - book.spent.delta)

    def test_the_command_line_makes_such_books(self, tmp_path):
        path = tmp_path / "b.db"
        options = ["--epsilon", "1", "--delta", "1e-6", "--accountant", "adaptive", "--release-delta", "1e-7"]
        assert "units" in ok("budget", path, "--create", *options)
        assert Ledger(path).left.delta == Fraction("1e-7")
        assert "add --create" in run("budget", path, "--accountant", "plain").stderr

    def test_plain_books_keep_no_part(self):
        with pytest.raises(ParameterError, match="release_delta"):
            Ledger.in_memory(epsilon=1, delta="1e-6", accountant="plain", release_delta="1e-7")
