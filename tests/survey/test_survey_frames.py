"""Surveys, frames and files: the budget is divided exactly, rows stay aligned, and a foreign answer stops all of it."""

import contextlib
import itertools
import json
import math
import traceback
from fractions import Fraction

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.csv as pc
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from telling import no_coins, told

from discreet import (
    DiscreetError,
    DomainError,
    KindError,
    LongitudinalRappor,
    MaxDivergence,
    MismatchError,
    OptimizedUnary,
    ParameterError,
    RandomizedResponse,
    RandomizedResponseBool,
    Rappor,
    SubsetSelection,
)
from discreet.survey import Boxes, Collector, Question, Survey, from_trigger_rate, surveys
from discreet.survey.files import write_json

SENTINEL = "sentinel-7919"
SMOKES = Question("smokes", ["never", "sometimes", "daily"], missing="no answer")
AGE = Question("age", [10, 20, 30], missing=0)
MEMBER = Question("member", [False, True])
CITY = Question("city", [f"city {i}" for i in range(20)])
ALL = [SMOKES, AGE, MEMBER, CITY]
FRAMES = {"pandas": pd.DataFrame, "polars": pl.DataFrame, "pyarrow": pa.table}
KINDS = [RandomizedResponse, SubsetSelection, OptimizedUnary, Rappor]
each_frame = pytest.mark.parametrize("frame", FRAMES.values(), ids=FRAMES)


def sure(*questions, sets=()):
    """Return a survey whose answers are true, to see what goes where; *sets* answer with packed bytes."""
    return Survey.of(
        q.form(
            SubsetSelection(categories=q.categories, size=1, prob=1)
            if q.name in sets
            else RandomizedResponse(categories=q.categories, prob=1)
        )
        for q in questions
    )


def listed(frame, name):
    column = frame[name]
    return column.to_pylist() if hasattr(column, "to_pylist") else column.to_list()


def column_names(frame):
    return list(frame.column_names if isinstance(frame, pa.Table) else frame.columns)


def left_in(folder):
    return sorted(path.name for path in folder.iterdir())


class TestBudget:
    @staticmethod
    def parts(monkeypatch, **given_):
        """Return the part of the budget that each question's mechanism is made within."""
        seen = []
        make = surveys._mechanism
        monkeypatch.setattr(surveys, "_mechanism", lambda q, e, *more: [seen.append(e), make(q, e, *more)][1])
        return Survey(ALL, **given_), seen

    @pytest.mark.parametrize("epsilon", [2, "0.1", "1/3", 0.1, 40, Fraction(10**20 + 1, 10**20)])
    @pytest.mark.parametrize(
        "weights", [None, {}, {"age": 2}, {"age": "1/7", "city": 0.1, "smokes": 5, "member": 1e-3}]
    )
    def test_the_parts_add_up_exactly(self, epsilon, weights, monkeypatch):
        survey, parts = self.parts(monkeypatch, epsilon=epsilon, weights=weights)
        shares = [Fraction((weights or {}).get(q.name, 1)) for q in ALL]
        assert sum(parts) == survey.epsilon == Fraction(epsilon)
        assert parts == [survey.epsilon * share / sum(shares) for share in shares]
        for q, part, form in zip(ALL, parts, survey.forms, strict=True):
            assert form.mechanism == q.plan(epsilon=part).mechanism
            assert MaxDivergence().allows(form.mechanism.loss(1), part)

    @settings(max_examples=25, deadline=None)
    @given(
        st.fractions(min_value=Fraction(1, 100), max_value=20),
        st.lists(st.fractions(min_value=Fraction(1, 50), max_value=50), min_size=2, max_size=2),
    )
    def test_the_loss_is_the_sum_and_within_the_budget(self, epsilon, weights):
        survey = Survey(
            [SMOKES, MEMBER], epsilon=epsilon, weights=dict(zip(["smokes", "member"], weights, strict=True))
        )
        losses = [form.mechanism.loss(1) for form in survey.forms]
        assert MaxDivergence().allows(survey.loss(1), epsilon)
        assert survey.privacy_map(1) == MaxDivergence().up(MaxDivergence().add(losses))
        assert survey.privacy_map(0) == 0.0

    @pytest.mark.parametrize("kind", KINDS)
    def test_kinds_choose_mechanisms(self, kind):
        survey = Survey(ALL, epsilon=2, kinds={"city": kind})
        assert type(survey["city"].mechanism) is kind
        assert survey["city"].mechanism.privacy_map(1) <= 0.5
        others = Survey(ALL, epsilon=2)
        assert [survey[name] for name in survey.names[:3]] == [others[name] for name in survey.names[:3]]

    def test_yes_or_no_has_its_own_kind(self):
        survey = Survey([MEMBER], epsilon=1, kinds={"member": RandomizedResponseBool})
        assert survey["member"].mechanism == RandomizedResponseBool.within(epsilon=1)

    @pytest.mark.parametrize(
        "call",
        [
            lambda: Survey([], epsilon=1),
            lambda: Survey(None, epsilon=1),
            lambda: Survey(SMOKES, epsilon=1),
            lambda: Survey(["smokes"], epsilon=1),
            lambda: Survey([SMOKES, SMOKES], epsilon=1),
            lambda: Survey([SMOKES], epsilon=0),
            lambda: Survey([SMOKES], epsilon=-1),
            lambda: Survey([SMOKES], epsilon=math.inf),
            lambda: Survey([SMOKES], epsilon=None),
            lambda: Survey([SMOKES], epsilon=1, weights={"age": 1}),
            lambda: Survey([SMOKES], epsilon=1, weights={"smokes": 0}),
            lambda: Survey([SMOKES], epsilon=1, weights={"smokes": -1}),
            lambda: Survey([SMOKES], epsilon=1, weights={"smokes": "many"}),
            lambda: Survey([SMOKES], epsilon=1, kinds={"age": Rappor}),
            lambda: Survey([SMOKES], epsilon=1, kinds={"smokes": LongitudinalRappor}),
            lambda: Survey([SMOKES], epsilon=1, kinds={"smokes": "Rappor"}),
            lambda: Survey([SMOKES], epsilon=1, kinds={"smokes": RandomizedResponseBool}),
            lambda: Survey.of([SMOKES]),
            lambda: Survey.of([]),
            lambda: Survey([SMOKES], epsilon=1)["age"],
        ],
    )
    def test_what_is_no_survey_is_a_declared_error(self, call):
        with pytest.raises(DiscreetError):
            call()

    @pytest.mark.parametrize("given_", [{"weights": [1]}, {"weights": 5}, {"kinds": 5}], ids=repr)
    def test_weights_that_are_no_mapping_are_a_declared_error(self, given_):
        with pytest.raises(DiscreetError):
            Survey([SMOKES], epsilon=1, **given_)

    def test_forms_as_they_are_cost_what_they_cost_together(self):
        forms = Survey(ALL, epsilon=3).forms
        survey = Survey.of(forms)
        assert survey.epsilon == Fraction(survey.privacy_map(1)) <= 3
        assert survey.forms == forms


