"""Boxes: a blank is a lost report, payloads are no reports, all is added or nothing, and no box that cannot be."""

import contextlib
import copy
import hashlib
import itertools
import json
import shutil
import sys
import threading

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from discreet import (
    DiscreetError,
    MismatchError,
    OptimizedUnary,
    ParameterError,
    RandomizedResponse,
    Rappor,
    SubsetSelection,
)
from discreet.survey import (
    Boxes,
    Collector,
    PairCollector,
    Question,
    Report,
    Survey,
    TextQuestion,
    collectors,
    pairs,
    surveys,
)
from discreet.survey.files import strict_json
from discreet.survey.wire import canonical

YES = Question("smokes", ["no", "yes"], missing="refused")
RR = YES.form(RandomizedResponse(categories=YES.categories, prob="3/4"))
TEN = Question("city", [f"city {i}" for i in range(10)])
SETS = TEN.form(SubsetSelection(categories=TEN.categories, size=3, prob="1/2"))
UNARY = TEN.form(OptimizedUnary(length=10, p="1/2", q="1/4"))
RAPPOR = TEN.form(Rappor(length=10, max_weight=1, f="1/2"))
TEXT = TextQuestion("homepage", length=12, hashes=2, cohorts=3).form(Rappor(length=12, max_weight=2, f="1/2"))
FORMS = {"choices": RR, "sets": SETS, "bits": UNARY, "rappor": RAPPOR, "text": TEXT}
BITS = (OptimizedUnary, Rappor)
WIDE = Question("wide", range(152))
WIDE_FORM = WIDE.form(OptimizedUnary(length=152, p="1/2", q="1/4"))
each_form = pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)


def rows_of(form, n):
    """Return n payloads that a form can give, each time the same."""
    generator = np.random.default_rng(5)
    if form is TEXT:
        bits = np.packbits(generator.random((n, 12)) < 0.4, axis=1, bitorder="little")
        return np.hstack([generator.integers(0, 3, (n, 1)), np.zeros((n, 1), int), bits]).astype(np.uint8)
    if form is RR:
        return generator.integers(0, 3, (n, 1)).astype(np.uint8)
    sets = np.argsort(generator.random((n, form.size)), axis=1) < 3
    return np.packbits(sets, axis=1, bitorder="little")


def whole(form, rows):
    return [Report(form.tag, row.tobytes()).to_bytes() for row in rows]


