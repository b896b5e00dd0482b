"""Questions and forms: what is asked, what a report of it may be, and what tells one form from another."""

import copy
import hashlib
import itertools
import json
import os
import pickle
import subprocess
import sys
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
import tiers
from hypothesis import given, settings
from hypothesis import strategies as st
from public_names import PUBLIC
from telling import no_coins, told

from discreet import (
    Categories,
    DiscreetError,
    DomainError,
    IntegerLaplace,
    KindError,
    LongitudinalRappor,
    MismatchError,
    OptimizedUnary,
    ParameterError,
    RandomizedResponse,
    RandomizedResponseBool,
    Rappor,
    ReportError,
    SubsetSelection,
    UnsupportedError,
    survey,
)
from discreet.survey import Form, Question, Survey, TextForm, TextQuestion

SENTINEL, NUMBER = "sentinel-7919", 7919104729
SECRET = b"only on this device"

SMOKES = Question("smokes", ["never", "sometimes", "daily"], missing="no answer")
YES_NO = Question("member", [False, True])
TEN = Question("city", [f"city {i}" for i in range(10)])
TEXT = TextQuestion("homepage", length=16, hashes=2, cohorts=4, key=b"spring")

FORMS = {
    "RandomizedResponseBool": YES_NO.form(RandomizedResponseBool(prob="3/4")),
    "RandomizedResponse": SMOKES.form(RandomizedResponse(categories=SMOKES.categories, prob="5/8")),
    "SubsetSelection": SMOKES.form(SubsetSelection(categories=SMOKES.categories, size=2, prob="2/3")),
    "OptimizedUnary": SMOKES.form(OptimizedUnary(length=4, p="1/2", q="1/4")),
    "Rappor": SMOKES.form(Rappor(length=4, max_weight=1, f="1/2")),
    "LongitudinalRappor": SMOKES.form(LongitudinalRappor(length=4, max_weight=1, f="1/2", p="1/4", q="3/4")),
}
TEXT_FORMS = {
    "open text": TEXT.form(Rappor(length=16, max_weight=2, f="1/2")),
    "open text, lasting": TEXT.form(LongitudinalRappor(length=16, max_weight=2, f="1/2", p="1/4", q="3/4")),
}
EVERY_FORM = FORMS | TEXT_FORMS
NAMES = {**PUBLIC, **vars(survey), "Fraction": Fraction}


def each_by(client):
    def each(answers):
        return [client.report(answer) for answer in answers]

    return each


def rows_of(form):
    """Every payload of a form whose payloads are one byte."""
    assert form.width == 1
    return np.arange(256, dtype=np.uint8)[:, None]


def law_of(form, answer):
    """The exact law of a form's reports on an answer, by what they support."""
    m, values = form.mechanism, form.question.categories.values
    if isinstance(m, RandomizedResponse | RandomizedResponseBool):
        return {(said,): p for said, p in m.law(answer).items()}
    if isinstance(m, SubsetSelection):
        return dict(m.law(answer))
    vector = [value == answer for value in values]
    return {tuple(v for v, bit in zip(values, bits, strict=True) if bit): p for bits, p in m.law(vector).items()}


PAIR = "\ud83d\ude00"
APART = [("name", PAIR), *[(name, value) for name in ("choices", "missing") for value in (PAIR, 2**53, -(2**53))]]


@pytest.mark.parametrize(("name", "value"), APART, ids=lambda value: ascii(value)[:20])
def test_what_no_browser_keeps_apart_is_refused(name, value):
    """Halves of a character, one after the other, and the character have one canonical text, and so one digest."""
    given = {"name": "q", "choices": ["a", "b"], "missing": "c"}
    given[name] = ["a", value] if name == "choices" else value
    with pytest.raises(ParameterError, match=name):
        Question(**given)


