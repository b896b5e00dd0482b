"""Mechanisms from text, inputs that show them at their worst, and the proofs by name."""

import ast
import re
from pathlib import Path

import audited
import pytest
import tiers

import discreet
from discreet import DiscreetError, KindError, ParameterError, UnsupportedError, audit
from discreet.audit.reading import NAMES

CASES = {name: (mechanism, pairs) for name, mechanism, pairs in audit.cases()}


@pytest.mark.parametrize("name", CASES)
def test_a_repr_reads_back_equal(name):
    mechanism, _ = CASES[name]
    assert audit.read(repr(mechanism)) == mechanism


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ('RandomizedResponse(categories=["a","b"], prob="3/4")', "RandomizedResponse(categories=['a','b'], prob=3/4)"),
        ("Rappor(length=4, max_weight=1, f=0.5)", "Rappor(length=4, max_weight=1, f=1/2)"),
        ("RandomizedResponse(categories=range(3), prob='1/2')", "RandomizedResponse(categories=(0, 1, 2), prob=1/2)"),
        ("  IntegerLaplace(scale=3) ", "IntegerLaplace(scale=Fraction(3, 1), domain=Integers())"),
        ("RandomizedResponseBool.within(epsilon=1)", repr(discreet.RandomizedResponseBool.within(epsilon=1))),
        ("IntegerLaplace(scale=1, domain=Integers(-3, 4))", "IntegerLaplace(scale=1, domain=Integers(low=-3, high=4))"),
    ],
)
def test_a_call_is_read_as_it_would_run(text, same):
    assert audit.read(text) == audit.read(same)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "x",
        "3",
        "[",
        "((" * 5000,
        "Integers()",
        "range(3)",
        "range('a')",
        "Fraction(1, 0)",
        "__import__('os').system('true')",
        "open('x')",
        "discreet.Rappor(length=4, max_weight=1, f=1)",
        "Rappor.__init__(4)",
        "Rappor.release(4)",
        "Integers.within(epsilon=1)",
        "Rappor(*[4], max_weight=1, f=1)",
        "Rappor(**{'length': 4})",
        "[RandomizedResponseBool(prob=1) for _ in 'ab'][0]",
        "(lambda: RandomizedResponseBool(prob=1))()",
        "(m := RandomizedResponseBool(prob=1))",
        "f'{1}'",
        "RandomizedResponseBool(prob=1 - 1/4)",
        "RandomizedResponseBool(prob=2**-1)",
        "RandomizedResponseBool(prob=1/0)",
        "RandomizedResponseBool(prob=1).release(True)",
        "RandomizedResponse(categories=range(10**9), prob=1/2)",
        "RandomizedResponse(categories=range(1000000000), prob=1/2)",
        "RandomizedResponseBool(prob=1) >> abs",
        "1 >> 2",
        "x" * 20_001,
    ],
    ids=lambda text: text[:40] or "nothing",
)
def test_anything_else_is_refused_and_not_run(text):
    with pytest.raises(DiscreetError):
        audit.read(text)


def test_a_message_helps():
    with pytest.raises(ParameterError, match="did you mean 'Rappor'"):
        audit.read("Rapor(length=4, max_weight=1, f=1)")
    with pytest.raises(KindError, match=r"mechanism='Rappor\(4\)': need Rappor\(length, max_weight, f, "):
        audit.read("Rappor(4)")
    with pytest.raises(ParameterError, match="f=2: need 0 < f <= 1"):
        audit.read("Rappor(length=4, max_weight=1, f=2)")
    with pytest.raises(KindError, match="text"):
        audit.read(3)


def test_the_reader_evaluates_nothing():
    source = Path(discreet.__file__).parent / "audit" / "reading.py"
    called = {
        node.func.id
        for node in ast.walk(ast.parse(source.read_text()))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    }
    assert called.isdisjoint({"eval", "exec", "compile", "__import__"})
    assert all(isinstance(made, type) for made in NAMES.values())


