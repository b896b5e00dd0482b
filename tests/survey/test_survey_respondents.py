"""Answers to a whole survey: one response, one charge, one limit; and a secret that outlives the program."""

import json
import math
import os
import pickle
import stat
from fractions import Fraction
from multiprocessing import get_context

import pytest
from click.testing import CliRunner

from discreet import (
    BudgetError,
    DomainError,
    KindError,
    Ledger,
    LongitudinalRappor,
    OptimizedUnary,
    ParameterError,
    RandomizedResponse,
    Rappor,
    SubsetSelection,
    UnsupportedError,
)
from discreet.cli.app import app
from discreet.coins import KeyedCoins
from discreet.measures import MaxDivergence, Pure
from discreet.survey import Client, Memory, Question, Survey, SurveyClient, TextQuestion

SECRET = b"sentinel-7919-secret"
SMOKES = Question("smokes", ["no", "yes"])
AGE = Question("age", ["young", "middle", "old"], missing="?")
TOWN = Question("town", [f"town {i}" for i in range(12)])
WORD = TextQuestion("word", length=16, hashes=2, cohorts=4)


def asked(*, text=False):
    forms = [
        SMOKES.form(RandomizedResponse(categories=SMOKES.categories, prob="3/4")),
        AGE.form(SubsetSelection(categories=AGE.categories, size=2, prob="2/3")),
        TOWN.form(OptimizedUnary(length=12, p="1/2", q="1/4")),
    ]
    return Survey.of(forms + [WORD.form(Rappor(length=16, max_weight=2, f="1/2"))] * text)


ANSWERS = {"smokes": "yes", "age": "old", "town": "town 3"}


def times(n, survey):
    """Return so many times the loss of a survey, rounded up once."""
    return MaxDivergence().up(Pure(survey.loss(1).epsilon * n))


class Tossed(AssertionError):
    """A coin was tossed."""


@pytest.fixture
def _no_coins(monkeypatch):
    def toss(*_):
        raise Tossed

    for name in ("bits", "words"):
        monkeypatch.setattr(f"discreet.coins.SystemCoins.{name}", toss)


class TestResponses:
    def test_each_report_is_what_the_client_of_its_question_gives(self):
        survey = asked(text=True)
        response = survey.client(secret=SECRET).report({**ANSWERS, "word": "hello"})
        for form, payload in zip(survey.forms, response.payloads, strict=True):
            client = form.question.client(form.mechanism, secret=SECRET)
            said = "hello" if form.question is WORD else ANSWERS[form.question.name]
            assert client.report(said).payload == payload

    def test_what_is_left_out_is_the_missing_choice(self):
        client = asked().client(secret=SECRET)
        without = {"smokes": "yes", "town": "town 3"}
        responses = [client.report(each) for each in (without, {**without, "age": None}, {**without, "age": "?"})]
        assert len(set(responses)) == 1
        assert len(responses[0].to_bytes()) == len(client.report(ANSWERS).to_bytes())

    @pytest.mark.usefixtures("_no_coins")
    @pytest.mark.parametrize(
        ("answers", "error"),
        [
            ({}, DomainError),
            ({**ANSWERS, "smokes": None}, DomainError),
            ({**ANSWERS, "town": "sentinel"}, DomainError),
            ({**ANSWERS, "sentinel": 1}, ParameterError),
            ({**ANSWERS, 5: 1}, ParameterError),
            (["sentinel"], KindError),
            (None, KindError),
        ],
    )
    def test_a_foreign_answer_is_not_charged_and_tosses_no_coin(self, answers, error):
        book = Ledger.in_memory(epsilon=9)
        client = asked().client(ledger=book)
        with pytest.raises(error) as caught:
            client.report(answers)
        assert "sentinel" not in str(caught.value)
        assert book.entries() == []

    def test_open_text_needs_a_text(self):
        client = asked(text=True).client(secret=SECRET)
        with pytest.raises(KindError):
            client.report(ANSWERS)
        assert len(client.report({**ANSWERS, "word": ""}).payloads) == 4

    def test_boxes_take_responses_with_open_text(self):
        survey = asked(text=True)
        boxes = survey.collector()
        boxes.add_many([survey.client().report({**ANSWERS, "word": "hello"}).to_bytes() for _ in range(50)])
        assert {box.n + box.refused.total() for box in boxes.values()} == {50}
        assert set(boxes.estimate()) == {"smokes", "age", "town"}
        assert boxes["word"].decode(["hello", "bye"]).n == boxes["word"].n
        with pytest.raises(UnsupportedError):
            survey.crosstab([], "smokes", "word")
        with pytest.raises(UnsupportedError):
            survey.perturb_file("none.csv", "none.parquet")

    def test_the_command_line_says_why_open_text_has_no_estimate(self, tmp_path):
        survey = asked(text=True)
        boxes = survey.collector()
        boxes.add_many([survey.client().report({**ANSWERS, "word": "hello"}) for _ in range(20)])
        boxes.save(tmp_path / "box.json")
        done = CliRunner().invoke(app, ["survey", "estimate", str(tmp_path / "box.json")])
        assert done.exit_code == 0, done.output
        assert "reports of open text" in done.output
        assert "no reports" not in done.output

    def test_surveys_with_open_text_come_back_from_files(self, tmp_path):
        survey = asked(text=True)
        survey.save(tmp_path / "survey.json")
        again = Survey.load(tmp_path / "survey.json")
        assert again.digest == survey.digest
        assert "open text" in str(again)
        by_hand = {"epsilon": 4, "questions": [{"name": "word", "length": 64}, {"name": "s", "choices": ["a", "b"]}]}
        made = Survey.from_dict(by_hand)
        assert made.privacy_map(1) <= 4
        assert Survey.from_dict(made.to_dict()).digest == made.digest
        with pytest.raises(ParameterError):
            Survey([WORD], epsilon=4, dice=[6, 6])