class TestChoices:
    @pytest.mark.parametrize(
        "choices",
        [
            ["never", "daily"],
            [10, 20, -5, 2**53 - 1, 1 - 2**53],
            [False, True],
            [True, 1, "1", "True"],
            ["", " ", "\n", '"', "\ud800"],
        ],
        ids=["text", "whole numbers", "booleans", "mixed", "odd text"],
    )
    def test_each_choice_has_its_place(self, choices):
        q = Question("q", choices)
        assert q.places(choices).tolist() == list(range(len(choices)))
        for i, choice in enumerate(choices):
            assert q.places([choice]).tolist() == [i]

    def test_numbers_of_numpy_are_plain_choices_and_answers(self):
        q = Question("age", np.array([10, 20]))
        assert [type(choice) for choice in q.choices] == [int, int]
        assert q == Question("age", [10, 20])
        for kind in (np.int8, np.uint8, np.int64, np.uint64, object):
            assert q.places(np.array([20, 10], kind)).tolist() == [1, 0]

    @pytest.mark.parametrize("answer", [1, 1.0, "1", True, np.True_, "true", "True"], ids=repr)
    def test_equal_is_not_enough_for_an_answer(self, answer):
        same = {int: 0, str: None, bool: 1, np.bool: 1, float: None}[type(answer)]
        q = Question("q", [1, True])
        if same is None:
            with pytest.raises(DomainError):
                q.places([answer])
        else:
            assert q.places([answer]).tolist() == [same]

    @pytest.mark.parametrize(
        "call",
        [
            lambda: Question(5, ["a", "b"]),
            lambda: Question(None, ["a", "b"]),
            lambda: Question("", ["a", "b"]),
            lambda: Question(" \t", ["a", "b"]),
            lambda: Question("q", "ab"),
            lambda: Question("q", b"ab"),
            lambda: Question("q", None),
            lambda: Question("q", []),
            lambda: Question("q", ["a"]),
            lambda: Question("q", ["a", "a"]),
            lambda: Question("q", ["a", "b"], missing="a"),
            lambda: Question("q", ["a", 1.0]),
            lambda: Question("q", ["a", None]),
            lambda: Question("q", ["a", b"b"]),
            lambda: Question("q", ["a", ("b",)]),
            lambda: Question("q", ["a", ["b"]]),
            lambda: Question("q", ["a", float("nan")]),
            lambda: Question("q", ["a", Fraction(1, 2)]),
            lambda: Question("q", ["a", "b"], missing=0.5),
            lambda: Question("q", ["a", "b"], missing=["c"]),
        ],
    )
    def test_what_is_no_question_is_refused(self, call):
        with pytest.raises((KindError, ParameterError)):
            call()

    def test_one_choice_and_no_answer_are_two(self):
        assert len(Question("q", ["yes"], missing="no answer")) == 2


GAPS = {
    "None": None,
    "nan": float("nan"),
    "np.nan": np.nan,
    "np.float32": np.float32("nan"),
    "np.float64": np.float64("nan"),
    "pd.NA": pd.NA,
    "pd.NaT": pd.NaT,
    "the choice itself": "no answer",
}
ALL_BUT_THE_CHOICE = [gap for gap in GAPS if gap != "the choice itself"]


