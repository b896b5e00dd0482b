"""Responses: a whole survey's answers on the wire, read by the code and by a reader that knows only the format."""

import base64
import contextlib
import hashlib
import json
import math
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
import tiers
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet import DiscreetError, KindError, OptimizedUnary, RandomizedResponse, ReportError, SubsetSelection
from discreet.survey import Boxes, Collector, Question, Response, Survey, TextForm
from discreet.survey.forms import Form, form_of

WIRE = json.loads((Path(__file__).parents[1] / "data" / "wire.json").read_text(encoding="utf-8"))
each_survey = pytest.mark.parametrize("entry", WIRE["surveys"], ids=range(len(WIRE["surveys"])))


@pytest.fixture
def _every_weight(monkeypatch):
    for kind in (Form, TextForm):
        monkeypatch.setattr(kind, "plausible", lambda _, rows: np.ones(len(rows), np.bool_))


def survey_of(entry):
    return Survey.of([form_of(WIRE["forms"][i]["form"]) for i in entry["forms"]])


def asked():
    smokes, age = Question("smokes", ["no", "yes"]), Question("age", ["young", "middle", "old"], missing="?")
    town = Question("town", [f"town {i}" for i in range(20)])
    return Survey.of(
        [
            smokes.form(RandomizedResponse(categories=smokes.categories, prob="3/4")),
            age.form(SubsetSelection(categories=age.categories, size=2, prob="3/4")),
            town.form(OptimizedUnary(length=20, p="1/2", q="1/6")),
        ]
    )


def good(survey):
    """Return a response that this survey's mechanisms can give."""
    return Response(survey.tag, (bytes([1]), bytes([0b0101]), bytes([0b10110001, 0b1010, 0])))


# A reader as a client or a collector in another language would have it: from the format's description alone.


def second_reader(entry, data):
    """Return the payloads of a response in bytes, in hexadecimal, or raise."""
    digests = b"".join(bytes.fromhex(WIRE["forms"][i]["digest"]) for i in entry["forms"])
    assert data[:2] == b"\xd6\x02"
    assert data[2:18] == hashlib.sha256(b"discreet survey 2" + digests).digest()[:16]
    rest, found = data[18:], []
    for i in entry["forms"]:
        width = len(WIRE["forms"][i]["reports"][0]["bytes"]) // 2 - 18
        found.append(rest[:width].hex())
        rest = rest[width:]
    assert rest == b""
    return found


@each_survey
def test_a_second_reader_agrees(entry):
    for said in entry["responses"]:
        data = bytes.fromhex(said["bytes"])
        assert second_reader(entry, data) == said["payloads"]
        code = base64.urlsafe_b64decode(said["code"] + "=" * (-len(said["code"]) % 4))
        assert code == data + hashlib.sha256(data).digest()[:4]
        plain = json.loads(said["json"])
        assert plain.pop("discreet") == 2
        assert plain.pop("survey") == data[2:18].hex()
        assert [base64.b64decode(each).hex() for each in plain.pop("payloads")] == said["payloads"]
        assert plain == {}


@each_survey
def test_permanent_responses_are_the_ones_clients_have_given(entry):
    survey, said = survey_of(entry), entry["permanent"]
    client = survey.client(secret=bytes.fromhex(said["secret"]), most=math.inf)
    assert client.report(said["answers"]).to_code() == said["code"]
    assert survey.privacy_map(1) == entry["epsilon"] == client.privacy_map_of(None)
    plain = json.loads(survey.to_json())
    assert plain.pop("survey") == entry["digest"]
    assert plain == {"discreet": 2, "forms": [WIRE["forms"][i]["form"] for i in entry["forms"]]}