class TestTriggerRate:
    @pytest.mark.parametrize("rate", [0, "1/10", 0.25, "1/2", 1])
    @pytest.mark.parametrize("answers", [["low", "high"], ["a", "b", "c"]], ids=len)
    def test_the_mechanism_is_the_truth_or_a_uniform_answer(self, rate, answers):
        m = from_trigger_rate(rate, answers)
        share, k = Fraction(rate), len(answers)
        assert m.law(answers[0]) == {answer: (1 - share) * (answer == answers[0]) + share / k for answer in answers}

    def test_chromes_own_answers_are_low_and_high(self):
        assert from_trigger_rate("1/4") == from_trigger_rate("1/4", ["low", "high"])

    def test_its_collector_debiases(self):
        q = Question("confidence", ["low", "high"])
        box = q.collector(from_trigger_rate("1/2", q.choices))
        box.add_many(["low"] * 60 + ["high"] * 40)
        assert box.estimate()["low"].share == 0.7

    @pytest.mark.parametrize(
        ("rate", "answers"), [(-1, "ab"), (2, ["a", "b"]), ("x", ["a", "b"]), (0.5, ["a"]), (0.5, [])]
    )
    def test_what_is_no_rate_is_refused(self, rate, answers):
        with pytest.raises(DiscreetError):
            from_trigger_rate(rate, list(answers))