class TestMissing:
    @pytest.mark.parametrize("gap", GAPS)
    def test_every_gap_is_the_missing_choice_anywhere(self, gap):
        answers = ["never", "sometimes", "daily"]
        for i in range(4):
            given_ = [*answers[:i], GAPS[gap], *answers[i:]]
            array = np.empty(4, object)
            array[:] = given_
            expected = [*range(i), 3, *range(i, 3)]
            assert SMOKES.places(given_).tolist() == SMOKES.places(tuple(given_)).tolist() == expected
            assert SMOKES.places(array).tolist() == expected

    def test_a_column_of_gaps_alone_is_fine(self):
        assert SMOKES.places([None] * 3).tolist() == [3] * 3
        assert SMOKES.places(np.full(3, np.nan)).tolist() == [3] * 3

    @pytest.mark.parametrize("gap", ALL_BUT_THE_CHOICE)
    @pytest.mark.parametrize("missing", [0, False, ""], ids=repr)
    def test_the_missing_choice_may_be_false_itself(self, gap, missing):
        assert Question("q", ["a", "b"], missing=missing).places([GAPS[gap], missing, "a"]).tolist() == [2, 2, 0]

    @pytest.mark.parametrize("gap", ALL_BUT_THE_CHOICE)
    def test_without_a_missing_choice_gaps_are_foreign(self, gap):
        with pytest.raises(DomainError, match="missing="):
            Question("q", ["a", "b"]).places(["a", GAPS[gap]])

    def test_blank_cells_are_missing_and_texts_stand_for_choices(self):
        ages = Question("age", [10, 20], missing="unknown")
        assert ages.places_of_texts(["20", "", "10", "30", "unknown", "20.0"]).tolist() == [1, -1, 0, -1, 2, 1]
        assert ages.places_of_answers(["20", "", "10", "unknown", "20.0"]).tolist() == [1, 2, 0, 2, 1]
        with pytest.raises(DomainError):
            ages.places_of_answers(["20", "30"])
        assert Question("q", [True, False]).places_of_texts(["True", "False", "", "true"]).tolist() == [0, 1, -1, -1]
        assert Question("q", ["", "a"], missing="?").places_of_answers(["", "?"]).tolist() == [0, 2]

    def test_choices_that_print_alike_have_no_texts(self):
        with pytest.raises(ParameterError, match="differ as text"):
            Question("q", [1, "1"]).places_of_texts(["1"])


def tell(*_):
    raise RuntimeError(SENTINEL)


SLOTS = ("__eq__", "__ne__", "__hash__", "__repr__", "__str__", "__bool__", "__float__", "__len__", "__iter__")
Hostile = type("Hostile", (), dict.fromkeys(SLOTS, tell))
"""The class of an answer whose own methods would tell, if they were run."""

FOREIGN = {
    "text": lambda: SENTINEL,
    "number": lambda: NUMBER,
    "float": lambda: float(NUMBER),
    "bytes": lambda: bytes(SENTINEL, "utf-8"),
    "tuple": lambda: (SENTINEL, NUMBER),
    "list": lambda: [SENTINEL],
    "dict": lambda: {SENTINEL: NUMBER},
    "np.str_": lambda: np.str_(SENTINEL),
    "pd.Timestamp": lambda: pd.Timestamp(NUMBER),
    "hostile": Hostile,
}


class TestForeign:
    @pytest.mark.parametrize("label", FOREIGN)
    @pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
    def test_a_foreign_answer_is_refused_untold_before_any_coin(self, form, label, monkeypatch):
        no_coins(monkeypatch)
        q, m, good = form.question, form.mechanism, form.question.choices[0]
        calls = [q.places]
        if not isinstance(m, LongitudinalRappor):
            calls += [q.client(m).report_many, each_by(q.client(m))]
        calls.append(each_by(q.client(m, secret=SECRET)))
        for call, place in itertools.product(calls, range(4)):
            answers = [good] * 3
            answers.insert(place, FOREIGN[label]())
            if call.__name__ == "each":
                answers = answers[place:]
            array = np.empty(len(answers), object)
            array[:] = answers
            for given_ in (answers, tuple(answers), array):
                with pytest.raises(DomainError) as caught:
                    call(given_)
                text = told(caught.value)
                assert SENTINEL not in text
                assert str(NUMBER) not in text
                assert all(repr(choice) in str(caught.value) for choice in q.categories.values)
                assert q.name in str(caught.value)

    def test_typed_arrays_of_foreign_answers_are_refused_untold(self, monkeypatch):
        no_coins(monkeypatch)
        client = SMOKES.client(FORMS["RandomizedResponse"].mechanism)
        for array in ([SENTINEL, "never"], [NUMBER, 1], [float(NUMBER), 0.5], [True, False], [[SENTINEL], ["never"]]):
            with pytest.raises(DomainError) as caught:
                client.report_many(np.array(array))
            assert SENTINEL not in told(caught.value)
            assert str(NUMBER) not in told(caught.value)

    def test_one_text_is_no_list_of_answers(self):
        for answers in (SENTINEL, SENTINEL.encode(), 5, None, {SENTINEL}):
            with pytest.raises(KindError) as caught:
                SMOKES.places(answers)
            assert SENTINEL not in told(caught.value)

    def test_a_long_list_of_choices_is_cut_short(self):
        with pytest.raises(DomainError) as caught:
            TEN.places([SENTINEL])
        assert "'city 6', ... (10 choices)" in str(caught.value)
        assert "city 7" not in str(caught.value)

    def test_only_a_question_without_a_missing_choice_hints_at_one(self):
        assert "missing=" in TEN.foreign()
        assert "missing=" not in SMOKES.foreign()