class TestLoss:
    def test_the_loss_is_the_sum_rounded_up_once(self):
        survey = asked(text=True)
        client = survey.client(secret=SECRET)
        assert client.privacy_map_of(None) == survey.privacy_map(1) == client.privacy_map_of(7)
        assert client.privacy_map_of(None, devices=3) == times(3, survey)
        assert survey.client().privacy_map_of(None) == math.inf
        assert survey.client().privacy_map_of(2, devices=2) == times(4, survey)
        assert client.privacy_map_of(0) == 0

    def test_devices_add_up_for_one_question_too(self):
        client = SMOKES.client(RandomizedResponse(categories=SMOKES.categories, prob="3/4"), secret=SECRET)
        assert client.privacy_map_of(9, devices=2) == times(2, Survey.of([client.form]))
        with pytest.raises(ParameterError):
            client.privacy_map_of(1, devices=0)

    def test_a_survey_is_refused_by_the_sum_of_its_losses(self):
        survey = asked()
        total = survey.privacy_map(1)
        each = max(form.mechanism.privacy_map(1) for form in survey.forms)
        assert each < total
        with pytest.raises(BudgetError, match=r"this survey: epsilon=[\d.]+ is more than most=.*nothing was asked"):
            survey.client(most=Fraction(each))
        with pytest.raises(BudgetError):
            survey.client(most=Fraction(math.nextafter(total, 0)))
        assert survey.client(most=Fraction(total)).report(ANSWERS)

    def test_what_is_too_much_is_said_as_it_was_typed_with_the_limit_that_would_do(self):
        survey = Survey([Question(f"q{i}", ["no", "yes"]) for i in range(4)], epsilon=20)
        with pytest.raises(BudgetError) as told:
            survey.client()
        assert str(told.value) == (
            "this survey: epsilon=20 is more than most=10; nothing was asked (most = 20 would let it be asked)"
        )
        assert survey.client(most=20)
        total = asked().privacy_map(1)
        with pytest.raises(BudgetError, match=r"most = [\d.]+ would") as told:
            asked().client(most=Fraction(math.nextafter(total, 0)))
        assert asked().client(most=str(told.value).split("most = ")[1].split()[0])

    def test_many_small_questions_do_not_slip_past_the_limit(self):
        forms = [
            (q := Question(f"q{i}", ["no", "yes"])).form(RandomizedResponse(categories=q.categories, prob="3/4"))
            for i in range(10)
        ]
        assert Survey.of(forms[:9]).client()
        with pytest.raises(BudgetError):
            Survey.of(forms).client()  # 10 ln 3 > 10

    def test_a_question_that_hides_nothing_makes_the_survey_infinite(self):
        survey = Survey.of(
            [*asked().forms[1:], SMOKES.form(RandomizedResponse(categories=SMOKES.categories, prob="1"))]
        )
        with pytest.raises(BudgetError):
            survey.client(most=10**300)
        with pytest.raises(BudgetError, match="any ledger"):
            survey.client(most=math.inf, ledger=Ledger.in_memory(epsilon=100))
        assert survey.client(most=math.inf).report(ANSWERS)