class TestPerturb:
    ROWS = 200

    @staticmethod
    def answers(n=200):
        generator = np.random.default_rng(11)
        return {q.name: [q.categories.values[i] for i in generator.integers(0, len(q), n).tolist()] for q in ALL}

    @each_frame
    def test_the_frame_keeps_its_kind_rows_and_order(self, frame):
        answers = self.answers()
        noisy = sure(*ALL).perturb(frame(answers))
        assert type(noisy) is type(frame(answers))
        assert column_names(noisy) == [q.name for q in ALL]
        assert {name: listed(noisy, name) for name in answers} == answers

    @each_frame
    def test_sets_are_packed_bytes_in_the_same_order(self, frame):
        answers = self.answers()
        survey = sure(*ALL, sets={"smokes", "city"})
        noisy = survey.perturb(frame(answers))
        for name in ("smokes", "city"):
            form = survey[name]
            assert [form.read(value) for value in listed(noisy, name)] == [(answer,) for answer in answers[name]]

    @each_frame
    def test_other_columns_are_dropped_unless_kept(self, frame):
        answers = self.answers() | {"person": list(range(200)), "when": [f"day {i}" for i in range(200)]}
        data = frame(answers)
        assert "person" not in column_names(sure(*ALL).perturb(data))
        noisy = sure(*ALL).perturb(data, keep=["when", "person"])
        assert column_names(noisy) == ["when", "person", *(q.name for q in ALL)]
        assert {name: listed(noisy, name) for name in answers} == answers

    def test_an_index_does_not_disturb_the_order(self):
        frame = pd.DataFrame({"smokes": ["daily", "never", "daily"], "n": [1, 2, 3]}, index=[7, 0, 7])
        noisy = sure(SMOKES).perturb(frame, keep=["n"])
        assert noisy.to_dict("list") == {"n": [1, 2, 3], "smokes": ["daily", "never", "daily"]}
        sliced = frame.sort_values("smokes").iloc[1:]
        noisy = sure(SMOKES).perturb(sliced, keep=["n"])
        assert noisy["n"].tolist() == sliced["n"].tolist()
        assert noisy["smokes"].tolist() == sliced["smokes"].tolist()

    @each_frame
    def test_the_frame_given_is_left_as_it_was(self, frame):
        data, twin = frame(self.answers()), frame(self.answers())
        Survey(ALL, epsilon=1).perturb(data)
        assert data.equals(twin)

    @each_frame
    @pytest.mark.parametrize("kind", KINDS)
    def test_what_is_perturbed_can_be_estimated(self, frame, kind):
        survey = Survey(ALL, epsilon=8, kinds=dict.fromkeys((q.name for q in ALL), kind))
        noisy = survey.perturb(frame(self.answers()))
        estimates = survey.estimate(noisy, confidence="0.9")
        assert {name: each.n for name, each in estimates.items()} == dict.fromkeys(survey.names, 200)
        assert all(each.refused == 0 and each.confidence == 0.9 for each in estimates.values())
        boxes = survey.collect([noisy])
        assert boxes.estimate(confidence="0.9").to_rows() == estimates.to_rows()

    @each_frame
    def test_empty_frames_give_empty_frames(self, frame):
        noisy = sure(*ALL, sets={"city"}).perturb(frame({q.name: [] for q in ALL}))
        assert column_names(noisy) == [q.name for q in ALL]
        assert listed(noisy, "smokes") == []
        assert sure(*ALL, sets={"city"}).collect([noisy])["smokes"].n == 0

    @pytest.mark.parametrize(
        ("question", "column", "expected"),
        [
            (SMOKES, pd.Series(["daily", None, "never"], dtype="category"), ["daily", "no answer", "never"]),
            (SMOKES, pd.Series(["daily", None, np.nan, pd.NA], dtype=object), ["daily", *["no answer"] * 3]),
            (SMOKES, pd.Series(["daily", None], dtype="string"), ["daily", "no answer"]),
            (SMOKES, pd.Series(["daily", None], dtype="str"), ["daily", "no answer"]),
            (SMOKES, pd.Series(["daily", None], dtype=pd.ArrowDtype(pa.string())), ["daily", "no answer"]),
            (SMOKES, pd.Series([None, None], dtype=object), ["no answer"] * 2),
            (SMOKES, pd.Series([np.nan, np.nan]), ["no answer"] * 2),
            (SMOKES, pd.Series([pd.NaT, pd.NaT]), ["no answer"] * 2),
            (AGE, pd.Series([10, None, 30]), [10, 0, 30]),
            (AGE, pd.Series([10, None, 30], dtype="float32"), [10, 0, 30]),
            (AGE, pd.Series([10.0, 30.0]), [10, 30]),
            (AGE, pd.Series([10, None, 30], dtype="Int8"), [10, 0, 30]),
            (AGE, pd.Series([10, None, 30], dtype=pd.ArrowDtype(pa.uint64())), [10, 0, 30]),
            (AGE, pd.Series([10, None, 30], dtype=object), [10, 0, 30]),
            (AGE, pd.Series([10, None, 30], dtype="category"), [10, 0, 30]),
            (AGE, pd.Series([10, 30], dtype="int8"), [10, 30]),
            (AGE, pd.Series([10, 30], dtype="uint64"), [10, 30]),
            (MEMBER, pd.Series([True, False]), [True, False]),
            (Question("q", [True, False], missing="?"), pd.Series([True, None], dtype=object), ["True", "?"]),
            (Question("q", [True, False], missing="?"), pd.Series([True, None], dtype="boolean"), ["True", "?"]),
            (
                Question("q", [True], missing=False),
                pd.Series([True, None], dtype=pd.ArrowDtype(pa.bool_())),
                [True, False],
            ),
            (SMOKES, pl.Series(["daily", None]), ["daily", "no answer"]),
            (SMOKES, pl.Series(["daily", None], dtype=pl.Categorical), ["daily", "no answer"]),
            (SMOKES, pl.Series(["daily", None], dtype=pl.Enum(["never", "daily"])), ["daily", "no answer"]),
            (SMOKES, pl.Series([None, None]), ["no answer"] * 2),
            (AGE, pl.Series([10, None, 30]), [10, 0, 30]),
            (AGE, pl.Series([10, 30], dtype=pl.UInt8), [10, 30]),
            (AGE, pl.Series([10.0, None, float("nan")]), [10, 0, 0]),
            (Question("q", [True], missing=False), pl.Series([True, None]), [True, False]),
            (SMOKES, pa.array(["daily", None]), ["daily", "no answer"]),
            (SMOKES, pa.array(["daily", None], pa.large_string()), ["daily", "no answer"]),
            (SMOKES, pa.array(["daily", None, "daily"]).dictionary_encode(), ["daily", "no answer", "daily"]),
            (AGE, pa.array([10, None, 30], pa.int8()), [10, 0, 30]),
            (AGE, pa.array([10.0, None, float("nan")]), [10, 0, 0]),
            (Question("q", [True], missing=False), pa.array([True, None]), [True, False]),
        ],
        ids=lambda x: (
            ""
            if isinstance(x, list | Question)
            else f"{type(x).__module__.split('.')[0]} {getattr(x, 'dtype', '') or getattr(x, 'type', '')}"
        ),
    )
    def test_columns_of_every_kind_are_read(self, question, column, expected, tmp_path):
        name = question.name
        if isinstance(column, pa.Array):
            frame = pa.table({name: column})
            pq.write_table(frame, tmp_path / "in.parquet")
            sure(question).perturb_file(tmp_path / "in.parquet", tmp_path / "out.parquet")
            assert pq.read_table(tmp_path / "out.parquet")[name].to_pylist() == expected
        else:
            frame = (pd if isinstance(column, pd.Series) else pl).DataFrame({name: column})
        assert listed(sure(question).perturb(frame), name) == expected

    def test_numpys_own_numbers_are_read_from_a_column_of_objects(self):
        column = pd.Series([np.int64(10), np.float64(20), None], dtype=object)
        assert listed(sure(AGE).perturb(pd.DataFrame({"age": column})), "age") == [10, 20, 0]

    @pytest.mark.parametrize("choices", [[10, 20], [False, True]], ids=repr)
    @each_frame
    def test_a_missing_choice_may_be_of_another_type(self, frame, choices):
        q = Question("q", choices, missing="no answer")
        noisy = sure(q).perturb(frame({"q": [*choices, None]}))
        assert sure(q).collect([noisy])["q"].supports.tolist() == [1, 1, 1]

    @pytest.mark.parametrize("name", ["q", "odd \"näme\", with\n'all'", " q ", "0", "a.b", "`", "*"])
    @each_frame
    def test_names_of_columns_may_be_odd(self, frame, name):
        q = Question(name, ["a", "b"])
        noisy = sure(q).perturb(frame({name: ["a", "b", "b"], "n": [1, 2, 3]}), keep=["n"])
        assert listed(noisy, name) == ["a", "b", "b"]
        assert sure(q).collect([noisy])[name].supports.tolist() == [1, 2]


