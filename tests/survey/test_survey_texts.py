"""Open text: filters that every machine agrees on, and decoding against rounds whose truth is known.

Rounds are simulated by their exact law: people fall into cohorts and have texts by multinomial draws, and each bit of
a cohort is a sum of two binomial ones. The generators are seeded, so that a run is the same each time; the level of a
test of the claim "at most 5 % of rounds" is one in ten million. Where the mechanism itself draws, candidates are
asked for with a confidence of all but one in a million.
"""

import hashlib
import math
import pickle

import matplotlib as mpl
import numpy as np
import pytest
from scipy import stats
from survey_laws import most_misses
from tiers import cases

from discreet import (
    DiscreetError,
    KindError,
    LongitudinalRappor,
    MismatchError,
    ParameterError,
    RandomizedResponseBool,
    Rappor,
    ReportError,
    UnsupportedError,
)
from discreet.survey import Collector, Question, Report, TextClient, TextForm, TextQuestion

mpl.use("Agg")

pytestmark = pytest.mark.usefixtures("given_coins")

HOME = TextQuestion("homepage", length=128, hashes=2, cohorts=64)
SMALL = TextQuestion("homepage", length=64, hashes=2, cohorts=16)
SITES = [f"site{i}.org" for i in range(60)]
SHARES = np.array((0.25, 0.2, 0.15, 0.1, 0.1, 0.08, 0.07, 0.05))


def form_of(question, epsilon=4):
    return question.form(question.mechanism(epsilon=epsilon))


def filters(question, texts):
    """Which bits each text sets in each cohort."""
    bits = np.zeros((question.cohorts, len(texts), question.length), int)
    for cohort in range(question.cohorts):
        bloom = question.bloom(cohort)
        for i, text in enumerate(texts):
            bits[cohort, i, bloom.places(text)] = 1
    return bits


def drawn(form, bits, shares, n, rng):
    """What a collector counts in one round of n people who have texts with these shares."""
    q, (p1, p0) = form.question, map(float, form.mechanism.support)
    people = rng.multinomial(n, np.full(q.cohorts, 1 / q.cohorts))
    holders = np.array([rng.multinomial(count, shares) for count in people])
    ones = np.einsum("ct,ctj->cj", holders, bits)
    totals = rng.binomial(ones, p1) + rng.binomial(people[:, None] - ones, p0)
    return np.concatenate([totals.ravel(), people])


def drawn_apart(form, n, rng):
    """The same where no two people have the same text: each sets two bits of their own."""
    q, (p1, p0) = form.question, map(float, form.mechanism.support)
    cohorts = rng.integers(q.cohorts, size=n)
    one, other = rng.integers(q.length, size=(2, n))
    ones = np.zeros((q.cohorts, q.length), int)
    np.add.at(ones, (cohorts, one), 1)
    np.add.at(ones, (cohorts[one != other], other[one != other]), 1)
    people = np.bincount(cohorts, minlength=q.cohorts)
    totals = rng.binomial(ones, p1) + rng.binomial(people[:, None] - ones, p0)
    return np.concatenate([totals.ravel(), people])


def payloads(form, texts, rng):
    """The payloads of many people's reports, by the mechanism itself."""
    q = form.question
    known, which = np.unique(np.asarray(texts), return_inverse=True)
    cohorts = rng.integers(q.cohorts, size=len(texts))
    bits = filters(q, known.tolist()).astype(bool)[cohorts, which]
    head = cohorts.astype("<u2").view(np.uint8).reshape(-1, 2)
    return np.hstack([head, np.packbits(form.mechanism.release_many(bits), axis=1, bitorder="little")])