class TestLedgers:
    def test_one_charge_for_all_before_a_coin_is_tossed(self, monkeypatch):
        survey, book = asked(), Ledger.in_memory(epsilon=9)
        client, spent = survey.client(ledger=book), []
        for form in survey.forms:
            draw = type(form.oracle).draw

            def watched(oracle, place, coins, *, draw=draw):
                spent.append(book.spent.epsilon)
                return draw(oracle, place, coins)

            monkeypatch.setattr(type(form.oracle), "draw", watched)
        client.report(ANSWERS)
        assert spent == [Fraction(survey.privacy_map(1))] * 3
        assert len(book.entries()) == 1

    def test_what_does_not_fit_is_refused_as_a_whole(self):
        survey = asked()
        book = Ledger.in_memory(epsilon=Fraction(survey.privacy_map(1)))
        client = survey.client(ledger=book)
        client.report(ANSWERS)
        with pytest.raises(BudgetError):
            client.report(ANSWERS)
        assert len(book.entries()) == 1
        with pytest.raises(BudgetError):
            survey.client(ledger=book)

    def test_the_same_answers_are_paid_for_once_and_others_by_question(self):
        survey, book = asked(), Ledger.in_memory(epsilon=30)
        client = survey.client(secret=SECRET, ledger=book)
        first = client.report(ANSWERS)
        assert client.report(ANSWERS) == first == survey.client(secret=SECRET, ledger=book).report(ANSWERS)
        assert book.spent.epsilon == Fraction(survey.privacy_map(1))
        client.report({**ANSWERS, "age": "young"})
        more = Fraction(survey["age"].mechanism.privacy_map(1))
        assert book.spent.epsilon == Fraction(survey.privacy_map(1)) + more
        survey.client(secret=SECRET + b"2", ledger=book).report(ANSWERS)
        assert book.spent.epsilon == 2 * Fraction(survey.privacy_map(1)) + more

    def test_a_question_asked_by_itself_finds_what_a_survey_paid_and_the_other_way_round(self):
        survey, book = asked(), Ledger.in_memory(epsilon=30)
        survey.client(secret=SECRET, ledger=book).report(ANSWERS)
        Client(survey["smokes"], secret=SECRET, ledger=book).report("yes")
        assert len(book.entries()) == 1
        Client(survey["smokes"], secret=SECRET, ledger=book).report("no")
        assert len(book.entries()) == 2
        survey.client(secret=SECRET, ledger=book).report({**ANSWERS, "smokes": "no"})
        assert len(book.entries()) == 2

    def test_without_a_secret_every_response_is_paid_for(self):
        survey, book = asked(), Ledger.in_memory(epsilon=30)
        client = survey.client(ledger=book)
        for _ in range(2):
            client.report(ANSWERS)
        assert book.spent.epsilon == 2 * Fraction(survey.privacy_map(1))

    def test_a_charge_taken_back_is_no_receipt(self):
        survey, book = asked(), Ledger.in_memory(epsilon=30)
        client = survey.client(secret=SECRET, ledger=book)
        client.report(ANSWERS)
        book.void(1, reason="nothing was sent", unseen=True)
        client.report(ANSWERS)
        assert [entry.kind for entry in book.entries()] == ["charge", "void", "charge"]

    def test_the_books_do_not_tell_the_answers(self):
        survey = asked()
        receipts = []
        for answers in (ANSWERS, {**ANSWERS, "town": "town 4"}):
            book = Ledger.in_memory(epsilon=30)
            survey.client(secret=SECRET, ledger=book).report(answers)
            receipts.append(book.entries()[0].receipt)
        assert all("town 3" not in json.dumps(each) for each in receipts)
        marks = [[report["answer"] for report in each["reports"]] for each in receipts]
        assert marks[0][:2] == marks[1][:2]
        assert marks[0][2] != marks[1][2]
        guess = KeyedCoins(bytes(16), b"mark" + survey["town"].digest + (3).to_bytes(4, "little"))
        assert f"{guess.bits(128):032x}" not in marks[0]

    def test_a_lasting_question_is_paid_for_ever(self):
        m = LongitudinalRappor(length=12, max_weight=1, f="1/2", p="1/4", q="3/4")
        survey, book = Survey.of([*asked().forms[:2], TOWN.form(m)]), Ledger.in_memory(epsilon=30)
        with pytest.raises(ParameterError):
            survey.client()
        client = survey.client(secret=SECRET, ledger=book)
        seen = {client.report(ANSWERS).payloads[2] for _ in range(20)}
        assert len(seen) > 1
        assert book.spent.epsilon == Fraction(client.privacy_map_of(None))
        assert len(book.entries()) == 1