class TestRefusals:
    @each_frame
    def test_a_foreign_answer_anywhere_is_refused_untold_before_any_coin(self, frame, monkeypatch):
        no_coins(monkeypatch)
        survey = Survey([SMOKES, CITY], epsilon=2)
        for name, place in itertools.product(survey.names, range(5)):
            answers = {"smokes": ["never"] * 5, "city": ["city 1"] * 5}
            answers[name][place] = SENTINEL
            with pytest.raises(DomainError) as caught:
                survey.perturb(frame(answers))
            assert SENTINEL not in told(caught.value)
            assert str(caught.value) == survey[name].question.foreign()

    @each_frame
    def test_missing_columns_get_a_hint(self, frame, monkeypatch):
        no_coins(monkeypatch)
        with pytest.raises(ParameterError, match=r"column='smokes'.*did you mean 'smoked'"):
            sure(SMOKES).perturb(frame({"smoked": ["never"], "x": [SENTINEL]}))
        with pytest.raises(ParameterError, match=r"column='person'.*did you mean 'persons'"):
            sure(SMOKES).perturb(frame({"smokes": ["never"], "persons": [1]}), keep=["person"])
        with pytest.raises(ParameterError, match=r"need one of zzz$"):
            sure(SMOKES).perturb(frame({"zzz": ["never"]}))
        with pytest.raises(ParameterError, match="not questions"):
            sure(SMOKES).perturb(frame({"smokes": ["never"]}), keep=["smokes"])

    @pytest.mark.parametrize(
        "frame",
        [
            lambda: "answers.csv",
            lambda: None,
            lambda: {"smokes": ["never"]},
            lambda: pl.LazyFrame({"smokes": ["never"]}),
            lambda: pd.Series(["never"]),
            lambda: pd.DataFrame([["never", "daily"]], columns=["smokes", "smokes"]),
            lambda: duckdb.connect().sql("select 'never' smokes"),
        ],
        ids=["path", "None", "mapping", "lazy", "column", "two columns of one name", "duckdb"],
    )
    def test_what_is_no_frame_is_a_declared_error(self, frame):
        with pytest.raises(DiscreetError):
            sure(SMOKES).perturb(frame())

    def test_boxes_of_another_survey_do_not_merge(self):
        boxes = sure(SMOKES).collector()
        with pytest.raises(MismatchError):
            boxes.merge(sure(AGE).collector())
        with pytest.raises(MismatchError):
            boxes.merge(Survey([SMOKES], epsilon=1).collector())
        with pytest.raises(MismatchError):
            boxes.merge(boxes["smokes"])

    @each_frame
    def test_reports_that_are_refused_are_counted_for_their_question(self, frame):
        survey = sure(SMOKES, CITY, sets={"city"})
        noisy = {"smokes": ["never", "often", "daily"], "city": [b"\1\0\0", b"\1", b"\3\0\0"]}
        boxes = survey.collect([frame(noisy)])
        assert (boxes["smokes"].n, dict(boxes["smokes"].refused)) == (2, {"not a choice": 1})
        assert boxes["city"].n == 1
        assert boxes["city"].refused.total() == 2
        assert "1 refused" in repr(boxes)


class TestCollect:
    def test_sources_of_every_kind_add_up(self, tmp_path):
        survey = sure(SMOKES, CITY, sets={"city"})
        answers = {"smokes": ["never", "daily", "daily"], "city": ["city 1", "city 2", "city 19"]}
        noisy = survey.perturb(pa.table(answers))
        pq.write_table(noisy, tmp_path / "noisy.parquet")
        survey.collect([noisy]).save(tmp_path / "box.json")
        sources = [
            noisy,
            pl.DataFrame(noisy),
            noisy.to_pandas(),
            noisy.to_batches()[0],
            duckdb.connect().from_arrow(noisy),
            str(tmp_path / "*.parquet"),
            tmp_path / "box.json",
        ]
        boxes = survey.collect(sources)
        assert boxes["smokes"].supports.tolist() == [7, 0, 14, 0]
        assert boxes["city"].supports[[1, 2, 19]].tolist() == [7, 7, 7]
        assert {box.n for box in boxes.values()} == {21}
        assert boxes.merge(survey.collect([noisy]))["smokes"].n == 24
        estimates = boxes.estimate()
        assert np.allclose([estimates["smokes"][c].share for c in SMOKES.categories.values], [1 / 3, 0, 2 / 3, 0])

    def test_boxes_come_back_from_files(self, tmp_path):
        boxes = Survey(ALL, epsilon=2).collector()
        boxes.add_many(Survey(ALL, epsilon=2).perturb(pd.DataFrame(TestPerturb.answers())))
        boxes.save(tmp_path / "boxes.json")
        twin = Boxes.load(tmp_path / "boxes.json")
        assert dict(twin) == dict(boxes)
        assert list(twin) == list(boxes)
        assert twin.merge(boxes)["city"].n == 400

    @pytest.mark.parametrize("data", [{}, {"boxes": 5}], ids=repr)
    def test_a_file_without_boxes_is_a_declared_error(self, data, tmp_path):
        write_json(tmp_path / "boxes.json", "boxes", data)
        with pytest.raises(DiscreetError):
            Boxes.load(tmp_path / "boxes.json")

    def test_a_reader_is_read_for_every_question(self):
        table = pa.table({"smokes": ["never", "daily"], "age": [10, 20]})
        reader = pa.RecordBatchReader.from_batches(table.schema, table.to_batches())
        boxes = sure(SMOKES, AGE).collector()
        try:
            boxes.add_many(reader)
        except DiscreetError:
            return  # To refuse it would do.
        assert {box.n for box in boxes.values()} == {2}

    def test_one_path_is_one_source(self, tmp_path):
        pq.write_table(pa.table({"smokes": ["never"]}), tmp_path / "noisy.parquet")
        assert sure(SMOKES).collect(str(tmp_path / "noisy.parquet"))["smokes"].n == 1

    def test_estimates_are_mappings_with_rows_and_text(self):
        survey = sure(SMOKES, AGE)
        estimates = survey.estimate(pd.DataFrame({"smokes": ["never"], "age": [10]}))
        assert list(estimates) == ["smokes", "age"]
        assert len(estimates) == 2
        assert [(row["question"], row["choice"]) for row in estimates.to_rows()] == [
            (q.name, choice) for q in (SMOKES, AGE) for choice in q.categories.values
        ]
        assert json.loads(json.dumps(estimates.to_rows()))
        assert str(estimates).count("reports") == 2


