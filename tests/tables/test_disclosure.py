"""Disclosures: digests, signatures, entries on the books, and drafts for the registry."""

import json
import os
import shutil
import subprocess
from functools import cache
from pathlib import Path

import pyarrow as pa
import pytest

pytest.importorskip("ibis", reason="pip install 'discreet[tables]'")
from discreet import DiscreetError, Ledger, ParameterError, RandomizedResponse
from discreet.disclosure import PEOPLE, Disclosure, signature_path, signed_by
from discreet.survey import Question
from discreet.tables import Mean, Table

SCHEMA = json.loads((Path(__file__).parents[2] / "docs" / "disclosure.schema.json").read_text())
KINDS = {"string": str, "number": float, "object": dict, "integer": int, "null": type(None)}


def answer(book=None):
    frame = pa.table({"id": range(50), "city": ["<Rome>", "Bath"] * 25, "x": [1.0] * 50})
    groups = Table(frame, person="id", ledger=book).group_by("city")
    return groups.release(Mean("x", 0, 5), epsilon=9, delta="1e-6", max_groups=1)


@cache
def charged():
    return answer(Ledger.in_memory(epsilon=9, delta="1e-3", accountant="plain")).disclosure().to_dict()


def estimate():
    q = Question("smokes", ["never", "daily"])
    box = q.collector(RandomizedResponse(categories=q.categories, prob="3/4"))
    box.add_many(["never"] * 60 + ["daily"] * 40)
    return box.estimate()


@pytest.fixture(scope="module")
def keys(tmp_path_factory):
    if shutil.which("ssh-keygen") is None:
        pytest.skip("no signatures: ssh-keygen is not installed")
    folder = tmp_path_factory.mktemp("keys")
    for name in ("ana", "ben"):
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(folder / name)], check=True)
    (folder / "signers").write_text(f"ana@office {(folder / 'ana.pub').read_text()}")
    return folder


@pytest.mark.parametrize(
    "told",
    [
        None,
        [],
        {},
        "x",
        {"schema": "discreet.disclosure"},
        {"schema": "discreet.disclosure", "version": 2},
        {"schema": 1},
    ],
    ids=str,
)
def test_what_is_no_disclosure_is_refused(told):
    with pytest.raises(DiscreetError):
        Disclosure.read(told)


@pytest.mark.parametrize("text", ["", "{", "[" * 100_000, "null", "<html>", '{"schema": "discreet.disclosure"}'])
@pytest.mark.parametrize("name", ["d.json", "d.html"])
def test_files_that_have_none_are_refused_without_being_shown(name, text, tmp_path):
    (tmp_path / name).write_text(text)
    with pytest.raises(ParameterError, match="need") as error:
        Disclosure.of_file(tmp_path / name)
    assert "[[" not in str(error.value)


@pytest.mark.parametrize("result", [answer, estimate])
def test_it_is_of_its_published_schema(result):
    said = result().disclosure().to_dict()
    assert set(said) == set(SCHEMA["required"]) == set(SCHEMA["properties"])
    for name, value in said.items():
        of = SCHEMA["properties"][name]
        assert value == of["const"] if "const" in of else isinstance(value, tuple(KINDS[k] for k in _kinds(of)))
        assert value in of.get("enum", [value])
    assert json.loads(json.dumps(said)) == said
    assert Disclosure.read(said).to_dict() == said


def _kinds(of):
    return [of["type"]] if isinstance(of["type"], str) else of["type"]


@pytest.mark.parametrize("field", [name for name in SCHEMA["required"] if name not in ("schema", "version")])
def test_no_field_can_be_changed(field):
    said = charged()
    changed = said | {field: {"x": "y"} if field == "mechanisms" else 7 if field == "ledger_entry" else "another"}
    with pytest.raises(ParameterError, match="digest"):
        Disclosure.read(changed)
    with pytest.raises(ParameterError):
        Disclosure.read({name: value for name, value in said.items() if name != field})


def test_a_page_has_it_and_keys_are_no_markup(tmp_path):
    of = answer()
    of.to_html(tmp_path / "p.html")
    assert Disclosure.of_file(tmp_path / "p.html") == of.disclosure()
    changed = (tmp_path / "p.html").read_text().replace("Approximate DP", "Pure DP")
    (tmp_path / "p.html").write_text(changed)
    with pytest.raises(ParameterError, match="digest"):
        Disclosure.of_file(tmp_path / "p.html")


