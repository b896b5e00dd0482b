"""Waves: boxes of different waves do not mix, and intervals over waves of the same people hold."""

import itertools

import numpy as np
import pytest
import tiers
from command import run

from discreet import (
    KindError,
    MismatchError,
    OptimizedUnary,
    ParameterError,
    RandomizedResponse,
    SubsetSelection,
    UnsupportedError,
)
from discreet.survey import Boxes, Collector, Estimate, PairCollector, Question, Survey, TextQuestion, Waves

pytestmark = pytest.mark.usefixtures("given_coins")

YES = Question("smokes", ["no", "yes"])
RR = YES.form(RandomizedResponse(categories=YES.categories, prob="3/4"))
FIVE = Question("city", [f"city {i}" for i in range(5)])
SETS = FIVE.form(SubsetSelection.within(epsilon=2, categories=FIVE.categories))
UNARY = FIVE.form(OptimizedUnary.within(epsilon=2, length=5))


def box_of(form, rows, wave):
    box = Collector(form, wave=wave)
    box.add_many(rows, payloads=True)
    return box


def asked(form, truths, how):
    """Return the boxes of several waves; *how* the reports of a person in different waves are related."""
    reports = []
    for wave, truth in enumerate(truths):
        fresh = form.perturb(truth)
        if how == "memory" and wave:
            again = truth == truths[0]
            fresh[again] = reports[0][again]
        reports.append(fresh)
    return [box_of(form, rows, wave) for wave, rows in enumerate(reports)]


FORMS = {"choices": RR, "sets": SETS, "bits": UNARY}
HOW = [("memory", 3), ("memory", 8), ("anew", 3), ("changing", 3)]
ASKED = [(*how, list(FORMS)[(i + j) % 3]) for i, how in enumerate(HOW) for j in range(3)]


class TestCoverage:
    """Simulated people in several waves. With memory, boxes added up as of different people cover .77 and .56."""

    ROUNDS = tiers.cases(250, 400)

    @pytest.mark.parametrize(("how", "waves", "kind"), tiers.each(ASKED, 5))
    def test_intervals_cover_the_average_share_of_the_same_people(self, how, waves, kind):
        """Of 400 rounds, a nominal .95 that held exactly would be seen below .915 less than once in 1,000 runs."""
        form, generator = FORMS[kind], np.random.default_rng(11)
        covered = wrong = 0
        for _ in range(self.ROUNDS):
            first = (generator.random(300) ** 2 * form.size).astype(int)
            truths = [first] * waves
            if how == "changing":
                truths = [np.where(generator.random(300) < 0.2, (first + i) % form.size, first) for i in range(waves)]
            boxes = asked(form, truths, "memory" if how == "changing" else how)
            truth = np.mean([np.bincount(each, minlength=form.size) / 300 for each in truths], axis=0)[1]
            _, share = list(Waves(boxes, people="same").estimate().items())[1]
            covered += share.low <= truth <= share.high
            mixed = Waves(boxes, people="different").estimate()
            low, high = mixed.intervals[1]
            wrong += low <= truth <= high
        assert covered >= 0.915 * self.ROUNDS
        if (how, waves) == ("memory", 8):  # What the refusal is there for.
            assert wrong <= 0.8 * self.ROUNDS

    def test_simultaneous_intervals_cover_all_choices_and_waves_together(self):
        covered = 0
        truth = np.arange(400) ** 2 // 32_001
        shares = np.bincount(truth, minlength=5) / 400
        for _ in range(300):
            estimate = Waves(asked(UNARY, [truth] * 3, "memory"), people="same").estimate(simultaneous=True)
            low, high = estimate.intervals.T
            inside = [(low <= shares) & (shares <= high)]
            for each in estimate.waves.values():
                inside.append((each.intervals[:, 0] <= shares) & (shares <= each.intervals[:, 1]))
            covered += bool(np.all(inside))
        assert covered >= 0.91 * 300

    def test_changes_are_covered(self):
        covered = 0
        for _ in range(300):
            truth = np.arange(500) % 2
            later = truth * (np.arange(500) % 10 != 1)
            boxes = asked(RR, [truth, later], "memory")
            change = Waves(boxes, people="same").change("yes", 0, 1)
            covered += change.low <= later.mean() - truth.mean() <= change.high
        assert covered >= 0.91 * 300

    def test_the_error_is_that_of_one_wave_where_reports_are_equal(self):
        """Eight waves of equal reports say what one says: the bound of the error is attained."""
        truth = np.arange(1000) % 2
        boxes = asked(RR, [truth] * 8, "memory")
        many, one = Waves(boxes, people="same").estimate(), boxes[0].estimate()
        assert np.allclose(many.standard_errors(), one.standard_errors())
        assert np.allclose(many.shares, one.shares)
        widths = np.diff(many.intervals)[:, 0] / np.diff(one.intervals)[:, 0]
        assert (widths >= 1).all()


