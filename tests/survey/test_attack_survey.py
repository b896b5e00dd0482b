"""What a second hostile review of surveys and mechanisms found, each as the attack that worked."""

from contextlib import suppress
from datetime import UTC, datetime, time, tzinfo
from decimal import Decimal
from zoneinfo import ZoneInfo

import numpy as np
import pytest

from discreet import (
    Categories,
    Integers,
    LaplaceThreshold,
    Ledger,
    Maps,
    OneHot,
    RandomizedResponse,
    RandomizedResponseBool,
    Rappor,
    SubsetSelection,
)
from discreet.errors import DomainError, KindError, MismatchError, ParameterError
from discreet.mechanisms import subset_selection
from discreet.survey import Collector, PairCollector, Question, Survey, TextQuestion

pytestmark = pytest.mark.usefixtures("given_coins")

SECRET = b"only on this device"
SNAN = Decimal("sNaN")
ROWS = {"a": ["no", "yes", "yes"], "b": ["no", "no", "yes"]}


class Telling(tzinfo):
    """A time zone that writes down that it was asked, and then fails."""

    asked = 0

    def utcoffset(self, _):
        type(self).asked += 1
        raise RuntimeError("a value: 77")


class TestOneFormOneAnswer:
    """All that one digest, one secret and one answer give is one report, however the form says to draw it."""

    YES_NO = Question("member", [False, True])
    COLOURS = Question("colour", ["red", "green", "blue", "none"])
    TEXT = TextQuestion("page", length=16, hashes=2, cohorts=4)
    TWINS = (
        (YES_NO, lambda slow: RandomizedResponseBool(prob="3/4", constant_time=slow), True),
        (COLOURS, lambda slow: Rappor(length=4, max_weight=1, f="1/2", constant_time=slow), "red"),
        (TEXT, lambda slow: Rappor(length=16, max_weight=2, f="1/2", constant_time=slow), "a.org"),
    )

    @pytest.mark.parametrize(("question", "make", "answer"), TWINS, ids=["yes or no", "choices", "text"])
    def test_a_form_that_is_drawn_in_another_way_says_nothing_new(self, question, make, answer):
        plain, slow = make(False), make(True)
        assert question.form(plain).digest == question.form(slow).digest
        said = set()
        for i in range(40):
            secret = SECRET + bytes([i])
            for mechanism in (plain, slow):
                with suppress(ParameterError):
                    said.add((i, question.client(mechanism, secret=secret).report(answer).to_bytes()))
        assert len(said) == 40

    @pytest.mark.parametrize(("question", "make", "answer"), TWINS, ids=["yes or no", "choices", "text"])
    def test_nor_is_it_free_but_refused_in_words(self, question, make, answer):
        book = Ledger.in_memory(epsilon=100)
        question.client(make(False), secret=SECRET, ledger=book).report(answer)
        with pytest.raises(ParameterError, match="constant_time=True: need False beside a secret"):
            question.client(make(True), secret=SECRET, ledger=book)
        assert len(book.entries()) == 1

    def test_without_a_secret_each_report_is_drawn_anew_in_either_way(self):
        for question, make, answer in self.TWINS:
            assert question.client(make(True)).report(answer)


class TestAnswersThatCannotBeCompared:
    """A mechanism that takes anything has every answer in its domain, and does not fail on one."""

    NUMBERS = (Decimal(1), Decimal(2), Decimal(3))
    MOMENTS = (datetime(2026, 1, 1, tzinfo=UTC), datetime(2026, 1, 2, tzinfo=UTC), datetime(2026, 1, 3, tzinfo=UTC))
    TIMES = (time(1, tzinfo=UTC), time(2, tzinfo=UTC), time(3, tzinfo=UTC))
    CASES = (
        (NUMBERS, SNAN),
        (MOMENTS, datetime(2026, 1, 1, tzinfo=Telling())),
        (TIMES, time(1, tzinfo=Telling())),
        (tuple((i, x) for i, x in enumerate(NUMBERS)), (0, SNAN)),
        (tuple(frozenset([x]) for x in MOMENTS), frozenset([datetime(2026, 1, 1, tzinfo=UTC), ("x",)])),
    )

    @pytest.mark.parametrize(("values", "answer"), CASES)
    def test_they_are_foreign_answers_like_any_other(self, values, answer):
        Telling.asked = 0
        categories = Categories(values)
        assert categories.index(answer) == -1
        assert answer not in categories
        assert categories.places([values[1], answer]).tolist() == [1, -1]
        for m in (
            RandomizedResponse(categories=values, prob="3/4"),
            SubsetSelection(categories=values, size=1, prob="3/4"),
        ):
            assert m.release(answer)
            assert len(m.release_many([answer, values[0]])) == 2
            assert len(set(m.law(answer).values())) == 1
        assert Telling.asked == 0

    @pytest.mark.parametrize(("values", "answer"), CASES)
    def test_where_they_are_outside_the_domain_they_are_refused_in_the_domains_words(self, values, answer):
        m = LaplaceThreshold(scale=1, threshold=5, domain=Maps(Categories(values), Integers()))
        keys = np.empty(1, object)
        keys[0] = answer
        for refuse in (lambda: m.release((keys, np.array([3]))), lambda: OneHot(values)(answer)):
            with pytest.raises(DomainError) as caught:
                refuse()
            assert "77" not in str(caught.value)

    def test_zones_of_pythons_own_are_read(self):
        noon = Categories([datetime(2026, 1, 1, 12, tzinfo=UTC)])
        assert noon.index(datetime(2026, 1, 1, 13, tzinfo=ZoneInfo("Europe/Rome"))) == 0
        assert noon.index(datetime(2026, 1, 1, 12)) == -1