def test_the_books_have_the_entry_or_not():
    book, other = (Ledger.in_memory(epsilon=30, delta="1e-3", accountant="plain") for _ in range(2))
    told = answer(book).disclosure()
    assert told.check_ledger(book) == 1
    with pytest.raises(ParameterError, match="have an entry"):
        told.check_ledger(other)
    other.charge(epsilon=1, receipt={"sha256": "x"})
    with pytest.raises(ParameterError, match="same receipt"):
        told.check_ledger(other)
    with pytest.raises(ParameterError, match="have an entry"):
        answer().disclosure().check_ledger(book)
    book.void(1, reason="unseen", unseen=True)
    with pytest.raises(ParameterError, match="taken back"):
        told.check_ledger(book)


@pytest.mark.parametrize(
    ("field", "forged"),
    [
        ("epsilon", 0.001),
        ("delta", 0.0),
        ("variant", "Pure DP"),
        ("unit", "all rows of one household"),
        ("relation", "added or removed: one row"),
        ("mechanisms", {}),
    ],
)
def test_the_books_say_what_was_paid_whatever_digest_is_computed_anew(field, forged):
    book = Ledger.in_memory(epsilon=30, delta="1e-3", accountant="plain")
    told = answer(book).disclosure()
    changed = Disclosure(dict(told.facts) | {field: forged})
    assert Disclosure.read(changed.to_dict()) == changed
    with pytest.raises(ParameterError, match=f"says the same {field}"):
        changed.check_ledger(book)


def test_other_figures_have_another_digest():
    of = answer()
    assert of.disclosure().facts["figures_sha256"] == of.disclosure().facts["figures_sha256"]
    assert of.disclosure().facts["figures_sha256"] != of.with_confidence("0.9").disclosure().facts["figures_sha256"]


def test_a_record_has_what_people_say_and_todo_for_the_rest():
    told = answer().disclosure()
    record = told.record(name="Visits", data_curators="ACME")["deployment"]
    assert record["basic"]["name"] == "Visits"
    assert record["basic"]["data_curators"] == ["ACME"]
    assert json.dumps(told.record()).count('"TODO"') == len(PEOPLE)
    assert record["privacy_loss"]["privacy_parameters"]["epsilon"] == 9.0
    assert estimate().disclosure().record()["deployment"]["deployment_model"]["model_name"] == "Local"
    for bad in ({"nam": "x"}, {"name": 3}):
        with pytest.raises(DiscreetError):
            told.record(**bad)


@pytest.mark.skipif(not os.environ.get("DISCREET_REGISTRY_SCHEMA"), reason="no schema of the registry of deployments")
@pytest.mark.parametrize("result", [answer, estimate])
def test_a_record_is_of_the_registrys_schema(result):
    import yaml

    validator = pytest.importorskip("jsonschema").Draft7Validator
    schema = yaml.safe_load(Path(os.environ["DISCREET_REGISTRY_SCHEMA"]).read_text())
    assert not list(validator(schema).iter_errors(result().disclosure().record()))


def test_a_signature_is_of_this_file_and_of_a_known_signer(keys, tmp_path):
    told = answer().disclosure()
    place = tmp_path / "a b; $(x).json"
    told.save(place, key=keys / "ana")
    told.save(place, key=keys / "ana")  # Once more, over the old one.
    assert signed_by(place, keys / "signers") == "ana@office"
    assert signed_by(place).startswith("SHA256:")
    place.write_text(place.read_text() + " ")
    for signers in (None, keys / "signers"):
        with pytest.raises(ParameterError, match="signature"):
            signed_by(place, signers)
    told.save(place, key=keys / "ben")
    with pytest.raises(ParameterError, match="known signer"):
        signed_by(place, keys / "signers")
    told.save(tmp_path / "unsigned.json")
    assert signed_by(tmp_path / "unsigned.json") is None


def test_what_cannot_be_signed_is_found_before_it_is_written(keys, tmp_path):
    told = answer().disclosure()
    with pytest.raises(ParameterError, match="key="):
        told.save(tmp_path / "d.json", key=tmp_path / "none")
    signature_path(tmp_path / "d.json").mkdir()
    with pytest.raises(ParameterError, match="place for a file"):
        told.save(tmp_path / "d.json", key=keys / "ana")
    assert not (tmp_path / "d.json").exists()
