"""Disclosures: what is to be told in public of released figures, under a digest, and signed where there is a key.

The meaning of a field never changes within a version of the schema, docs/disclosure.schema.json.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from html.parser import HTMLParser
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, final

from discreet._version import __version__
from discreet.errors import KindError, ParameterError, UnsupportedError, none_of
from discreet.files import check_seal, checked_place, free_place, path_of, write_text

if TYPE_CHECKING:
    from discreet.ledger import Ledger

__all__ = ["PEOPLE", "Disclosure", "check_signer", "digest_of", "figures_digest", "sign", "signature_path", "signed_by"]

SCHEMA: Final = "discreet.disclosure"
VERSION: Final = 1
SUMMARY: Final = "The disclosure as JSON"
_NAMESPACE: Final = "discreet"
_TODO: Final = "TODO"
_LISTS: Final = ("data_curators", "registry_authors")
PEOPLE: Final[Mapping[str, str]] = MappingProxyType(
    {
        "name": "basic",
        "data_curators": "basic",
        "intended_use": "basic",
        "data_product_region": "basic",
        "description": "basic",
        "actors": "deployment_model",
        "justification": "implementation",
        "registry_authors": "administrative",
        "sources": "administrative",
    }
)
"""The fields of a record that only people can fill, with the parts that they are in."""
_FIELDS: Final = {
    "title": str,
    "model": str,
    "variant": str,
    "unit": str,
    "relation": str,
    "epsilon": float,
    "delta": float,
    "guarantee": str,
    "domain": str,
    "bounds": str,
    "mechanisms": dict,
    "errors": str,
    "post_processing": str,
    "composition": str,
    "date": str,
    "figures_sha256": str,
    "receipt_sha256": str,
    "ledger_entry": int | None,
    "software": str,
}


def digest_of(data: Any, /) -> str:
    """Return the digest of plain values, however they are spaced.

    >>> digest_of({"b": 1, "a": 2}) == digest_of({"a": 2, "b": 1})
    True
    """
    return hashlib.sha256(json.dumps(data, sort_keys=True, default=str).encode()).hexdigest()


def figures_digest(rows: Iterable[Mapping[str, Any]], /) -> str:
    """Return the digest of figures, row by row.

    >>> figures_digest([{"city": "Rome", "people": 12}]) == figures_digest([{"city": "Rome", "people": "12"}])
    True
    """
    return digest_of([[str(x) for x in row.values()] for row in rows])


@final
@dataclass(frozen=True, slots=True)
class Disclosure:
    """What is told of released figures: the promise, how it was kept, and what it cost.

    >>> import pandas as pd
    >>> from discreet.tables import Table
    >>> told = Table(pd.DataFrame({"city": ["Rome"]}), person=None).count_people(epsilon=1).disclosure()
    >>> told.facts["variant"], told.facts["epsilon"], told.record()["deployment"]["basic"]["name"]
    ('Pure DP', 1.0, 'TODO')
    >>> Disclosure.read(told.to_dict()) == told
    True
    """

    facts: Mapping[str, Any]

    def __post_init__(self) -> None:
        facts = self.facts
        if not isinstance(facts, Mapping):
            raise KindError("facts", type(facts), "the fields of a disclosure")
        for name, kind in _FIELDS.items():
            if name not in facts or not isinstance(facts[name], kind) or isinstance(facts[name], bool):
                raise ParameterError("facts", type(facts), f"a field {name} of the type that the schema says")
        for name in facts:
            if name not in _FIELDS:
                raise none_of("facts", name, _FIELDS)

    def to_dict(self) -> dict[str, Any]:
        """Return it as JSON has it, with the digest of all the rest."""
        said = {"schema": SCHEMA, "version": VERSION, **self.facts}
        return said | {"sha256": digest_of(said)}

    @classmethod
    def read(cls, told: Any, /) -> Disclosure:
        """Return the disclosure that JSON tells, or raise where it is none, or its digest is not right."""
        if not isinstance(told, Mapping) or told.get("schema") != SCHEMA:
            raise ParameterError("disclosure", type(told), f"JSON of the schema {SCHEMA}")
        if told.get("version") != VERSION:
            raise ParameterError("disclosure", told.get("version"), f"version {VERSION}, which this discreet reads")
        said = {name: value for name, value in told.items() if name != "sha256"}
        if told.get("sha256") != digest_of(said):
            raise ParameterError("disclosure", type(told), "what its digest is of: it was changed")
        return cls({name: value for name, value in said.items() if name not in ("schema", "version")})

    @classmethod
    def of_file(cls, path: str | os.PathLike[str], /) -> Disclosure:
        """Return the disclosure of a file of JSON, or the last one that is in a page."""
        return cls.all_of_file(path)[-1]

    @classmethod
    def all_of_file(cls, path: str | os.PathLike[str], /) -> list[Disclosure]:
        """Return the disclosure of a file of JSON, or all that are in a page, which has to be as it was written."""
        place = path_of(path)
        try:
            text = place.read_text(encoding="utf-8")
            is_page = place.suffix.lower() in (".html", ".htm")
            told = [json.loads(each) for each in (_in_page(text) if is_page else [text])]
        except (ValueError, RecursionError):
            told, is_page, text = [], False, ""
        if is_page:
            check_seal(text, str(place))
        if not told:
            raise ParameterError("path", str(place), "a disclosure, or a page that has one")
        return [cls.read(each) for each in told]

    def check_figures(self, rows: Iterable[Mapping[str, Any]], /) -> None:
        """Raise unless these are the figures that it is about, each row with its key and its values in their order."""
        if figures_digest(rows) != self.facts["figures_sha256"]:
            raise ParameterError("figures", "rows", "the figures that the disclosure is about")

    def save(self, path: str | os.PathLike[str], /, *, key: str | os.PathLike[str] | None = None) -> None:
        """Write it to a file of JSON, whole or not at all; with the *key* of an SSH user, signed beside it."""
        target = checked_place(path, (".json", ".jsn"))
        if key is not None:
            check_signer(key, target)
        write_text(target, json.dumps(self.to_dict(), indent=1, ensure_ascii=False) + "\n")
        if key is not None:
            sign(target, key)

    @property
    def paragraph(self) -> str:
        """What to say of it in a report, in a paragraph."""
        f = self.facts
        amounts = f"epsilon {f['epsilon']:g}" + (f" and delta {f['delta']:g}" if f["delta"] else "")
        books = "" if f["ledger_entry"] is None else f" It is entry {f['ledger_entry']} of a ledger."
        return (
            f"{f['title']} was released on {f['date']} with differential privacy ({f['variant']}, {f['model']} model, "
            f"{amounts}). {f['guarantee']} {f['errors']} {f['composition']}{books} {f['software']}."
        )

    def record(self, **people: Any) -> dict[str, Any]:
        """Return a draft for the public registry of deployments; what only people know is given, or left as TODO."""
        for name, said in people.items():
            if name not in PEOPLE:
                raise none_of("people", name, PEOPLE)
            if not isinstance(said, str):
                raise KindError(name, type(said), "a text")
        f = self.facts
        parts: dict[str, dict[str, Any]] = {
            "basic": {"data_product_type": "Summary statistics", "publication_date": f["date"]},
            "dp_variant": {
                "variant_name": f["variant"],
                "data_domain": f["domain"],
                "unprotected_quantities": "none; parameters, filters and names of columns are public",
            },
            "privacy_loss": {
                "privacy_unit": f["unit"],
                "privacy_unit_details": f"data that differ by what is {f['relation']}; {f['bounds']}",
                "privacy_parameters": {"epsilon": f["epsilon"], "delta": f["delta"]},
                "privacy_parameters_details": "least floats that are at least the exact loss",
            },
            "deployment_model": {
                "model_name": f["model"].capitalize(),
                "release_type": "One release",
                "access_type": "Non-interactive",
            },
            "accounting": {"post_processing": f["post_processing"], "composition": f["composition"]},
            "implementation": {
                "preprocessing_and_hyperparameter_tuning": f"{f['bounds']}; how they were chosen, people have to say",
                "mechanisms": f"{json.dumps(f['mechanisms'])}; {f['software']}; samplers without floating point",
            },
            "administrative": {},
        }
        for name, part in PEOPLE.items():
            said = people.get(name, _TODO)
            parts[part][name] = [said] if name in _LISTS else said
        slug = "".join(c if c.isascii() and c.isalnum() else "_" for c in f["title"].lower()).strip("_")
        return {"url_slug": slug or "release", "status": "Draft", "tier": 3, "deployment": parts}

    def check_ledger(self, ledger: Ledger, /) -> int:
        """Return the entry of the books that is about it; raise unless there is one that stands and says the same."""
        from discreet.ledger import Ledger

        if not isinstance(ledger, Ledger):
            raise KindError("ledger", type(ledger), "a Ledger")
        number, entries = self.facts["ledger_entry"], ledger.entries()
        if number is None or not 1 <= number <= len(entries):
            raise ParameterError("ledger", number, "books that have an entry of this release")
        told = entries[number - 1].receipt
        told = told["receipt"] if isinstance(told, Mapping) and "receipt" in told else told  # Of a reserved release.
        if not isinstance(told, Mapping) or told.get("sha256") != self.facts["receipt_sha256"]:
            raise ParameterError("ledger", number, "books whose entry has the same receipt")
        for name, said in _paid(told).items():
            if self.facts[name] != said:
                raise ParameterError("ledger", number, f"books whose entry says the same {name}")
        if any(entry.kind == "void" and entry.about == number for entry in entries):
            raise ParameterError("ledger", number, "an entry that stands: it was taken back")
        return int(number)


def _paid(receipt: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a disclosure has to say of a receipt on the books: a digest alone anyone can copy."""
    spent = receipt.get("spent") or {}
    said = {"epsilon": spent.get("epsilon"), "delta": spent.get("delta"), "mechanisms": receipt.get("mechanisms")}
    who = receipt.get("person")
    unit = "one row" if who is None else f"all rows of one {', '.join(who)}"
    variant = "Approximate DP" if said["delta"] else "Pure DP"
    return {**said, "variant": variant, "unit": unit, "relation": f"added or removed: {unit}"}


