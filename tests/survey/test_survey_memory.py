"""What a person gives: coins of whole digests, a limit for each form, and a ledger for all of them."""

import itertools
import math
import os
import pickle
import subprocess
import sys
from fractions import Fraction

import pytest
from ledger_shelves import PROCESSES

from discreet import (
    BudgetError,
    DomainError,
    KindError,
    Ledger,
    LedgerError,
    LongitudinalRappor,
    MismatchError,
    OptimizedUnary,
    ParameterError,
    RandomizedResponse,
    RandomizedResponseBool,
    Rappor,
    ReportError,
    SubsetSelection,
)
from discreet.coins import KeyedCoins
from discreet.survey import Client, Collector, Question, TextClient, TextQuestion
from discreet.survey.wire import digest_of

SECRET = b"sentinel-7919-secret"
ABC = Question("letter", ["a", "b", "c"])
TEN = Question("city", [f"city {i}" for i in range(10)])
TEXT = TextQuestion("homepage", length=12, hashes=2, cohorts=3)
FORMS = {
    "RandomizedResponseBool": Question("member", [False, True]).form(RandomizedResponseBool(prob="3/4")),
    "RandomizedResponse": ABC.form(RandomizedResponse(categories=ABC.categories, prob="1/2")),
    "SubsetSelection": TEN.form(SubsetSelection(categories=TEN.categories, size=3, prob="1/2")),
    "OptimizedUnary": TEN.form(OptimizedUnary(length=10, p="1/2", q="1/4")),
    "Rappor": TEN.form(Rappor(length=10, max_weight=1, f="1/2")),
    "LongitudinalRappor": TEN.form(LongitudinalRappor(length=10, max_weight=1, f="1/2", p="1/4", q="3/4")),
    "open text": TEXT.form(Rappor(length=12, max_weight=2, f="1/2")),
    "open text, lasting": TEXT.form(LongitudinalRappor(length=12, max_weight=2, f="1/2", p="1/4", q="3/4")),
}
ANEW = {name: form for name, form in FORMS.items() if not isinstance(form.mechanism, LongitudinalRappor)}
each_form = pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)


def lasting(form):
    return isinstance(form.mechanism, LongitudinalRappor)


def client_of(form, **more):
    return form.question.client(form.mechanism, **more)


def answers_of(form):
    return ["x", "y", "z"] if form.question is TEXT else list(form.question.categories.values)


def reworded(i):
    """The same question, in a form that differs by a character or by 1e-18 of a probability."""
    name = f"smokes{' ' * (i % 20)}?"
    q = Question(name, ["no", "yes"])
    return q.form(RandomizedResponse(categories=q.categories, prob=Fraction(3, 4) - Fraction(i, 10**18)))


class TestDigests:
    def test_forms_agree_by_all_of_sha_256(self):
        for form in FORMS.values():
            assert len(form.digest) == 32
            assert form.tag == form.digest[:16] == client_of(form, secret=SECRET).report(answers_of(form)[0]).digest

    def test_two_questions_that_shared_8_bytes_are_told_apart(self):
        """What was found in 190 seconds: two questions with one digest of 8 bytes. Planted here: the same 8 bytes."""
        one, two = Question("a", ["no", "yes"]), Question("b", ["no", "yes"])
        m = RandomizedResponse(categories=["no", "yes"], prob="3/4")
        forms = []
        for q in (one, two):
            form = q.form(m)
            twin = bytes(8) + form.digest[8:]
            object.__setattr__(form, "digest", twin)
            forms.append(form)
        assert forms[0].digest[:8] == forms[1].digest[:8]
        secrets = [i.to_bytes(16, "little") for i in range(200)]
        clients_ = [[Client(form, secret=secret) for form in forms] for secret in secrets]
        pairs = {tuple(client.report("yes").payload for client in both) for both in clients_}
        assert len(pairs) == 4  # Coins of their own: all four pairs occur.
        with pytest.raises(ReportError, match="another form"):
            Collector(forms[0]).add(Client(forms[1]).report("yes"))
        with pytest.raises(MismatchError):
            Collector(forms[0]).merge(Collector(forms[1]))

    @pytest.mark.parametrize("place", [0, 8, 15, 16, 24, 31])
    def test_coins_depend_on_every_byte_of_the_digest(self, place):
        q = Question("bits", range(100))
        form, other = (q.form(OptimizedUnary(length=100, p="1/2", q="1/4")) for _ in range(2))
        changed = bytearray(form.digest)
        changed[place] ^= 1
        object.__setattr__(other, "digest", bytes(changed))
        reports = {Client(each, secret=SECRET).report(5).payload for each in (form, other)}
        assert len(reports) == 2

    def test_how_a_report_is_drawn_is_no_part_of_the_digest(self):
        q = Question("member", [False, True])
        forms = [q.form(RandomizedResponseBool(prob="3/4", constant_time=slow)) for slow in (False, True)]
        assert forms[0].digest == forms[1].digest
        assert digest_of({"name": "a"}, {"p": "1"}) != digest_of({"name": "a"}, {"p": "2"})