class TestMixing:
    def boxes(self, *waves, form=RR):
        return [box_of(form, form.perturb(np.arange(60) % form.size), wave) for wave in waves]

    @pytest.mark.parametrize(("a", "b"), [("spring", "autumn"), (None, "spring"), (1, 2), (1, "1"), (0, None)])
    def test_boxes_of_different_waves_do_not_merge(self, a, b):
        first, second = self.boxes(a, b)
        for one, other in ((first, second), (second, first)):
            with pytest.raises(MismatchError, match="the same people may have sent reports in both"):
                one.merge(other)
        pairs = [PairCollector(RR, RR, wave=wave) for wave in (a, b)]
        with pytest.raises(MismatchError, match="wave"):
            pairs[0].merge(pairs[1])
        boxes = [Survey.of([RR]).collector(wave=wave) for wave in (a, b)]
        with pytest.raises(MismatchError, match="wave"):
            boxes[0].merge(boxes[1])

    def test_boxes_of_one_wave_merge_and_stay_of_it(self):
        first, second = self.boxes("spring", "spring")
        merged = first.merge(second)
        assert (merged.n, merged.wave) == (120, "spring")
        assert repr(merged) == "<smokes, wave spring: 120 reports>"
        assert first != self.boxes("autumn")[0]

    def test_a_wave_is_saved_with_its_box(self, tmp_path):
        for wave in (None, "spring", 3):
            box = self.boxes(wave)[0]
            box.save(tmp_path / "box.json")
            assert Collector.load(tmp_path / "box.json").wave == wave

    @pytest.mark.parametrize("wave", ["", "x" * 201, 1.5, True, [], b"x", 1 << 60])
    def test_what_is_no_wave_is_refused(self, wave):
        with pytest.raises((KindError, ParameterError), match="wave"):
            Collector(RR, wave=wave)

    @pytest.mark.parametrize("people", [None, "", "Same", "some", True, 2])
    def test_how_people_are_related_must_be_said(self, people):
        with pytest.raises(ParameterError, match='"same" or "different"'):
            Waves(self.boxes(1, 2), people=people)
        with pytest.raises(TypeError):
            Waves(self.boxes(1, 2))

    def test_what_are_no_waves_is_refused(self):
        with pytest.raises(ParameterError, match="at least one"):
            Waves([], people="same")
        with pytest.raises(ParameterError, match="merge those of one"):
            Waves(self.boxes(1, 1), people="same")
        with pytest.raises(MismatchError):
            Waves([*self.boxes(1), *self.boxes(2, form=SETS)], people="same")
        with pytest.raises(KindError):
            Waves(["box"], people="same")
        text = TextQuestion("homepage")
        with pytest.raises(UnsupportedError, match="one wave at a time"):
            Waves([text.collector(text.mechanism(epsilon=4))], people="same")

    def test_a_file_is_in_one_wave(self, tmp_path):
        (tmp_path / "noisy.csv").write_text("smokes\nyes\nno\n")
        boxes = [Collector(RR, wave=wave) for wave in (1, 2)]
        for box in boxes:
            box.add_many(tmp_path / "noisy.csv")
        for people in ("same", "different"):
            with pytest.raises(MismatchError, match="file"):
                Waves(boxes, people=people)

    def test_different_people_are_one_box_of_all(self):
        boxes = self.boxes(1, 2, 3, form=SETS)
        found = Waves(boxes, people="different").estimate()
        assert isinstance(found, Estimate)
        assert found.n == 180
        assert found.supports.tolist() == sum(box.supports for box in boxes).tolist()

    def test_waves_are_weighted_by_their_reports(self):
        boxes = [box_of(RR, RR.perturb(np.arange(n) % 2), n) for n in (100, 300)]
        found = Waves(boxes, people="same").estimate()
        each = [box.estimate().shares for box in boxes]
        assert np.allclose(found.shares, (each[0] + 3 * each[1]) / 4)
        assert found.n == 400
        assert found["yes"].count == pytest.approx(found.shares[1] * 200)

    def test_each_wave_is_held_at_its_part_of_the_error(self):
        boxes = self.boxes(1, 2, 3, 4)
        found = Waves(boxes, people="same").estimate(confidence="0.9")
        for box, wave in zip(boxes, found.waves.values(), strict=True):
            assert np.allclose(wave.intervals, box.estimate(confidence="0.975").intervals)
        assert np.allclose(found.intervals, np.mean([wave.intervals for wave in found.waves.values()], axis=0))

    def test_one_wave_says_what_its_box_says(self):
        box = self.boxes(1)[0]
        assert np.allclose(Waves([box], people="same").estimate().intervals, box.estimate().intervals)

    def test_an_estimate_over_waves_is_a_mapping_with_rows_and_text(self):
        found = Waves(self.boxes(1, 2, form=SETS), people="same").estimate(simultaneous=True)
        assert list(found) == list(FIVE.choices)
        assert found["city 1"].choice == "city 1"
        with pytest.raises(KeyError):
            found["Rome"]
        assert list(found.to_rows()[0]) == ["choice", "share", "error", "low", "high", "count"]
        assert len(found.to_frame()) == len(found) == 5
        assert str(found).startswith(
            "city: 120 reports in 2 waves of the same people; the intervals hold all together\n"
        )

    def test_counts_that_the_mechanism_does_not_give_are_said(self):
        odd = [Collector(SETS, wave=wave) for wave in (1, 2)]
        for box in odd:
            box.add_many([FIVE.choices[: SETS.mechanism.size]] * 500)
        found = Waves(odd, people="same").estimate()
        assert found.misfit.implausible
        assert found.misfit.p == pytest.approx(2 * min(each.misfit.p for each in found.waves.values()))
        assert "implausible" in str(found)

    def test_changes_are_between_two_waves(self):
        waves = Waves(self.boxes("a", "b"), people="same")
        with pytest.raises(ParameterError, match="wave"):
            waves.change("yes", "a", "c")
        with pytest.raises(ParameterError, match="another wave"):
            waves.change("yes", "a", "a")
        one, two = (waves[wave].estimate(confidence="0.975")["yes"] for wave in "ab")  # Half of the error each.
        assert waves.change("yes", "a", "b").low == pytest.approx(two.low - one.high)
        there, back = waves.change("yes", "a", "b"), waves.change("yes", "b", "a")
        assert (there.low, there.high) == pytest.approx((-back.high, -back.low))