SOFTWARE: Final = f"discreet {__version__}"


class _Pre(HTMLParser):
    """The texts of a page that stand as they are, by what is said above each."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.found: list[tuple[str, str]] = []
        self._tag, self._summary = "", ""

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self._tag = tag
        if tag == "summary":
            self._summary = ""
        elif tag == "pre":
            self.found.append((self._summary, ""))

    def handle_endtag(self, tag: str) -> None:
        self._tag = ""

    def handle_data(self, data: str) -> None:
        if self._tag == "summary":
            self._summary += data
        elif self._tag == "pre":
            summary, text = self.found[-1]
            self.found[-1] = (summary, text + data)


def _in_page(text: str) -> list[str]:
    """Return the disclosures that a page has, as JSON: the texts under their name."""
    page = _Pre()
    page.feed(text)
    page.close()
    return [text for summary, text in page.found if summary == SUMMARY]


def signature_path(path: str | os.PathLike[str], /) -> Path:
    """Return where the signature of a file is."""
    place = path_of(path)
    return path_of(place.with_name(f"{place.name}.sig"))


def check_signer(key: str | os.PathLike[str], target: Path, /) -> None:
    """Raise where a file cannot be signed: ask before there is something to sign."""
    if not path_of(key, "key").is_file():
        raise ParameterError("key", str(key), "the file of an SSH key that exists")
    free_place(signature_path(target))
    _program()


def sign(path: str | os.PathLike[str], key: str | os.PathLike[str], /) -> Path:
    """Sign a file with an SSH key; return where the signature is."""
    place, known = path_of(path), path_of(key, "key")
    if not place.is_file():
        raise ParameterError("path", str(place), "a file that exists")
    signature_path(place).unlink(missing_ok=True)  # It would ask before it writes over one.
    words = ["-Y", "sign", "-q", "-f", str(known), "-n", _NAMESPACE, "--", str(place)]
    if _run(words).returncode:
        raise ParameterError("key", str(key), "an SSH key that ssh-keygen can sign with")
    return signature_path(path)


def signed_by(path: str | os.PathLike[str], /, signers: str | os.PathLike[str] | None = None) -> str | None:
    """Return who has signed a file, None where nobody has, and raise where the signature is not of this file.

    *signers* is a file as ssh-keygen has it, of names with their keys; without it, it is said by which key alone.
    """
    signature = signature_path(path)
    if not signature.is_file():
        return None
    text, said = path_of(path).read_bytes(), ["-n", _NAMESPACE, "-s", str(signature)]
    if signers is None:
        done = _run(["-Y", "check-novalidate", *said], text)
        found = done.stdout.decode(errors="replace").strip().rpartition(" ")[2]
    else:
        place = str(path_of(signers, "signers"))
        names = _run(["-Y", "find-principals", "-s", str(signature), "-f", place]).stdout.decode(errors="replace")
        found = names.split("\n")[0].strip()
        done = _run(["-Y", "verify", "-f", place, "-I", found or "nobody", *said], text)
    if done.returncode:
        raise ParameterError(
            "signature", str(signature), f"one of {path_of(path).name}" + " by a known signer" * bool(signers)
        )
    return found


def _program() -> str:
    found = shutil.which("ssh-keygen")
    if found is None:
        raise UnsupportedError("signatures need ssh-keygen, of OpenSSH")
    return found


def _run(words: list[str], text: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    """Run ssh-keygen, without a shell, and without a terminal to ask at."""
    quiet = os.environ | {"SSH_ASKPASS_REQUIRE": "never", "LC_ALL": "C"}
    return subprocess.run([_program(), *words], input=text, capture_output=True, check=False, env=quiet)  # noqa: S603