class TestWhatOutlivesARelease:
    @pytest.mark.parametrize("batches", [("ab", "ab"), ("ax", "ab"), ("xx", "xb")])
    def test_a_foreign_answer_leaves_no_table_behind(self, batches, monkeypatch):
        built = []
        make = subset_selection.Table
        monkeypatch.setattr(subset_selection, "Table", lambda *law: built.append(law[1]) or make(*law))
        subset_selection._sets.cache_clear()
        m = SubsetSelection(categories=list("abcde"), size=2, prob="1/2")
        seen = []
        for answers in batches:
            m.release_many(list(answers))
            seen.append((len(built), subset_selection._sets.cache_info().currsize))
        assert seen == [(2, 2), (2, 2)]


class TestCountedOnce:
    FORMS = tuple(
        q.form(RandomizedResponse(categories=q.categories, prob="3/4"))
        for q in (Question("a", ["no", "yes"]), Question("b", ["no", "yes"]))
    )

    @pytest.fixture
    def file(self, tmp_path):
        path = tmp_path / "noisy.csv"
        path.write_text("a,b\nno,no\nyes,no\nyes,yes\n")
        return path

    def test_a_box_that_was_saved_is_counted_once(self, tmp_path):
        survey = Survey.of(self.FORMS)
        saved, copy, more = (tmp_path / name for name in ("box.json", "copy.json", "more.json"))
        survey.collect(ROWS).save(saved)
        copy.write_bytes(saved.read_bytes())
        assert survey.collect([saved])["a"].n == 3
        survey.collect([saved, ROWS]).save(more)
        for twice in ([saved, saved], [saved, copy], [more, saved]):
            with pytest.raises(MismatchError, match="counted in both"):
                survey.collect(twice)

    def test_pairs_of_a_file_are_counted_once(self, file):
        box = PairCollector(*self.FORMS)
        assert box.add_frame(file, "a", "b").added == 3
        for again in (lambda: box.add_frame(file, "a", "b"), lambda: box.add_many(file, file, ("a", "b"))):
            with pytest.raises(ParameterError, match="not counted before"):
                again()
        assert (box.n, box.pairs.sum()) == (3, 3)
        with pytest.raises(MismatchError, match="counted in both"):
            box.merge(box)

    def test_two_columns_of_one_file_are_a_pair(self, file):
        box = PairCollector(*self.FORMS)
        assert box.add_many(file, file, ("a", "b")).added == 3
        with pytest.raises(ParameterError, match="not counted before"):
            box.add_frame(file, "a", "b")
        assert box.add_many(ROWS["a"], ROWS["b"]).added == 3


class TestReportsThatAreNone:
    class Rude(str):
        """A text with a mind of its own."""

        __slots__ = ()

        def startswith(self, *_):
            raise RuntimeError("a value: 77")

    class Worse:
        """An object that no one may compare."""

        __hash__ = None

        def __eq__(self, _):
            raise RuntimeError("a value: 77")

    @pytest.mark.parametrize("junk", [np.array([1, 2]), Rude("{"), Worse(), Decimal("sNaN"), {1: 2}, np.zeros(0)])
    def test_one_among_many_is_refused_and_the_others_are_counted(self, junk):
        box = Collector(TestCountedOnce.FORMS[0])
        tally = box.add_many(["no", junk, "yes"])
        assert (tally.added, sum(tally.refused.values())) == (2, 1)

    def test_pairs_are_of_choices(self):
        q = TextQuestion("page", length=16, cohorts=2)
        with pytest.raises(KindError, match=r"^form="):
            PairCollector(TestCountedOnce.FORMS[0], q.form(q.mechanism(epsilon=2)))