class TestMost:
    def test_a_form_that_tells_the_truth_is_refused_unless_said_so(self):
        m = RandomizedResponse(categories=ABC.categories, prob="1")
        for more in ({}, {"secret": SECRET}, {"most": 10**300}, {"most": "100"}):
            with pytest.raises(BudgetError, match="epsilon=inf is more than most="):
                ABC.client(m, **more)
        assert ABC.client(m, most=math.inf).report("b").payload == b"\x01"

    @each_form
    def test_a_form_beyond_the_limit_is_refused_before_anything_is_asked(self, form):
        cost = client_of(form, secret=SECRET).privacy_map_of(None)
        assert client_of(form, secret=SECRET, most=cost)
        below = math.nextafter(cost, 0)
        with pytest.raises(BudgetError, match="nothing was asked") as caught:
            client_of(form, secret=SECRET, most=below)
        assert form.question.name in str(caught.value)
        assert "sentinel" not in str(caught.value)

    def test_an_epsilon_of_100_is_refused_by_default(self):
        with pytest.raises(BudgetError, match="most=10;"):
            ABC.client(RandomizedResponse.within(epsilon=100, categories=ABC.categories))
        assert ABC.client(RandomizedResponse.within(epsilon=10, categories=ABC.categories))

    def test_a_lasting_answer_is_measured_by_all_of_its_reports(self):
        m = FORMS["LongitudinalRappor"].mechanism
        assert m.privacy_map_of(1) < 2 < m.privacy_map_for_ever()
        with pytest.raises(BudgetError):
            TEN.client(m, secret=SECRET, most=2)

    @pytest.mark.parametrize("most", [None, "much", -1, math.nan, [], True])
    def test_what_is_no_limit_is_refused(self, most):
        for form in (FORMS["RandomizedResponse"], FORMS["open text"]):
            with pytest.raises((KindError, ParameterError), match="most"):
                client_of(form, most=most)

    def test_the_limit_travels_with_the_client(self, tmp_path):
        book = Ledger(tmp_path / "given.db", epsilon=9)
        m = RandomizedResponse(categories=ABC.categories, prob="1")
        free = pickle.loads(pickle.dumps(ABC.client(m, most=math.inf)))
        assert free.report("a").payload == b"\0"
        for form in (FORMS["RandomizedResponse"], FORMS["open text"]):
            twin = pickle.loads(pickle.dumps(client_of(form, most=5, ledger=book)))
            before = book.spent.epsilon
            twin.report(answers_of(form)[0])
            assert book.spent.epsilon > before
            assert twin._most == 5