class TestValues:
    @pytest.mark.parametrize("value", [SMOKES, YES_NO, TEN, TEXT, *FORMS.values(), *TEXT_FORMS.values()], ids=repr)
    def test_values_pickle_copy_and_hash_alike(self, value):
        for twin in (pickle.loads(pickle.dumps(value)), copy.copy(value), copy.deepcopy(value)):
            assert twin == value
            assert hash(twin) == hash(value)
            assert repr(twin) == repr(value)

    @pytest.mark.parametrize(
        "value",
        [
            SMOKES,
            YES_NO,
            Question('it\'s "quoted"\n', ["\ud800", "é", "'"], missing=""),
            Question("mixed", [1, True, "1"], missing=0),
            TEXT,
            *FORMS.values(),
            *(form for form in TEXT_FORMS.values()),
        ],
        ids=repr,
    )
    def test_repr_evaluates_back(self, value):
        assert eval(repr(value), NAMES) == value

    @pytest.mark.parametrize(("a", "b"), list(itertools.combinations(EVERY_FORM.values(), 2)))
    def test_different_forms_are_not_equal(self, a, b):
        assert a != b

    def test_values_are_frozen(self):
        for value, name in ((SMOKES, "name"), (FORMS["Rappor"], "mechanism"), (TEXT, "key")):
            with pytest.raises(AttributeError):
                setattr(value, name, None)

    @pytest.mark.parametrize(
        ("a", "b"),
        [
            (Question("q", ["a", "b"]), Question("r", ["a", "b"])),
            (Question("q", ["a", "b"]), Question("q", ["b", "a"])),
            (Question("q", ["a", "b"]), Question("q", ["a", "b"], missing="c")),
            (Question("q", ["a", "b", "c"]), Question("q", ["a", "b"], missing="c")),
        ],
    )
    def test_different_questions_are_not_equal(self, a, b):
        assert a != b

    @pytest.mark.parametrize(
        ("a", "b"),
        [
            (Question("q", [0, 1]), Question("q", [False, True])),
            (Question("q", ["a", "b"], missing=0), Question("q", ["a", "b"], missing=False)),
        ],
    )
    def test_questions_whose_choices_differ_in_type_are_not_equal(self, a, b):
        assert a.categories != b.categories
        assert a != b