class TestBlanks:
    """A lost report must not count as the answer *missing*: yes was .110 for .187, and refused .218 for .001."""

    def survey(self):
        return Survey.of([RR, SETS])

    def test_a_blank_cell_of_randomized_answers_is_a_lost_report(self, tmp_path):
        (tmp_path / "noisy.csv").write_text("smokes,city\nyes,0700\n,\nno,0700\nrefused,0700\n")
        boxes = self.survey().collect(tmp_path / "noisy.csv")
        assert boxes["smokes"].supports.tolist() == [1, 1, 1]
        assert boxes["smokes"].refused == boxes["city"].refused == {"blank": 1}

    def test_a_blank_cell_of_true_answers_is_the_missing_choice(self, tmp_path):
        (tmp_path / "true.csv").write_text("smokes\nyes\n\n")
        sure = Survey.of([YES.form(RandomizedResponse(categories=YES.categories, prob=1))])
        assert sure.perturb_file(tmp_path / "true.csv", tmp_path / "noisy.csv") == 2
        assert sure.collect(tmp_path / "noisy.csv")["smokes"].supports.tolist() == [0, 1, 1]

    @pytest.mark.parametrize("blank", ["", None, float("nan"), pd.NA, pd.NaT, np.nan], ids=repr)
    @pytest.mark.parametrize("payloads", [False, True])
    @each_form
    def test_a_blank_is_a_lost_report_wherever_it_comes_from(self, form, payloads, blank):
        rows = rows_of(form, 5)
        good = [row.tobytes() for row in rows] if payloads else whole(form, rows)
        for place in (0, 3, 5):
            tally = Collector(form).add_many([*good[:place], blank, *good[place:]], payloads=payloads)
            assert (tally.added, tally.refused) == (5, {"blank": 1})

    def test_a_null_in_a_column_is_a_lost_report(self, tmp_path):
        pq.write_table(pa.table({"smokes": ["yes", None, "no"]}), tmp_path / "noisy.parquet")
        columns = [pa.array(["yes", None, "no"]), pl.Series(["yes", None, "no"]), pd.Series(["yes", None, "no"])]
        for source in (*columns, tmp_path / "noisy.parquet"):
            assert repr(Collector(RR).add_many(source)) == "<2 added; 1 refused: blank>"

    def test_lost_reports_do_not_move_the_estimate(self, tmp_path):
        """A tenth of a file of noisy answers is lost, at random places."""
        answers = np.repeat([0, 1, 2], [7000, 2900, 100])
        noisy = RR.values(RR.perturb(answers))
        lost = np.random.default_rng(4).random(10_000) < 0.1
        pd.DataFrame({"smokes": np.where(lost, "", noisy)}).to_csv(tmp_path / "noisy.csv", index=False)
        box = Collector(RR)
        assert box.add_many(tmp_path / "noisy.csv").refused == {"blank": int(lost.sum())}
        kept = Collector(RR)
        kept.add_many([value for value, gone in zip(noisy, lost, strict=True) if not gone])
        assert box.supports.tolist() == kept.supports.tolist()

    @pytest.mark.parametrize("q", [Question("q", ["", "a"]), Question("q", ["a", "b"], missing="")], ids=repr)
    def test_a_blank_choice_cannot_be_told_from_a_lost_report(self, q, tmp_path):
        m = RandomizedResponse(categories=q.categories, prob="3/4")
        (tmp_path / "in.csv").write_text("q\na\n")
        (tmp_path / "noisy.csv").write_text('q\na\n""\n')
        with pytest.raises(ParameterError, match="blank"):
            q.collector(m).add_many(tmp_path / "noisy.csv")
        with pytest.raises(ParameterError, match="blank"):
            Survey.of([q.form(m)]).perturb_file(tmp_path / "in.csv", tmp_path / "out.csv")
        assert Survey.of([q.form(m)]).perturb_file(tmp_path / "in.csv", tmp_path / "out.parquet") == 1
        assert q.collector(m).add_many(["", "a"]).added == 2  # Elsewhere a text is what it is.