class TestFilters:
    def test_every_machine_sets_the_same_bits(self):
        wanted = {
            (0, ""): [70, 124], (0, "example.org"): [20, 60], (0, "é"): [88, 101],
            (1, ""): [25, 79], (1, "example.org"): [1, 34], (1, "é"): [25, 73],
            (63, ""): [32, 36], (63, "example.org"): [28, 55], (63, "é"): [44, 77],
        }  # fmt: skip
        assert {(c, text): HOME.bloom(c).places(text) for c, text in wanted} == wanted
        keyed = TextQuestion("another name", length=1000, hashes=4, cohorts=7, key=b"survey 7")
        assert keyed.bloom(5).places("example.org") == [584, 140, 937, 241]

    def test_the_bits_are_those_of_the_stated_hashes(self):
        # Written anew from what is documented, as a client in another language would.
        for key, cohort, text in ((b"", 0, "seven"), (b"k", 513, "çà"), (bytes(64), 65535, "")):
            q = TextQuestion("x", length=200, hashes=3, cohorts=65536, key=key)
            secret = hashlib.sha256(b"discreet cohort" + cohort.to_bytes(2, "little") + key).digest()
            digests = [
                hashlib.blake2b(b"s" + text.encode(), key=secret, salt=bytes([i]) + bytes(7), digest_size=16).digest()
                for i in range(3)
            ]
            assert q.bloom(cohort).places(text) == [int.from_bytes(d, "big") * 200 >> 128 for d in digests]

    def test_cohorts_are_different_functions_and_so_are_keys(self):
        texts = SITES[:20]
        seen = {tuple(tuple(HOME.bloom(c).places(text)) for text in texts) for c in range(64)}
        assert len(seen) == 64
        other = TextQuestion("homepage", length=128, hashes=2, cohorts=64, key=b"another")
        assert all(other.bloom(c).places("example.org") != HOME.bloom(c).places("example.org") for c in range(64))

    def test_two_texts_collide_about_as_often_as_fair_hashes_do(self):
        bits = filters(HOME, SITES)
        assert bits.sum(axis=2).max() <= 2
        both = np.einsum("ctj,cuj->tu", bits, bits)[np.triu_indices(60, 1)]  # Over 64 cohorts; 2 each on average.
        assert abs(both.mean() - 64 * 4 / 128) < 0.15
        assert 0.8 < both.var() / (64 * 4 / 128) < 1.2  # Poisson's.
        assert np.bincount(bits.sum(axis=(0, 1)), minlength=1).sum() == 128
        assert stats.chisquare(bits.sum(axis=(0, 1))).pvalue > 1e-7


