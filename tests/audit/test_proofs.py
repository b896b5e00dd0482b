"""Each proof is about the code beside it: it cites that code's marks, and knows when the code moves."""

import ast
import hashlib
import re
from pathlib import Path

import pytest

import discreet

SOURCE = Path(discreet.__file__).parent
PROOFS = sorted(SOURCE.rglob("*.md"))
DIGEST = re.compile(r"<!-- digest (\S+) (\S+) -->")


def outline(node):
    """A syntax tree as text, without docstrings and places, the same in every version of Python."""
    if isinstance(node, list):
        return "[" + ",".join(map(outline, node)) + "]"
    if not isinstance(node, ast.AST):
        return repr(node)
    fields = dict(ast.iter_fields(node))
    body = fields.get("body")
    if isinstance(body, list) and body and isinstance(body[0], ast.Expr) and isinstance(body[0].value, ast.Constant):
        fields["body"] = body[1:]
    parts = [f"{k}={outline(v)}" for k, v in sorted(fields.items()) if v not in (None, []) and k not in ("ctx", "kind")]
    return f"{type(node).__name__}({','.join(parts)})"


def digest(text):
    return hashlib.sha256(outline(ast.parse(text)).encode()).hexdigest()[:16]


def test_every_mechanism_has_a_proof_and_every_proof_ships():
    mechanisms = {p.stem for p in (SOURCE / "mechanisms").glob("*.py")} - {"__init__", "_bits", "encoders"}
    assert mechanisms == {p.stem for p in (SOURCE / "mechanisms").glob("*.md")}
    assert {SOURCE / "samplers" / "samplers.md", SOURCE / "tables" / "bounding.md"} <= set(PROOFS)


@pytest.mark.parametrize("proof", PROOFS, ids=lambda p: p.stem)
def test_reread_the_proof_when_the_code_has_moved(proof):
    named = DIGEST.findall(proof.read_text())
    assert named, f"{proof.name}: need the digest of what it is about, <!-- digest {proof.stem}.py {'0' * 16} -->"
    for module, known in named:
        found = digest((proof.parent / module).read_text())
        assert found == known, f"{module} has moved: reread the proof {proof.name}, then write the digest {found}"


@pytest.mark.parametrize("proof", PROOFS, ids=lambda p: p.stem)
def test_marks_and_citations_are_the_same_set(proof):
    text = proof.read_text()
    cited = set(re.findall(r"`proof: (\w+)`", text))
    modules = [proof.parent / module for module, _ in DIGEST.findall(text)]
    marks = [mark for module in modules for mark in re.findall(r"# proof: (\w+)", module.read_text())]
    assert len(marks) == len(set(marks))
    assert set(marks) == cited


def test_the_digest_sees_code_and_not_prose():
    one = 'def f(x):\n    """Prose."""\n    return x < 1  # A comment.\n'
    assert digest(one) == digest(one.replace("Prose", "Other prose").replace("A comment", "Another"))
    assert digest(one) != digest(one.replace("<", "<="))