class TestDigests:
    @staticmethod
    def variants():
        for name, choices, missing in [
            ("q", ["a", "b", "c"], None),
            ("Q", ["a", "b", "c"], None),
            ("q ", ["a", "b", "c"], None),
            ("q", ["a", "b"], "c"),
            ("q", ["a", "c", "b"], None),
            ("q", ["a", "b", "C"], None),
            ("q", ["a", "b", "c "], None),
            ("q", ["a", "b", "c\u0301"], None),
            ("q", ["a", "b", "\u0107"], None),
            ("q", ["a", "b", 1], None),
            ("q", ["a", "b", "1"], None),
            ("q", ["a", "b", True], None),
            ("q", ["a", "b", "True"], None),
        ]:
            q = Question(name, choices, missing)
            cats = q.categories
            yield q.form(RandomizedResponse(categories=cats, prob="1/2"))
            yield q.form(RandomizedResponse(categories=cats, prob=Fraction(2**60 + 1, 2**61)))
            yield q.form(SubsetSelection(categories=cats, size=1, prob="1/2"))
            yield q.form(SubsetSelection(categories=cats, size=2, prob="2/3"))
            yield q.form(SubsetSelection(categories=cats, size=2, prob="3/4"))
            yield q.form(OptimizedUnary(length=3, p="1/2", q="1/4"))
            yield q.form(OptimizedUnary(length=3, p="1/2", q="1/3"))
            yield q.form(OptimizedUnary(length=3, p="2/3", q="1/3"))
            yield q.form(Rappor(length=3, max_weight=1, f="1/2"))
            yield q.form(Rappor(length=3, max_weight=1, f="1/3"))
            for change in ({}, {"f": "1/3"}, {"p": "1/3"}, {"q": "2/3"}):
                numbers = {"f": "1/2", "p": "1/4", "q": "3/4"} | change
                yield q.form(LongitudinalRappor(length=3, max_weight=1, **numbers))
        for prob in ("3/4", "4/5"):
            yield YES_NO.form(RandomizedResponseBool(prob=prob))
        base = {"length": 16, "hashes": 2, "cohorts": 4, "key": b""}
        for change in ({}, {"length": 17}, {"hashes": 1}, {"cohorts": 5}, {"key": b"\0"}):
            q = TextQuestion("q", **base | change)
            for weight in (2, 3):
                yield q.form(Rappor(length=q.length, max_weight=weight, f="1/2"))
                yield q.form(LongitudinalRappor(length=q.length, max_weight=weight, f="1/2", p="1/4", q="3/4"))

    def test_every_change_of_question_or_mechanism_changes_the_digest(self):
        digests = [form.digest for form in self.variants()]
        assert len(digests) > 200
        assert len(set(digests)) == len(digests)

    def test_equal_forms_have_equal_digests_however_they_were_written(self):
        q = Question("q", ["a", "b"])
        ways = [RandomizedResponse(categories=["a", "b"], prob=p) for p in ("3/4", 0.75, "0.75", Fraction(6, 8))]
        assert len({q.form(m).digest for m in ways}) == 1
        assert len({hash(q.form(m)) for m in ways}) == 1

    @pytest.mark.parametrize("form", EVERY_FORM.values(), ids=EVERY_FORM)
    def test_the_digest_is_that_of_the_canonical_json(self, form):
        content = {"discreet": 2, **form.to_dict()}
        text = json.dumps(content, sort_keys=True, separators=(",", ":"))
        assert form.digest == hashlib.sha256(text.encode("ascii")).digest()
        assert form.tag == form.digest[:16]

    @pytest.mark.parametrize("seed", tiers.each(["0", "1", "4242"], 3))
    def test_digests_are_the_same_in_another_process_with_another_hash_seed(self, seed):
        script = (
            "import json, sys; from discreet.survey import Form, TextForm\n"
            "for line in sys.stdin:\n"
            "    kind, data = json.loads(line)\n"
            "    print((TextForm if kind else Form).from_dict(data).digest.hex())"
        )
        lines = [json.dumps([isinstance(form, TextForm), form.to_dict()]) for form in EVERY_FORM.values()]
        done = subprocess.run(
            [sys.executable, "-c", script],
            input="\n".join(lines),
            capture_output=True,
            text=True,
            check=True,
            env=os.environ | {"PYTHONHASHSEED": seed},
        )
        assert done.stdout.split() == [form.digest.hex() for form in EVERY_FORM.values()]


JUNK = [None, True, 0, -1, 1.5, float("nan"), 10**400, "", "x", "1/0", "nan", "1e999999", [], ["x"], [[]], {}, {"x": 1}]


def broken(data, path=()):
    """Yield each way to replace or drop one part of nested plain values, with the path to that part."""
    for junk in JUNK:
        yield path, junk
    if isinstance(data, dict):
        for key, value in data.items():
            yield path, {k: v for k, v in data.items() if k != key}
            for where, changed in broken(value, (*path, key)):
                yield where, {**data, key: changed}


def cases(data):
    """The broken descriptions, grouped by the part that is broken."""
    groups = {}
    for path, changed in broken(data):
        groups.setdefault(".".join(path) or "(all)", []).append(changed)
    return groups