class TestClients:
    def test_the_cohort_is_fixed_by_the_secret(self):
        m = HOME.mechanism(epsilon=4)
        cohorts = [HOME.client(m, secret=bytes([i]) * 16).cohort for i in range(200)]
        assert cohorts == [HOME.client(m, secret=bytes([i]) * 16).cohort for i in range(200)]
        assert stats.chisquare(np.bincount(np.array(cohorts) // 8, minlength=8)).pvalue > 1e-7
        for _ in range(3):
            assert HOME.client(m, cohort=63).cohort == 63

    def test_without_a_secret_the_cohort_is_drawn_evenly_and_kept(self):
        form = form_of(SMALL)
        clients = [TextClient(form) for _ in range(800)]
        assert stats.chisquare(np.bincount([c.cohort for c in clients], minlength=16)).pvalue > 1e-7
        assert {clients[0].report("a").payload[:2] for _ in range(9)} == {clients[0].cohort.to_bytes(2, "little")}

    def test_with_a_secret_the_same_text_gives_the_same_report_and_another_another(self):
        m = HOME.mechanism(epsilon=4)
        client = HOME.client(m, secret=b"only on this device")
        reports = {text: client.report(text) for text in ("a", "b", "")}
        assert all(client.report(text) == report for text, report in reports.items())
        assert len({report.payload for report in reports.values()}) == 3
        assert len({report.payload[:2] for report in reports.values()}) == 1
        free = HOME.client(m)
        assert len({free.report("a").payload for _ in range(5)}) == 5

    def test_reports_have_the_law_of_the_mechanism(self):
        form = form_of(SMALL)
        client, n = TextClient(form, cohort=3), 3000
        rows = np.array([np.frombuffer(client.report("example.org").payload, np.uint8) for _ in range(n)])
        assert (rows[:, :2] == [3, 0]).all()
        seen = np.unpackbits(rows[:, 2:], axis=1, count=64, bitorder="little").sum(axis=0)
        p1, p0 = map(float, form.mechanism.support)
        set_bits = SMALL.bloom(3)("example.org")
        scores = (seen - n * np.where(set_bits, p1, p0)) / np.sqrt(n * p1 * (1 - p1))
        assert np.abs(scores).max() < 6
        wrong = (seen - n * np.where(SMALL.bloom(4)("example.org"), p1, p0)) / np.sqrt(n * p1 * (1 - p1))
        assert np.abs(wrong).max() > 20  # The power: another cohort's bits.

    def test_longitudinal_rappor_keeps_a_permanent_answer_by_the_secret(self):
        m = LongitudinalRappor(length=64, max_weight=2, f="1/4", p="1/4", q="3/4")
        with pytest.raises(ParameterError, match="secret"):
            SMALL.client(m)
        client = SMALL.client(m, secret=b"only on this device")
        reports = np.array([np.frombuffer(client.report("a").payload, np.uint8) for _ in range(600)])
        assert (reports[:, :2] == reports[0, :2]).all()
        assert len(np.unique(reports, axis=0)) > 500  # Each is flipped anew.
        rates = np.unpackbits(reports[:, 2:], axis=1, count=64, bitorder="little").mean(axis=0)
        assert (np.minimum(np.abs(rates - 0.25), np.abs(rates - 0.75)) < 0.12).all()  # From one vector for ever.

    def test_the_secret_is_not_shown_and_wrong_inputs_get_declared_errors(self):
        m = HOME.mechanism(epsilon=4)
        assert "device" not in repr(HOME.client(m, secret=b"only on this device"))
        for secret in (b"short", "a text that is long enough", 3):
            with pytest.raises(DiscreetError, match="secret"):
                HOME.client(m, secret=secret)
        for cohort in (-1, 64, 1.0, True, "x"):
            with pytest.raises(DiscreetError, match="cohort"):
                HOME.client(m, cohort=cohort)
        for text in (3, None, b"bytes", ["a"]):
            with pytest.raises(KindError, match="text"):
                HOME.client(m).report(text)
        with pytest.raises(KindError) as error:
            HOME.client(m).report(b"private")
        assert "private" not in str(error.value)
        assert len(HOME.client(m).report("\ud800").to_bytes()) == 36  # Any str, with a lone surrogate too.


class TestDecoding:
    def test_reports_of_twenty_thousand_people_are_decoded(self):
        form, n = form_of(HOME), 20_000
        counts = np.round(SHARES * n).astype(int)
        texts = np.repeat(SITES[:8], counts)
        box = Collector(form)
        assert box.add_many(payloads(form, texts, np.random.default_rng(1)), payloads=True).added == n
        found = box.decode(SITES, confidence="0.999999")
        assert set(found.found()) == set(SITES[:8])
        assert found.found()[:3] == SITES[:3]
        assert (np.abs(found.shares[:8] - SHARES) < 5 * found.errors[:8]).all()
        assert (found.shares[8:] < 5 * found.errors[8:]).all()
        assert (found.shares >= 0).all()
        assert (found.n, found.confidence) == (n, 0.999999)
        assert (found.errors < 0.007).all()
        assert found.other < 0.35

    def test_reports_of_clients_one_by_one(self):
        form, n = form_of(SMALL, 6), 3000
        box = Collector(form)
        for i in range(n):
            report = TextClient(form).report(SITES[i % 3])
            box.add((report, report.to_bytes(), report.to_json())[i % 3])
        found = box.decode(SITES[:20], confidence="0.999999")
        assert set(found.found()) == set(SITES[:3])
        assert (np.abs(found.shares[:3] - 1 / 3) < 6 * found.errors[:3]).all()

    def test_reports_of_longitudinal_rappor_are_decoded(self):
        m = LongitudinalRappor(length=64, max_weight=2, f="1/8", p="1/8", q="7/8")
        form, n = SMALL.form(m), 2500
        box = Collector(form)
        for i in range(n):
            box.add(TextClient(form, secret=i.to_bytes(16, "little"), most=11).report(SITES[i % 2]))
        found = box.decode(SITES[:12], confidence="0.999999")
        assert set(found.found()) == set(SITES[:2])
        assert (np.abs(found.shares[:2] - 0.5) < 6 * found.errors[:2]).all()

    def test_shares_are_near_the_truth_over_many_rounds_at_realistic_sizes(self):
        form, rng = form_of(HOME), np.random.default_rng(2)
        bits = filters(HOME, SITES[:8])
        scores = []
        for _ in range(5):
            found = form.decode(drawn(form, bits, SHARES, 20_000, rng), SITES[:16])
            scores.append((found.shares[:8] - SHARES) / found.errors[:8])
        assert np.abs(scores).max() < 5
        assert np.abs(np.mean(scores)) < 1.2

    def test_absent_candidates_are_rarely_found_where_the_candidates_are_complete(self):
        form, rng, rounds = form_of(SMALL), np.random.default_rng(3), cases(40, 100)
        bits, wrong, narrow, present = filters(SMALL, SITES[:8]), 0, 0, 0
        for _ in range(rounds):
            found = form.decode(drawn(form, bits, SHARES, 20_000, rng), SITES[:20])
            wrong += bool(found.significant[8:].any())
            present += int(found.significant[:8].sum())
            halved = stats.norm.sf(2 * found.shares[8:] / found.errors[8:])  # Errors half as great as they are.
            narrow += bool((halved < 0.05 / 12).any())
        assert wrong <= most_misses(rounds, 0.05)
        assert narrow > most_misses(rounds, 0.05)  # The power of the claim's test.
        assert present > 0.95 * 8 * rounds  # And of the decoder.

    @pytest.mark.deep
    def test_absent_candidates_are_rarely_found_where_no_two_people_have_the_same_text(self):
        form, rng, rounds = form_of(SMALL), np.random.default_rng(4), 100
        wrong = sum(form.decode(drawn_apart(form, 8000, rng), SITES[:20]).significant.any() for _ in range(rounds))
        assert wrong <= most_misses(rounds, 0.05)

    def test_weak_but_real_texts_are_found(self):
        form, rng, rounds = form_of(SMALL), np.random.default_rng(5), 12
        shares = np.array([0.03] * 3 + [0.91 / 7] * 7)
        bits, seen = filters(SMALL, SITES[:10]), np.zeros(10)
        for _ in range(rounds):
            seen += form.decode(drawn(form, bits, shares, 60_000, rng), SITES[:25]).significant[:10]
        assert seen.min() >= 10

    def test_more_certainty_finds_no_more(self):
        form = form_of(SMALL)
        counts = drawn(form, filters(SMALL, SITES[:8]), SHARES, 8000, np.random.default_rng(6))
        sizes = [form.decode(counts, SITES, confidence=c).significant.sum() for c in ("0.5", "0.95", "0.999999")]
        assert sizes == sorted(sizes, reverse=True)
        assert sizes[-1] > 0
        # Holm's test: at least Bonferroni's, at most each on its own.
        found = form.decode(counts, SITES)
        assert (found.significant >= (found.chances <= 0.05 / 60)).all()
        assert (found.significant <= (found.chances <= 0.05)).all()
        ordered = np.sort(found.chances)
        passed = np.flatnonzero(ordered > 0.05 / np.arange(60, 0, -1))[0]
        assert found.significant.sum() == passed

    @pytest.mark.parametrize("candidates", [16, 17, 18, 60, 300])
    def test_more_candidates_than_can_be_told_apart_claim_nothing(self, candidates):
        tiny = TextQuestion("x", length=8, hashes=2, cohorts=2)  # 16 cells.
        form = form_of(tiny)
        texts = [f"t{i}" for i in range(candidates)]
        counts = drawn(form, filters(tiny, texts[:3]), np.full(3, 1 / 3), 2000, np.random.default_rng(7))
        found = form.decode(counts, texts)
        assert found.found() == []
        assert np.isinf(found.errors).all()
        assert (found.chances == 1).all()
        assert (found.shares >= 0).all()
        assert 0.5 < found.shares.sum() + found.other < 1.5

    def test_a_cohort_without_people_does_no_harm(self):
        form = form_of(SMALL)
        counts = drawn(form, filters(SMALL, SITES[:2]), np.full(2, 0.5), 8000, np.random.default_rng(8))
        counts[:64] = 0
        counts[-16] = 0
        found = form.decode(counts, SITES[:10])
        assert set(found.found()) == set(SITES[:2])
        assert np.isfinite(found.errors).all()

    def test_the_order_of_candidates_does_not_matter(self):
        form = form_of(SMALL)
        counts = drawn(form, filters(SMALL, SITES[:8]), SHARES, 8000, np.random.default_rng(9))
        one, other = form.decode(counts, SITES), form.decode(counts, SITES[::-1])
        assert np.allclose(one.shares, other.shares[::-1], atol=1e-9)
        assert np.allclose(one.errors, other.errors[::-1], rtol=1e-6)
        assert one.found() == other.found()

    def test_what_it_shows(self):
        from matplotlib import pyplot as plt

        form = form_of(SMALL)
        counts = drawn(form, filters(SMALL, SITES[:8]), SHARES, 20_000, np.random.default_rng(10))
        found = form.decode(counts, SITES)
        assert str(found) == repr(found)
        lines = str(found).splitlines()
        assert lines[0] == f"homepage: 20,000 reports, {len(found.found())} of 60 candidates found"
        assert "95 % interval" in lines[1]
        assert lines[2].split()[0] == SITES[0]
        assert lines[2].split()[-1] == "found"
        rows = found.to_rows()
        assert [row["share"] for row in rows] == sorted(found.shares.tolist(), reverse=True)
        assert set(rows[0]) == {"candidate", "share", "error", "low", "high", "chance", "significant"}
        assert found.to_frame().to_dict("records") == rows
        assert found.to_frame("polars").to_dicts() == rows
        assert found.to_frame("pyarrow").to_pylist() == rows
        axes = found.plot()
        assert [t.get_text() for t in axes.get_yticklabels()] == [row["candidate"] for row in rows[:30]]
        assert len(axes.patches) == 30
        plt.close(axes.figure)


class TestBoxes:
    def test_boxes_merge_save_and_load(self, tmp_path):
        form, rng = form_of(SMALL), np.random.default_rng(11)
        rows = payloads(form, SITES[:3] * 500, rng)
        whole, parts = Collector(form), [Collector(form) for _ in range(3)]
        whole.add_many(rows, payloads=True)
        for part, piece in zip(parts, (rows[:1], rows[1:700], rows[700:]), strict=True):
            part.add_many(piece, payloads=True)
        assert parts[0].merge(parts[1], parts[2]) == parts[2].merge(parts[0]).merge(parts[1]) == whole
        whole.save(tmp_path / "box.json")
        loaded = Collector.load(tmp_path / "box.json")
        assert loaded == whole
        assert loaded.form == form
        assert loaded.decode(SITES[:9]).shares.tolist() == whole.decode(SITES[:9]).shares.tolist()
        lasting = SMALL.form(LongitudinalRappor(length=64, max_weight=2, f="1/4", p="1/4", q="3/4"))
        Collector(lasting).save(tmp_path / "lasting.json")
        assert Collector.load(tmp_path / "lasting.json").form == lasting
        with pytest.raises(MismatchError):
            whole.merge(Collector(lasting))

    def test_counters_are_of_cohort_and_bit(self):
        form = form_of(SMALL)
        box = Collector(form)
        report = TextClient(form, cohort=5).report("a")
        box.add(report)
        totals, people = box.supports[:-16].reshape(16, 64), box.supports[-16:]
        assert people.tolist() == [int(c == 5) for c in range(16)]
        said = np.unpackbits(np.frombuffer(report.payload[2:], np.uint8), bitorder="little")
        assert totals[5].tolist() == said.tolist()
        assert totals.sum() == said.sum()

    def test_reports_of_other_cohorts_lengths_keys_and_budgets_are_refused_and_counted(self):
        box = Collector(form_of(SMALL))
        others = [
            form_of(TextQuestion("homepage", length=64, hashes=2, cohorts=32)),
            form_of(TextQuestion("homepage", length=128, hashes=2, cohorts=16)),
            form_of(TextQuestion("homepage", length=64, hashes=2, cohorts=16, key=b"k")),
            form_of(TextQuestion("another", length=64, hashes=2, cohorts=16)),
            form_of(SMALL, 2),
        ]
        for form in others:
            with pytest.raises(ReportError, match="another form"):
                box.add(TextClient(form).report("a"))
        good = TextClient(box.form, cohort=1).report("a")
        tally = box.add_many([*(TextClient(form).report("a").to_bytes() for form in others), good.to_bytes()])
        assert (tally.added, tally.refused) == (1, {"another form": 5})
        assert (box.n, box.refused) == (1, {"another form": 10})

    def test_a_cohort_that_does_not_exist_and_bits_that_do_not_are_refused(self):
        odd = TextQuestion("x", length=60, hashes=2, cohorts=16)
        box = Collector(form_of(odd))
        for payload in (bytes([16, 0]) + bytes(8), bytes([0, 1]) + bytes(8), bytes(9) + bytes([16])):
            with pytest.raises(ReportError, match="impossible"):
                box.add(Report(box.form.tag, payload))
        with pytest.raises(ReportError, match="wrong length"):
            box.add(Report(box.form.tag, bytes(9)))
        rows = np.array([[16, 0, *[0] * 8], [15, 0, *[0] * 8], [0] * 9 + [16], [0] * 9 + [15]], np.uint8)
        tally = box.add_many(rows, payloads=True)
        assert (tally.added, tally.refused) == (2, {"impossible": 2})
        assert box.refused == {"impossible": 5, "wrong length": 1}


class TestBadCalls:
    def test_candidates_that_are_none(self):
        box = Collector(form_of(SMALL))
        box.add(TextClient(box.form).report("a"))
        for candidates in ("abc", b"abc", [], [1], ["a", None], [b"a"]):
            with pytest.raises(KindError, match="candidates"):
                box.decode(candidates)
        with pytest.raises(ParameterError, match="distinct"):
            box.decode(["a", "b", "a"])
        for candidates in (("a", "b"), iter(["a", "b"]), {"a": 1, "b": 2}):
            assert len(box.decode(candidates).candidates) == 2

    def test_a_box_is_asked_what_it_can_answer(self):
        q = Question("smokes", [False, True])
        with pytest.raises(UnsupportedError, match="use estimate"):
            q.collector(RandomizedResponseBool(prob="3/4")).decode(["a"])
        box = Collector(form_of(SMALL))
        with pytest.raises(UnsupportedError, match="use decode"):
            box.estimate()
        with pytest.raises(ParameterError, match="at least one report"):
            box.decode(["a"])
        for confidence in (0, 1, math.nan, "x", None):
            with pytest.raises(DiscreetError, match="confidence"):
                box.decode(["a"], confidence=confidence)

    def test_a_mechanism_that_says_nothing(self):
        form = SMALL.form(Rappor(length=64, max_weight=2, f=1))
        box = Collector(form)
        box.add(TextClient(form).report("a"))
        with pytest.raises(UnsupportedError, match="says nothing"):
            box.decode(["a"])

    def test_questions_and_mechanisms_that_do_not_fit(self):
        for wrong in (
            {"cohorts": 0}, {"cohorts": 65537}, {"cohorts": 64.0}, {"length": 0}, {"hashes": 0}, {"hashes": 129},
            {"length": 1 << 20, "cohorts": 64}, {"key": "text"}, {"key": bytes(65)},
        ):  # fmt: skip
            with pytest.raises(DiscreetError):
                TextQuestion("x", **wrong)
        with pytest.raises(ParameterError, match="name"):
            TextQuestion(" ")
        with pytest.raises(KindError, match="name"):
            TextQuestion(3)
        for mechanism in (Rappor(length=64, max_weight=1, f="1/2"), Rappor(length=128, max_weight=2, f="1/2")):
            with pytest.raises(MismatchError, match="max_weight"):
                SMALL.form(mechanism)
        with pytest.raises(KindError, match="mechanism"):
            SMALL.form(RandomizedResponseBool(prob="3/4"))
        with pytest.raises(KindError, match="question"):
            TextForm(Question("x", [0, 1]), Rappor(length=2, max_weight=2, f="1/2"))

    def test_forms_go_through_plain_values(self):
        for form in (
            form_of(TextQuestion("x", key=b"\x00\xff")),
            SMALL.form(LongitudinalRappor(length=64, max_weight=3, f="1/4", p="1/4", q="3/4")),
        ):
            again = TextForm.from_dict(form.to_dict())
            assert (again, again.digest) == (form, form.digest)
        for wrong in ({}, {"name": "x", "length": 1, "hashes": 1, "cohorts": 1, "key": "zz"}, {"name": "x"}):
            with pytest.raises(KindError, match="question"):
                TextQuestion.from_dict(wrong)


class TestOnceBroken:
    def test_the_others_are_estimated_without_bias(self):
        form, rng = form_of(HOME), np.random.default_rng(12)
        bits = filters(HOME, SITES[:8])
        other = [form.decode(drawn(form, bits, SHARES, 20_000, rng), SITES[:1]).other for _ in range(6)]
        assert abs(np.mean(other) - 0.75) < 0.15  # Three standard errors of a single round; seen: 0.4.

    def test_a_heavy_text_that_is_no_candidate_is_counted_among_the_others(self):
        form = form_of(HOME)
        counts = drawn(form, filters(HOME, SITES[:8]), SHARES, 20_000, np.random.default_rng(16))
        assert form.decode(counts, SITES[1:30]).other > form.decode(counts, SITES[:30]).other + 0.1

    def test_shares_are_not_too_small_with_few_reports_a_cohort(self):
        form, rng = form_of(HOME), np.random.default_rng(13)
        bits, scores = filters(HOME, SITES[:8]), []
        for _ in range(5):
            found = form.decode(drawn(form, bits, SHARES, 2000, rng), SITES[:20])
            scores.append((found.shares[:8] - SHARES) / found.errors[:8])
        assert abs(np.mean(scores)) < 0.5

    def test_absent_candidates_are_rarely_found_where_a_heavy_text_is_no_candidate(self):
        form, rng, n, rounds = form_of(SMALL), np.random.default_rng(14), 200_000, 15
        bits = filters(SMALL, SITES[:8])
        wrong = sum(
            form.decode(drawn(form, bits, SHARES, n, rng), SITES[8:40]).significant.any() for _ in range(rounds)
        )
        assert wrong <= most_misses(rounds, 0.05)

    def test_errors_are_the_spread_where_there_is_little_noise(self):
        form, rng = form_of(SMALL, 20), np.random.default_rng(15)
        bits, shares, errors = filters(SMALL, SITES[:8]), [], []
        for _ in range(40):
            found = form.decode(drawn(form, bits, SHARES, 20_000, rng), SITES[:12])
            shares.append(found.shares[:8])
            errors.append(found.errors[:8])
        assert math.isclose(np.std(shares, axis=0).mean(), np.mean(errors), rel_tol=0.2)

    def test_a_client_with_a_secret_does_not_pickle(self):
        with pytest.raises(KindError, match="secret"):
            pickle.dumps(HOME.client(HOME.mechanism(epsilon=4), secret=b"only on this device"))

    @pytest.mark.parametrize("candidates", [None, 3])
    def test_candidates_that_are_no_list_get_a_declared_error(self, candidates):
        box = Collector(form_of(SMALL))
        box.add(TextClient(box.form).report("a"))
        with pytest.raises(KindError, match="candidates"):
            box.decode(candidates)

    @pytest.mark.parametrize("cohort", [64, -1, 70_000, "x", 1.0])
    def test_a_filter_of_a_cohort_that_does_not_exist_gets_a_declared_error(self, cohort):
        with pytest.raises(DiscreetError, match="cohort"):
            HOME.bloom(cohort)


RANKS = 1 / np.arange(1, 120)
UNKNOWN = {
    "complete": ([0.5, 0.3, 0.2], []),
    "some heavy texts are unknown": ([0.3, 0.2], [0.25, 0.15, 0.1]),
    "one text is unknown, and heavy": ([0.3], [0.7]),
    "very many are unknown": ([0.2, 0.1], [0.7 / 200] * 200),
    "by rank": (RANKS[:3].tolist(), RANKS[3:].tolist()),
}


class TestIntervals:
    """Coverage over the hashes, the people and the noise, with few cohorts, and with texts that are no candidates."""

    @pytest.mark.parametrize("name", UNKNOWN)
    @pytest.mark.parametrize("cohorts", [1, 2, 4, 16])
    @pytest.mark.deep
    def test_they_hold_with_few_cohorts_and_many_unknown_texts(self, name, cohorts):
        known, unknown = UNKNOWN[name]
        rng, rounds, missed = np.random.default_rng(cohorts), 40, np.zeros(len(known) + 2, int)
        shares = np.array([*known, *unknown]) / sum([*known, *unknown])
        people = [f"text {i}" for i in range(len(shares))]
        candidates = [*people[: len(known)], "absent", "too"]
        truth = np.array([*shares[: len(known)], 0, 0])
        for i in range(rounds):
            length, n, epsilon = ((32, 100_000, 4), (128, 100_000, 4), (32, 2000, 2), (128, 20_000, 6))[i % 4]
            q = TextQuestion("q", length=length, hashes=2, cohorts=cohorts, key=rng.bytes(8))
            form = form_of(q, epsilon)
            found = form.decode(drawn(form, filters(q, people), shares, n, rng), candidates)
            low, high = found.intervals.T
            missed += (truth < low) | (truth > high)
            assert (low <= found.shares).all()
            assert (found.shares <= high).all()
            assert (high - low > 0).all()
        assert missed.max() <= most_misses(rounds, 0.05)

    def test_the_power_of_that_two_errors_by_the_spread_of_four_cohorts_fail(self):
        known, unknown = UNKNOWN["some heavy texts are unknown"]
        rng, missed, people = np.random.default_rng(4), 0, ["a", "b", "c", "d", "e"]
        for _ in range(40):
            q = TextQuestion("q", length=128, hashes=2, cohorts=4, key=rng.bytes(8))
            form = form_of(q, 4)
            found = form.decode(drawn(form, filters(q, people), [*known, *unknown], 100_000, rng), ["a", "b"])
            p, other = map(float, form.mechanism.support)
            noise = 2 * math.sqrt(0.25 / 100_000 / 2) / (p - other)  # What the noise alone explains, generously.
            missed += abs(found.shares[0] - 0.3) > noise
        assert missed > most_misses(40, 0.05)

    def test_errors_are_as_great_as_unknown_texts_make_them(self):
        known, unknown = UNKNOWN["some heavy texts are unknown"]
        rng, people, scores = np.random.default_rng(6), ["a", "b", "c", "d", "e"], []
        for _ in range(40):
            q = TextQuestion("q", length=32, hashes=2, cohorts=16, key=rng.bytes(8))
            form = form_of(q, 4)
            found = form.decode(drawn(form, filters(q, people), [*known, *unknown], 100_000, rng), ["a", "b"])
            scores.append((found.shares - known) / found.errors)
        assert 0.6 < np.sqrt(np.mean(np.square(scores))) < 1.5

    def test_they_get_shorter_with_cohorts_and_people_and_where_all_is_known(self):
        rng, widths = np.random.default_rng(5), []
        for cohorts, n, shares in ((2, 10_000, [0.3, 0.7]), (32, 10_000, [0.3, 0.7]), (32, 10**6, [0.3, 0.7])):
            q = TextQuestion("q", length=64, hashes=2, cohorts=cohorts)
            form = form_of(q)
            counts = drawn(form, filters(q, ["a", "b"]), shares, n, rng)
            widths.append([float(np.diff(form.decode(counts, c).intervals[0])[0]) for c in (["a"], ["a", "b"])])
        assert widths[0][0] > widths[1][0] > widths[2][0]
        assert all(complete < unknown for unknown, complete in widths)

    def test_their_ends_are_shown_by_the_text_the_rows_and_the_page(self):
        form = form_of(SMALL)
        counts = drawn(form, filters(SMALL, SITES[:8]), SHARES, 20_000, np.random.default_rng(10))
        found = form.decode(counts, SITES[:8], confidence="0.9")
        assert "90 % interval" in str(found)
        for row in found.to_rows():
            i = found.candidates.index(row["candidate"])
            assert [row["low"], row["high"]] == found.intervals[i].tolist()
        wider = form.decode(counts, SITES[:8], confidence="0.999").intervals
        assert (wider[:, 0] <= found.intervals[:, 0]).all()
        assert (wider[:, 1] >= found.intervals[:, 1]).all()
        assert "90 % interval" in found.to_html()