class TestCommands:
    @pytest.fixture
    def folder(self, tmp_path):
        (tmp_path / "survey.toml").write_text("epsilon = 2\n[[questions]]\nname = 'smokes'\nchoices = ['no', 'yes']\n")
        survey = Survey.load(tmp_path / "survey.toml")
        (tmp_path / "true.csv").write_text("smokes\n" + "no\nyes\nno\n" * 200)
        for name in ("spring", "autumn"):
            survey.perturb_file(tmp_path / "true.csv", tmp_path / f"{name}.parquet")
        return tmp_path

    def collect(self, folder, *names, out, wave=None):
        words = ["--wave", wave] if wave else []
        return run("survey", "collect", *names, "--survey", folder / "survey.toml", "--out", folder / out, *words)

    def test_a_file_given_twice_is_refused(self, folder):
        done = self.collect(folder, folder / "spring.parquet", folder / "spring.parquet", out="box.json")
        assert done.exit_code == 2
        assert "not counted before" in done.stderr
        assert not (folder / "box.json").exists()

    def test_waves_are_collected_and_estimated(self, folder):
        for name in ("spring", "autumn"):
            assert self.collect(folder, folder / f"{name}.parquet", out=f"{name}.json", wave=name).exit_code == 0
            assert Boxes.load(folder / f"{name}.json")["smokes"].wave == name
        both = [folder / "spring.json", folder / "autumn.json"]
        done = run("survey", "estimate", *both)
        assert done.exit_code == 2
        assert "whether people may be in several waves" in done.stderr
        done = self.collect(folder, *both, out="all.json", wave="spring")
        assert done.exit_code == 2
        assert "the same people may have sent reports in both" in done.stderr
        widths = {}
        for people in ("same", "different"):
            rows = Boxes.load(both[0]).estimate(Boxes.load(both[1]), people=people).to_rows()
            widths[people] = rows[0]["high"] - rows[0]["low"]
            done = run("survey", "estimate", *both, "--people", people)
            assert done.exit_code == 0
            assert "1,200 reports" in done.stdout
        assert widths["same"] > 1.2 * widths["different"]

    def test_waves_have_a_page_whoever_was_in_them(self, folder):
        for name in ("spring", "autumn"):
            self.collect(folder, folder / f"{name}.parquet", out=f"{name}.json", wave=name)
        both = [folder / "spring.json", folder / "autumn.json"]
        for people in ("same", "different"):
            done = run("survey", "estimate", *both, "--people", people, "--html", folder / f"{people}.html")
            assert done.exit_code == 0
            assert ("in each wave" in (folder / f"{people}.html").read_text()) == (people == "same")

    def test_a_single_wave_of_people_who_will_be_asked_again_has_a_page(self, folder):
        self.collect(folder, folder / "spring.parquet", out="spring.json", wave="spring")
        page = Boxes.load(folder / "spring.json").estimate(people="same").to_html()
        assert "Each wave on its own" in page
        assert "The change from" not in page

    def test_boxes_of_other_surveys_are_refused(self, folder):
        other = Survey.of([SETS]).collector(wave="x")
        with pytest.raises(MismatchError, match="same survey"):
            Survey.of([RR]).collector().estimate(other, people="same")


def test_every_pair_of_waves_is_refused_alike():
    boxes = [Collector(RR, wave=wave) for wave in (None, 0, 1, "0", "1", "None")]
    for a, b in itertools.combinations(boxes, 2):
        with pytest.raises(MismatchError):
            a.merge(b)