UNDECLARED = {"mechanism.name": "an unhashable name", "mechanism.size": "int() of what is no number"}
UNDECLARED_TEXT = {
    "(all)": "TextForm.from_dict takes anything for a mapping with both keys",
    "mechanism.name": "an unhashable name",
    "mechanism.max_weight": "int() of what is no number",
}
BROKEN = [
    pytest.param(
        kind,
        from_dict,
        values,
        id=f"{kind}-{part}",
    )
    for kind, form, from_dict, reasons in [
        *((kind, form, Form.from_dict, UNDECLARED) for kind, form in FORMS.items()),
        *((kind, form, TextForm.from_dict, UNDECLARED_TEXT) for kind, form in TEXT_FORMS.items()),
    ]
    for part, values in cases(form.to_dict()).items()
]


class TestDescriptions:
    @pytest.mark.parametrize("form", EVERY_FORM.values(), ids=EVERY_FORM)
    def test_forms_come_back_from_json(self, form):
        twin = type(form).from_dict(json.loads(json.dumps(form.to_dict())))
        assert twin == form
        assert twin.digest == form.digest
        assert twin.mechanism == form.mechanism

    @settings(max_examples=tiers.cases(20, 100), deadline=None)
    @given(
        st.text(min_size=1).filter(str.strip),
        st.lists(st.text() | st.integers(1 - 2**53, 2**53 - 1) | st.booleans(), min_size=2, max_size=6, unique_by=repr),
        st.fractions(min_value=Fraction(99, 100), max_value=1),
    )
    def test_any_question_comes_back_from_json(self, name, choices, prob):
        q = Question(name, choices)
        form = q.form(RandomizedResponse(categories=q.categories, prob=prob))
        twin = Form.from_dict(json.loads(json.dumps(form.to_dict())))
        assert twin == form
        assert list(map(type, twin.question.choices)) == list(map(type, choices))
        assert twin.digest == form.digest
        assert eval(repr(form), NAMES) == form

    @pytest.mark.parametrize(
        "form",
        [
            YES_NO.form(RandomizedResponseBool(prob="3/4", constant_time=True)),
            SMOKES.form(Rappor(length=4, max_weight=1, f="1/2", constant_time=True)),
            TEXT.form(Rappor(length=16, max_weight=2, f="1/2", constant_time=True)),
        ],
        ids=["RandomizedResponseBool", "Rappor", "open text"],
    )
    def test_forms_of_constant_time_come_back(self, form):
        assert type(form).from_dict(form.to_dict()) == form

    def test_numbers_are_described_exactly(self):
        tiny = Fraction(2**200 + 1, 2**201)
        form = SMOKES.form(RandomizedResponse(categories=SMOKES.categories, prob=tiny))
        assert form.to_dict()["mechanism"]["prob"] == str(tiny)
        assert Form.from_dict(form.to_dict()).mechanism.prob == tiny

    @pytest.mark.parametrize(("kind", "from_dict", "values"), BROKEN)
    def test_broken_descriptions_are_declared_errors(self, kind, from_dict, values):
        undeclared = []
        for data in values:
            try:
                from_dict(data)
            except DiscreetError:
                continue
            except Exception as error:
                undeclared.append((data, repr(error)))
        assert not undeclared

    def test_a_size_that_is_not_whole_is_refused(self):
        data = FORMS["SubsetSelection"].to_dict()
        data["mechanism"] |= {"size": 2.7}
        with pytest.raises(DiscreetError):
            Form.from_dict(data)

    @pytest.mark.parametrize("form", EVERY_FORM.values(), ids=EVERY_FORM)
    def test_a_description_lacks_nothing(self, form):
        data = form.to_dict()
        for part in data["mechanism"]:
            less = {key: value for key, value in data["mechanism"].items() if key != part}
            with pytest.raises(DiscreetError):
                type(form).from_dict(data | {"mechanism": less})


