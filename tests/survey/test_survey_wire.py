"""The wire format: code and vectors held together, in both directions, and a second reader that knows only the format.

``python tests/survey/test_survey_wire.py`` writes tests/data/wire.json anew. A changed file is a changed format, or a
changed permanent answer of every client that is out there: write it anew only with a new version.
"""

import base64
import contextlib
import hashlib
import json
import math
import pickle
import subprocess
import sys
from itertools import cycle
from pathlib import Path

import numpy as np
import pytest
import tiers
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet import (
    DiscreetError,
    KindError,
    LongitudinalRappor,
    OptimizedUnary,
    RandomizedResponse,
    RandomizedResponseBool,
    Rappor,
    ReportError,
    SubsetSelection,
)
from discreet.coins import KeyedCoins
from discreet.survey import Collector, Form, Question, Report, Response, Survey, TextForm, TextQuestion

FILE = Path(__file__).parents[1] / "data" / "wire.json"
OLD = Path(__file__).parents[1] / "data" / "wire-1.json"
SECRETS = [bytes(range(16)), b"only on this device, \xff\x00", hashlib.sha256(b"discreet").digest()]
TEXTS = ["example.org", "", "naïve ☃", "discreet.example/a?b=c"]


@pytest.fixture(autouse=True)
def _every_weight(monkeypatch):
    """The format holds every possible report; which weights are plausible is the business of test_survey_influence."""
    for kind in (Form, TextForm):
        monkeypatch.setattr(kind, "plausible", lambda _, rows: np.ones(len(rows), np.bool_))


# A reader as a client or a collector in another language would have it: from the format's description alone.


def canonical_text(form):
    """Return the form's canonical JSON: sorted keys, no spaces, ASCII."""
    return json.dumps({"discreet": 2, **form}, sort_keys=True, separators=(",", ":"), ensure_ascii=True)


def digest_of(form):
    return hashlib.sha256(canonical_text(form).encode("ascii")).digest()


def choices_of(form):
    question = form["question"]
    return [*question["choices"], *([] if question["missing"] is None else [question["missing"]])]


def width_of(form):
    """Return the number of bytes of a payload."""
    if "length" in form["question"]:
        return 2 + (form["question"]["length"] + 7) // 8
    k = len(choices_of(form))
    if form["mechanism"]["name"].startswith("RandomizedResponse"):
        return 1 if k <= 256 else 2 if k <= 65536 else 4
    return (k + 7) // 8