class TestCrosstab:
    ANSWERS = ("never", 10), ("never", 20), ("daily", 10), ("daily", 10), ("sometimes", 30), ("no answer", 0)
    TABLE = ((1, 1, 0, 0), (0, 0, 1, 0), (2, 0, 0, 0), (0, 0, 0, 1))

    def columns(self):
        smokes, age = zip(*self.ANSWERS, strict=True)
        return {"smokes": list(smokes), "age": list(age), "n": list(range(6))}

    @each_frame
    @pytest.mark.parametrize("sets", [(), ("smokes",), ("smokes", "age")], ids=len)
    def test_sure_answers_make_a_sure_table(self, frame, sets):
        survey = sure(SMOKES, AGE, sets=sets)
        noisy = survey.perturb(frame(self.columns()))
        table = survey.crosstab(noisy, "smokes", "age")
        assert np.allclose(table.shares * 6, self.TABLE)
        assert np.allclose(survey.crosstab(noisy, "age", "smokes").shares, table.shares.T)
        assert table["daily", 10].count == pytest.approx(2)

    @pytest.mark.parametrize("suffix", [".csv", ".parquet"])
    @pytest.mark.parametrize("sets", [(), ("smokes",), ("smokes", "age")], ids=len)
    def test_files_make_the_same_table(self, suffix, sets, tmp_path):
        survey = sure(SMOKES, AGE, sets=sets)
        rows = pd.DataFrame(self.columns())
        for i, order in enumerate((rows, rows[::-1])):  # Without noise, files of the same rows are the same file.
            order.to_csv(tmp_path / "in.csv", index=False)
            survey.perturb_file(tmp_path / "in.csv", tmp_path / f"noisy-{i}{suffix}", keep=["n"])
        table = survey.crosstab(tmp_path / f"noisy-0{suffix}", "smokes", "age")
        assert np.allclose(table.shares * 6, self.TABLE)
        table = survey.crosstab(str(tmp_path / f"noisy-*{suffix}"), "smokes", "age")
        assert table.n == 12
        assert np.allclose(table.shares * 6, self.TABLE)

    @pytest.mark.parametrize("sets", [("age",), ("smokes", "age"), ()], ids=["one", "both", "none"])
    def test_a_broken_cell_costs_its_own_pair_alone(self, sets, tmp_path):
        survey = sure(SMOKES, AGE, sets=sets)
        pd.DataFrame(self.columns()).to_csv(tmp_path / "in.csv", index=False)
        survey.perturb_file(tmp_path / "in.csv", tmp_path / "noisy.csv")
        with (tmp_path / "noisy.csv").open("a") as file:
            file.write('"junk","junk"\n')
        table = survey.crosstab(tmp_path / "noisy.csv", "smokes", "age")
        assert table.n == 6
        assert np.allclose(table.shares * 6, self.TABLE)

    def test_a_reader_is_read_for_both_columns(self):
        table = pa.table({"smokes": ["never"] * 2 + ["daily"] * 2, "age": [10] * 2 + [20] * 2})
        reader = pa.RecordBatchReader.from_batches(table.schema, table.to_batches(max_chunksize=2))
        try:
            found = sure(SMOKES, AGE).crosstab(reader, "smokes", "age")
        except DiscreetError:
            return  # To refuse it would do.
        assert found.pairs.tolist() == [[2, 0, 0, 0], [0, 0, 0, 0], [0, 2, 0, 0], [0, 0, 0, 0]]

    def test_duckdb_relations_make_the_same_table(self):
        relation = duckdb.connect().from_arrow(pa.table(self.columns()))
        assert np.allclose(sure(SMOKES, AGE).crosstab(relation, "smokes", "age").shares * 6, self.TABLE)

    def test_a_question_is_not_crossed_with_itself_or_another_survey(self):
        frame = pd.DataFrame(self.columns())
        for names in (("smokes", "smokes"), ("smokes", "city"), ("x", "age")):
            with pytest.raises(ParameterError):
                sure(SMOKES, AGE).crosstab(frame, *names)


ODD = Question(
    'odd "näme", ☃',
    ["plain", "with, comma", 'with "quotes"', "two\nlines", "two\r\nlines", " spaces ", "é☃", "'", "0"],
    missing="",
)


