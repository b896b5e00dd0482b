"""Clients and collectors: whatever way reports come, the same counts; what is refused is counted, and none is lost."""

import contextlib
import copy
import io
import itertools
import json
import math
import os
import pickle
import subprocess
import sys
import threading
import time
import traceback
from collections import Counter
from fractions import Fraction

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from survey_laws import fits
from tiers import cases, each

from discreet import (
    DiscreetError,
    KindError,
    LongitudinalRappor,
    MaxDivergence,
    MismatchError,
    OptimizedUnary,
    ParameterError,
    RandomizedResponse,
    RandomizedResponseBool,
    Rappor,
    ReportError,
    SubsetSelection,
    UnsupportedError,
    progress,
)
from discreet.progress import Progress, Waiting
from discreet.reals import float_up, ln
from discreet.survey import Client, Collector, PairCollector, Question, Report, TextQuestion, collectors, files
from discreet.survey.counting import count_bits, count_bytes

pytestmark = pytest.mark.usefixtures("given_coins")

SECRET = b"sentinel-7919-secret"
ABC = Question("letter", ["a", "b", "c"])
YES_NO = Question("member", [False, True])
AGES = Question("age", [10, 20, 30])
TEN = Question("city", [f"city {i}" for i in range(10)])
TEXT = TextQuestion("homepage", length=12, hashes=2, cohorts=3)

RR = ABC.form(RandomizedResponse(categories=ABC.categories, prob="1/2"))
BOOL = YES_NO.form(RandomizedResponseBool(prob="3/4"))
AGE = AGES.form(RandomizedResponse(categories=AGES.categories, prob="1/2"))
SETS = TEN.form(SubsetSelection(categories=TEN.categories, size=3, prob="1/2"))
UNARY = TEN.form(OptimizedUnary(length=10, p="1/2", q="1/4"))
RAPPOR = TEN.form(Rappor(length=10, max_weight=1, f="1/2"))
LASTING = TEN.form(LongitudinalRappor(length=10, max_weight=1, f="1/2", p="1/4", q="3/4"))
OPEN = TEXT.form(Rappor(length=12, max_weight=2, f="1/2"))
FORMS = {
    "RandomizedResponseBool": BOOL,
    "RandomizedResponse": RR,
    "whole numbers": AGE,
    "SubsetSelection": SETS,
    "OptimizedUnary": UNARY,
    "Rappor": RAPPOR,
    "LongitudinalRappor": LASTING,
    "open text": OPEN,
}
SMALL = {
    "RandomizedResponseBool": BOOL,
    "RandomizedResponse": RR,
    "SubsetSelection": ABC.form(SubsetSelection(categories=ABC.categories, size=2, prob="3/4")),
    "OptimizedUnary": ABC.form(OptimizedUnary(length=3, p="1/2", q="1/4")),
    "Rappor": ABC.form(Rappor(length=3, max_weight=1, f="1/2")),
}
LASTING_SMALL = ABC.form(LongitudinalRappor(length=3, max_weight=1, f="1/2", p="1/4", q="3/4"))
each_form = pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)


def payloads(form, n=20):
    """Return n payloads that a form can give, each time the same."""
    generator = np.random.default_rng(7)
    if form is OPEN:
        bits = np.packbits(generator.random((n, 12)) < 0.4, axis=1, bitorder="little")
        return np.hstack([generator.integers(0, 3, (n, 1)), np.zeros((n, 1), int), bits]).astype(np.uint8)
    if form.says == "choice":
        return generator.integers(0, form.size, (n, 1)).astype(np.uint8)
    sets = np.argsort(generator.random((n, form.size)), axis=1) < 3
    return np.packbits(sets, axis=1, bitorder="little")