class TestPayloads:
    """Whole reports of another survey were taken as bare payloads, and gave a share of 3.16."""

    def strays(self, n=1000):
        """Whole reports of another form, as long as a payload of the wide one: 18 + 1 bytes."""
        return whole(RR, rows_of(RR, n))

    def test_whole_reports_of_another_form_are_not_taken_as_payloads(self):
        assert WIDE_FORM.width == len(self.strays()[0]) == 19
        for source in (self.strays(), pa.array(self.strays()), pl.Series(self.strays()), pd.Series(self.strays())):
            tally = Collector(WIDE_FORM).add_many(source)
            assert (tally.added, tally.refused) == (0, {"another form": 1000})

    def test_one_whole_report_among_payloads_is_refused_alone_and_the_other_way_round(self):
        rows = np.packbits(np.random.default_rng(5).random((50, 152)) < 0.25, axis=1, bitorder="little")
        bare, full = [row.tobytes() for row in rows], whole(WIDE_FORM, rows)
        for place in (0, 17, 49):
            mixed = [*bare[:place], full[0], *bare[place:]]
            assert repr(Collector(WIDE_FORM).add_many(mixed, payloads=True)) == "<50 added; 1 refused: wrong length>"
            mixed = [*full[:place], bare[0], *full[place:]]
            tally = Collector(WIDE_FORM).add_many(mixed)
            assert (tally.added, tally.refused) == (50, {"no header": 1})
        like = full[0][:1] + b"\x09" + bare[0][2:]  # One bare payload in 256 begins as reports do.
        assert Collector(WIDE_FORM).add_many([*full, like]).refused == {"another version": 1}

    @each_form
    def test_payloads_are_taken_only_where_it_is_said(self, form):
        rows = rows_of(form, 9)
        bare, full = [row.tobytes() for row in rows], whole(form, rows)
        assert Collector(form).add_many(rows).refused == Collector(form).add_many(bare).refused == {"no header": 9}
        assert Collector(form).add_many(rows, payloads=True).added == 9
        assert Collector(form).add_many(full, payloads=True).refused == {"wrong length": 9}
        assert Collector(form).add_many(np.array([list(data) for data in full], np.uint8)).added == 9

    @each_form
    def test_reports_and_json_are_no_payloads(self, form):
        reports = [Report(form.tag, row.tobytes()) for row in rows_of(form, 3)]
        assert Collector(form).add_many(reports, payloads=True).refused == {"not a payload": 3}
        texts = [report.to_json() for report in reports]
        reason = "not a choice" if form is RR else "not a payload"
        assert Collector(form).add_many(texts, payloads=True).refused == {reason: 3}

    def test_hexadecimal_means_what_is_said(self):
        rows = rows_of(SETS, 5)
        bare, full = [row.tobytes().hex() for row in rows], [data.hex() for data in whole(SETS, rows)]
        assert Collector(SETS).add_many(bare, payloads=True).added == Collector(SETS).add_many(full).added == 5
        assert Collector(SETS).add_many(bare).refused == {"not a report": 5}
        assert Collector(SETS).add_many(full, payloads=True).refused == {"wrong length": 5}

    def test_a_payload_that_begins_like_a_report_is_a_payload(self):
        """D5 02 is possible at the start of a payload: it counts where payloads are given."""
        row = bytes([0xD5, 2]) + bytes(range(0x55, 0x55 + 17))
        assert Collector(WIDE_FORM).add_many([row], payloads=True).added == 1
        assert Collector(WIDE_FORM).add_many([row]).refused == {"another form": 1}

    def test_a_survey_reads_what_perturb_wrote_and_no_whole_reports(self, tmp_path):
        survey = Survey.of([WIDE_FORM])
        pq.write_table(pa.table({"wide": self.strays(30)}), tmp_path / "stray.parquet")
        tally = survey.collector().add_many(pa.table({"wide": whole(WIDE_FORM, WIDE_FORM.perturb(np.zeros(9, int)))}))
        assert tally["wide"].refused == {"wrong length": 9}
        # As bare payloads, whole reports of as many bytes are bytes like any other; the estimate says so.
        boxes = survey.collect(tmp_path / "stray.parquet")
        assert boxes["wide"].n == 0 or boxes.estimate()["wide"].misfit.implausible

    def test_pairs_say_it_too(self):
        first, second = rows_of(RR, 5), rows_of(SETS, 5)
        box = PairCollector(RR, SETS)
        assert box.add_many(first, second).refused == {"one of the pair": 5}
        assert box.add_many(first, second, payloads=True).added == 5
        assert box.add_many(whole(RR, first), whole(SETS, second)).added == 5


class Broken(list):
    """A column whose iteration fails in the middle."""

    def __init__(self, good, error):
        super().__init__(good)
        self.error = error

    def __getitem__(self, part):
        if isinstance(part, slice) and part.start >= 6:
            raise self.error
        return super().__getitem__(part)


ERRORS = [RuntimeError("x"), OSError("x"), KeyboardInterrupt(), MemoryError(), GeneratorExit()]