class TestSecrets:
    def test_a_secret_is_neither_shown_nor_pickled(self):
        client = asked().client(secret=SECRET)
        assert "sentinel" not in repr(client)
        with pytest.raises(KindError):
            pickle.dumps(client)
        again = pickle.loads(pickle.dumps(asked().client(most=5)))
        assert again.digest == client.digest
        assert repr(again) == "<client of 3 questions>"

    @pytest.mark.parametrize("forms", [(), [], None, (5,)])
    def test_what_are_no_forms_make_no_client(self, forms):
        with pytest.raises(KindError):
            SurveyClient(forms)


def _secret_of(path):
    return Memory(path).secret


class TestMemory:
    def test_it_is_made_once_for_its_owner_and_survives(self, tmp_path):
        path = tmp_path / "memory.json"
        secret = Memory(path).secret
        assert len(secret) == 32
        assert Memory(str(path)).secret == secret
        assert [file.name for file in tmp_path.iterdir()] == ["memory.json"]
        assert secret.hex() not in repr(Memory(path))
        assert Memory(tmp_path / "other.json").secret != secret
        with pytest.raises(ParameterError):
            pickle.dumps(Memory(path))

    @pytest.mark.skipif(os.name != "posix", reason="modes of files are POSIX's")
    def test_only_its_owner_reads_it(self, tmp_path):
        before = os.umask(0)
        try:
            path = tmp_path / "memory.json"
            Memory(path)
        finally:
            os.umask(before)
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        for mode in (0o640, 0o604, 0o660):
            path.chmod(mode)
            with pytest.raises(ParameterError, match="chmod 600"):
                Memory(path)

    def test_a_damaged_file_is_refused_and_stays(self, tmp_path):
        path = tmp_path / "memory.json"
        secret = Memory(path).secret
        whole = path.read_bytes()
        at = whole.index(secret.hex().encode())
        flipped = whole[:at] + (b"0" if whole[at : at + 1] != b"0" else b"1") + whole[at + 1 :]
        for damaged in (b"", whole[:-5], whole[: len(whole) // 2], flipped, b"{}", b"\x00" * 100, b"[1]"):
            path.write_bytes(damaged)
            with pytest.raises(ParameterError) as caught:
                Memory(path)
            assert secret.hex() not in str(caught.value)
            assert path.read_bytes() == damaged

    def test_another_kind_of_file_is_refused(self, tmp_path):
        asked().save(tmp_path / "survey.json")
        (tmp_path / "survey.json").chmod(0o600)
        with pytest.raises(ParameterError, match="memory"):
            Memory(tmp_path / "survey.json")

    def test_a_crash_while_it_is_made_leaves_nothing_or_all(self, tmp_path, monkeypatch):
        path = tmp_path / "memory.json"
        with monkeypatch.context() as patch:
            patch.setattr(os, "fsync", lambda _: (_ for _ in ()).throw(KeyboardInterrupt))
            with pytest.raises(KeyboardInterrupt):
                Memory(path)
        assert list(tmp_path.iterdir()) == []
        assert len(Memory(path).secret) == 32

    def test_whoever_comes_second_takes_the_secret_of_the_first(self, tmp_path, monkeypatch):
        path = tmp_path / "memory.json"
        link, made = os.link, []

        def late(part, target):
            if not made:
                made.append(True)
                made.append(Memory(path).secret)
            return link(part, target)

        monkeypatch.setattr(os, "link", late)
        assert Memory(path).secret == made[1]

    def test_a_disk_without_links_has_a_secret_too(self, tmp_path, monkeypatch):
        monkeypatch.setattr(os, "link", lambda *_: (_ for _ in ()).throw(OSError("no links here")))
        path = tmp_path / "memory.json"
        assert Memory(path).secret == Memory(path).secret

    @pytest.mark.deep
    def test_eight_processes_at_once_have_one_secret(self, tmp_path):
        with get_context("spawn").Pool(8) as pool:
            for i in range(5):
                assert len(set(pool.map(_secret_of, [str(tmp_path / f"memory-{i}.json")] * 8))) == 1