class TestFit:
    @pytest.mark.parametrize(
        ("question", "mechanism"),
        [
            (SMOKES, RandomizedResponse(categories=SMOKES.choices, prob="1/2")),
            (SMOKES, RandomizedResponse(categories=[*SMOKES.choices[::-1], "no answer"], prob="1/2")),
            (Question("q", [0, 1]), RandomizedResponse(categories=[False, True], prob="1/2")),
            (SMOKES, SubsetSelection(categories=SMOKES.choices, size=1, prob="1/2")),
            (SMOKES, RandomizedResponseBool(prob="3/4")),
            (Question("q", [True, False]), RandomizedResponseBool(prob="3/4")),
            (Question("q", [0, 1]), RandomizedResponseBool(prob="3/4")),
            (SMOKES, OptimizedUnary(length=3, p="1/2", q="1/4")),
            (SMOKES, OptimizedUnary(length=5, p="1/2", q="1/4")),
            (SMOKES, Rappor(length=3, max_weight=1, f="1/2")),
            (SMOKES, Rappor(length=4, max_weight=2, f="1/2")),
            (SMOKES, Rappor(length=4, max_weight=0, f="1/2")),
            (SMOKES, LongitudinalRappor(length=3, max_weight=1, f="1/2", p="1/4", q="3/4")),
            (SMOKES, LongitudinalRappor(length=4, max_weight=2, f="1/2", p="1/4", q="3/4")),
            (TEXT, Rappor(length=15, max_weight=2, f="1/2")),
            (TEXT, Rappor(length=16, max_weight=1, f="1/2")),
            (TEXT, LongitudinalRappor(length=16, max_weight=1, f="1/2", p="1/4", q="3/4")),
        ],
        ids=repr,
    )
    def test_a_mechanism_that_does_not_fit_is_refused(self, question, mechanism):
        for call in (question.form, question.client, question.collector):
            with pytest.raises(MismatchError, match=question.name) as caught:
                call(mechanism)
            assert type(mechanism).__name__ in str(caught.value)

    @pytest.mark.parametrize("mechanism", [None, "RandomizedResponse", RandomizedResponse, IntegerLaplace(scale=1), 5])
    @pytest.mark.parametrize("question", [SMOKES, TEXT], ids=["choices", "text"])
    def test_what_is_no_mechanism_for_questions_is_refused(self, question, mechanism):
        with pytest.raises(KindError, match="mechanism"):
            question.form(mechanism)

    def test_what_is_no_question_has_no_form(self):
        for question in (None, "smokes", TEXT):
            with pytest.raises(KindError, match="question"):
                Form(question, FORMS["Rappor"].mechanism)
        for question in (None, "smokes", SMOKES):
            with pytest.raises(KindError, match="question"):
                TextForm(question, TEXT_FORMS["open text"].mechanism)

    def test_open_text_takes_no_mechanism_of_choices(self):
        with pytest.raises(KindError):
            TEXT.form(OptimizedUnary(length=16, p="1/2", q="1/4"))

    def test_a_lasting_answer_is_not_perturbed_without_its_client(self):
        with pytest.raises(UnsupportedError, match="secret"):
            FORMS["LongitudinalRappor"].perturb(np.array([0]))
        with pytest.raises(UnsupportedError, match="secret"):
            Survey.of([FORMS["LongitudinalRappor"]]).perturb(pd.DataFrame({"smokes": ["never"]}))