class TestLedgers:
    def test_400_forms_of_one_question_tell_no_more_than_the_budget(self):
        """Each form states 1.1; without a ledger, 400 of them have log-odds of 170 and more between yes and no."""
        book, given, refused = Ledger.in_memory(epsilon=3), [], 0
        for i in range(400):
            form = reworded(i)
            try:
                report = Client(form, secret=SECRET, ledger=book).report("yes")
            except BudgetError:
                refused += 1
            else:
                given.append((form, report))
        odds = sum(abs(math.log(form.mechanism.prob / (1 - form.mechanism.prob))) for form, _ in given)
        assert (len(given), refused) == (2, 398)
        assert odds <= float(book.spent.epsilon) <= 3

    def test_without_a_ledger_they_tell_the_answer(self):
        """The attack itself, so that the test above is known to stop something."""
        said = [Client(reworded(i), secret=SECRET).report("yes").payload for i in range(400)]
        assert (2 * said.count(b"\1") - 400) * math.log(3) > 100

    @each_form
    def test_the_same_answer_to_the_same_form_is_paid_for_once(self, form):
        book = Ledger.in_memory(epsilon=50)
        reports = set()
        for _ in range(5):
            client = client_of(form, secret=SECRET, ledger=book)
            reports |= {client.report(answers_of(form)[0]) for _ in range(4)}
        assert len(book.entries()) == 1
        assert book.spent.epsilon == Fraction(client.privacy_map_of(None))
        assert lasting(form) or len(reports) == 1

    @each_form
    def test_another_answer_or_secret_is_paid_for_again(self, form):
        book = Ledger.in_memory(epsilon=50)
        first, second, _ = (*answers_of(form), None)[:3]
        for secret, answer in itertools.product((SECRET, bytes(16)), (first, second, first)):
            client_of(form, secret=secret, ledger=book).report(answer)
        assert len(book.entries()) == 4

    def test_another_cohort_is_paid_for_again(self):
        book, form = Ledger.in_memory(epsilon=50), FORMS["open text"]
        for cohort in (0, 1, 0, 1, 2):
            TextClient(form, secret=SECRET, cohort=cohort, ledger=book).report("x")
        assert len(book.entries()) == 3

    @pytest.mark.parametrize("form", ANEW.values(), ids=ANEW)
    def test_without_a_secret_every_report_is_paid_for(self, form):
        book = Ledger.in_memory(epsilon=50)
        client = client_of(form, ledger=book)
        for _ in range(3):
            client.report(answers_of(form)[0])
        assert book.spent.epsilon == 3 * Fraction(client.privacy_map_of(1))

    def test_what_does_not_fit_is_refused_before_it_is_asked(self):
        form = FORMS["RandomizedResponse"]
        book = Ledger.in_memory(epsilon="1/2")
        with pytest.raises(BudgetError, match="more than is left"):
            client_of(form, secret=SECRET, ledger=book)
        assert not book.entries()

    def test_without_a_secret_a_known_form_is_refused_before_it_is_asked_again(self):
        form, book = FORMS["RandomizedResponse"], Ledger.in_memory(epsilon=1)
        client_of(form, ledger=book).report("a")
        for secret in (None, SECRET):  # What was given without a secret is given again by none.
            with pytest.raises(BudgetError):
                client_of(form, secret=secret, ledger=book)

    def test_what_no_longer_fits_is_refused_and_no_coin_is_tossed(self, monkeypatch):
        form, book = FORMS["RandomizedResponse"], Ledger.in_memory(epsilon=1)
        client = client_of(form, secret=SECRET, ledger=book)
        client.report("a")
        monkeypatch.setattr(RandomizedResponse, "sample", lambda *_: pytest.fail("a coin was tossed"))
        with pytest.raises(BudgetError):
            client.report("b")
        monkeypatch.undo()
        assert client.report("a")  # What was paid for stays free.
        assert client_of(form, secret=SECRET, ledger=book).report("a")
        assert len(book.entries()) == 1

    def test_a_charge_is_on_the_books_before_a_coin_is_tossed(self, monkeypatch):
        book, form = Ledger.in_memory(epsilon=5), FORMS["RandomizedResponse"]
        seen = []
        sample = RandomizedResponse.sample
        monkeypatch.setattr(
            RandomizedResponse, "sample", lambda m, x, c: [seen.append(len(book.entries())), sample(m, x, c)][1]
        )
        client_of(form, secret=SECRET, ledger=book).report("a")
        client_of(form, ledger=book).report("a")
        assert seen == [1, 2]

    def test_a_charge_that_was_taken_back_pays_for_nothing(self):
        form, book = FORMS["RandomizedResponse"], Ledger.in_memory(epsilon=1)
        client = client_of(form, secret=SECRET, ledger=book)
        client.report("a")
        book.void(1, reason="it was never sent", unseen=True)
        client.report("a")
        assert book.spent.epsilon == Fraction(client.privacy_map_of(1))
        with pytest.raises(BudgetError):
            client.report("b")

    def test_a_foreign_answer_is_not_charged(self):
        book = Ledger.in_memory(epsilon=5)
        with pytest.raises(DomainError):
            client_of(FORMS["RandomizedResponse"], secret=SECRET, ledger=book).report("x")
        assert not book.entries()

    def test_a_report_that_says_nothing_is_free(self):
        book = Ledger.in_memory(epsilon="1e-9")
        client = ABC.client(RandomizedResponse(categories=ABC.categories, prob="1/3"), ledger=book)
        assert client.report("a")
        assert not book.entries()

    def test_a_form_that_tells_the_truth_fits_in_no_ledger(self):
        book = Ledger.in_memory(epsilon=10**6)
        with pytest.raises(BudgetError, match="any ledger"):
            ABC.client(RandomizedResponse(categories=ABC.categories, prob=1), most=math.inf, ledger=book)

    def test_the_ledger_does_not_tell_the_answer(self):
        """Marks are coins of the secret: with two secrets no mark is the same, whatever the answers are."""
        form, marks = FORMS["RandomizedResponse"], []
        for secret, answer in itertools.product((SECRET, bytes(16)), "abc"):
            book = Ledger.in_memory(epsilon=5)
            client_of(form, secret=secret, ledger=book).report(answer)
            receipt = book.entries()[0].receipt
            assert set(receipt) == {"form", "answer"}
            marks.append(receipt["answer"])
        assert len(set(marks)) == 6
        assert all(len(mark) == 32 for mark in marks)

    def test_marks_are_no_coins_of_any_report(self):
        form, book = FORMS["RandomizedResponse"], Ledger.in_memory(epsilon=5)
        client_of(form, secret=SECRET, ledger=book).report("a")
        context = form.digest + bytes(4)
        assert book.entries()[0].receipt["answer"] != f"{KeyedCoins(SECRET, context).bits(128):032x}"
        assert book.entries()[0].receipt["answer"] == f"{KeyedCoins(SECRET, b'mark' + context).bits(128):032x}"

    def test_receipts_of_tables_do_not_matter(self):
        book = Ledger.in_memory(epsilon=5)
        for receipt in (None, 5, "form", ["form"], {"by": ["city"]}):
            book.charge(epsilon="1/10", receipt=receipt)
        client_of(FORMS["RandomizedResponse"], secret=SECRET, ledger=book).report("a")
        assert len(book.entries()) == 6

    @pytest.mark.parametrize("ledger", ["given.db", 5, [], {}], ids=repr)
    def test_what_is_no_ledger_is_refused(self, ledger):
        with pytest.raises(KindError, match="ledger"):
            client_of(FORMS["RandomizedResponse"], ledger=ledger)

    def test_many_people_have_no_ledger_together(self):
        client = client_of(FORMS["RandomizedResponse"], ledger=Ledger.in_memory(epsilon=5))
        with pytest.raises(ParameterError, match="each has their own"):
            client.report_many(["a", "b"])

    def test_the_file_outlives_the_process(self, tmp_path):
        script = (
            "import sys; from discreet import Ledger, RandomizedResponse; from discreet.survey import Question\n"
            "q = Question('letter', ['a', 'b', 'c'])\n"
            "client = q.client(RandomizedResponse(categories=q.categories, prob='1/2'), secret=bytes(16),"
            " ledger=Ledger(sys.argv[1], epsilon=1))\n"
            "print(client.report(sys.argv[2]).payload.hex())"
        )
        path = tmp_path / "given.db"
        runs = [
            subprocess.run([sys.executable, "-c", script, path, answer], capture_output=True, text=True, check=False)
            for answer in ("a", "a", "b")
        ]
        assert [run.returncode for run in runs] == [0, 0, 1]
        assert runs[0].stdout == runs[1].stdout
        assert "BudgetError" in runs[2].stderr
        assert len(Ledger(path).entries()) == 1

    def test_an_older_copy_put_back_is_noticed_while_a_client_is_open(self, tmp_path):
        path = tmp_path / "given.db"
        book = Ledger(path, epsilon=5)
        old = path.read_bytes()
        client = client_of(FORMS["RandomizedResponse"], secret=SECRET, ledger=book)
        client.report("a")
        path.write_bytes(old)
        with pytest.raises(LedgerError, match="older copy"):
            client.report("b")

    def test_eight_processes_spend_no_more_than_there_is(self, tmp_path):
        path = tmp_path / "given.db"
        Ledger(path, epsilon=5).close()
        with PROCESSES.Pool(4) as pool:
            given = sum(pool.starmap(_give, [(str(path), i) for i in range(8)]))
        book = Ledger(path)
        assert given == len(book.entries()) == 4  # Each costs ln 3.
        assert book.spent.epsilon <= 5


def _give(path, i):
    """Answer a form of one's own, if the books allow it."""
    try:
        Client(reworded(i), secret=os.urandom(16), ledger=Ledger(path)).report("yes")
    except BudgetError:
        return 0
    return 1
