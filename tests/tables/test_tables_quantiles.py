"""Quantiles: what is lost is what is claimed, an interval holds its quantile, and the law is the one that is stated."""

import itertools
import random
from dataclasses import dataclass
from fractions import Fraction
from statistics import NormalDist
from typing import ClassVar

import numpy as np
import pyarrow as pa
import pytest
from tiers import cases, each

from discreet import Anything, IntegerLaplace, Integers, Ledger, ParameterError, Transformation, Vectors
from discreet.audit import exact as exact_audit
from discreet.coins import SYSTEM
from discreet.measures import Pure
from discreet.metrics import L01InfDistance, Sensitivity
from discreet.noise import Gaussian, Laplace
from discreet.reals import enclosures, float_down, total
from discreet.tables import Histogram, People, Quantile, Table, quantiles
from discreet.tables.histograms import Histograms, HistogramsOf
from discreet.tables.quantiles import CountInTree, CutByRank, deepest

HALF, ONE = Fraction(1, 2), Sensitivity(1, 1, 1)
LEVELS = [HALF, Fraction(1, 3), Fraction(9, 10), Fraction(0), Fraction(1)]
ids = {"ids": str}


def one(counts):
    """The histogram of a single group."""
    bins = np.flatnonzero(counts)
    return Histograms.of(np.zeros(len(bins), np.intp), bins, np.array(counts, np.int64)[bins], 1)


def quantiles_of(counts, q):
    """All bins that are a q-quantile of some people: at most q of them are below, and at most 1 - q above."""
    n = sum(counts)
    return [i for i in range(len(counts)) if counts[i] and sum(counts[:i]) <= q * n <= sum(counts[: i + 1])]


@dataclass(frozen=True)
class Counts(Transformation):
    """Counts as a histogram; people are added or removed in any bins."""

    bins: int
    input_domain: ClassVar = Anything()
    input_metric: ClassVar = L01InfDistance()
    output_metric: ClassVar = L01InfDistance()

    output_domain = property(lambda self: HistogramsOf(self.bins))

    def stability_map(self, d_in, /):
        people = d_in[1]
        return (1, people, people)  # All in one group.

    def apply(self, x, /):
        return one(x)


def neighbours(bins, most):
    for counts in itertools.product(range(most + 1), repeat=bins):
        for i in range(bins):
            yield list(counts), [*counts[:i], counts[i] + 1, *counts[i + 1 :]]


def chances(cut, counts):
    """The law of a single cut in floats, by nothing but sums: a Laplace law at the logarithms of the odds."""
    (choice,) = cut._choices
    (q,), scale = cut.at, float(choice.scale)
    up_to = np.cumsum(counts)
    far = (q.denominator * up_to[:-1] - q.numerator * up_to[-1] - choice.move) / scale
    odds = np.logaddexp.accumulate(far) - np.logaddexp.accumulate(-far[::-1])[::-1]
    return laplace_between(np.array([-np.inf, *odds]), np.array([*odds, np.inf]))


def laplace_between(low, high):
    """The probability of a Laplace variable to be between two numbers, accurate in both tails."""
    swap = low > 0
    low, high = np.where(swap, -high, low), np.where(swap, -low, high)
    with np.errstate(over="ignore"):
        tails = (np.exp(np.minimum(high, 0)) * -np.expm1(low - np.minimum(high, 0))) / 2
        return np.where(high > 0, tails - np.expm1(-np.maximum(high, 0)) / 2, tails)