class TestAtomicity:
    def state(self, box):
        return json.dumps(box.to_dict())

    @each_form
    @pytest.mark.parametrize("error", ERRORS, ids=lambda e: type(e).__name__)
    def test_whatever_fails_in_the_middle_the_box_is_as_before(self, form, error, monkeypatch):
        monkeypatch.setattr(collectors, "_CHUNK", 3)
        box = Collector(form)
        box.add_many([*whole(form, rows_of(form, 4)), b"junk"])
        before, held = self.state(box), box.held
        with pytest.raises(type(error)):
            box.add_many(Broken([*whole(form, rows_of(form, 12)), b"junk"], error))
        assert self.state(box) == before
        assert box.held is held

    def test_a_broken_second_file_leaves_the_box_as_it_was(self, tmp_path):
        pq.write_table(pa.table({"r": whole(SETS, rows_of(SETS, 5))}), tmp_path / "a.parquet")
        (tmp_path / "b.parquet").write_bytes(b"PAR1 not really PAR1")
        box = Collector(SETS)
        with pytest.raises(ParameterError, match="Parquet"):
            box.add_many(tmp_path / "*.parquet", column="r")
        assert (box.n, dict(box.refused), box.files) == (0, {}, frozenset())
        (tmp_path / "b.parquet").unlink()
        assert box.add_many(tmp_path / "*.parquet", column="r").added == 5  # It may be tried again.

    def test_a_broken_line_far_down_a_csv_file_leaves_the_box_as_it_was(self, tmp_path, monkeypatch):
        monkeypatch.setattr(collectors, "_CHUNK", 100)
        lines = ["yes,1"] * 1000
        lines[np.random.default_rng(1).integers(500, 1000)] = "yes,1,more"
        (tmp_path / "noisy.csv").write_text("\n".join(["smokes,n", *lines]))
        box = Collector(RR)
        with pytest.raises(ParameterError, match="cells"):
            box.add_many(tmp_path / "noisy.csv", column="smokes")
        assert box.n == 0

    @pytest.mark.parametrize("error", ERRORS, ids=lambda e: type(e).__name__)
    def test_all_questions_of_a_survey_or_none(self, error, monkeypatch):
        monkeypatch.setattr(surveys, "_CHUNK", 3)
        boxes = Survey.of([RR, SETS]).collector()
        good = {"smokes": ["yes"] * 9, "city": [row.tobytes() for row in rows_of(SETS, 9)]}
        boxes.add_many(good)
        before = [self.state(box) for box in boxes.values()]
        with pytest.raises(type(error)):
            boxes.add_many(good | {"city": Broken(good["city"], error)})
        assert [self.state(box) for box in boxes.values()] == before

    @pytest.mark.parametrize("place", [0, 1])
    def test_an_interrupt_while_the_parts_are_taken_takes_none(self, place, monkeypatch):
        boxes = Survey.of([RR, SETS]).collector()
        good = {"smokes": ["yes"] * 9, "city": [row.tobytes() for row in rows_of(SETS, 9)]}
        boxes.add_many(good)
        before = [self.state(box) for box in boxes.values()]
        take, calls = Collector.take, itertools.count()

        def interrupted(box, part):
            done = take(box, part)
            if next(calls) == place:
                raise KeyboardInterrupt
            return done

        monkeypatch.setattr(Collector, "take", interrupted)
        with pytest.raises(KeyboardInterrupt):
            boxes.add_many(good)
        assert [self.state(box) for box in boxes.values()] == before

    @pytest.mark.parametrize("error", ERRORS, ids=lambda e: type(e).__name__)
    def test_pairs_are_added_all_or_none(self, error, monkeypatch):
        monkeypatch.setattr(pairs, "_CHUNK", 3)
        box = PairCollector(RR, SETS)
        first, second = ["yes"] * 9, [row.tobytes() for row in rows_of(SETS, 9)]
        box.add_many(first, second, payloads=True)
        before = [self.state(each) for each in box.boxes], box.pairs.tolist()
        frame = {"smokes": first, "city": Broken(second, error)}
        with pytest.raises(type(error)):
            box.add_frame(frame, "smokes", "city", payloads=True)
        with pytest.raises(type(error)):
            box.add_many(first, Broken(second, error), payloads=True)
        assert ([self.state(each) for each in box.boxes], box.pairs.tolist()) == before
        assert box.n == 9

    def test_threads_lose_no_report(self):
        box, reports = Collector(UNARY), whole(UNARY, rows_of(UNARY, 50))
        boxes = Survey.of([RR]).collector()
        switch = sys.getswitchinterval()
        sys.setswitchinterval(1e-6)

        def work():
            for report in reports:
                box.add(report)
                boxes.add_many({"smokes": ["yes", ""]})

        try:
            threads = [threading.Thread(target=work) for _ in range(8)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        finally:
            sys.setswitchinterval(switch)
        assert box.n == boxes["smokes"].n == boxes["smokes"].refused["blank"] == 400

    def test_counts_cannot_be_written_from_outside(self):
        box = Collector(RR)
        box.add_many(["yes"])
        with pytest.raises(ValueError, match="read-only"):
            box.supports[0] = 5
        with pytest.raises(AttributeError):
            box.n = 7
        with pytest.raises(AttributeError):
            box.support = 7
        with pytest.raises(AttributeError):
            box.wave = "spring"
        box.refused["blank"] = 9
        assert (box.n, dict(box.refused)) == (1, {})


class TestFilesTwice:
    def noisy(self, tmp_path, name="noisy.parquet", n=30):
        survey = Survey.of([RR])
        answers = pa.table({"smokes": ["no", "yes", "yes"] * (n // 3)})
        pq.write_table(survey.perturb(answers), tmp_path / name)
        return survey, tmp_path / name

    def test_a_file_that_is_given_twice_is_refused(self, tmp_path):
        survey, path = self.noisy(tmp_path)
        for again in (path, str(path), tmp_path / "*.parquet", tmp_path / "." / path.name):
            with pytest.raises(ParameterError, match="not counted before"):
                survey.collect([path, again])

    def test_a_copy_is_the_same_file(self, tmp_path):
        survey, path = self.noisy(tmp_path)
        shutil.copy(path, tmp_path / "copy.parquet")
        with pytest.raises(ParameterError, match="copy"):
            survey.collect([path, tmp_path / "copy.parquet"])
        with pytest.raises(ParameterError, match="noisy"):
            survey.collect(tmp_path / "*.parquet")

    def test_a_box_remembers_its_files_when_it_is_saved_and_merged(self, tmp_path):
        survey, path = self.noisy(tmp_path)
        survey.collect(path).save(tmp_path / "box.json")
        for sources in ([tmp_path / "box.json", path], [path, tmp_path / "box.json"], [tmp_path / "box.json"] * 2):
            with pytest.raises(DiscreetError, match="counted"):
                survey.collect(sources)
        box = Collector(RR)
        box.add_many(path)
        assert box.files == {hashlib.sha256(path.read_bytes()).hexdigest()}
        with pytest.raises(ParameterError, match="not counted before"):
            box.add_many(path)
        with pytest.raises(MismatchError, match="both boxes"):
            box.merge(box)
        assert box.n == 30

    def test_other_files_and_files_without_reports_are_counted(self, tmp_path):
        survey, first = self.noisy(tmp_path)
        _, second = self.noisy(tmp_path, "other.parquet", 60)
        for name in ("a.csv", "b.csv"):
            (tmp_path / name).write_text("smokes\n")
        boxes = survey.collect([first, tmp_path / "a.csv", second, tmp_path / "b.csv"])
        assert boxes["smokes"].n == 90
        assert len(boxes["smokes"].files) == 2


def saved(form, n=20):
    box = Collector(form)
    box.add_many(whole(form, rows_of(form, n)))
    return box.to_dict()


def changed(data, **more):
    return copy.deepcopy(data) | more


class TestImpossibleBoxes:
    """A box is loaded or merged only if some reports give it."""

    @each_form
    def test_boxes_of_reports_are_read(self, form):
        for n in (0, 1, 20):
            assert Collector.from_dict(json.loads(json.dumps(saved(form, n)))).to_dict() == saved(form, n)

    @each_form
    def test_every_count_is_held_to_the_number_of_reports(self, form):
        data = saved(form)
        with pytest.raises(ParameterError, match="counts that"):
            Collector.from_dict(changed(data, n=0))
        wrong = list(data["supports"])
        wrong[0] = 21
        with pytest.raises(ParameterError, match="counts that"):
            Collector.from_dict(changed(data, supports=wrong))
        for length in (0, 1, form.size - 1, form.size + 1):
            with pytest.raises(ParameterError):
                Collector.from_dict(changed(data, supports=[0] * length, n=0))

    @pytest.mark.parametrize("form", [RR, SETS], ids=["choices", "sets"])
    @pytest.mark.parametrize("change", [-1, 1])
    def test_sums_that_no_reports_give_are_refused(self, form, change):
        data = saved(form)
        place = int(np.argmin(data["supports"])) if change > 0 else int(np.argmax(data["supports"]))
        wrong = list(data["supports"])
        wrong[place] += change
        with pytest.raises(ParameterError, match="counts that 20 reports of"):
            Collector.from_dict(changed(data, supports=wrong))

    def test_a_box_whose_share_would_be_one_and_a_half_is_refused(self):
        data = Collector(RR).to_dict() | {"n": 100, "supports": [100, 100, 100]}
        with pytest.raises(ParameterError):
            Collector.from_dict(data)

    def test_reports_of_open_text_are_held_cohort_by_cohort(self):
        data = saved(TEXT)
        *bits, a, b, c = data["supports"]
        for people in ([a + 1, b, c], [a + b, 0, c], [0, 0, 20], [a - 1, b, c]):
            with pytest.raises(ParameterError):
                Collector.from_dict(changed(data, supports=[*bits, *people]))

    def test_bits_are_possible_exactly_where_some_reports_give_them(self):
        """All counts of two reports over three choices, against all pairs of reports."""
        q = Question("q", range(3))
        for m in (
            RandomizedResponse(categories=range(3), prob="1/2"),
            SubsetSelection(categories=range(3), size=2, prob="3/4"),
            OptimizedUnary(length=3, p="1/2", q="1/4"),
            Rappor(length=3, max_weight=1, f="1/2"),
        ):
            form = q.form(m)
            laws = [m.law([i == j for j in range(3)] if isinstance(m, BITS) else i) for i in range(3)]
            said = {each for law in laws for each, mass in law.items() if mass}
            if isinstance(m, RandomizedResponse):
                said = {(each,) for each in said}
            if not isinstance(m, BITS):
                said = {tuple(i in each for i in range(3)) for each in said}
            reports = {tuple(map(int, each)) for each in said}
            given = {tuple(int(a[i] + b[i]) for i in range(3)) for a in reports for b in reports}
            for counts in itertools.product(range(4), repeat=3):
                assert form.possible(2, counts) is (counts in given), (m, counts)

    HOSTILE = (-1, 1.0, 1.5, True, None, "1", [1], 1 << 63, 1 << 64, 10**400, (1 << 53) + 1)

    @pytest.mark.parametrize("value", HOSTILE, ids=lambda v: repr(v)[:20])
    def test_hostile_numbers_are_refused_in_words(self, value):
        data = saved(RR)
        for wrong in (
            changed(data, n=value),
            changed(data, supports=[value, 0, 0]),
            changed(data, supports=[0, 0, value], n=value),
            changed(data, refused={"blank": value}),
            changed(data, files=[value]),
            changed(data, wave=value if value not in (1.0, None, "1", True) else [5]),
        ):
            if wrong.get("wave") == -1:
                continue
            with pytest.raises((ParameterError, TypeError)) as caught:
                Collector.from_dict(wrong)
            assert isinstance(caught.value, DiscreetError)
            assert len(str(caught.value)) < 300

    @pytest.mark.parametrize(
        "wrong",
        [
            {"refused": {"<script>": 1}},
            {"refused": [1]},
            {"supports": {"a": 1}},
            {"supports": "abc"},
            {"files": ["zz"]},
            {"files": ["A" * 64]},
            {"more": 1},
            {"waves": "spring"},
            {"form": None},
            {"form": {}},
        ],
        ids=repr,
    )
    def test_what_no_box_wrote_is_refused(self, wrong):
        with pytest.raises(DiscreetError):
            Collector.from_dict(changed(saved(RR), **wrong))

    def test_sums_do_not_overflow(self):
        n = 1 << 53
        most = Collector.from_dict(changed(saved(RR, 0), n=n, supports=[n, 0, 0]))
        with pytest.raises(ParameterError, match="at most 2"):
            most.merge(most)
        with pytest.raises(ParameterError, match="at most 2"):
            most.add_many(["yes"])
        assert (most.n, most.supports.tolist()) == (n, [n, 0, 0])
        full = Collector.from_dict(changed(saved(RR, 0), refused={"blank": n}))
        with pytest.raises(ParameterError, match="at most 2"):
            full.merge(full)
        every = Collector.from_dict(changed(saved(UNARY, 0), n=n, supports=[n] * 10))  # 10 * 2**53 in all.
        assert every.estimate().n == n


class TestHostileFiles:
    def write(self, path, data, kind="box", version=2):
        digest = hashlib.sha256(canonical(data)).hexdigest()
        path.write_text(json.dumps({"discreet": kind, "version": version, "sha256": digest, **data}))
        return path

    def test_boxes_of_version_1_are_read(self, tmp_path):
        data = {key: value for key, value in saved(RR).items() if key not in ("wave", "files")}
        path = self.write(tmp_path / "box.json", data, version=1)
        box = Collector.load(path)
        assert (box.n, box.wave, box.files) == (20, None, frozenset())

    @pytest.mark.parametrize("version", [0, 3, True, 2.0, "2", None, 10**300, [2]], ids=lambda v: repr(v)[:20])
    def test_other_versions_are_refused(self, version, tmp_path):
        path = self.write(tmp_path / "box.json", saved(RR), version=version)
        with pytest.raises(ParameterError, match="version 2") as caught:
            Collector.load(path)
        assert len(str(caught.value)) < 400

    def test_a_key_that_is_there_twice_is_refused(self, tmp_path):
        path = self.write(tmp_path / "box.json", saved(RR))
        text = path.read_text()
        for wrong in (text.replace('"n": 20', '"n": 20, "n": 20'), text.replace('"n": 20', '"n": 9, "n": 20')):
            path.write_text(wrong)
            with pytest.raises(ParameterError, match="twice"):
                Collector.load(path)

    @pytest.mark.parametrize("word", ["NaN", "Infinity", "-Infinity", "1e400", "1" * 5000, "20.0", "2e1", "-20"])
    def test_numbers_that_are_no_counts_are_refused(self, word, tmp_path):
        path = self.write(tmp_path / "box.json", saved(RR))
        path.write_text(path.read_text().replace('"n": 20', f'"n": {word}'))
        with pytest.raises(ParameterError):
            Collector.load(path)
        data = saved(RR)
        with contextlib.suppress(ValueError):
            data["n"] = json.loads(word)
            with pytest.raises(DiscreetError):
                Collector.load(self.write(path, data))

    def test_boxes_of_one_name_or_two_waves_are_refused(self, tmp_path):
        other = YES.form(RandomizedResponse(categories=YES.categories, prob="2/3"))
        wave = Collector(SETS, wave="spring").to_dict()
        for boxes in ([saved(RR), Collector(other).to_dict()], [saved(RR), wave], [], {}, None):
            with pytest.raises(ParameterError, match="need"):
                Boxes.load(self.write(tmp_path / "boxes.json", {"boxes": boxes}, "boxes"))

    @pytest.mark.parametrize(
        "text",
        [
            "epsilon = 1\nepsilon = 2\n",
            "epsilon = 1\n[[questions]]\nname = 'q'\nname = 'r'\nchoices = ['a', 'b']\n",
            f"epsilon = {'1' * 5000}\n[[questions]]\nname = 'q'\nchoices = ['a', 'b']\n",
            "epsilon = inf\n[[questions]]\nname = 'q'\nchoices = ['a', 'b']\n",
            "epsilon = nan\n[[questions]]\nname = 'q'\nchoices = ['a', 'b']\n",
            "epsilon = 1\nquestions = " + "[" * 5000 + "]" * 5000,
            "epsilon = 1\n[[questions]]\nname = 'q'\nchoices = [1979-05-27, 1]\n",
            "epsilon = 1\n[[questions]]\nname = 5\nchoices = ['a', 'b']\n",
        ],
        ids=range(8),
    )
    def test_a_survey_in_hostile_toml_is_refused_in_words(self, text, tmp_path):
        (tmp_path / "survey.toml").write_text(text)
        with pytest.raises(DiscreetError) as caught:
            Survey.load(tmp_path / "survey.toml")
        assert len(str(caught.value)) < 400

    @pytest.mark.parametrize(
        "text",
        [
            '{"epsilon": 1, "epsilon": 2, "questions": []}',
            '{"epsilon": 1, "questions": [{"name": "q", "name": "r", "choices": ["a", "b"]}]}',
            '{"epsilon": NaN, "questions": [{"name": "q", "choices": ["a", "b"]}]}',
            '{"epsilon": 1e400, "questions": [{"name": "q", "choices": ["a", "b"]}]}',
            '{"epsilon": ' + "1" * 5000 + ', "questions": [{"name": "q", "choices": ["a", "b"]}]}',
            "[" * 100_000,
        ],
        ids=range(6),
    )
    def test_a_survey_in_hostile_json_is_refused_in_words(self, text, tmp_path):
        (tmp_path / "survey.json").write_text(text)
        with pytest.raises(DiscreetError) as caught:
            Survey.load(tmp_path / "survey.json")
        assert len(str(caught.value)) < 400

    def test_a_report_that_says_it_twice_is_refused(self):
        text = Report(RR.tag, b"\1").to_json()
        for wrong in (text[:-1] + ',"payload":"AA=="}', text.replace('"discreet":2', '"discreet":1,"discreet":2')):
            assert Collector(RR).add_many([wrong]).refused == {"not a report": 1}

    def test_strict_json_reads_what_json_is(self):
        assert strict_json(b'{"a": [1, 2.5, null, true, "x"]}') == {"a": [1, 2.5, None, True, "x"]}