@pytest.mark.parametrize("name", tiers.each(CASES, 4))
def test_the_chosen_pairs_show_the_worst(name):
    """Chosen inputs make the claim as tight as the catalogue's own, which a test holds at one."""
    mechanism, _ = CASES[name]
    result = audit.exact(mechanism, draws=0)
    assert result.holds
    assert result.tightness > 1 - 1e-12


@pytest.mark.parametrize(
    "text",
    [
        "Rappor(length=9, max_weight=6, f='1/2')",
        "OptimizedUnary(length=8, p='1/2', q='1/4')",
        "Bloom(length=8, hashes=2) >> Rappor(length=8, max_weight=2, f=1/2)",
        "IntegerLaplace(scale=3, domain=Vectors(Integers(low=0), size=5))",
        "IntegerLaplace(scale=3, domain=Integers(high=-7))",
        "LaplaceThreshold(scale=2, threshold=9, domain=Maps(Integers(), Integers(low=0)))",
        "LaplaceThreshold.within(epsilon=1, delta='1e-6', l0=3)",
        "SubsetSelection.within(epsilon=1, categories=range(14))",
    ],
)
def test_the_chosen_pairs_of_others_show_the_worst_too(text):
    result = audit.exact(audit.read(text), draws=tiers.cases(100, 1000))
    assert result.holds
    assert result.tightness > 1 - 1e-12


def test_a_wrong_map_is_seen_at_the_chosen_pairs(monkeypatch):
    """The pairs differ in as many bits as any: a map that forgets some of them is caught."""
    mechanism = discreet.Rappor(length=9, max_weight=6, f="1/2")
    monkeypatch.setattr(type(mechanism), "privacy_map", lambda *_: 8 * 1.0986122886681098)
    assert not audit.exact(mechanism).holds


@pytest.mark.parametrize("text", ["Rappor(length=5000, max_weight=1, f=1/2)", "LaplaceThreshold(scale=1, threshold=0)"])
def test_what_has_no_pairs_here_says_so(text):
    with pytest.raises(UnsupportedError, match="give pairs"):
        audit.pairs_of(audit.read(text))


@pytest.mark.xdist_group("evidence")
def test_evidence_is_of_every_case():
    found = audited.evidence()
    assert list(found) == list(CASES)
    assert all(found[name].mechanism == repr(CASES[name][0]) for name in CASES)
    kinds = {text.split("(")[0] for text in (each.mechanism for each in found.values())}
    mechanisms = {name for name in discreet.__all__ if isinstance(getattr(discreet, name), type)}
    assert {name for name in mechanisms if issubclass(getattr(discreet, name), discreet.Measurement)} - kinds == {
        *("AddNoise", "KeepAbove"),  # Laplace noise in these has a name of its own.
        "Measurement",
    }


class TestProofs:
    def test_there_is_one_of_every_mechanism_and_of_what_it_stands_on(self):
        names = audit.proofs()
        source = Path(discreet.__file__).parent
        assert len(names) == len(list(source.rglob("*.md")))
        assert {"IntegerLaplace", "LaplaceThreshold", "RandomizedResponse", "Rappor", "samplers", "bounding"} <= set(
            names
        )
        assert all(names.values())

    @pytest.mark.parametrize(
        "name", ["LaplaceThreshold", "laplace_threshold", "LAPLACETHRESHOLD", "laplace_threshold.md"]
    )
    def test_names_are_forgiving(self, name):
        source = Path(discreet.__file__).parent / "mechanisms" / "laplace_threshold.md"
        assert audit.proof(name) == source.read_text(encoding="utf-8")

    def test_a_name_that_is_none_gets_a_hint(self):
        with pytest.raises(ParameterError, match="did you mean 'Rappor'"):
            audit.proof("rapor")
        with pytest.raises(ParameterError, match="one of AddNoise"):
            audit.proof("")
        with pytest.raises(KindError):
            audit.proof(None)

    def test_a_proof_names_what_it_is_about(self):
        for name in audit.proofs():
            assert re.search(rf"`{name}`|{name}", audit.proof(name), re.IGNORECASE)