def bits_of(data):
    return [i for i in range(8 * len(data)) if data[i // 8] >> i % 8 & 1]


def meaning(form, payload):
    """Return what a payload says, or None if no answer gives it: choices, or a cohort and bits."""
    if "length" in form["question"]:
        cohort, bits = payload[0] + 256 * payload[1], bits_of(payload[2:])
        possible = cohort < form["question"]["cohorts"] and all(bit < form["question"]["length"] for bit in bits)
        return {"cohort": cohort, "bits": bits} if possible else None
    choices, name = choices_of(form), form["mechanism"]["name"]
    if name.startswith("RandomizedResponse"):
        place = int.from_bytes(payload, "little")
        return [choices[place]] if place < len(choices) else None
    bits = bits_of(payload)
    if any(bit >= len(choices) for bit in bits):
        return None
    if name == "SubsetSelection" and len(bits) != int(form["mechanism"]["size"]):
        return None
    return [choices[bit] for bit in bits]


def decode(form, data, digest=None):
    """Return what a report's bytes say about a form, or the reason why they are refused."""
    if len(data) < 2 or data[0] != 0xD5:
        return "no header" if len(data) == width_of(form) and data[:1] != b"\xd5" else "not a report"
    if data[1] != 2:
        return "another version"
    if len(data) < 18:
        return "not a report"
    if data[2:18] != (digest or digest_of(form))[:16]:
        return "another form"
    if len(data) != 18 + width_of(form):
        return "wrong length"
    said = meaning(form, data[18:])
    return "impossible" if said is None else said


def decode_json(form, text):
    data = json.loads(text)
    head = bytes([0xD5, data["discreet"]]) + bytes.fromhex(data["form"])
    return decode(form, head + base64.b64decode(data["payload"]))


def hmac_sha256(key, message):
    """HMAC as RFC 2104 writes it."""
    key = hashlib.sha256(key).digest() if len(key) > 64 else key
    key = key.ljust(64, b"\0")
    inner = hashlib.sha256(bytes(b ^ 0x36 for b in key) + message).digest()
    return hashlib.sha256(bytes(b ^ 0x5C for b in key) + inner).digest()


def stream(secret, context, n):
    """Return the first n bytes of the coins of a secret: HMAC in counter mode, under a key of its own."""
    key = hmac_sha256(secret, b"discreet coins 1" + context)
    blocks = (hmac_sha256(key, i.to_bytes(8, "little")) for i in range(n // 32 + 1))
    return b"".join(blocks)[:n]


# What the code writes.


def bloom_bits(form, cohort, text):
    """Return the bits that a text sets in a cohort, from the description of the filter."""
    q = form["question"]
    key = hashlib.sha256(b"discreet cohort" + cohort.to_bytes(2, "little") + bytes.fromhex(q["key"])).digest()
    found = set()
    for i in range(q["hashes"]):
        data = b"s" + text.encode()
        digest = hashlib.blake2b(data, key=key, salt=i.to_bytes(8, "little"), digest_size=16).digest()
        found.add(int.from_bytes(digest, "big") * q["length"] >> 128)
    return sorted(found)


def made_forms():
    """Return the forms of the vectors: each kind of mechanism, narrow and wide, and open text."""
    smokes = Question("smokes", ["never", "sometimes", "daily"], missing="no answer")
    member = Question("member", [False, True])
    odd = Question('städte, "ö"\n', ["Zürich", "☃", "", 'a"b', 7, True], missing=-1)
    wide = Question("bits", [f"choice {i}" for i in range(128)])
    many = Question("number", range(300))
    text = TextQuestion("homepage", length=128, hashes=2, cohorts=300, key=b"spring \xff")
    short = TextQuestion("word", length=12, hashes=3, cohorts=5)
    lasting = {"f": "1/2", "p": "1/4", "q": "3/4"}
    return [
        member.form(RandomizedResponseBool(prob="3/4")),
        smokes.form(RandomizedResponse(categories=smokes.categories, prob="5/8")),
        many.form(RandomizedResponse.within(epsilon=3, categories=many.categories)),
        odd.form(SubsetSelection(categories=odd.categories, size=3, prob="2/3")),
        wide.form(SubsetSelection.within(epsilon=4, categories=wide.categories)),
        smokes.form(OptimizedUnary(length=4, p="1/2", q="1/4")),
        wide.form(OptimizedUnary.within(epsilon=1, length=128)),
        odd.form(Rappor(length=7, max_weight=1, f="1/3")),
        wide.form(Rappor.within(epsilon=2, length=128, max_weight=1)),
        odd.form(LongitudinalRappor(length=7, max_weight=1, **lasting)),
        wide.form(LongitudinalRappor(length=128, max_weight=1, **lasting)),
        text.form(Rappor.within(epsilon=4, length=128, max_weight=2)),
        short.form(LongitudinalRappor(length=12, max_weight=3, **lasting)),
    ]


def made_payloads(form):
    """Return a few payloads of a form, spread over what it can say."""
    if isinstance(form, TextForm):
        q = form.question
        every = [list(range(q.length)), [], [0, q.length - 1], *(range(i, q.length, i + 2) for i in range(3))]
        for i, bits in enumerate(every):
            vector = np.zeros(q.length, np.bool_)
            vector[list(bits)] = True
            cohort = (q.cohorts - 1) * i // (len(every) - 1)
            yield cohort.to_bytes(2, "little") + np.packbits(vector, bitorder="little").tobytes()
        return
    values, m = form.question.categories.values, form.mechanism
    if form.says == "choice":
        yield from (form.payload_of(value) for value in (values if len(values) < 9 else values[::37] + values[-1:]))
    elif isinstance(m, SubsetSelection):
        places = [range(m.size), range(len(values) - m.size, len(values))]
        places += [range(0, m.size * step, step) for step in (2,) if m.size * step <= len(values) + step - 1]
        yield from (form.payload_of([values[i] for i in each]) for each in places)
    else:
        yield from (form.payload_of(said) for said in (values, [], values[:1], values[-1:], values[::2], values[1::3]))


def permanent(form):
    """Return the permanent answers of a few secrets: whole reports, or the bits that a lasting answer keeps."""
    for secret in SECRETS:
        if isinstance(form, TextForm):
            client = form.question.client(form.mechanism, secret=secret)
            for text in TEXTS:
                yield {"secret": secret.hex(), "answer": text, "cohort": client.cohort} | kept(form, client, text)
        else:
            client = form.question.client(form.mechanism, secret=secret)
            values = form.question.categories.values
            for answer in (*values[:2], values[-1]):
                yield {"secret": secret.hex(), "answer": answer} | kept(form, client, answer)


def kept(form, client, answer):
    m = form.mechanism
    if not isinstance(m, LongitudinalRappor):
        return {"payload": client.report(answer).payload.hex()}
    if isinstance(form, TextForm):
        bits = form.question.bloom(client.cohort)(answer)
        coins = KeyedCoins(client._secret, client._context(answer))
    else:
        place = form.question.categories.index(answer)
        bits = np.arange(len(form.question)) == place
        coins = KeyedCoins(client._secret, form.digest + place.to_bytes(4, "little"))
    return {"memo": np.packbits(m.permanent(bits, coins), bitorder="little").tobytes().hex()}


def made_vectors():
    """Return the contents of the file of vectors, made by the code as it is."""
    forms = []
    for form in made_forms():
        plain = json.loads(json.dumps(form.to_dict()))
        reports = []
        for payload in made_payloads(form):
            report = Report(form.tag, payload)
            said = meaning(plain, payload)
            reports.append({"says": said, "bytes": report.to_bytes().hex(), "json": report.to_json()})
        entry = {"form": plain, "canonical": canonical_text(plain), "digest": form.digest.hex(), "reports": reports}
        if isinstance(form, TextForm):
            q = form.question
            entry["filters"] = [
                {"cohort": c, "text": text, "bits": sorted(set(q.bloom(c).places(text)))}
                for c in (0, q.cohorts - 1)
                for text in TEXTS
            ]
        forms.append(entry | {"permanent": list(permanent(form))})
    coins = [
        {"secret": secret.hex(), "context": context.hex(), "bytes": taken(KeyedCoins(secret, context), 80).hex()}
        for secret in [*SECRETS, b"k" * 64, b"k" * 65, b"k" * 200]
        for context in (b"", b"context", bytes(12))
    ]
    return {"version": 2, "forms": forms, "coins": coins, "surveys": list(made_surveys(made_forms()))}


def made_surveys(forms):
    """Return surveys of the forms of the vectors, with responses: a short one, a wide one, and one in another order."""
    for chosen in ([1], [0, 1, 3], [3, 1, 0], [2, 5, 6, 7], [0, 4, 7], [11, 0]):
        survey = Survey.of([forms[i] for i in chosen])
        responses = []
        for payloads in zip(*(cycle(made_payloads(form)) for form in survey.forms), range(4), strict=False):
            response = Response(survey.tag, payloads[:-1])
            said = {"bytes": response.to_bytes().hex(), "json": response.to_json(), "code": response.to_code()}
            responses.append({"payloads": [payload.hex() for payload in response.payloads], **said})
        client = survey.client(secret=SECRETS[0], most=math.inf)
        answers = {
            f.question.name: TEXTS[2] if isinstance(f, TextForm) else f.question.choices[-1] for f in survey.forms
        }
        permanent_ = {"answers": answers, "code": client.report(answers).to_code()}
        told = {"epsilon": survey.privacy_map(1), "permanent": {"secret": SECRETS[0].hex(), **permanent_}}
        yield {"forms": chosen, "digest": survey.digest.hex(), "responses": responses, **told}


def taken(coins, n):
    return coins.bits(8 * n).to_bytes(n, "big")


VECTORS = json.loads(FILE.read_text(encoding="utf-8")) if FILE.exists() else {"forms": [], "coins": []}
ENTRIES = {f"{i} {e['form']['mechanism']['name']}": e for i, e in enumerate(VECTORS["forms"])}
each_entry = pytest.mark.parametrize("entry", ENTRIES.values(), ids=ENTRIES)


def form_of(entry):
    return (TextForm if "length" in entry["form"]["question"] else Form).from_dict(entry["form"])


def test_the_vectors_hold_every_kind_of_mechanism_and_open_text():
    names = {(entry["form"]["mechanism"]["name"], "length" in entry["form"]["question"]) for entry in ENTRIES.values()}
    kinds = ["RandomizedResponseBool", "RandomizedResponse", "SubsetSelection", "OptimizedUnary"]
    both = ["Rappor", "LongitudinalRappor"]
    assert names == {(kind, False) for kind in [*kinds, *both]} | {(kind, True) for kind in both}
    assert all(len(entry["reports"]) >= 2 and len(entry["permanent"]) >= 9 for entry in ENTRIES.values())


def test_the_code_writes_the_vectors_again():
    made = json.loads(json.dumps(made_vectors()))
    for ours, theirs in zip(made["forms"], VECTORS["forms"], strict=True):
        assert ours == theirs
    assert made == VECTORS


@each_entry
def test_the_code_reads_the_vectors(entry):
    form = form_of(entry)
    assert form.digest.hex() == entry["digest"]
    assert json.loads(json.dumps(form.to_dict())) == entry["form"]
    box = Collector(form)
    for given_ in entry["reports"]:
        data = bytes.fromhex(given_["bytes"])
        report = Report.from_bytes(data)
        assert report == Report.from_json(given_["json"]) == Report.from_json(given_["json"].encode())
        assert (report.to_bytes(), report.to_json()) == (data, given_["json"])
        if isinstance(form, Form):
            said = form.read(report.payload)
            assert (list(said) if form.says != "choice" else [said]) == given_["says"]
        for each in (report, data, bytearray(data), memoryview(data), given_["json"]):
            box.add(each)
    assert box.n == 5 * len(entry["reports"])
    assert not box.refused


@each_entry
def test_what_the_collector_counts_is_what_the_vectors_say(entry):
    form = form_of(entry)
    box = Collector(form)
    box.add_many([bytes.fromhex(given_["bytes"]) for given_ in entry["reports"]])
    if isinstance(form, TextForm):
        q = form.question
        expected = np.zeros((q.cohorts, q.length), int)
        people = np.zeros(q.cohorts, int)
        for given_ in entry["reports"]:
            expected[given_["says"]["cohort"], given_["says"]["bits"]] += 1
            people[given_["says"]["cohort"]] += 1
        assert box.supports.tolist() == [*expected.ravel().tolist(), *people.tolist()]
    else:
        values = [json.dumps(value) for value in form.question.categories.values]
        said = [json.dumps(choice) for given_ in entry["reports"] for choice in given_["says"]]
        assert box.supports.tolist() == [said.count(value) for value in values]


@each_entry
def test_a_second_reader_agrees(entry):
    form = entry["form"]
    assert canonical_text(form) == entry["canonical"]
    assert digest_of(form).hex() == entry["digest"]
    for given_ in entry["reports"]:
        assert decode(form, bytes.fromhex(given_["bytes"])) == given_["says"]
        assert decode_json(form, given_["json"]) == given_["says"]


@each_entry
def test_fresh_reports_mean_something_to_the_second_reader(entry):
    form = form_of(entry)
    client = form.question.client(form.mechanism, secret=SECRETS[0])
    answers = TEXTS if isinstance(form, TextForm) else form.question.categories.values
    for answer in answers[:9]:
        report = client.report(answer)
        said = decode(entry["form"], report.to_bytes())
        assert not isinstance(said, str)
        assert decode_json(entry["form"], report.to_json()) == said
    if isinstance(form, TextForm):
        assert said["cohort"] == client.cohort


@each_entry
def test_permanent_answers_are_the_ones_clients_have_given(entry):
    form = form_of(entry)
    for given_ in entry["permanent"]:
        client = form.question.client(form.mechanism, secret=bytes.fromhex(given_["secret"]))
        if "cohort" in given_:
            assert client.cohort == given_["cohort"]
        expected = {key: value for key, value in given_.items() if key in ("payload", "memo")}
        assert kept(form, client, given_["answer"]) == expected
        if "payload" in given_:
            assert meaning(entry["form"], bytes.fromhex(given_["payload"])) is not None
            assert client.report(given_["answer"]) == client.report(given_["answer"])


@pytest.mark.parametrize(
    "entry", [e for e in ENTRIES.values() if "filters" in e], ids=lambda e: e["form"]["question"]["name"]
)
def test_filters_of_open_text_are_what_their_description_says(entry):
    q = form_of(entry).question
    for given_ in entry["filters"]:
        assert given_["bits"] == bloom_bits(entry["form"], given_["cohort"], given_["text"])
        assert np.flatnonzero(q.bloom(given_["cohort"])(given_["text"])).tolist() == given_["bits"]


class TestCost:
    def test_a_report_of_128_bits_costs_16_bytes_and_the_header(self):
        q = Question("bits", range(128))
        for m in (
            OptimizedUnary(length=128, p="1/2", q="1/4"),
            SubsetSelection.within(epsilon=1, categories=range(128)),
        ):
            data = q.client(m).report(5).to_bytes()
            assert len(data) == 18 + 16

    @each_entry
    def test_every_report_costs_its_width_and_the_header(self, entry):
        for given_ in entry["reports"]:
            assert len(given_["bytes"]) // 2 == 18 + width_of(entry["form"]) == 18 + form_of(entry).width


class TestCorruption:
    @staticmethod
    def damaged(data):
        """Yield every truncation, a few extensions and every change of a single byte."""
        yield from (data[:n] for n in range(len(data)))
        yield from (data + extra for extra in (b"\0", b"\xff", data))
        for i in range(len(data)):
            for change in tiers.each(range(1, 256), 18):
                yield data[:i] + bytes([data[i] ^ change]) + data[i + 1 :]

    @each_entry
    def test_damage_is_refused_for_the_right_reason_or_is_another_report(self, entry):
        form = form_of(entry)
        box, added, reasons = Collector(form), 0, {}
        for damaged in self.damaged(bytes.fromhex(entry["reports"][-1]["bytes"])):
            said = decode(entry["form"], damaged, form.digest)
            if isinstance(said, str):
                reasons[said] = reasons.get(said, 0) + 1
                with pytest.raises(ReportError) as caught:
                    box.add(damaged)
                assert caught.value.reason == said
            else:
                added += 1
                box.add(damaged)
                assert Report.from_bytes(damaged).digest == form.tag
        assert box.n == added
        assert dict(box.refused) == reasons

    @each_entry
    def test_damage_among_many_is_counted_by_the_same_reason(self, entry):
        form = form_of(entry)
        good = bytes.fromhex(entry["reports"][0]["bytes"])
        several = list(self.damaged(good))[::7]
        box = Collector(form)
        tally = box.add_many([good, *several, good])
        reasons = [decode(entry["form"], d, form.digest) for d in several]
        assert tally.refused == {reason: reasons.count(reason) for reason in reasons if isinstance(reason, str)}
        assert tally.added == 2 + sum(not isinstance(reason, str) for reason in reasons)

    @each_entry
    def test_a_report_cut_down_to_the_width_of_a_payload_is_refused(self, entry):
        form = form_of(entry)
        data = bytes.fromhex(entry["reports"][0]["bytes"])
        tally = Collector(form).add_many([data, data[: form.width], data])
        assert (tally.added, sum(tally.refused.values())) == (2, 1)

    def test_a_report_of_a_narrower_form_is_refused_among_many(self):
        narrow, wide = Question("narrow", range(48)), Question("wide", range(128))
        stray = narrow.client(OptimizedUnary(length=48, p="1/2", q="1/4")).report(1).to_bytes()
        m = OptimizedUnary(length=128, p="1/2", q="1/4")
        own = wide.client(m).report(1).to_bytes()
        tally = wide.collector(m).add_many([own, stray, own])
        assert (tally.added, tally.refused) == (2, {"another form": 1})

    @pytest.mark.parametrize("n", [0, 2, 9])
    def test_short_reports_have_one_reason_however_many_there_are(self, n):
        q = Question("q", range(128))
        m = OptimizedUnary(length=128, p="1/2", q="1/4")
        with pytest.raises(ReportError) as caught:
            q.collector(m).add(bytes(n))
        assert q.collector(m).add_many([bytes(n)] * 3).refused == {caught.value.reason: 3}

    def test_version_3_is_refused_as_such(self):
        entry = next(iter(ENTRIES.values()))
        data = bytearray.fromhex(entry["reports"][0]["bytes"])
        data[1] = 3
        text = entry["reports"][0]["json"].replace('"discreet":2', '"discreet":3')
        box = Collector(form_of(entry))
        for report in (bytes(data), text):
            with pytest.raises(ReportError, match="another version"):
                box.add(report)
        with pytest.raises(ReportError, match="this collector's is 2"):
            Report.from_bytes(data)
        assert box.refused == {"another version": 2}

    @pytest.mark.parametrize("entry", json.loads(OLD.read_text(encoding="utf-8"))["forms"], ids=range(13))
    def test_reports_of_version_1_are_refused_with_the_reason(self, entry):
        """Its 8 bytes cannot tell two forms apart that were made to share them."""
        form = form_of(entry)
        assert form.digest[:8].hex() != entry["digest"]
        for given_ in entry["reports"]:
            data, box = bytes.fromhex(given_["bytes"]), Collector(form)
            for report in (data, given_["json"]):
                with pytest.raises(ReportError, match="version 1 names its form by 8 bytes") as caught:
                    box.add(report)
                assert caught.value.reason == "another version"
            tally = box.add_many([data, data, given_["json"]])
            assert (tally.added, tally.refused) == (0, {"another version": 3})


GOOD = {"discreet": 2, "form": "00" * 16, "payload": "AQ=="}
BAD_JSON = {
    "nothing": "",
    "no JSON": "{",
    "a number": "5",
    "a text": '"x"',
    "a list": "[1]",
    "null": "null",
    "NaN": "NaN",
    "an empty object": "{}",
    **{f"without {key}": json.dumps({k: v for k, v in GOOD.items() if k != key}) for key in GOOD},
    **{
        f"{key} is {value!r}"[:60]: json.dumps(GOOD | {key: value})
        for key in ("form", "payload")
        for value in (None, True, 0, -1, 1.5, 10**400, [], {}, ["AQ=="], "A", "====", "é", "\ud800", "A" * 9, "AQ==\n")
    },
    "a short form": json.dumps(GOOD | {"form": "00" * 15}),
    "a long form": json.dumps(GOOD | {"form": "00" * 17}),
    "a form with spaces": json.dumps(GOOD | {"form": "00 " * 16}),
    "a form in base 64": json.dumps(GOOD | {"form": "AAAAAAAAAAA="}),
    "base 64 for addresses": json.dumps(GOOD | {"payload": "_-__"}),
    "deep": "[" * 100_000,
    "a deep payload": '{"discreet":2,"form":"' + "00" * 16 + '","payload":' + "[" * 100_000 + "]" * 100_000 + "}",
    "a million digits": '{"discreet":' + "1" * 1_000_000 + "}",
    "an unfinished megabyte": '{"discreet":2,"form":"' + "0" * 1_000_000,
}


class TestJson:
    @pytest.mark.parametrize("label", BAD_JSON)
    def test_what_is_no_report_is_refused(self, label):
        box = Collector(form_of(next(iter(ENTRIES.values()))))
        for text in (BAD_JSON[label], BAD_JSON[label].encode("utf-8", "surrogatepass")):
            with pytest.raises(ReportError) as caught:
                Report.from_json(text)
            assert caught.value.reason == "not a report"
            assert len(str(caught.value)) < 200
        with pytest.raises(ReportError):
            box.add(BAD_JSON[label])
        assert box.refused == {"not a report": 1}

    @pytest.mark.parametrize("version", [0, 1, 3, -2, True, 2.0, "2", None, [2], 10**300])
    def test_another_version_is_refused_as_such(self, version):
        with pytest.raises(ReportError) as caught:
            Report.from_json(json.dumps(GOOD | {"discreet": version}))
        assert caught.value.reason == "another version"

    def test_spaces_order_and_more_fields_do_not_matter(self):
        text = json.dumps({"payload": "AQ==", "sent": "now", "form": "00" * 16, "discreet": 2}, indent=2)
        assert Report.from_json(text) == Report(bytes(16), b"\1")

    def test_a_huge_payload_is_of_the_wrong_length(self):
        entry = next(iter(ENTRIES.values()))
        text = json.dumps(GOOD | {"form": entry["digest"][:32], "payload": "A" * 4_000_000})
        with pytest.raises(ReportError, match="wrong length"):
            Collector(form_of(entry)).add(text)

    @pytest.mark.parametrize("data", [None, 5, 1.5, [], "d501", object()])
    def test_what_are_no_bytes_are_no_report(self, data):
        with pytest.raises(KindError):
            Report.from_bytes(data)

    @settings(max_examples=tiers.cases(40, 200), deadline=None)
    @given(st.binary(max_size=40))
    def test_any_bytes_are_a_report_or_refused(self, data):
        for start in (b"", b"\xd5\x02"):
            try:
                report = Report.from_bytes(start + data)
            except ReportError:
                continue
            assert report.to_bytes() == start + data

    @settings(max_examples=tiers.cases(40, 200), deadline=None)
    @given(st.binary(min_size=16, max_size=16), st.binary(max_size=40))
    def test_reports_come_back(self, digest, payload):
        report = Report(digest, payload)
        assert Report.from_bytes(report.to_bytes()) == report == Report.from_json(report.to_json())
        assert json.loads(report.to_json())["discreet"] == 2
        assert eval(repr(report), {"Report": Report}) == report

    @settings(max_examples=tiers.cases(40, 200), deadline=None)
    @given(st.recursive(st.none() | st.booleans() | st.integers() | st.floats() | st.text(), st.lists, max_leaves=5))
    def test_any_json_is_a_declared_error(self, value):
        for text in (json.dumps(value), json.dumps(GOOD | {"form": value}), json.dumps(GOOD | {"payload": value})):
            with contextlib.suppress(DiscreetError):
                Report.from_json(text)

    @pytest.mark.parametrize(
        ("digest", "payload"),
        [(bytes(15), b""), (bytes(8), b""), (bytes(32), b""), (bytes(16), "text"), ("text", b""), (None, None)],
    )
    def test_what_is_no_digest_or_payload_makes_no_report(self, digest, payload):
        with pytest.raises(DiscreetError):
            Report(digest, payload)


class TestKeyedCoins:
    @pytest.mark.parametrize("given_", VECTORS["coins"], ids=range(len(VECTORS["coins"])))
    def test_the_stream_is_hmac_in_counter_mode(self, given_):
        secret, context, data = (bytes.fromhex(given_[key]) for key in ("secret", "context", "bytes"))
        assert taken(KeyedCoins(secret, context), len(data)) == data == stream(secret, context, len(data))
        words = KeyedCoins(secret, context).words(len(data) // 8)
        assert words.dtype == np.uint64
        assert words.astype("<u8").tobytes() == data

    @settings(max_examples=tiers.cases(40, 200), deadline=None)
    @given(
        st.binary(min_size=1, max_size=70),
        st.binary(max_size=20),
        st.lists(st.tuples(st.booleans(), st.integers(0, 40)), max_size=12),
    )
    def test_words_and_bits_continue_one_stream(self, secret, context, draws):
        coins, data, at = KeyedCoins(secret, context), stream(secret, context, 8 * sum(n for _, n in draws)), 0
        for whole_words, n in draws:
            if whole_words:
                assert coins.words(n).astype("<u8").tobytes() == data[at : at + 8 * n]
                at += 8 * n
            else:
                size = -(-n // 8)
                assert coins.bits(n) == int.from_bytes(data[at : at + size], "big") >> (8 * size - n)
                at += size

    def test_every_secret_and_context_has_its_own_stream(self):
        keys = [(s, c) for s in (b"a" * 16, b"a" * 15 + b"b", b"a" * 17) for c in (b"", b"\0", b"a", b"ab")]
        assert len({taken(KeyedCoins(*key), 16) for key in keys}) == len(keys)

    def test_the_secret_does_not_show(self):
        coins = KeyedCoins(b"sentinel-7919-secret", b"")
        assert "sentinel" not in repr(coins) + str(coins)

    def test_the_key_is_not_pickled(self):
        coins = KeyedCoins(b"sentinel-7919-secret", b"")
        try:
            data = pickle.dumps(coins)
        except Exception:
            return
        assert coins._key not in data


def test_permanent_answers_are_the_same_in_another_process():
    entry = next(e for e in ENTRIES.values() if e["form"]["mechanism"]["name"] == "SubsetSelection")
    given_ = entry["permanent"][0]
    script = (
        "import json, sys; from discreet.survey import Form\n"
        "data, secret, answer = json.loads(sys.stdin.read())\n"
        "form = Form.from_dict(data)\n"
        "client = form.question.client(form.mechanism, secret=bytes.fromhex(secret))\n"
        "print(client.report(answer).payload.hex())"
    )
    text = json.dumps([entry["form"], given_["secret"], given_["answer"]])
    done = subprocess.run([sys.executable, "-c", script], input=text, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == given_["payload"]


if __name__ == "__main__":
    FILE.write_text(json.dumps(made_vectors(), indent=1, ensure_ascii=True) + "\n", encoding="utf-8")