@each_survey
@pytest.mark.usefixtures("_every_weight")
def test_the_code_reads_the_vectors(entry):
    survey = survey_of(entry)
    assert survey.digest.hex() == entry["digest"]
    widths = [form.width for form in survey.forms]
    boxes, many = survey.collector(), survey.collector()
    for said in entry["responses"]:
        data = bytes.fromhex(said["bytes"])
        response = Response(survey.tag, tuple(map(bytes.fromhex, said["payloads"])))
        assert response == Response.from_bytes(data, widths) == Response.from_json(said["json"])
        assert response == Response.from_code(said["code"], widths)
        assert (response.to_bytes(), response.to_json(), response.to_code()) == (data, said["json"], said["code"])
        assert eval(repr(response), {"Response": Response}) == response
        for each in (response, data, bytearray(data), memoryview(data), said["json"], said["code"]):
            boxes.add(each)
        many.add_many([response, data, said["json"], said["code"], data, data])
    assert {box.n for box in boxes.values()} == {6 * len(entry["responses"])}
    for name, box in boxes.items():
        assert box == many[name]
        counted = Collector(survey[name])
        place = survey.names.index(name)
        rows = [bytes.fromhex(said["payloads"][place]) for said in entry["responses"]]
        counted.add_many(6 * rows, payloads=True)
        assert box == counted


def test_the_order_of_the_questions_is_part_of_the_digest():
    survey = asked()
    turned = Survey.of(survey.forms[::-1])
    assert survey.digest != turned.digest
    assert len({survey.digest, turned.digest, Survey.of(survey.forms[:1]).digest, survey.forms[0].digest}) == 4
    boxes = turned.collector()
    with pytest.raises(ReportError, match="another survey"):
        boxes.add(good(survey))
    assert all(box.n == 0 and box.refused == {"another survey": 1} for box in boxes.values())


def test_json_with_more_than_a_response_is_refused():
    """A client with a mistake could send the truth in it."""
    said = good(asked()).to_json()
    assert Response.from_json(said) == good(asked())
    with pytest.raises(ReportError, match="and no more"):
        Response.from_json(said[:-1] + ',"answer":"yes"}')


def held(boxes):
    return {name: (box.n, box.supports.tolist(), dict(box.refused)) for name, box in boxes.items()}


BAD = {
    "one payload is impossible": ((b"\x02", b"\x05", b"\xb1\x0a\x00"), "impossible"),
    "the last is impossible": ((b"\x01", b"\x05", b"\xb1\x0a\x10"), "impossible"),
    "one has an implausible weight": ((b"\x01", b"\x05", b"\xff\xff\x0f"), "implausible weight"),
    "a set of another size": ((b"\x01", b"\x07", b"\xb1\x0a\x00"), "impossible"),
    "one is short": ((b"\x01", b"\x05", b"\xb1\x0a"), "wrong length"),
    "one is missing": ((b"\x01", b"\x05"), "wrong length"),
    "lengths that even out": ((b"\x01\x05", b"", b"\xb1\x0a\x00"), "wrong length"),
}


@pytest.mark.parametrize("label", BAD)
def test_a_response_is_added_to_all_boxes_or_refused_in_all(label):
    survey = asked()
    payloads, reason = BAD[label]
    bad = Response(survey.tag, payloads)
    boxes, many = survey.collector(), survey.collector()
    boxes.add(good(survey))
    with pytest.raises(ReportError) as caught:
        boxes.add(bad)
    assert caught.value.reason == reason
    tally = many.add_many([good(survey), bad])
    assert held(boxes) == held(many)
    assert {(t.added, tuple(t.refused)) for t in tally.values()} == {(1, (reason,))}
    assert {box.n for box in boxes.values()} == {1}
    assert all(box.refused == {reason: 1} for box in boxes.values())


def test_damage_is_refused_in_all_boxes_or_is_another_response():
    survey = asked()
    data = good(survey).to_bytes()
    damaged = [data[:n] for n in range(len(data))] + [data + b"\0", data + data, b""]
    damaged += [data[:i] + bytes([data[i] ^ 1 << b]) + data[i + 1 :] for i in range(len(data)) for b in range(8)]
    one_by_one, at_once = survey.collector(), survey.collector()
    reasons = Counter()
    for each in damaged:
        try:
            one_by_one.add(each)
        except ReportError as error:
            reasons[error.reason] += 1
    at_once.add_many(damaged)
    assert held(one_by_one) == held(at_once)
    boxes = list(one_by_one.values())
    assert len({box.n for box in boxes}) == 1
    assert all(box.refused == reasons for box in boxes)
    assert boxes[0].n + reasons.total() == len(damaged)
    assert reasons["another survey"] == 16 * 8
    assert reasons["another version"] == 8 + 0
    assert {"not a report", "wrong length", "impossible"} < set(reasons)