class TestReports:
    @pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
    def test_valid_rows_are_those_that_the_law_can_give(self, form):
        rows = rows_of(form)
        possible = {said for answer in form.question.categories.values for said in law_of(form, answer)}
        found = set()
        for row, valid in zip(rows, form.valid(rows), strict=True):
            if valid:
                said = form.read(row.tobytes())
                found.add(said if form.says != "choice" else (said,))
            else:
                with pytest.raises(ParameterError):
                    form.read(row.tobytes())
        assert found == possible
        assert len(found) == int(form.valid(rows).sum())

    @pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
    def test_support_and_both_are_what_the_law_says(self, form):
        values = form.question.categories.values
        (p, q), (with_truth, without) = form.support, form.oracle.both(0, 1)
        for answer in values:
            law = law_of(form, answer)
            for value in values:
                assert sum(mass for said, mass in law.items() if value in said) == (p if value == answer else q)
            for a, b in itertools.combinations(values, 2):
                assert sum(mass for said, mass in law.items() if a in said and b in said) == (
                    with_truth if answer in (a, b) else without
                )

    @pytest.mark.parametrize("k", [3, 5, 6])
    def test_both_holds_for_sets_of_every_size(self, k):
        q = Question("q", range(k))
        for d in range(1, k):
            form = q.form(SubsetSelection(categories=q.categories, size=d, prob=Fraction(k + d, 2 * k)))
            law = law_of(form, 0)
            assert form.oracle.both(0, 1) == tuple(
                sum(mass for said, mass in law.items() if a in said and b in said) for a, b in ((0, 1), (1, 2))
            )

    @pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
    def test_what_a_report_says_and_its_payload_are_one(self, form):
        for row in rows_of(form)[form.valid(rows_of(form))]:
            said = form.read(row.tobytes())
            assert form.payload_of(said) == row.tobytes()
            if form.says != "choice":
                assert form.payload_of(list(said)) == form.payload_of(set(said)) == row.tobytes()
            assert form.values(row[None, :]) == [row.tobytes() if form.says != "choice" else said]

    @pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
    def test_counts_are_sums_of_what_is_supported(self, form):
        rows = rows_of(form)[form.valid(rows_of(form))]
        rows = np.repeat(rows, np.arange(len(rows)), axis=0)
        assert form.count(rows).tolist() == form.supported(rows).sum(axis=0).tolist()
        assert form.count(rows[:0]).tolist() == [0] * form.size

    @pytest.mark.parametrize(("k", "width"), [(2, 1), (256, 1), (257, 2), (65536, 2), (65537, 4)])
    def test_a_place_takes_as_few_bytes_as_it_can(self, k, width):
        q = Question("q", range(k))
        form = q.form(RandomizedResponse(categories=q.categories, prob=1))
        rows = form.perturb(np.array([0, 1, k - 1]))
        assert form.width == width
        assert rows.shape == (3, width)
        assert form.oracle.unpack(rows).tolist() == [0, 1, k - 1]
        assert form.read((k - 1).to_bytes(width, "little")) == k - 1
        if k < 1 << 8 * width:
            assert not form.valid(np.frombuffer(k.to_bytes(width, "little"), np.uint8)[None, :])[0]

    @pytest.mark.parametrize(("k", "width"), [(2, 1), (8, 1), (9, 2), (128, 16), (129, 17)])
    def test_bits_take_as_few_bytes_as_they_can(self, k, width):
        q = Question("q", range(k))
        form = q.form(OptimizedUnary(length=k, p="1/2", q="1/4"))
        assert form.width == width == form.perturb(np.array([k - 1])).shape[1]
        assert form.valid(form.perturb(np.arange(k))).all()

    @pytest.mark.parametrize("said", ["never", b"a", 5, None, {"never": 1}])
    def test_a_set_is_not_read_from_one_choice(self, said):
        with pytest.raises(ReportError) as caught:
            FORMS["OptimizedUnary"].payload_of(said)
        assert caught.value.reason == "not a report"

    @pytest.mark.parametrize("said", [["never", "never"], ["weekly"], [["never"]]])
    def test_a_set_of_what_are_no_choices_is_refused(self, said):
        with pytest.raises(ReportError) as caught:
            FORMS["OptimizedUnary"].payload_of(said)
        assert caught.value.reason == "not a choice"

    @pytest.mark.parametrize("payload", [b"", b"\0\0", b"\x10", b"\xff"])
    def test_what_is_no_payload_is_not_read(self, payload):
        with pytest.raises(ParameterError):
            FORMS["SubsetSelection"].read(payload)

    @pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
    def test_columns_of_arrow_hold_the_values(self, form):
        rows = rows_of(form)[form.valid(rows_of(form))]
        assert form.column(rows).to_pylist() == form.values(rows)
        assert form.column(rows[:0]).to_pylist() == []

    def test_columns_of_arrow_hold_choices_of_two_types(self):
        q = Question("age", [10, 20], missing="unknown")
        form = q.form(RandomizedResponse(categories=Categories([10, 20, "unknown"]), prob="1/2"))
        assert form.column(np.array([[0], [2]], np.uint8)) is not None