def expected(form, rows):
    """Return the counts of payloads, one report and one choice at a time."""
    counts = [0] * form.size
    for row in rows.tolist():
        if form is OPEN:
            bits = [i for i in range(12) if row[2 + i // 8] >> i % 8 & 1]
            for place in [*(12 * row[0] + i for i in bits), 36 + row[0]]:
                counts[place] += 1
        elif form.says == "choice":
            counts[row[0]] += 1
        else:
            for i in range(form.size):
                counts[i] += row[i // 8] >> i % 8 & 1
    return counts


def whole(form, rows):
    """Return payloads as whole reports, rows of bytes."""
    head = np.frombuffer(bytes((0xD5, 2)) + form.tag, np.uint8)
    return np.hstack([np.tile(head, (len(rows), 1)), rows])


def wire(form, rows):
    return [row.tobytes() for row in whole(form, rows)]


def law_of(form, answer):
    """The exact law of the payloads of an answer."""
    m, values = form.mechanism, form.question.categories.values
    if isinstance(m, RandomizedResponse | RandomizedResponseBool):
        return {form.payload_of(said): p for said, p in m.law(answer).items()}
    if isinstance(m, SubsetSelection):
        return {form.payload_of(said): p for said, p in m.law(answer).items()}
    law = m.law([value == answer for value in values])
    return {np.packbits(bits, bitorder="little").tobytes(): p for bits, p in law.items()}


def secrets(n):
    return [b"a secret, number %08d" % i for i in range(n)]


def shifted(law):
    """A wrong law: a twentieth of all mass moved from the likeliest outcome to the least likely."""
    most, least = max(law, key=law.get), min(law, key=law.get)
    return law | {most: law[most] - Fraction(1, 20), least: law[least] + Fraction(1, 20)}


class TestClients:
    @each_form
    def test_a_secret_gives_the_same_report_each_time(self, form):
        if isinstance(form.mechanism, LongitudinalRappor):
            return  # Only its permanent answer is the same.
        answers = ["x", "y", ""] if form is OPEN else form.question.categories.values
        for answer in answers:
            reports = {form.question.client(form.mechanism, secret=SECRET).report(answer) for _ in range(5)}
            client = form.question.client(form.mechanism, secret=SECRET)
            reports |= {client.report(answer) for _ in range(5)}
            assert len(reports) == 1

    def test_a_secret_gives_the_same_report_in_every_process(self):
        script = (
            "from discreet.survey import Question; from discreet import OptimizedUnary\n"
            "q = Question('q', range(100)); m = OptimizedUnary(length=100, p='1/2', q='1/4')\n"
            f"print(q.client(m, secret={SECRET!r}).report(5).payload.hex())"
        )
        q, m = Question("q", range(100)), OptimizedUnary(length=100, p="1/2", q="1/4")
        ours = q.client(m, secret=SECRET).report(5).payload.hex()
        for seed in ("1", "2"):
            env = os.environ | {"PYTHONHASHSEED": seed}
            done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, env=env)
            assert done.stdout.strip() == ours

    def test_without_a_secret_reports_are_drawn_anew(self):
        q, m = Question("q", range(100)), OptimizedUnary(length=100, p="1/2", q="1/4")
        assert len({q.client(m).report(5) for _ in range(10)}) == 10

    def test_secrets_answers_and_forms_each_have_their_own_report(self):
        m = OptimizedUnary(length=100, p="1/2", q="1/4")
        reports = {
            Question(name, range(100)).client(m, secret=secret).report(answer).payload
            for name in ("q", "r")
            for secret in secrets(10)
            for answer in range(10)
        }
        assert len(reports) == 200

    @pytest.mark.parametrize("form", each(SMALL.values(), 3), ids=each(SMALL, 3))
    def test_over_secrets_permanent_answers_follow_the_law(self, form):
        """6000 given secrets, so the outcome is always the same; a law that is wrong by 1/20 is seen at 1e-8."""
        answer = form.question.categories.values[1]
        clients = [form.question.client(form.mechanism, secret=secret) for secret in secrets(6000)]
        counts = Counter(client.report(answer).payload for client in clients)
        assert fits(counts, law_of(form, answer)) > 1e-3
        assert fits(counts, shifted(law_of(form, answer))) < 1e-8

    def test_over_secrets_lasting_bits_follow_the_law(self, monkeypatch):
        """The permanent bits of 6000 given secrets; a law that is wrong by 1/20 is seen at 1e-8."""
        memos = []
        instantaneous = LongitudinalRappor.instantaneous
        monkeypatch.setattr(
            LongitudinalRappor,
            "instantaneous",
            lambda self, memo, coins: [memos.append(tuple(memo.tolist())), instantaneous(self, memo, coins)][1],
        )
        for secret in secrets(6000):
            ABC.client(LASTING_SMALL.mechanism, secret=secret).report("b")
        law = Rappor(length=3, max_weight=1, f="1/2").law([False, True, False])
        assert fits(Counter(memos), law) > 1e-3
        assert fits(Counter(memos), shifted(law)) < 1e-8

    def test_a_lasting_answer_keeps_its_bits_and_draws_its_reports(self, monkeypatch):
        q, m = Question("q", range(64)), LongitudinalRappor(length=64, max_weight=1, f="1/2", p="1/4", q="3/4")
        memos = []
        instantaneous = LongitudinalRappor.instantaneous
        monkeypatch.setattr(
            LongitudinalRappor,
            "instantaneous",
            lambda self, memo, coins: [memos.append(memo.tobytes()), instantaneous(self, memo, coins)][1],
        )
        client = q.client(m, secret=SECRET)
        assert len({client.report(5) for _ in range(10)}) == 10
        assert len(set(memos)) == 1

    def test_permanent_answers_to_two_choices_are_independent(self):
        """The joint law over 9000 given secrets is the product; one that leans by 1/20 is seen at 1e-8."""
        m = RR.mechanism
        clients = [ABC.client(m, secret=secret) for secret in secrets(9000)]
        counts = Counter(client.report("a").payload + client.report("b").payload for client in clients)
        joint = {x + y: p * q for x, p in law_of(RR, "a").items() for y, q in law_of(RR, "b").items()}
        assert fits(counts, joint) > 1e-3
        assert fits(counts, shifted(joint)) < 1e-8

    @pytest.mark.parametrize("form", each(SMALL.values(), 2), ids=each(SMALL, 2))
    def test_a_client_without_a_secret_follows_the_law(self, form):
        """6000 draws: a right law is refused once in a million runs, one wrong by 1/20 passes less often."""
        answer = form.question.categories.values[0]
        client = form.question.client(form.mechanism)
        counts = Counter(client.report(answer).payload for _ in range(6000))
        assert fits(counts, law_of(form, answer)) > 1e-6
        assert fits(counts, shifted(law_of(form, answer))) < 1e-6
        rows = client.report_many([answer] * 6000)
        counts = Counter(row.tobytes() for row in rows)
        assert fits(counts, law_of(form, answer)) > 1e-6
        assert fits(counts, shifted(law_of(form, answer))) < 1e-6

    @pytest.mark.parametrize("form", [RR, BOOL, SETS, UNARY, RAPPOR, LASTING], ids=lambda f: type(f.mechanism).__name__)
    def test_many_reports_take_no_secret(self, form):
        with pytest.raises(ParameterError, match="each has their own") as caught:
            form.question.client(form.mechanism, secret=SECRET).report_many(form.question.choices)
        assert "sentinel" not in "".join(traceback.format_exception(caught.value))

    @pytest.mark.parametrize("question", [TEN, TEXT], ids=["choices", "text"])
    def test_a_lasting_answer_needs_a_secret(self, question):
        m = LASTING.mechanism if question is TEN else LongitudinalRappor(length=12, max_weight=2, f=1, p=0, q=1)
        with pytest.raises(ParameterError, match="secret"):
            question.client(m)


def worst(form):
    """The greatest ratio of probabilities of one report, by trying all."""
    laws = [law_of(form, answer) for answer in form.question.categories.values]
    return max(a[o] / b[o] for a, b in itertools.permutations(laws, 2) for o in a if b[o])


class TestLosses:
    @pytest.mark.parametrize("form", SMALL.values(), ids=SMALL)
    @pytest.mark.parametrize("r", [0, 1, 2, 1000, None])
    def test_losses_are_those_of_the_law(self, form, r):
        """The exact ratio of the law to the power of r, rounded up once: an independent way to the same float."""
        anew, kept = form.question.client(form.mechanism), form.question.client(form.mechanism, secret=SECRET)
        one = worst(form)
        assert anew.privacy_map_of(r) == (math.inf if r is None else float_up(ln(one**r)) if r else 0.0)
        assert kept.privacy_map_of(r) == (0.0 if r == 0 else float_up(ln(one)))
        assert form.mechanism.privacy_map(1) == float_up(ln(one))

    @pytest.mark.parametrize("r", [0, 1, 2, 3])
    def test_losses_of_a_lasting_answer_are_those_of_its_reports(self, r):
        """Every vector of permanent bits and every r reports from it, weighed exactly."""
        q = Question("q", ["a", "b"])
        m = LongitudinalRappor(length=2, max_weight=1, f="1/2", p="1/4", q="3/4")

        def law(answer):
            masses = Counter()
            for memo in itertools.product((0, 1), repeat=2):
                start = math.prod(
                    Fraction(3, 4) if bit == (i == answer) else Fraction(1, 4) for i, bit in enumerate(memo)
                )
                for reports in itertools.product(itertools.product((0, 1), repeat=2), repeat=r):
                    one = [m.q if bit else m.p for bit in memo]
                    mass = math.prod(
                        p if bit else 1 - p for report in reports for bit, p in zip(report, one, strict=True)
                    )
                    masses[reports] += start * mass
            return masses

        a, b = law(0), law(1)
        assert sum(a.values()) == 1
        ratio = max(a[o] / b[o] for o in a)
        assert q.client(m, secret=SECRET).privacy_map_of(r) == (float_up(ln(ratio)) if r else 0.0)

    @pytest.mark.parametrize("r", [0, 1, 2, 1000, None])
    def test_losses_of_a_lasting_answer_are_its_mechanisms(self, r):
        m, client = LASTING.mechanism, TEN.client(LASTING.mechanism, secret=SECRET)
        expected_ = m.privacy_map_for_ever() if r is None else m.privacy_map_of(r)
        assert client.privacy_map_of(r) == expected_ == MaxDivergence().up(client.loss_of(r))
        assert client.privacy_map_of(r) <= client.privacy_map_of(None)

    def test_a_mechanism_that_hides_nothing_costs_everything_but_for_no_report(self):
        m = RandomizedResponse(categories=ABC.categories, prob=1)
        for client in (ABC.client(m, most=math.inf), ABC.client(m, secret=SECRET, most=math.inf)):
            assert [client.privacy_map_of(r) for r in (0, 1, 5, None)] == [0.0, math.inf, math.inf, math.inf]

    def test_any_number_of_reports_that_say_nothing_cost_nothing(self):
        client = ABC.client(RandomizedResponse(categories=ABC.categories, prob="1/3"))
        assert client.privacy_map_of(10**9) == 0.0
        assert client.privacy_map_of(None) == 0.0

    @pytest.mark.parametrize("r", [-1, 1.5, "1", [], math.nan])
    def test_what_is_no_number_of_reports_is_refused(self, r):
        for client in (ABC.client(RR.mechanism), TEN.client(LASTING.mechanism, secret=SECRET)):
            with pytest.raises(DiscreetError):
                client.loss_of(r)

    def test_clients_of_open_text_state_their_losses(self):
        client = TEXT.client(OPEN.mechanism, secret=SECRET)
        assert client.privacy_map_of(1000) == OPEN.mechanism.privacy_map(1)


class TestSecrets:
    @pytest.mark.parametrize("form", [RR, LASTING, OPEN], ids=["choices", "lasting", "text"])
    @pytest.mark.parametrize(
        "secret",
        ["sentinel-7919-secret", bytearray(SECRET), memoryview(SECRET), 7919, [7919], b"", b"7919", b"sentinel-791919"],
        ids=["text", "bytearray", "memoryview", "number", "list", "empty", "short", "15 bytes"],
    )
    def test_a_secret_too_short_or_no_bytes_is_refused_untold(self, form, secret):
        with pytest.raises((KindError, ParameterError), match="secret") as caught:
            form.question.client(form.mechanism, secret=secret)
        text = "".join(traceback.format_exception(caught.value)) + repr(caught.value)
        assert "sentinel" not in text.replace("test_a_secret", "")
        assert "7919" not in text

    def test_sixteen_bytes_are_enough(self):
        assert ABC.client(RR.mechanism, secret=bytes(16)).report("a")

    @pytest.mark.parametrize("form", [RR, LASTING, OPEN], ids=["choices", "lasting", "text"])
    def test_a_client_does_not_show_its_secret(self, form):
        client = form.question.client(form.mechanism, secret=SECRET)
        assert "sentinel" not in repr(client) + str(client) + f"{client}"

    @pytest.mark.parametrize(
        "form",
        [
            RR,
            LASTING,
            pytest.param(OPEN),
        ],
        ids=["choices", "lasting", "text"],
    )
    def test_a_client_does_not_pickle_its_secret(self, form):
        client = form.question.client(form.mechanism, secret=SECRET)
        for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1):
            with pytest.raises(KindError) as caught:
                pickle.dumps(client, protocol)
            assert "sentinel" not in str(caught.value)

    def test_a_client_without_a_secret_travels(self):
        client = ABC.client(RR.mechanism)
        for twin in (pickle.loads(pickle.dumps(client)), copy.copy(client), copy.deepcopy(client)):
            assert twin.form == client.form
            assert twin.report("a").digest == RR.tag

    @pytest.mark.parametrize("form", ["form", None, ABC])
    def test_what_is_no_form_has_no_client(self, form):
        with pytest.raises(DiscreetError):
            Client(form)


def columns(form, rows):
    """Yield each documented way to give reports to add_many, with the arguments; a label says if they are payloads."""
    one = wire(form, rows)
    reports = [Report.from_bytes(data) for data in one]
    texts = [report.to_json() for report in reports]
    values = [row.tobytes() for row in rows]
    width = form.width
    yield "payload rows", (rows,)
    yield "payload rows, not contiguous", (np.asfortranarray(rows),)
    yield "whole rows", (whole(form, rows),)
    yield "reports", (reports,)
    yield "a tuple of reports", (tuple(reports),)
    yield "bytes", (one,)
    yield "payloads", (values,)
    yield "json", (texts,)
    yield "all mixed", ([(texts, reports, one)[i % 3][i] for i in range(len(rows))],)
    yield "array of objects", (np.array(reports, object),)
    yield "array of bytes objects", (np.array([None, *one], object)[1:],)
    yield "pandas bytes", (pd.Series(one),)
    yield "pandas arrow bytes", (pd.Series(one, dtype=pd.ArrowDtype(pa.binary())),)
    yield "pandas json", (pd.Series(texts),)
    yield "pandas filtered", (pd.Series([b"x", *one], index=range(50, 51 + len(one)))[1:],)
    yield "polars bytes", (pl.Series(one),)
    yield "polars payloads", (pl.Series(values),)
    yield "polars json", (pl.Series(texts),)
    yield "polars sliced", (pl.Series([b"x", *one, b"x"])[1:-1],)
    yield "polars in chunks", (pl.concat([pl.Series(one[:3]), pl.Series(one[3:])], rechunk=False),)
    for label, data, size in (("payloads", values, width), ("whole", one, 18 + width)):
        for kind in (pa.binary(), pa.large_binary(), pa.binary(size), pa.binary_view()):
            yield f"arrow {label} {kind}", (pa.array(data, kind),)
            yield f"arrow {label} {kind} sliced", (pa.array([data[0], *data, data[0]], kind).slice(1, len(data)),)
            parts = [pa.array(data[:3], kind), pa.array([], kind), pa.array(data[2:], kind)[1:]]
            yield f"arrow {label} {kind} in chunks", (pa.chunked_array(parts),)
        coded = pa.array([data[0], *data], pa.binary()).dictionary_encode()[1:]
        yield f"arrow {label} dictionary", (coded,)
    yield "arrow json", (pa.array(texts),)
    yield "arrow large json", (pa.array(texts, pa.large_string()),)
    yield "arrow json dictionary", (pa.array(texts).dictionary_encode(),)
    more = {"number": range(len(one)), "text": ["t"] * len(one)}
    table = pa.table(more | {"report": pa.array(one)})
    yield "pandas frame", (pd.DataFrame(more | {"report": one}), "report")
    yield "polars frame", (pl.DataFrame(more | {"report": one}), "report")
    yield "polars frame of payloads", (pl.DataFrame(more | {"report": values}), "report")
    yield "arrow table", (table, "report")
    yield "arrow table of one column", (table.select(["report"]),)
    yield "arrow batch", (table.to_batches()[0], "report")
    yield "arrow reader", (pa.RecordBatchReader.from_batches(table.schema, table.to_batches(max_chunksize=7)), "report")
    yield "duckdb relation", (duckdb.connect().from_arrow(table), "report")
    yield "duckdb query", (duckdb.connect().from_arrow(table).project("report"),)
    yield "mapping", ({"report": one}, "report")
    if form is not OPEN:
        said = [form.read(value) for value in values]
        yield "choices", (said,)
        if form.says != "choice":
            yield "booleans", (form.supported(rows),)
            yield "sets", ([set(each) for each in said],)
            yield "lists", ([list(each) for each in said],)
            yield "pandas booleans", (pd.DataFrame(form.supported(rows)).to_numpy(),)
            yield "arrow lists", (pa.array([list(each) for each in said]),)
        else:
            yield "array of choices", (np.array(said),)
            yield "pandas choices", (pd.Series(said),)
            yield "pandas categories", (pd.Series(said, dtype="category"),)
            yield "polars choices", (pl.Series(said),)
            yield "arrow choices", (pa.array(said),)
            yield "arrow coded choices", (pa.array(said).dictionary_encode(),)
            yield "duckdb choices", (duckdb.connect().from_arrow(pa.table({"q": said})), "q")


class TestInputs:
    @each_form
    @pytest.mark.parametrize("chunk", [3, 1 << 16])
    def test_every_way_to_give_reports_counts_the_same(self, form, chunk, monkeypatch):
        monkeypatch.setattr(collectors, "_CHUNK", chunk)
        rows = payloads(form)
        wrong = {}
        for label, given_ in columns(form, rows):
            box = Collector(form)
            tally = box.add_many(*given_, payloads="payload" in label)
            if (box.n, box.supports.tolist(), tally.added, tally.refused) != (20, expected(form, rows), 20, {}):
                wrong[label] = tally
            assert not box.refused
        assert not wrong

    @each_form
    def test_single_reports_count_the_same(self, form):
        rows, box = payloads(form), Collector(form)
        for data in wire(form, rows):
            box.add(data)
        assert (box.n, box.supports.tolist()) == (20, expected(form, rows))

    @each_form
    def test_nothing_given_is_nothing_added(self, form):
        for label, given_ in columns(form, payloads(form)):
            if label in ("arrow reader", "duckdb relation", "duckdb query", "duckdb choices", "mapping", "arrow batch"):
                continue
            source = given_[0].head(0) if isinstance(given_[0], pd.DataFrame | pl.DataFrame) else given_[0][:0]
            box = Collector(form)
            assert box.add_many(source, *given_[1:], payloads="payload" in label).added == 0, label
            assert (box.n, box.supports.any(), dict(box.refused)) == (0, False, {})
        assert Collector(form).add_many([]).added == Collector(form).add_many(()).added == 0

    @each_form
    def test_reports_in_files_count_the_same(self, form, tmp_path, monkeypatch):
        monkeypatch.setattr(collectors, "_CHUNK", 3)
        rows = payloads(form)
        one, values = wire(form, rows), [row.tobytes() for row in rows]
        kinds = {
            "binary": pa.array(one),
            "fixed payloads": pa.array(values, pa.binary(form.width)),
            "large": pa.array(one, pa.large_binary()),
        }
        kinds |= {"json": pa.array([Report.from_bytes(data).to_json() for data in one])}
        for label, column in kinds.items():
            pq.write_table(
                pa.table({"n": range(20), "report": column}), tmp_path / f"{label}.parquet", row_group_size=8
            )
        texts = [data.hex() for data in (one if form.says != "choice" else [])]
        kinds_of_text = {"json": [Report.from_bytes(data).to_json() for data in one]}
        if form.says != "choice":
            kinds_of_text |= {
                "hex": texts,
                "HEX": [text.upper() for text in texts],
                "payloads": [v.hex() for v in values],
            }
        else:
            kinds_of_text |= {"choices": [str(form.read(value)) for value in values]}
        for label, column in kinds_of_text.items():
            pd.DataFrame({"n": range(20), "report": column}).to_csv(tmp_path / f"{label}.csv", index=False)
        for path in sorted(tmp_path.iterdir()):
            for source in (path, str(path)):
                box = Collector(form)
                tally = box.add_many(source, column="report", payloads="payload" in path.name)
                assert (tally.added, tally.refused, box.supports.tolist()) == (20, {}, expected(form, rows)), path.name

    def test_patterns_find_many_files(self, tmp_path):
        rows = payloads(SETS)
        for i in range(5):
            pq.write_table(pa.table({"report": wire(SETS, rows[4 * i : 4 * i + 4])}), tmp_path / f"part-{i}.parquet")
        (tmp_path / "deep").mkdir()
        pd.DataFrame({"report": [row.tobytes().hex() for row in rows]}).to_csv(
            tmp_path / "deep" / "all.csv", index=False
        )
        box = Collector(SETS)
        assert box.add_many(tmp_path / "part-*.parquet").added == 20
        assert box.supports.tolist() == expected(SETS, rows)
        assert Collector(SETS).add_many(str(tmp_path / "part-[0-3].pa?quet")).added == 16
        assert Collector(SETS).add_many(f"{tmp_path}/**/*.csv", payloads=True).added == 20

    def test_a_file_whose_name_looks_like_a_pattern_is_found(self, tmp_path):
        path = tmp_path / "reports [1].parquet"
        pq.write_table(pa.table({"report": wire(SETS, payloads(SETS))}), path)
        assert Collector(SETS).add_many(path).added == 20

    @pytest.mark.parametrize(
        "given_",
        [
            (None,),
            (5,),
            (b"abc",),
            (bytearray(b"abc"),),
            (object(),),
            (iter([b"abc"]),),
            (np.zeros((2, 2, 2), np.uint8),),
            (np.zeros((2, 2), np.int64),),
            (np.zeros((2, 2), np.float64),),
            (np.array([b"abc"]),),
            (np.array(5),),
            ("nowhere.parquet",),
            ("nowhere-*.parquet",),
            (__file__,),
            (pa.table({"a": [1], "b": [2]}),),
            (pa.table({"a": [1], "b": [2]}), "c"),
            (pd.DataFrame({"a": [1], "b": [2]}), "c"),
            (pl.DataFrame({"a": [1], "b": [2]}), "c"),
            (pd.DataFrame({"a": [1], "b": [2]}),),
            pytest.param(({"a": [1]}, "b")),
        ],
    )
    def test_what_are_no_reports_is_a_declared_error(self, given_):
        box = Collector(SETS)
        with pytest.raises(DiscreetError):
            box.add_many(*given_)
        assert (box.n, dict(box.refused)) == (0, {})

    @pytest.mark.parametrize("column", [pd.Series([b"a"]), pl.Series([b"a"])], ids=["pandas", "polars"])
    def test_a_column_with_the_name_of_one_is_a_declared_error(self, column):
        with contextlib.suppress(DiscreetError):
            Collector(SETS).add_many(column, column="report")

    def test_a_wrong_name_of_a_column_gets_a_hint(self):
        for frame in (pd.DataFrame, pl.DataFrame, pa.table):
            with pytest.raises(ParameterError, match="did you mean 'report'"):
                Collector(SETS).add_many(frame({"report": [b"x"], "n": [1]}), "reprt")

    def test_two_columns_of_one_name_are_a_declared_error(self, tmp_path):
        pq.write_table(pa.Table.from_arrays([pa.array([b"x"])] * 2, names=["r", "r"]), tmp_path / "two.parquet")
        with pytest.raises(DiscreetError):
            Collector(SETS).add_many(tmp_path / "two.parquet", column="r")

    def test_damaged_parquet_is_a_declared_error(self, tmp_path):
        path = tmp_path / "reports.parquet"
        pq.write_table(pa.table({"report": wire(SETS, payloads(SETS))}), path)
        data = path.read_bytes()
        for n in (0, 3, 12, len(data) // 2, len(data) - 5):
            path.write_bytes(data[:n])
            with pytest.raises(ParameterError, match="Parquet"):
                Collector(SETS).add_many(path)

    def test_booleans_are_no_reports_on_open_text(self):
        box = Collector(OPEN)
        with pytest.raises(DiscreetError):
            box.add_many(np.zeros((3, OPEN.size), bool))

    def test_bytearrays_are_reports_among_many_as_they_are_one_by_one(self):
        data = wire(SETS, payloads(SETS))
        box = Collector(SETS)
        box.add(bytearray(data[0]))
        assert box.add_many([bytearray(data[0]), memoryview(data[1])]).added == 2

    def test_whole_reports_in_hexadecimal_are_read_for_randomized_response_too(self, tmp_path):
        path = tmp_path / "reports.csv"
        pd.DataFrame({"r": [data.hex() for data in wire(RR, payloads(RR))]}).to_csv(path, index=False)
        assert Collector(RR).add_many(path).added == 20

    def test_choices_may_begin_with_a_brace(self):
        q = Question("q", ["{a}", "b"])
        box = q.collector(RandomizedResponse(categories=q.categories, prob="3/4"))
        assert box.add_many(["{a}", "b"]).added == 2


def bad_reports(form):
    """Return a broken report for each reason that bytes can be refused for."""
    good = wire(form, payloads(form))[0]
    impossible = {OPEN: b"\x03\0\0\0", SETS: b"\xff\x03", UNARY: b"\0\x04", RAPPOR: b"\0\x80", LASTING: b"\0\x40"}
    payload = impossible.get(form, bytes([form.size]))
    return {
        "not a report": b"\xd4" + good[1:],
        "another version": good[:1] + b"\x03" + good[2:],
        "another form": good[:17] + bytes([good[17] ^ 1]) + good[18:],
        "wrong length": good + b"\0",
        "impossible": good[:18] + payload,
    }


class TestRefusals:
    @each_form
    @pytest.mark.parametrize("chunk", each([3, 1 << 16, 1], 2))
    def test_each_reason_is_counted_at_every_place_and_no_other_report_is_lost(self, form, chunk, monkeypatch):
        monkeypatch.setattr(collectors, "_CHUNK", chunk)
        rows = payloads(form, 7)
        good = wire(form, rows)
        for (reason, bad), place in itertools.product(bad_reports(form).items(), each((0, 1, 2, 7, 3, 4, 5, 6), 3)):
            mixed = [*good[:place], bad, *good[place:]]
            same_length = [np.array([list(data) for data in mixed], np.uint8)] if len(bad) == len(good[0]) else []
            for source in (mixed, pa.array(mixed), pl.Series(mixed), pd.Series(mixed), *same_length):
                box = Collector(form)
                tally = box.add_many(source)
                assert (tally.added, tally.refused, dict(box.refused)) == (7, {reason: 1}, {reason: 1})
                assert box.supports.tolist() == expected(form, rows)

    @each_form
    def test_all_reasons_at_once_are_each_counted(self, form, monkeypatch):
        monkeypatch.setattr(collectors, "_CHUNK", 3)
        rows, bad = payloads(form), bad_reports(form)
        mixed = [*wire(form, rows), *bad.values(), *bad.values(), None, 5.5, "{}", object()]
        order = np.random.default_rng(3).permutation(len(mixed)).tolist()
        box = Collector(form)
        tally = box.add_many([mixed[i] for i in order])
        assert tally.added == box.n == 20
        assert sum(tally.refused.values()) == 14
        assert all(tally.refused[reason] >= 2 for reason in bad)
        assert tally.refused == dict(box.refused)
        assert box.supports.tolist() == expected(form, rows)

    @each_form
    def test_one_refused_raises_its_reason_and_is_counted(self, form):
        box = Collector(form)
        for i, (reason, bad) in enumerate(bad_reports(form).items(), 1):
            for times in (1, 2):
                with pytest.raises(ReportError, match=reason) as caught:
                    box.add(bad)
                assert caught.value.reason == reason
                assert box.refused[reason] == times
            assert box.refused.total() == 2 * i
        for junk in (None, 5, ["a"], np.zeros(3, np.uint8), "choice", "{"):
            with pytest.raises(ReportError) as caught:
                box.add(junk)
            assert caught.value.reason == "not a report"
        assert (box.n, box.supports.any()) == (0, False)
        with pytest.raises(ReportError) as caught:
            box.add(Report(bytes(16), b"\0"))
        assert pickle.loads(pickle.dumps(caught.value)).reason == "another form"

    def test_choices_that_are_none_are_counted(self):
        for chunk in (["a", "x", "b"], np.array(["a", "x", "b"]), ["a", 5, "b"]):
            assert repr(Collector(RR).add_many(chunk)) == "<2 added; 1 refused: not a choice>"
        mixed = Collector(RR).add_many([None, "a", 5, "b"])
        assert (mixed.added, mixed.refused) == (2, {"blank": 1, "not a choice": 1})

    @pytest.mark.parametrize("said", [("city 1",), (), ("city 1", "city 2", "city 3", "city 4")])
    def test_sets_of_the_wrong_size_are_impossible(self, said):
        good = ("city 1", "city 2", "city 3")
        assert Collector(SETS).add_many([good, said, good]).refused == {"impossible": 1}

    def test_booleans_of_the_wrong_number_are_a_declared_error(self):
        with pytest.raises(KindError):
            Collector(SETS).add_many(np.zeros((3, 9), bool))
        assert Collector(SETS).add_many(np.zeros((3, 10), bool)).refused == {"impossible": 3}

    def test_nulls_among_reports_are_counted(self):
        good = wire(SETS, payloads(SETS))
        for column in (pa.array([*good, None]), pl.Series([*good, None]), pd.Series([*good, None]), [*good, None]):
            tally = Collector(SETS).add_many(column)
            assert (tally.added, sum(tally.refused.values())) == (20, 1)
        fixed = pa.array([row.tobytes() for row in payloads(SETS)] + [None], pa.binary(2))
        tally = Collector(SETS).add_many(fixed, payloads=True)
        assert (tally.added, tally.refused) == (20, {"blank": 1})

    @pytest.mark.parametrize("first", ["broken", "a", ""])
    def test_a_broken_text_does_not_lose_the_json_after_it(self, first):
        texts = [Report.from_bytes(data).to_json() for data in wire(RR, payloads(RR))]
        tally = Collector(RR).add_many([first, *texts])
        assert tally.added >= 20

    def test_a_broken_cell_does_not_lose_the_json_after_it(self, tmp_path):
        texts = [Report.from_bytes(data).to_json() for data in wire(RR, payloads(RR))]
        pd.DataFrame({"r": ["broken", *texts]}).to_csv(tmp_path / "r.csv", index=False)
        assert Collector(RR).add_many(tmp_path / "r.csv").added == 20

    @pytest.mark.parametrize("junk", [5, 1.5, {"a": 1}, [b"x"], Report(bytes(16), b"")], ids=repr)
    def test_a_broken_column_of_pandas_loses_no_report(self, junk):
        good = wire(SETS, payloads(SETS))
        tally = Collector(SETS).add_many(pd.Series([good[0], junk, *good[1:]], dtype=object))
        assert (tally.added, sum(tally.refused.values())) == (20, 1)

    def test_a_column_of_pandas_may_hold_report_objects(self):
        good = [Report.from_bytes(data) for data in wire(SETS, payloads(SETS))]
        assert Collector(SETS).add_many(pd.Series(good, dtype=object)).added == 20

    def test_an_odd_column_beside_the_reports_does_not_matter(self):
        good = wire(SETS, payloads(SETS, 3))
        frame = pd.DataFrame({"report": good, "odd": [1, "a", object()]})
        assert Collector(SETS).add_many(frame, "report").added == 3

    def test_objects_in_polars_are_not_read_as_memory(self):
        q = Question("q", range(64))
        m = OptimizedUnary(length=64, p="1/2", q="1/4")
        column = pl.Series([q.client(m).report(1)] * 3, dtype=pl.Object)
        box = q.collector(m)
        try:
            tally = box.add_many(column)
        except DiscreetError:
            return
        client_bits = Collector(box.form)
        client_bits.add_many(column.to_list())
        assert box == client_bits
        assert tally.added == 3


def boxes(form):
    """Boxes with some reports and some refusals."""
    rows = payloads(form)
    pool = [*wire(form, rows), *bad_reports(form).values()]

    def filled(places):
        box = Collector(form)
        box.add_many([pool[i] for i in places])
        return box

    return st.lists(st.integers(0, len(pool) - 1), max_size=12).map(filled)


class TestMerging:
    @settings(max_examples=cases(12, 60), deadline=None)
    @given(st.data())
    def test_merging_is_associative_and_commutative_with_an_empty_box(self, data):
        form = data.draw(st.sampled_from(list(FORMS.values())))
        a, b, c = (data.draw(boxes(form)) for _ in range(3))
        before = [box.to_dict() for box in (a, b, c)]
        assert a.merge(b).merge(c) == a.merge(b.merge(c)) == a.merge(b, c) == c.merge(a, b)
        assert a.merge(b) == b.merge(a)
        assert a.merge(Collector(form)) == a == a.merge()
        assert [box.to_dict() for box in (a, b, c)] == before

    @each_form
    def test_merged_boxes_estimate_as_one_box_of_all(self, form):
        rows, bad = payloads(form, 60), list(bad_reports(form).values())
        alone, parts = Collector(form), [Collector(form) for _ in range(3)]
        alone.add_many([*wire(form, rows), *bad])
        for i, part in enumerate(parts):
            part.add_many([*wire(form, rows[20 * i : 20 * i + 20]), *bad[i::3]])
        merged = parts[0].merge(*parts[1:])
        assert merged == alone
        if form is OPEN:
            ours, theirs = (box.decode(["x", "y"]).to_rows() for box in (merged, alone))
        else:
            ours, theirs = (box.estimate().to_rows() for box in (merged, alone))
            assert merged.estimate().refused == 5
        assert ours == theirs

    @each_form
    def test_a_box_of_another_form_is_refused(self, form):
        for other in FORMS.values():
            if other is not form:
                with pytest.raises(MismatchError):
                    Collector(form).merge(Collector(other))
        for other in (None, form, 5, {}):
            with pytest.raises(KindError):
                Collector(form).merge(other)

    def test_counts_beyond_32_bits_stay_exact(self, tmp_path):
        data = Collector(RR).to_dict() | {"n": 3 * 2**40 + 1, "supports": [2**41, 2**40, 1]}
        box = Collector.from_dict(data)
        both = box.merge(box, box)
        assert (both.n, both.supports.tolist()) == (9 * 2**40 + 3, [3 * 2**41, 3 * 2**40, 3])
        both.add_many(["a"] * 5)
        assert both.supports[0] == 3 * 2**41 + 5
        both.save(tmp_path / "box.json")
        assert Collector.load(tmp_path / "box.json") == both
        p, q = RR.support
        assert both.estimate()["a"].share == float((Fraction(3 * 2**41 + 5, both.n) - q) / (p - q))

    def test_boxes_are_not_hashed_and_show_their_counts(self):
        box = Collector(RR)
        with pytest.raises(TypeError):
            hash(box)
        box.add_many(["a"] * 1234 + ["x"])
        assert repr(box) == "<letter: 1,234 reports, 1 refused>"
        assert box != "box"
        assert repr(box.add_many(["a", "x"])) == "<1 added; 1 refused: not a choice>"

    @pytest.mark.parametrize("form", [None, "form", ABC, TEXT, RR.mechanism], ids=repr)
    def test_what_is_no_form_has_no_box(self, form):
        with pytest.raises(KindError):
            Collector(form)

    def test_each_kind_of_question_has_its_own_way_out(self):
        with pytest.raises(UnsupportedError, match="decode"):
            Collector(OPEN).estimate()
        with pytest.raises(UnsupportedError, match="estimate"):
            Collector(RR).decode(["a"])

    def test_a_box_of_constant_time_merges_with_one_that_was_saved(self, tmp_path):
        box = YES_NO.collector(RandomizedResponseBool(prob="3/4", constant_time=True))
        box.add_many([True, False])
        box.save(tmp_path / "box.json")
        assert box.merge(Collector.load(tmp_path / "box.json")).n == 4


class TestFiles:
    @each_form
    def test_boxes_come_back_from_files(self, form, tmp_path):
        box = Collector(form)
        for path in (tmp_path / "box.json", str(tmp_path / "odd näme [1]")):
            box.save(path)
            assert Collector.load(path) == box
            box.add_many([*wire(form, payloads(form)), *bad_reports(form).values()])
        assert sorted(each.name for each in tmp_path.iterdir()) == ["box.json", "odd näme [1]"]

    @pytest.mark.parametrize("crash", [OSError("disk full"), KeyboardInterrupt(), RuntimeError("power")], ids=repr)
    @pytest.mark.parametrize("step", ["fsync", "replace"])
    def test_a_crash_while_writing_leaves_the_old_file_and_no_other(self, crash, step, tmp_path, monkeypatch):
        box, path = Collector(RR), tmp_path / "box.json"
        box.save(path)
        old = path.read_bytes()
        box.add_many(["a"])

        def fail(*_):
            raise crash

        monkeypatch.setattr(*((os, "fsync", fail) if step == "fsync" else (files.Path, "replace", fail)))
        with pytest.raises(type(crash)):
            box.save(path)
        monkeypatch.undo()
        assert path.read_bytes() == old
        assert [each.name for each in tmp_path.iterdir()] == ["box.json"]
        box.save(path)
        assert Collector.load(path) == box

    @pytest.mark.parametrize("form", [RR, OPEN], ids=["choices", "text"])
    def test_every_damaged_byte_is_seen_or_harmless(self, form, tmp_path):
        box, path = Collector(form), tmp_path / "box.json"
        box.add_many([*wire(form, payloads(form)), *bad_reports(form).values()])
        box.save(path)
        data = path.read_bytes()
        for i in range(len(data)):
            for change in (1, 16):
                path.write_bytes(data[:i] + bytes([data[i] ^ change]) + data[i + 1 :])
                with contextlib.suppress(ParameterError):
                    assert Collector.load(path) == box
        for n in range(0, len(data) - 2, 7):
            path.write_bytes(data[:n])
            with pytest.raises(ParameterError):
                Collector.load(path)

    @pytest.mark.parametrize(
        "text",
        ["", "{}", "[]", "5", "null", '{"discreet": "survey"}', '{"discreet": "box"}', "[" * 100_000, "\ufeff{}"],
    )
    def test_files_of_others_are_refused(self, text, tmp_path):
        (tmp_path / "box.json").write_text(text)
        with pytest.raises(ParameterError):
            Collector.load(tmp_path / "box.json")

    def test_another_kind_or_version_is_refused(self, tmp_path):
        path = tmp_path / "box.json"
        Collector(RR).save(path)
        data = json.loads(path.read_text())
        for change, match in (
            ({"version": 3}, "version"),
            ({"version": True}, "version"),
            ({"discreet": "survey"}, "kind"),
            ({"n": 5}, "whole"),
        ):
            path.write_text(json.dumps(data | change))
            with pytest.raises(ParameterError, match=match):
                Collector.load(path)

    def test_a_file_that_is_not_there_is_an_error_of_the_system(self, tmp_path):
        with pytest.raises(FileNotFoundError):
            Collector.load(tmp_path / "nothing.json")

    @pytest.mark.parametrize(
        "change",
        [
            {"n": -1},
            {"n": 1.0},
            {"n": True},
            {"n": "1"},
            {"n": 2**62},
            {"n": None},
            {"supports": [1, 2]},
            {"supports": [1, 2, 3, 4]},
            {"supports": [9, 0, 0]},
            {"supports": [-1, 0, 0]},
            {"supports": [0.0, 0, 0]},
            {"supports": None},
            {"supports": [[0, 0, 0]]},
            {"refused": []},
            {"refused": {"x": -1}},
            {"refused": None},
            {"form": None},
            {"form": {}},
            {"form": {"question": "length", "mechanism": 5}},
            {"form": {"question": {"length": 5}, "mechanism": 5}},
        ],
        ids=repr,
    )
    def test_counts_that_do_not_fit_are_refused(self, change):
        data = Collector(RR).to_dict() | {"n": 3, "supports": [1, 1, 1]}
        assert Collector.from_dict(data).n == 3
        with pytest.raises(DiscreetError):
            Collector.from_dict(data | change)
        for junk in (None, 5, [], "box", {}):
            with pytest.raises(DiscreetError):
                Collector.from_dict(junk)


PAIR = (ABC.form(RandomizedResponse(categories=ABC.categories, prob=1)), SETS)


def pair_rows(n=20):
    return payloads(PAIR[0], n), payloads(PAIR[1], n)


def expected_pairs(first, second):
    left, right = PAIR[0].supported(first).astype(int), PAIR[1].supported(second).astype(int)
    return (left.T @ right).tolist()


class TestPairs:
    @pytest.mark.parametrize("chunk", [4, 12, 1 << 16])
    def test_every_way_to_give_pairs_counts_the_same(self, chunk, monkeypatch):
        monkeypatch.setattr(collectors, "_CHUNK", chunk)
        first, second = pair_rows()
        lefts = {label: given_ for label, given_ in columns(PAIR[0], first) if "chunks" not in label}
        rights = {label: given_ for label, given_ in columns(PAIR[1], second) if "chunks" not in label}
        for label in lefts.keys() & rights.keys():
            if "reader" in label:
                continue
            box = PairCollector(*PAIR)
            a, b = lefts[label], rights[label]
            columns_ = (*a, None)[1], (*b, None)[1]
            tally = box.add_many(a[0], b[0], columns=columns_, payloads="payload" in label)
            assert (tally.added, tally.refused, box.n) == (20, {}, 20), label
            assert box.pairs.tolist() == expected_pairs(first, second), label
            assert box.boxes[0].supports.tolist() == expected(PAIR[0], first)
            assert box.boxes[1].supports.tolist() == expected(PAIR[1], second)

    def test_columns_in_different_chunks_are_the_same_pairs(self):
        first, second = pair_rows()
        box = PairCollector(*PAIR)
        data = wire(PAIR[1], second)
        box.add_many(wire(PAIR[0], first), pa.chunked_array([data[:3], data[3:]]))
        assert box.pairs.tolist() == expected_pairs(first, second)

    @pytest.mark.parametrize("lengths", [(20, 19), (19, 20), (0, 1), (1, 0), (8, 4), (20, 0)])
    @pytest.mark.parametrize("chunk", [16, 1 << 16])
    def test_unequal_lengths_are_refused(self, lengths, chunk, monkeypatch):
        monkeypatch.setattr(collectors, "_CHUNK", chunk)
        first, second = pair_rows()
        with pytest.raises(ParameterError, match="as many"):
            PairCollector(*PAIR).add_many(wire(PAIR[0], first[: lengths[0]]), wire(PAIR[1], second[: lengths[1]]))

    def test_unequal_lengths_leave_the_box_as_it_was(self, monkeypatch):
        monkeypatch.setattr(collectors, "_CHUNK", 16)
        first, second = pair_rows()
        box = PairCollector(*PAIR)
        with pytest.raises(ParameterError):
            box.add_many(wire(PAIR[0], first), wire(PAIR[1], second[:-1]))
        assert box.n == 0

    @pytest.mark.parametrize("chunk", [4, 12, 1 << 16])
    def test_a_pair_is_refused_if_either_is_at_every_place(self, chunk, monkeypatch):
        monkeypatch.setattr(collectors, "_CHUNK", chunk)
        first, second = pair_rows(7)
        good = wire(PAIR[0], first), wire(PAIR[1], second)
        for side, place in itertools.product((0, 1), range(7)):
            for bad in (*bad_reports(PAIR[side]).values(), None, "junk", b"", 5):
                given_ = [list(good[0]), list(good[1])]
                given_[side][place] = bad
                box = PairCollector(*PAIR)
                tally = box.add_many(*given_)
                assert (tally.added, tally.refused) == (6, {"one of the pair": 1})
                kept = np.delete(first, place, 0), np.delete(second, place, 0)
                assert box.pairs.tolist() == expected_pairs(*kept)
                assert box.boxes[0].supports.tolist() == expected(PAIR[0], kept[0])
                assert box.boxes[1].supports.tolist() == expected(PAIR[1], kept[1])

    def test_both_broken_is_one_pair_refused(self):
        first, second = pair_rows(3)
        a, b = wire(PAIR[0], first), wire(PAIR[1], second)
        tally = PairCollector(*PAIR).add_many([a[0], b"x", a[2]], [b[0], None, b[2]])
        assert (tally.added, tally.refused) == (2, {"one of the pair": 1})

    def test_merging_adds_pairs_and_refuses_other_forms(self):
        first, second = pair_rows()
        parts = [PairCollector(*PAIR) for _ in range(2)]
        for i, part in enumerate(parts):
            part.add_many(first[10 * i : 10 * i + 10], second[10 * i : 10 * i + 10], payloads=True)
        for merged in (parts[0].merge(parts[1]), parts[1].merge(parts[0])):
            assert merged.n == 20
            assert merged.pairs.tolist() == expected_pairs(first, second)
        assert parts[0].n == 10
        with pytest.raises(MismatchError):
            parts[0].merge(PairCollector(*PAIR[::-1]))
        with pytest.raises(KindError):
            parts[0].merge(Collector(PAIR[0]))

    def test_sure_answers_make_a_sure_table(self):
        sure = [q.form(RandomizedResponse(categories=q.categories, prob=1)) for q in (ABC, AGES)]
        box = PairCollector(*sure)
        box.add_many(["a", "a", "b", "c"], [10, 10, 20, 10])
        table = box.estimate()
        assert np.allclose(table.shares * 4, [[2, 0, 0], [0, 1, 0], [1, 0, 0]])
        assert repr(box) == "<letter and age: 4 pairs of reports>"


class Terminal(io.StringIO):
    def isatty(self):
        return True


class TestProgress:
    def run(self, monkeypatch, stream, patience, work):
        monkeypatch.setattr(progress, "_PATIENCE", patience)
        monkeypatch.setattr(progress, "_PAUSE", 0)
        monkeypatch.setattr(sys, "stderr", stream)
        work()
        return stream.getvalue()

    def test_many_files_show_progress_on_a_terminal(self, tmp_path, monkeypatch):
        monkeypatch.setattr(collectors, "_CHUNK", 3)
        for i in range(4):
            reports = wire(SETS, payloads(SETS, 20)[5 * i : 5 * i + 5])
            pq.write_table(pa.table({"r": reports}), tmp_path / f"{i}.parquet")
        text = self.run(
            monkeypatch, Terminal(), 0, lambda: Collector(SETS).add_many(tmp_path / "*.parquet", column="r")
        )
        *lines, last = text.split("\r\033[K")[1:]
        assert lines == [f"{n} reports, 0 s" for n in (3, 5, 8, 10, 13, 15, 18, 20)]
        assert last == ""  # The line is gone when the work is done.

    @pytest.mark.parametrize(("stream", "patience"), [(io.StringIO, 0), (Terminal, 100)], ids=["a file", "soon done"])
    def test_it_is_silent_elsewhere_and_when_soon_done(self, stream, patience, monkeypatch):
        work = lambda: Collector(SETS).add_many(wire(SETS, payloads(SETS)))  # noqa: E731
        assert self.run(monkeypatch, stream(), patience, work) == ""

    def test_an_error_clears_the_line(self, monkeypatch):
        def work():
            with contextlib.suppress(RuntimeError), Progress("reports", total=4) as shown:
                shown.add(1)
                raise RuntimeError

        text = self.run(monkeypatch, Terminal(), 0, work)
        assert "[######..................]  25%  1 of 4 reports, 0 s left" in text
        assert text.endswith("\r\033[K")

    def test_the_share_never_exceeds_the_whole(self, monkeypatch):
        def work():
            with Progress("reports", total=2) as shown:
                shown.add(5)

        assert f"[{'#' * 24}] 100%  5 of 2 reports" in self.run(monkeypatch, Terminal(), 0, work)

    def test_a_query_says_how_long_it_runs(self, monkeypatch):
        def work():
            with Waiting("duckdb runs the query"):
                time.sleep(0.2)

        monkeypatch.setattr(progress, "_PAUSE", 0.01)
        text = self.run(monkeypatch, Terminal(), 0.01, work)
        *lines, last = text.split("\r\033[K")[1:]
        assert set(lines) == {"duckdb runs the query, 0 s"}
        assert last == ""

    @pytest.mark.parametrize(("stream", "patience"), [(io.StringIO, 0), (Terminal, 100)], ids=["a file", "soon done"])
    def test_a_query_is_silent_elsewhere_and_when_soon_done(self, stream, patience, monkeypatch):
        def work():
            with Waiting("duckdb runs the query"):
                time.sleep(0.01)
                assert (threading.active_count() > before) is (stream is Terminal)

        before = threading.active_count()
        assert self.run(monkeypatch, stream(), patience, work) == ""
        assert threading.active_count() == before


@pytest.mark.parametrize("n", [0, 1, 2, 254, 255, 256, 511, 140_001])
def test_bits_and_bytes_are_counted_however_many_there_are(n):
    generator = np.random.default_rng(n)
    for width, k in ((1, 5), (1, 8), (2, 16), (7, 50), (8, 64), (9, 70), (17, 130)):
        rows = generator.integers(0, 256, (n, width)).astype(np.uint8)
        expected = np.unpackbits(rows, axis=1, count=k, bitorder="little").sum(axis=0, dtype=np.int64)
        assert count_bits(rows, k).tolist() == expected.tolist()
    values = generator.integers(0, 256, n).astype(np.uint8)
    assert count_bytes(values).tolist() == np.bincount(values, minlength=256).tolist()