def test_rows_of_bytes_are_read_at_once():
    survey = asked()
    data = good(survey).to_bytes()
    table = np.frombuffer(data * 1000, np.uint8).reshape(1000, -1).copy()
    table[17, 18] = 9
    table[400, 0] = 0xD5
    table[999, 5] ^= 1
    boxes = survey.collector()
    tally = boxes.add_many(table)
    want = {"impossible": 1, "not a report": 1, "another survey": 1}
    assert {(t.added, tuple(sorted(t.refused.items()))) for t in tally.values()} == {(997, tuple(sorted(want.items())))}
    with pytest.raises(KindError):
        boxes.add_many(table.astype(np.int64))
    assert {box.n for box in boxes.values()} == {997}


def test_codes_in_a_file_are_counted_once(tmp_path):
    survey = asked()
    code = good(survey).to_code()
    file = tmp_path / "codes.txt"
    file.write_text(f"\ufeff{code}\n\n  {code}  \r\n{code[:-1]}x\n{good(survey).to_json()}\n", encoding="utf-8")
    boxes = survey.collect([str(file)])
    assert {(box.n, tuple(box.refused.items())) for box in boxes.values()} == {(3, (("not a report", 1),))}
    with pytest.raises(ValueError, match="not counted before"):
        boxes.add_many(file)
    boxes.save(tmp_path / "box.json")
    assert held(Boxes.load(tmp_path / "box.json")) == held(boxes)


def test_a_list_of_names_of_files_is_refused_and_not_counted_as_bad_responses():
    boxes = asked().collector()
    with pytest.raises(DiscreetError):
        boxes.add_many(["may.csv", "june.parquet"])
    assert all(box.seen == 0 for box in boxes.values())
    assert boxes.add_many([])["smokes"].added == 0


@pytest.mark.parametrize("slip", range(3))
def test_a_slip_of_the_pen_in_a_code_is_found(slip):
    survey = asked()
    code = good(survey).to_code()
    widths = [form.width for form in survey.forms]
    for i in range(len(code)):
        other = {0: code[:i] + ("A" if code[i] != "A" else "B") + code[i + 1 :], 1: code[:i] + code[i + 1 :]}
        other[2] = code[:i] + code[i + 1 : i + 2] + code[i : i + 1] + code[i + 2 :]
        if other[slip] != code:
            with pytest.raises(ReportError):
                Response.from_code(other[slip], widths)


def test_a_report_is_no_response_and_a_response_no_report():
    survey = asked()
    box, boxes = Collector(survey.forms[0]), Survey.of(survey.forms[:1]).collector()
    response = Response(Survey.of(survey.forms[:1]).tag, (b"\x01",))
    boxes.add(response)
    with pytest.raises(ReportError, match="not a report"):
        box.add(response.to_bytes())
    report = bytes((0xD5, 2)) + survey.forms[0].tag + b"\x01"
    with pytest.raises(ReportError, match="not a report"):
        boxes.add(report)
    with pytest.raises(ReportError, match="not a report"):
        boxes.add(5)


def test_an_interrupted_addition_leaves_the_boxes_as_they_were(monkeypatch):
    survey = asked()
    boxes = survey.collector()
    boxes.add(good(survey))
    before, taken = held(boxes), []

    def take(box, part):
        taken.append(box)
        if len(taken) == 3:
            raise KeyboardInterrupt
        box.held = box.held.plus(part.held)

    monkeypatch.setattr(Collector, "take", take)
    with pytest.raises(KeyboardInterrupt):
        boxes.add(good(survey))
    assert held(boxes) == before


@settings(max_examples=tiers.cases(40, 300), deadline=None)
@given(st.binary(max_size=60), st.text(max_size=30))
def test_any_bytes_or_text_is_a_response_or_refused(data, text):
    survey = asked()
    boxes = survey.collector()
    head = bytes((0xD6, 2)) + survey.tag
    for each in (data, head + data, text, "{" + text):
        with contextlib.suppress(ReportError):
            boxes.add(each)
    assert len({box.n + box.refused.total() for box in boxes.values()}) == 1


@pytest.mark.parametrize(
    "given_",
    [(bytes(15), ()), (bytes(16), [b""]), (bytes(16), ("a",)), ("a", ()), (bytes(16), None)],
)
def test_what_is_no_digest_or_payload_makes_no_response(given_):
    with pytest.raises(KindError):
        Response(*given_)