class TestFiles:
    @staticmethod
    def write(path, columns):
        if path.suffix == ".csv":
            pd.DataFrame(columns).to_csv(path, index=False)
        else:
            pq.write_table(pa.table(columns), path, row_group_size=50)

    @staticmethod
    def read(path):
        if path.suffix == ".csv":
            return pd.read_csv(path, dtype=str, keep_default_na=False).to_dict("list")
        return pq.read_table(path).to_pydict()

    @pytest.mark.parametrize("source", [".csv", ".parquet", ".pq"])
    @pytest.mark.parametrize("target", [".csv", ".parquet", ".pq"])
    @pytest.mark.parametrize("chunk", [7, 1 << 16])
    def test_files_become_files_row_by_row_and_are_collected(self, source, target, chunk, tmp_path, monkeypatch):
        monkeypatch.setattr(surveys, "_CHUNK", chunk)
        answers = TestPerturb.answers() | {"person": [f"person {i}" for i in range(200)]}
        inside, outside = tmp_path / f"in{source}", tmp_path / f"out{target}"
        self.write(inside, answers)
        survey = sure(*ALL, sets={"city"})
        assert survey.perturb_file(inside, outside, keep=["person"]) == 200
        found = self.read(outside)
        assert list(found) == ["person", *(q.name for q in ALL)]
        for name in ("smokes", "age", "member", "person"):
            assert list(map(str, found[name])) == list(map(str, answers[name])), name
        cities = [bytes.fromhex(c) if isinstance(c, str) else c for c in found["city"]]
        assert [survey["city"].read(c)[0] for c in cities] == answers["city"]
        boxes = survey.collect([outside])
        for q in ALL:
            assert boxes[q.name].supports.tolist() == [answers[q.name].count(c) for c in q.categories.values]
            assert not boxes[q.name].refused
        assert boxes.estimate()["smokes"].n == 200
        assert left_in(tmp_path) == sorted([inside.name, outside.name])

    @pytest.mark.parametrize("kind", KINDS)
    @pytest.mark.parametrize("suffix", [".csv", ".parquet"])
    def test_reports_of_every_kind_come_back_from_files(self, kind, suffix, tmp_path):
        survey = Survey(ALL, epsilon=8, kinds=dict.fromkeys((q.name for q in ALL), kind))
        self.write(tmp_path / "in.csv", TestPerturb.answers())
        survey.perturb_file(tmp_path / "in.csv", tmp_path / f"out{suffix}")
        boxes = survey.collect([tmp_path / f"out{suffix}"])
        assert all(box.n == 200 and not box.refused for box in boxes.values())

    @pytest.mark.parametrize("source", [".csv", ".parquet"])
    @pytest.mark.parametrize("target", [".csv", ".parquet"])
    @pytest.mark.parametrize("sets", [(), (ODD.name,)], ids=["choices", "sets"])
    def test_odd_choices_and_names_survive(self, source, target, sets, tmp_path):
        answers = [*ODD.choices, *ODD.choices, ""]
        self.write(tmp_path / f"in{source}", {"k,\"'": ['x\ny,"z'] * 19, ODD.name: answers})
        survey = sure(ODD, sets=sets)
        if target == ".csv" and not sets:  # A choice that is blank would be a lost report.
            with pytest.raises(ParameterError, match="blank"):
                survey.perturb_file(tmp_path / f"in{source}", tmp_path / f"out{target}", keep=["k,\"'"])
            return
        assert survey.perturb_file(tmp_path / f"in{source}", tmp_path / f"out{target}", keep=["k,\"'"]) == 19
        assert self.read(tmp_path / f"out{target}")["k,\"'"] == ['x\ny,"z'] * 19
        if not sets:
            assert self.read(tmp_path / f"out{target}")[ODD.name] == answers
        assert survey.collect([tmp_path / f"out{target}"])[ODD.name].supports.tolist() == [2] * 9 + [1]

    @pytest.mark.parametrize(
        "text",
        [
            b"\xef\xbb\xbfsmokes,n\nnever,1\ndaily,2\n",
            b"smokes,n\r\nnever,1\r\ndaily,2\r\n",
            b"smokes,n\nnever,1\ndaily,2",
            b'"smokes","n"\n"never","1"\n"daily","2"\n',
            b'n,smokes,"o,\x20x"\n1,never,"a\nb"\n2,daily,\n',
            b"n,smokes,n\n1,never,1\n2,daily,2\n",
        ],
        ids=["mark of UTF-8", "Windows", "no last newline", "all quoted", "more columns", "others twice"],
    )
    def test_csv_files_of_every_hand_are_read(self, text, tmp_path):
        (tmp_path / "in.csv").write_bytes(text)
        assert sure(SMOKES).perturb_file(tmp_path / "in.csv", tmp_path / "out.csv") == 2
        assert self.read(tmp_path / "out.csv") == {"smokes": ["never", "daily"]}

    @pytest.mark.parametrize(
        ("text", "names"),
        [
            (b"smokes ,n \nnever,1\ndaily,2\n", ["smokes ", "n "]),
            (b"n,smokes \n1,never\n2,daily\n", ["smokes "]),
            (b'"smo\nkes",n\nnever,1\ndaily,2\n', ["smo\nkes"]),
            (b'smokes,"o\nx"\nnever,1\ndaily,2\n', ["smokes"]),
        ],
        ids=["spaces, and more after", "spaces at the end", "newline", "newline in another"],
    )
    def test_names_with_spaces_and_newlines_are_read(self, text, names, tmp_path):
        (tmp_path / "in.csv").write_bytes(text)
        q = Question(names[0], SMOKES.choices)
        assert sure(q).perturb_file(tmp_path / "in.csv", tmp_path / "out.csv", keep=names[1:]) == 2

    def test_an_empty_line_of_a_single_column_is_a_missing_answer(self, tmp_path):
        (tmp_path / "in.csv").write_bytes(b"smokes\nnever\n\ndaily\n")
        assert sure(SMOKES).perturb_file(tmp_path / "in.csv", tmp_path / "out.csv") == 3

    @pytest.mark.parametrize(
        "text", [b"n,smokes \n1,never\n", b"\xff,smokes\nx,never\n"], ids=["stripped name", "name that is not UTF-8"]
    )
    def test_names_that_cannot_be_read_are_a_declared_error(self, text, tmp_path):
        (tmp_path / "in.csv").write_bytes(text)
        with pytest.raises(DiscreetError):
            sure(SMOKES).perturb_file(tmp_path / "in.csv", tmp_path / "out.csv")

    @pytest.mark.parametrize("suffix", [".csv", ".parquet"])
    @pytest.mark.parametrize("sets", [(), ("smokes",)], ids=["choices", "sets"])
    def test_files_without_rows_give_files_without_rows(self, suffix, sets, tmp_path):
        survey = sure(SMOKES, AGE, sets=sets)
        (tmp_path / "in.csv").write_text("age,smokes\n")
        pq.write_table(
            pa.table({"age": pa.array([], pa.int8()), "smokes": pa.array([], pa.string())}), tmp_path / "in.parquet"
        )
        for source in ("in.csv", "in.parquet"):
            assert survey.perturb_file(tmp_path / source, tmp_path / f"out{suffix}") == 0
            assert list(self.read(tmp_path / f"out{suffix}")) == ["smokes", "age"]
            boxes = survey.collect([tmp_path / f"out{suffix}"])
            assert {box.n for box in boxes.values()} == {0}
            with pytest.raises(ParameterError, match="at least one report"):
                boxes.estimate()

    def test_many_files_become_one(self, tmp_path):
        for i in range(3):
            self.write(tmp_path / f"in-{i}.csv", {"smokes": ["never", "daily"][: 1 + i % 2] * 3})
        assert sure(SMOKES).perturb_file(tmp_path / "in-*.csv", tmp_path / "all.parquet") == 12
        assert self.read(tmp_path / "all.parquet") == {"smokes": ["never"] * 3 + ["never", "daily"] * 3 + ["never"] * 3}

    def test_a_kept_column_of_two_types_is_a_declared_error(self, tmp_path):
        pq.write_table(pa.table({"smokes": ["never"], "n": [1]}), tmp_path / "in-1.parquet")
        pq.write_table(pa.table({"smokes": ["never"], "n": ["x"]}), tmp_path / "in-2.parquet")
        with contextlib.suppress(DiscreetError):
            sure(SMOKES).perturb_file(tmp_path / "in-*.parquet", tmp_path / "out.parquet", keep=["n"])

    @pytest.mark.parametrize("name", ["in.csv", "in.parquet"])
    @pytest.mark.parametrize("target", ["out.csv", "out.parquet"])
    def test_a_foreign_answer_leaves_the_target_untouched_and_no_coin_tossed(self, name, target, tmp_path, monkeypatch):
        monkeypatch.setattr(surveys, "_CHUNK", 2)
        no_coins(monkeypatch)
        (tmp_path / target).write_bytes(b"old")
        for place in range(6):
            answers = ["never"] * 5
            answers.insert(place, SENTINEL)
            self.write(tmp_path / name, {"age": [10] * 6, "smokes": answers})
            with pytest.raises(DomainError) as caught:
                sure(AGE, SMOKES).perturb_file(tmp_path / name, tmp_path / target)
            assert SENTINEL not in told(caught.value)
            assert str(caught.value) == SMOKES.foreign()
            assert (tmp_path / target).read_bytes() == b"old"
            assert left_in(tmp_path) == sorted([name, target])

    @pytest.mark.parametrize("target", ["out.csv", "out.parquet"])
    @pytest.mark.parametrize("crash", [OSError("disk full"), KeyboardInterrupt()], ids=repr)
    def test_a_crash_while_writing_leaves_the_target_untouched(self, target, crash, tmp_path, monkeypatch):
        monkeypatch.setattr(surveys, "_CHUNK", 2)
        self.write(tmp_path / "in.csv", {"smokes": ["never"] * 6})
        (tmp_path / target).write_bytes(b"old")
        release, calls = RandomizedResponse.release_places, []

        def fail(self, places):
            calls.append(1)
            if len(calls) == 3:
                raise crash
            return release(self, places)

        monkeypatch.setattr(RandomizedResponse, "release_places", fail)
        with pytest.raises(type(crash)):
            sure(SMOKES).perturb_file(tmp_path / "in.csv", tmp_path / target)
        assert (tmp_path / target).read_bytes() == b"old"
        assert left_in(tmp_path) == sorted(["in.csv", target])

    BROKEN = (
        f"smokes,n\nnever,1\n{SENTINEL}\n".encode(),
        f"smokes,n\nnever,{SENTINEL},3\n".encode(),
        b"smokes\nnever\n\xff" + SENTINEL.encode() + b"\n",
        b"",
        b"\n",
        b"\n\n",
    )

    @pytest.mark.parametrize("text", BROKEN)
    def test_broken_lines_are_refused_untold(self, text, tmp_path):
        (tmp_path / "in.csv").write_bytes(text)
        with pytest.raises(ParameterError) as caught:
            sure(SMOKES).perturb_file(tmp_path / "in.csv", tmp_path / "out.csv")
        error = caught.value
        assert SENTINEL not in str(error) + repr(error) + repr(error.args) + "".join(traceback.format_exception(error))
        assert error.__cause__ is None

    @pytest.mark.parametrize("text", BROKEN[:2])
    def test_no_error_behind_that_of_a_broken_line_tells(self, text, tmp_path):
        (tmp_path / "in.csv").write_bytes(text)
        with pytest.raises(ParameterError) as caught:
            sure(SMOKES).perturb_file(tmp_path / "in.csv", tmp_path / "out.csv")
        assert SENTINEL not in told(caught.value)

    @pytest.mark.parametrize(
        ("source", "target"),
        [
            ("none.csv", "out.csv"),
            ("in.csv", "out.txt"),
            ("in.csv", "out"),
            ("in.csv", "none/out.csv"),
            (".", "out.csv"),
        ],
    )
    def test_files_that_cannot_be_are_declared_errors(self, source, target, tmp_path):
        self.write(tmp_path / "in.csv", {"smokes": ["never"]})
        with pytest.raises(ParameterError):
            sure(SMOKES).perturb_file(tmp_path / source, tmp_path / target)
        assert left_in(tmp_path) == ["in.csv"]

    @pytest.mark.parametrize("suffix", [".csv", ".parquet"])
    def test_a_missing_column_gets_a_hint(self, suffix, tmp_path):
        self.write(tmp_path / f"in{suffix}", {"smoked": ["never"], "n": [1]})
        with pytest.raises(ParameterError, match="did you mean 'smoked'"):
            sure(SMOKES).perturb_file(tmp_path / f"in{suffix}", tmp_path / "out.csv")

    def test_a_question_is_not_kept(self, tmp_path):
        self.write(tmp_path / "in.csv", {"smokes": ["never"]})
        with pytest.raises(ParameterError, match="not questions"):
            sure(SMOKES).perturb_file(tmp_path / "in.csv", tmp_path / "out.csv", keep=["smokes"])

    @pytest.mark.parametrize("target", ["out.csv", "out.parquet"])
    def test_a_missing_choice_of_another_type_goes_into_files(self, target, tmp_path):
        q = Question("age", [10, 20], missing="unknown")
        (tmp_path / "in.csv").write_text("n,age\n1,10\n2,20\n3,\n4,unknown\n")
        assert sure(q).perturb_file(tmp_path / "in.csv", tmp_path / target) == 4
        assert sure(q).collect([tmp_path / target])["age"].supports.tolist() == [1, 1, 2]

    def test_the_largest_choices_go_into_files(self, tmp_path):
        q = Question("n", [2**53 - 1, 1 - 2**53])
        (tmp_path / "in.csv").write_text(f"n\n{2**53 - 1}\n")
        assert sure(q).perturb_file(tmp_path / "in.csv", tmp_path / "out.csv") == 1

    def test_a_large_file_of_many_blocks_is_read_whole(self, tmp_path):
        n = 150_000
        generator = np.random.default_rng(5)
        answers = pa.array(["never", "sometimes", "daily", "no answer"]).take(pa.array(generator.integers(0, 4, n)))
        pc.write_csv(pa.table({"smokes": answers, "n": range(n)}), tmp_path / "in.csv")
        assert (tmp_path / "in.csv").stat().st_size > 2 << 20
        assert sure(SMOKES).perturb_file(tmp_path / "in.csv", tmp_path / "out.parquet", keep=["n"]) == n
        out = pq.read_table(tmp_path / "out.parquet")
        assert out["smokes"].to_pylist() == answers.to_pylist()
        assert out["n"][-1].as_py() == str(n - 1)