class TestLoss:
    @pytest.mark.parametrize("q", LEVELS, **ids)
    def test_a_cut_loses_no_more_than_it_says_for_all_small_histograms(self, q):
        cut = CutByRank(4, (q,), Fraction(2), Fraction(0))
        laws = {counts: chances(cut, counts) for counts in itertools.product(range(5), repeat=4)}
        for counts, more in neighbours(4, 3):
            ratio = np.log(laws[tuple(counts)] / laws[tuple(more)])
            assert abs(ratio).max() <= 2 + 1e-9

    @pytest.mark.parametrize("q", LEVELS[:3], **ids)
    def test_and_no_less_where_many_bins_are_empty(self, q):
        """One person more in the last bin of all, or the first, moves all cuts between bins that hold nobody."""
        cut, tight = CutByRank(100, (q,), Fraction(2), Fraction(0)), []
        for second, people in itertools.product((0, 50, 99), (0, 1, 9)):
            for first in (1, 50, 98):
                counts = np.zeros(100, np.int64)
                counts[first] += people
                more = counts.copy()
                more[second] += 1
                tight.append(abs(np.log(chances(cut, counts) / chances(cut, more))).max())
        assert 1.99 < max(tight) <= 2 + 1e-9

    def test_long_runs_of_empty_bins_lose_no_more(self):
        """Where a law that falls as fast by weights over their sum would lose twice as much."""
        rng, cut = np.random.default_rng(5), CutByRank(400, (HALF,), Fraction(1), Fraction(0))
        for _ in range(cases(40, 400)):
            counts = rng.integers(0, 1 + 9 ** rng.integers(0, 3), 400) * (rng.random(400) < 0.7 ** rng.integers(0, 20))
            before = chances(cut, counts)
            for place in rng.integers(0, 400, 8):
                more = counts.copy()
                more[place] += 1
                seen = (before > 1e-250) & ((after := chances(cut, more)) > 1e-250)
                assert abs(np.log(before[seen] / after[seen])).max() <= 1 + 1e-6

    def test_the_law_is_that_of_the_plain_one(self):
        for q in LEVELS:
            cut = CutByRank(4, (q,), Fraction(2), Fraction(0))
            for counts in ([1, 0, 2, 5], [0, 0, 0, 0], [0, 9, 0, 0], [3, 1, 1, 3]):
                law = {bins[0]: float_down(p) for bins, p in cut.law(one(counts)).items()}
                assert [law.get(i, 0) for i in range(4)] == pytest.approx(chances(cut, counts), abs=1e-12)

    def test_the_audit_holds_and_finds_a_scale_that_is_too_small(self, monkeypatch):
        given = 3, (Fraction(1, 3),), Fraction(2), Fraction(0)
        pairs = [([0, 1, 0], [0, 1, 1]), ([1, 0, 2], [2, 0, 2])]
        assert exact_audit(Counts(3) >> CutByRank(*given), pairs=pairs, draws=cases(200, 2000)).holds
        monkeypatch.setattr(CutByRank, "_scale", lambda self, q, ranks, epsilon: Fraction(1, 4))
        assert not exact_audit(Counts(3) >> CutByRank(*given), pairs=pairs, draws=0).holds

    def test_a_score_that_one_person_moves_more_is_seen(self, monkeypatch):
        """As if the least part of the people were what a person moves a rank by."""
        monkeypatch.setattr(quantiles, "moved", lambda at: 2 * min(*at, *(1 - q for q in at)))
        cut = CutByRank(4, (Fraction(9, 10),), Fraction(2), Fraction(0))
        ratios = [np.log(chances(cut, a) / chances(cut, b)) for a, b in neighbours(4, 2)]
        assert max(abs(ratio).max() for ratio in ratios) > 2.5

    def test_quantiles_and_their_ends_lose_the_sum_and_are_drawn_by_their_law(self):
        cut = CutByRank(1, (HALF, Fraction(1)), Fraction(1), Fraction(1, 2))
        assert cut.loss(ONE) == Pure(1 + 3 * HALF)
        cut = CutByRank(2, (HALF,), Fraction(1), Fraction(8))
        pairs = [([2, 1], [2, 2]), ([0, 0], [1, 0])]
        assert exact_audit(Counts(2) >> cut, pairs=pairs, draws=cases(200, 2000)).holds

    def test_the_event_has_a_move_for_all_points_and_for_each_end_in_each_group(self):
        cut = CutByRank(9, (HALF, Fraction(0)), Fraction(1, 3), Fraction(1, 7))
        event = cut.event((4, 4, 1))
        assert event.moves == ((Fraction(1, 3), 4), (Fraction(1, 7), 12))
        assert event.epsilon == cut.loss((4, 4, 1)).epsilon
        assert cut.event((4, 8, 2)).moves == ((Fraction(2, 3), 4), (Fraction(2, 7), 12))
        assert cut.event((2, 3, 2)).epsilon == 3 * cut.loss(ONE).epsilon

    @pytest.mark.parametrize("bins", [1, 7, 100, 1000])
    def test_a_person_is_in_one_node_of_each_depth(self, bins, monkeypatch):
        seen = []
        fan, depth = deepest(bins)
        tree = CountInTree(bins, (HALF,), fan, depth, IntegerLaplace(scale=3, domain=Vectors(Integers())))
        draw = IntegerLaplace.sample
        monkeypatch.setattr(IntegerLaplace, "sample", lambda m, x, coins: [seen.append(x), draw(m, x, coins)][1])
        before = np.zeros(bins, np.int64)
        for i in {0, bins // 2, bins - 1}:
            after = before.copy()
            after[i] += 1
            seen.clear()
            for counts in (before, after):
                tree.sample(one(counts), SYSTEM)
            nodes = [np.concatenate(seen[:depth]), np.concatenate(seen[depth:])]
            assert abs(nodes[1] - nodes[0]).tolist().count(1) == abs(nodes[1] - nodes[0]).sum() == depth
        assert tree.loss((3, 3, 1)) == Pure(Fraction(3 * depth, 3))
        assert tree.event((3, 3, 1)).moves == ((Fraction(1, 3), 3 * depth),)

    def test_what_is_charged_is_what_is_drawn(self):
        book = Ledger.in_memory(epsilon=9, accountant="plain")
        source = table(rows(300), book)
        asked = Quantile("amount", HALF, low=0, high=50, grid=1)
        answer = source.group_by("city", keys=["a", "b"]).release(asked, epsilon="1/2", max_groups=2)
        assert answer.receipt.laws == {"median of amount": "laplace-on-ranks"}
        assert book.spent.epsilon == HALF
        assert book.entries()[-1].event.moves == ((Fraction(1, 8), 2), (Fraction(1, 16), 4))


class TestInterval:
    @pytest.mark.parametrize("q", LEVELS, **ids)
    def test_it_holds_every_quantile_with_probability_95_percent_exactly(self, q):
        """By the law itself, for all small histograms: the least probability over them."""
        cut = CutByRank(3, (q,), Fraction(1), Fraction(3))
        worst = 1
        for counts in each([c for c in itertools.product([0, 1, 4], repeat=3) if any(c)], 2):
            law = cut.law(one(counts))
            true = quantiles_of(counts, q)
            held = total(p for (_, low, high), p in law.items() if all(low <= i <= high for i in true))
            worst = min(worst, enclosures([held], 64)[0][0])
        assert worst >= 0.95

    @pytest.mark.usefixtures("given_coins")
    @pytest.mark.parametrize("noise", [Laplace(2), Gaussian(4)], ids=["laplace", "gaussian"])
    @pytest.mark.parametrize("q", [HALF, Fraction(9, 10), Fraction(0)], **ids)
    def test_of_a_tree_it_misses_seldom_and_is_not_endless(self, noise, q):
        """2,000 trees: a right one misses 100 of them at most; without the bound's reach it misses most."""
        from discreet.mechanisms.add_noise import AddNoise

        counts = [int(9 * NormalDist(50, 15).pdf(i) * 100) for i in range(100)]
        counts[0] += 1
        tree = CountInTree(100, (q,), 10, 2, AddNoise(noise, Vectors(Integers())))
        many = cases(400, 2000)
        group = one(counts)[np.zeros(many, np.intp)]
        point, low, high = tree.sample(group, SYSTEM).reshape(3, many)
        true = quantiles_of(counts, q)
        missed = ((low > min(true)) | (high < max(true))).mean()
        assert missed <= 0.05
        assert (high - low).mean() < 50
        assert ((low <= point) & (point <= high)).all()

    def test_far_bounds_the_noise_of_a_rank(self):
        """Held against the exact tail of a single noise, and the normal law for many."""
        tree = CountInTree(1, (HALF,), 1, 1, IntegerLaplace(scale=20, domain=Vectors(Integers())))
        (single,) = {round(float(x), 6) for x in tree.far(HALF, Fraction(1, 40))}
        assert Laplace(20).radius(Fraction(1, 20)) <= single <= 2 * Laplace(20).radius(Fraction(1, 20))
        tree = CountInTree(10**4, (HALF,), 10**4, 1, IntegerLaplace(scale=20, domain=Vectors(Integers())))
        sigma = 100 * Laplace(20).deviation
        assert 1.96 * sigma < tree.far(HALF, Fraction(1, 40)).max() < 2.8 * sigma

    @pytest.mark.parametrize("scale", ["1/2", "1/8", "1/50", "1/1000", "1e-12", "1e-300"])
    @pytest.mark.parametrize("q", LEVELS, **ids)
    def test_far_has_an_end_and_is_near_where_there_is_little_noise(self, scale, q):
        tree = CountInTree(64, (q,), 8, 2, IntegerLaplace(scale=scale, domain=Vectors(Integers())))
        far = tree.far(q, Fraction(1, 40)) / max(q.numerator, q.denominator - q.numerator)
        assert float(Fraction(scale)) < far.max() < max(4 * float(Fraction(scale)) * np.sqrt(2 * tree.nodes), 0.1)
        assert tree.noise.radius(Fraction(1, 20)) >= 1

    @pytest.mark.parametrize("at", [("0.5",), ("0.25", "0.5", "0.75")], ids=len)
    def test_it_is_told_for_any_epsilon_and_any_margin(self, at):
        groups = table(rows(60)).group_by("city", keys=["a", "b"])
        asked = Quantile("amount", *at, low=0, high=64, grid=1)
        for epsilon in each((8, 12, 10**12, 20, 100, 10**6), 2):
            assert groups.explain(asked, epsilon=epsilon, max_groups=1)[1].radius >= 1
        for margin in each((50, 10, 3), 2):
            assert groups.explain(asked, margin=margin).receipt.epsilon > 0

    def test_it_was_released_with_the_value_for_95_percent(self):
        answer = table(rows(200)).release(Quantile("amount", HALF, low=0, high=50), epsilon=1)
        low, high = answer.interval("0.95")
        assert [x.tolist() for x in answer.interval("0.5")] == [low.tolist(), high.tolist()]
        assert [x.tolist() for x in answer.interval("0.99")] == [[0.0], [50.0]]  # That holds, whatever was drawn.

    def test_without_ends_it_is_all_of_the_range_and_the_value_has_all_of_epsilon(self):
        source = table(rows(200))
        answer = source.release(Quantile("amount", HALF, low=0, high=50, ends=0), epsilon=1)
        assert [end.tolist() for end in answer.interval()] == [[0.0], [50.0]]
        assert answer.receipt.epsilon == 1
        part = source.explain(Quantile("amount", HALF, low=0, high=50, ends=0), epsilon=1)
        assert part[1].radius < source.explain(Quantile("amount", HALF, low=0, high=50), epsilon=1)[1].radius


def rows(many, seed=1):
    pick = random.Random(seed)
    return [{"id": i, "city": pick.choice("ab"), "amount": float(pick.randrange(60) - 5)} for i in range(many)]


SCHEMA = pa.schema({"id": pa.int64(), "city": pa.string(), "amount": pa.float64()})


def table(data, book=None, **more):
    return Table(pa.Table.from_pylist(data, schema=SCHEMA), person="id", ledger=book, **more)


class TestAnswer:
    def test_without_noise_values_are_quantiles_of_clipped_values(self):
        data = rows(301)
        asked = Quantile("amount", "0.1", "0.5", "0.9", low=0, high=50, grid=1)
        bins = Histogram("amount", 0, 10, 20, 50)
        groups = table(data).group_by("city", keys=["a", "b", "nowhere"])
        for noise in ("auto", "laplace"):
            answer = groups.release(People(), bins, asked, epsilon=10**12, max_groups=1, noise=noise)
            for place, city in enumerate("ab"):
                here = sorted(min(max(row["amount"], 0), 50) for row in data if row["city"] == city)
                for view in asked.views:
                    (q,) = view.at
                    value, (low, high) = answer.columns[view.label][place], answer[view.label].interval()
                    assert sum(x < value for x in here) <= q * len(here) <= sum(x <= value for x in here)
                    assert low[place] <= value <= high[place]
                    assert high[place] - low[place] <= 3
                ends = [0, 10, 20, 51]
                for view, a, b in zip(bins.views, ends, ends[1:], strict=False):
                    assert answer.columns[view.label][place] == sum(a <= x < b for x in here)
        assert [answer.columns[view.label][2] for view in bins.views] == [0, 0, 0]

    def test_a_person_counts_by_their_own_mean(self):
        data = [{"id": i, "city": "a", "amount": x} for i in range(9) for x in (10.0, 20.0, 30.0 + 3 * (i % 3 == 0))]
        answer = table(data).release(
            Quantile("amount", HALF, low=0, high=50, grid=1), Histogram("amount", 0, 20, 21, 50), epsilon=10**12
        )
        assert answer.columns["median of amount"] == [20.0]
        assert answer.columns["amount 20 to 21"] == [6]
        assert answer.columns["amount 21 to 50"] == [3]

    @pytest.mark.parametrize(
        "edges",
        [
            [Fraction(i, 10) for i in range(11)],
            ["0", "9.99", "19.99", "49.99"],
            ["-1", "-0.7", "-1/3", "0.1", "0.7"],
            np.linspace(0, 1, 7).tolist(),
            [0, 18001, 100000],
            [0, 1000001, 10000000],
            [Fraction("0.1"), Fraction("0.1000001"), Fraction("0.9")],
        ],
        ids=str,
    )
    def test_a_bin_begins_with_its_first_number_and_ends_below_its_last(self, edges):
        bins = Histogram("amount", *edges)
        ends = [float(edge) for edge in bins.edges]
        near = 0.51 if all((edge / bins.grid).denominator == 1 for edge in bins.edges) else 1.01
        for steps, after in ((0, 1), (near, 1), (-near, 0)):  # At the edges between bins, and next to them.
            values = [end + steps * float(bins.grid) for end in ends[1:-1]]
            data = [{"id": i, "city": "", "amount": x} for i, x in enumerate(values)]
            counts = table(data).release(bins, epsilon=10**12).columns
            expected = [0] * after + [1] * len(values) + [0] * (1 - after)
            assert [counts[view.label][0] for view in bins.views] == expected

    def test_means_of_decimals_that_are_an_edge_begin_its_bin(self):
        for edge in range(2, 9):
            for apart in range(1, min(edge, 10 - edge) + 1):
                both = [(edge - apart) / 10, (edge + apart) / 10]
                data = [{"id": 1, "city": "", "amount": x} for x in both]
                answer = table(data).release(Histogram("amount", 0, Fraction(edge, 10), 1), epsilon=10**12)
                assert [count for (count,) in answer.columns.values()] == [0, 1]

    def test_edges_off_a_given_grid_are_rounded_as_values_are(self):
        bins = Histogram("amount", 0, "0.72", 2, grid="0.1")
        data = [{"id": i, "city": "", "amount": x} for i, x in enumerate([0.72, 0.66, 0.64])]
        assert [*table(data).release(bins, epsilon=10**12).columns.values()] == [[1], [2]]
        assert "rounded to a multiple of 0.1" in bins.note

    def test_what_a_quantile_is_and_what_its_grid_does_is_said_with_it_and_before(self):
        fine, whole = (Quantile("amount", HALF, "0.9", low=0, high=50, grid=grid) for grid in (None, 1))
        coarser = "A coarser public grid, such as 1 for whole numbers, makes it more exact."
        for asked, step, said in ((fine, "0.03125", 1), (whole, "1", 0)):
            answer = table(rows(100)).release(asked, epsilon=3)
            own = f"Of each person, the mean of their own amount counts, rounded to a multiple of {step}."
            for text in (str(answer), answer.to_html().split("The budget")[0]):
                assert (text.count(own), text.count(coarser)) == (1, said)
            assert str(table(rows(100)).explain(asked, epsilon=3)).count(coarser) == said
        assert "A coarser public grid makes it" in Quantile("amount", HALF, low=0, high=5000).note

    def test_columns_have_names_intervals_and_a_receipt_and_go_into_every_format(self, tmp_path):
        asked = [Quantile("amount", HALF, "0.9", low=0, high=50), Histogram("amount", 0, 25, 50)]
        answer = table(rows(100)).group_by("city").release(*asked, epsilon=3, delta="1e-6", max_groups=1)
        labels = ["people", "median of amount", "0.9 quantile of amount", "amount 0 to 25", "amount 25 to 50"]
        assert list(answer.columns) == labels
        assert answer.value == "median of amount"
        assert "0.9 quantile of amount" in answer.to_html()
        answer.save(tmp_path / "answer.parquet")
        said = answer.receipt.to_dict()["aggregates"]
        assert [each["kind"] for each in said] == ["quantile", "histogram"]
        assert said[0]["at"] == ["1/2", "9/10"]
        assert said[1]["edges"] == ["0", "25", "50"]
        answer.plot(column="median of amount")

    def test_a_question_asked_again_has_the_same_ends(self, tmp_path):
        import pyarrow.csv

        path = tmp_path / "rows.csv"
        pyarrow.csv.write_csv(pa.Table.from_pylist(rows(99), schema=SCHEMA), path)
        book = Ledger.in_memory(epsilon=5)
        source = Table(path, person="id", ledger=book, version="1", types={"amount": "number"})
        asked = Quantile("amount", HALF, "0.9", low=0, high=50, grid=1), Histogram("amount", 0, 25, 50)
        first, again = (source.release(*asked, epsilon=1) for _ in range(2))
        assert again.receipt.kept
        assert first.to_rows() == again.to_rows()
        for label in first.columns:
            assert [x.tolist() for x in first[label].interval()] == [x.tolist() for x in again[label].interval()]

    def test_several_quantiles_are_read_from_a_tree_and_one_is_chosen(self):
        laws = {}
        for many in (1, 2, 9):
            asked = Quantile("amount", *(Fraction(i + 1, many + 1) for i in range(many)), low=0, high=1000)
            laws[many] = table(rows(9)).explain(asked, epsilon=1)[1].noise
        assert laws == {1: "laplace-on-ranks", 2: "laplace-on-ranks", 9: "laplace"}

    def test_the_least_and_the_greatest_come_with_a_warning(self):
        said = table(rows(9)).explain(Quantile("amount", 0, 1, low=0, high=50), epsilon=1)
        assert any("a person's own" in note for note in said.notes)
        plain = table(rows(9)).explain(Quantile("amount", HALF, low=0, high=50), epsilon=1)
        assert not any("a person's own" in note for note in plain.notes)

    @pytest.mark.parametrize("noise", ["auto", "laplace"])
    def test_no_quantile_is_below_a_smaller_one(self, noise):
        asked = Quantile("amount", 1, "0.25", 0, "0.5", low=0, high=50)
        for data in (rows(30), []):
            found = table(data).group_by("city", keys=["a"]).release(asked, epsilon="0.1", max_groups=1, noise=noise)
            last, quarter, first, middle = (found.columns[view.label][0] for view in asked.views)
            assert first <= quarter <= middle <= last
            for view in asked.views:
                low, high = found[view.label].interval()
                assert low[0] <= found.columns[view.label][0] <= high[0]

    def test_values_are_within_the_bounds_where_the_grid_is_wider_than_these(self):
        asked = Quantile("amount", HALF, low=10**15, high=10**15 + 1)
        assert 10**15 <= table(rows(30)).release(asked, epsilon=1).columns["median of amount"][0] <= 10**15 + 1

    @pytest.mark.parametrize("epsilon", ["5e-324", "1e-300", "1e-30"])
    def test_an_epsilon_that_leaves_no_numbers_is_refused(self, epsilon):
        with pytest.raises(ParameterError, match="epsilon"):
            table(rows(9)).release(Quantile("amount", HALF, low=0, high=50), epsilon=epsilon)

    def test_a_coarse_chunk_changes_nothing(self, monkeypatch):
        """Groups are drawn some at a time; each has the bins of its own people."""
        monkeypatch.setattr("discreet.tables.histograms._CELLS", 5)
        many = np.array([[0, 0, 7], [9, 0, 0], [0, 5, 0], [0, 0, 0]])
        group, bins = np.nonzero(many)
        x = Histograms.of(group, bins, many[group, bins], 4)
        sure = Fraction(10**12)
        cut = CutByRank(3, (HALF, Fraction(1, 4)), sure, sure)
        drawn = cut.sample(x, SYSTEM).reshape(2, 3, 4)
        assert drawn[:, :, :3].tolist() == [[[2, 0, 1]] * 3] * 2
        tree = CountInTree(3, (HALF, Fraction(1, 4)), 2, 2, IntegerLaplace(scale="1/1000", domain=Vectors(Integers())))
        assert tree.sample(x, SYSTEM).reshape(2, 3, 4)[:, :, :3].tolist() == [[[2, 0, 1]] * 3] * 2


BAD = [
    {"at": ()},
    {"at": (2,)},
    {"at": ("-0.1",)},
    {"at": (HALF, "0.5")},
    {"at": (Fraction(1, 2**21),)},
    {"ends": 1},
    {"ends": -1},
    {"grid": "1e-6"},
    {"low": 51},
    {"low": "auto", "high": "auto", "grid": 1},
    {"low": 1, "high": "auto"},
    {"low": None},
]


@pytest.mark.parametrize("bad", BAD, ids=str)
def test_bad_quantiles_are_refused(bad):
    given = {"low": 0, "high": 50} | bad
    with pytest.raises(ParameterError):
        Quantile("amount", *given.pop("at", (HALF,)), **given)


@pytest.mark.parametrize("edges", [(), (1,), (1, 1), (2, 1), range(102)], ids=len)
def test_bad_edges_are_refused(edges):
    with pytest.raises(ParameterError):
        Histogram("amount", *edges)


def test_edges_that_are_one_on_the_grid_are_refused():
    with pytest.raises(ParameterError, match="grid=1"):
        Histogram("amount", 0, "0.1", "0.2", 1, grid=1)
    with pytest.raises(ParameterError, match="grid="):
        Histogram("amount", 0, "1.23456789e-14", 1)


def test_a_grid_is_one_of_the_edges_where_that_is_possible():
    assert Histogram("amount", 0, 20, 50, 100).grid == Fraction(1, 1024)
    for edges in ([0, "0.7", 1], [0, "9.99", "19.99"], ["-1/3", "1/7", 1], [0, "1e-7", 1]):
        found = Histogram("amount", *edges)
        assert all((edge / found.grid).denominator == 1 for edge in found.edges)
        assert eval(repr(found)) == found


def test_a_quantile_beside_itself_is_refused():
    both = [Quantile("amount", HALF, low=0, high=50), Quantile("amount", HALF, "0.9", low=0, high=50)]
    with pytest.raises(ParameterError, match="name="):
        table(rows(9)).release(*both, epsilon=1)


def test_an_epsilon_too_small_for_numbers_is_refused():
    with pytest.raises(ParameterError, match="epsilon="):
        table(rows(9)).release(Quantile("amount", HALF, low=0, high=50), epsilon="1e-18")


def test_a_float_stands_for_the_quantile_that_was_typed():
    assert Quantile("amount", 0.9, low=0, high=1).at == (Fraction(9, 10),)