TOML = """
epsilon = "2.5"

[[questions]]
name = "smokes"
choices = ["never", "sometimes", "daily"]
missing = "no answer"
weight = 3

[[questions]]
name = "age"
choices = [10, 20, 30]
missing = 0
mechanism = "OptimizedUnary"

[[questions]]
name = "member"
choices = [false, true]
"""


class TestLoad:
    @staticmethod
    def expected():
        return Survey([SMOKES, AGE, MEMBER], epsilon="2.5", weights={"smokes": 3}, kinds={"age": OptimizedUnary})

    @pytest.mark.parametrize(
        ("more", "asked", "word"),
        [
            ({"words": "hello"}, {}, "words"),
            ({}, {"mising": "no answer"}, "did you mean 'missing'"),
            ({"wave": []}, {}, "waves"),
        ],
    )
    def test_a_slip_in_a_file_is_told_and_not_passed_over(self, more, asked, word):
        data = {"epsilon": 1, "questions": [{"name": "smokes", "choices": ["no", "yes"]} | asked]} | more
        with pytest.raises(ParameterError, match=word):
            Survey.from_dict(data)

    def test_toml_and_json_by_hand_are_the_survey_they_say(self, tmp_path):
        import tomllib

        (tmp_path / "survey.toml").write_text(TOML, encoding="utf-8")
        (tmp_path / "survey.json").write_text(json.dumps(tomllib.loads(TOML)))
        for path in (tmp_path / "survey.toml", str(tmp_path / "survey.json")):
            survey = Survey.load(path)
            assert survey.forms == self.expected().forms
            assert survey.epsilon == Fraction(5, 2)

    @pytest.mark.parametrize(
        "survey",
        [
            Survey([SMOKES, AGE, MEMBER, ODD], epsilon="1/3", weights={"age": 7}),
            Survey(ALL, epsilon=4, kinds=dict(zip([q.name for q in ALL], KINDS, strict=True))),
            Survey([MEMBER], epsilon=1, kinds={"member": RandomizedResponseBool}),
            Survey.of([SMOKES.form(LongitudinalRappor(length=4, max_weight=1, f="1/2", p="1/4", q="3/4"))]),
        ],
        ids=["best", "kinds", "yes or no", "lasting"],
    )
    def test_saved_surveys_come_back(self, survey, tmp_path):
        survey.save(tmp_path / "survey.json")
        twin = Survey.load(tmp_path / "survey.json")
        assert twin.forms == survey.forms
        assert twin.epsilon == survey.epsilon
        assert [form.digest for form in twin.forms] == [form.digest for form in survey.forms]
        assert str(twin) == str(survey)

    def test_a_saved_survey_that_hides_nothing_comes_back(self, tmp_path):
        sure(SMOKES).save(tmp_path / "survey.json")
        assert Survey.load(tmp_path / "survey.json").forms == sure(SMOKES).forms

    def test_every_kind_may_be_asked_for_by_hand(self):
        question = MEMBER.to_dict() | {"mechanism": "RandomizedResponseBool"}
        survey = Survey.from_dict({"epsilon": 1, "questions": [question]})
        assert survey.forms == Survey([MEMBER], epsilon=1, kinds={"member": RandomizedResponseBool}).forms

    def test_a_damaged_file_is_refused(self, tmp_path):
        self.expected().save(tmp_path / "survey.json")
        data = json.loads((tmp_path / "survey.json").read_text())
        for change in ({"epsilon": "3"}, {"version": 3}, {"discreet": "box"}, {"questions": []}, {"sha256": None}):
            (tmp_path / "survey.json").write_text(json.dumps(data | change))
            with pytest.raises(ParameterError):
                Survey.load(tmp_path / "survey.json")

    def test_mechanisms_beyond_the_budget_are_refused(self):
        data = Survey([SMOKES], epsilon=2).to_dict()
        with pytest.raises(ParameterError, match="what the mechanisms cost"):
            Survey.from_dict(data | {"epsilon": 1})
        assert Survey.from_dict(data | {"epsilon": 3}).epsilon == 3

    @pytest.mark.parametrize(
        "data",
        [
            None,
            5,
            [],
            {},
            {"epsilon": 1},
            {"epsilon": 1, "questions": None},
            {"epsilon": 1, "questions": []},
            {"epsilon": 1, "questions": [5]},
            {"epsilon": 1, "questions": [{}]},
            {"epsilon": 1, "questions": [{"name": "q"}]},
            {"epsilon": 1, "questions": [{"name": "q", "choices": "ab"}]},
            {"epsilon": 1, "questions": [{"name": "q", "choices": ["a"]}]},
            {"epsilon": 1, "questions": [{"name": "q", "choices": ["a", 1.5]}]},
            {"epsilon": None, "questions": [{"name": "q", "choices": ["a", "b"]}]},
            {"epsilon": "x", "questions": [{"name": "q", "choices": ["a", "b"]}]},
            {"epsilon": 0, "questions": [{"name": "q", "choices": ["a", "b"]}]},
            {"epsilon": 1, "questions": [{"name": "q", "choices": ["a", "b"]}] * 2},
            {"epsilon": 1, "questions": [{"name": "q", "choices": ["a", "b"], "weight": 0}]},
            {"epsilon": 1, "questions": [{"name": "q", "choices": ["a", "b"], "weight": []}]},
            {"epsilon": 1, "questions": [{"name": "q", "choices": ["a", "b"], "mechanism": "Laplace"}]},
            {"epsilon": 1, "questions": [{"name": "q", "choices": ["a", "b"], "mechanism": 5}]},
            {"epsilon": 1, "questions": [{"name": "q", "choices": ["a", "b"], "mechanism": {}}]},
            {
                "epsilon": 1,
                "questions": [
                    {"name": "q", "choices": ["a", "b"], "mechanism": {"name": "Rappor", "f": "1"}},
                    {"name": "r", "choices": ["a", "b"]},
                ],
            },
        ],
        ids=repr,
    )
    def test_broken_surveys_are_declared_errors(self, data, tmp_path):
        with pytest.raises(DiscreetError):
            Survey.from_dict(data)
        (tmp_path / "survey.json").write_text(json.dumps(data))
        with pytest.raises(DiscreetError):
            Survey.load(tmp_path / "survey.json")

    @pytest.mark.parametrize(
        "text", ["epsilon = ", "[[questions]", "epsilon = 1", "epsilon = 2020-01-01\nquestions = []"]
    )
    def test_broken_toml_is_a_declared_error(self, text, tmp_path):
        (tmp_path / "survey.toml").write_text(text)
        with pytest.raises(DiscreetError):
            Survey.load(tmp_path / "survey.toml")

    @pytest.mark.parametrize("broken", ["bytes", "mechanism"])
    def test_other_broken_surveys_are_declared_errors(self, broken, tmp_path):
        (tmp_path / "survey.toml").write_bytes(
            b"\xff" if broken == "bytes" else TOML.replace('"OptimizedUnary"', '["OptimizedUnary"]').encode()
        )
        with pytest.raises(DiscreetError):
            Survey.load(tmp_path / "survey.toml")

    def test_a_survey_shows_its_questions_and_its_budget(self):
        text = str(self.expected())
        assert "3 questions within epsilon 2.5" in text
        assert "age: 4 choices, OptimizedUnary, epsilon 0.5" in text
        assert self.expected().names == ["smokes", "age", "member"]
        assert isinstance(self.expected().collector()["age"], Collector)
        with pytest.raises(KindError):
            Survey.from_dict("survey")
