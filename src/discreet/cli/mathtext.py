"""Formulas for a terminal: the LaTeX of the proofs as one line of plain signs, as near as can be."""

from __future__ import annotations

import re
from typing import Final

__all__ = ["readable"]

_SIGNS: Final = {
    "varepsilon": "ε",
    "epsilon": "ε",
    "delta": "δ",
    "Delta": "Δ",
    "pi": "π",
    "alpha": "α",
    "beta": "β",
    "lambda": "λ",
    "mu": "μ",
    "sigma": "σ",
    "tau": "τ",
    "theta": "θ",
    "gamma": "γ",
    "Gamma": "Γ",
    "phi": "φ",
    "le": "≤",
    "leq": "≤",
    "ge": "≥",
    "geq": "≥",
    "ne": "≠",
    "neq": "≠",
    "in": "∈",
    "notin": "∉",
    "approx": "≈",
    "cdot": "·",
    "times": "×",
    "oplus": "⊕",
    "pm": "±",
    "to": "→",
    "mapsto": "↦",
    "infty": "∞",
    "sum": "∑",
    "prod": "∏",
    "Rightarrow": "⇒",
    "iff": "⇔",
    "subseteq": "⊆",
    "subset": "⊂",
    "cup": "∪",
    "cap": "∩",
    "setminus": "∖",
    "emptyset": "∅",
    "dots": "…",
    "ldots": "…",
    "cdots": "…",
    "square": "∎",
    "mid": "|",
    "lfloor": "⌊",
    "rfloor": "⌋",
    "lceil": "⌈",
    "rceil": "⌉",
    "ell": "ℓ",
    "equiv": "≡",
    "sim": "~",
    "ll": "≪",
    "lvert": "|",
    "rvert": "|",
    "lVert": "‖",
    "rVert": "‖",
    "Vert": "‖",
    "vert": "|",
    "bmod": " mod ",
    "star": "*",
    "qquad": "   ",
    "quad": "  ",
    "langle": "⟨",
    "rangle": "⟩",
    "wedge": "∧",
    "vee": "∨",
    "neg": "¬",
    "gg": "≫",
    "exists": "∃",
    "forall": "∀",
    "int": "∫",
    "partial": "∂",
    "top": "⊤",
    "bot": "⊥",
    "circ": "∘",
    "propto": "∝",
}
_UPPER: Final = str.maketrans("0123456789+-=()n", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ⁿ")
_LOWER: Final = str.maketrans("0123456789+-=()aeijkmnoprstuvx", "₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎ₐₑᵢⱼₖₘₙₒₚᵣₛₜᵤᵥₓ")
_BLACKBOARD: Final = {"E": "𝔼", "R": "ℝ", "Z": "ℤ", "N": "ℕ", "Q": "ℚ"}
_UNDERSCORE: Final = "\ufeff"
"""An underscore that is no subscript, until all subscripts are found."""
_APART: Final = r"(?:leq?|geq?|neq?|in|to|cdot|times|approx|iff|Rightarrow|q?quad|right|[Bb]igg?[lr]?|pm|[,;}\\])"
"""What stands between a formula's parts."""
_ARGUMENT: Final = r"(?:\{((?:[^{}]|\{[^{}]*\})*)\}|\s*(\\?\w))"


def readable(markdown: str) -> str:
    """Return a proof with its formulas in plain signs, for a terminal, which sets no mathematics.

    >>> readable(r"So $\\frac{2-f}{f} \\ge e^{\\varepsilon/b}$, $x_i \\ne y_{n+1}$.")
    'So (2-f)/f ≥ e^(ε/b), xᵢ ≠ yₙ₊₁.'
    """
    text = re.sub(r"<!--.*?-->\n?", "", markdown, flags=re.DOTALL)
    text = re.sub(r"\$\$(.+?)\$\$", lambda m: f"\n\n> {_escaped(_line(m[1]))}\n\n", text, flags=re.DOTALL)
    return re.sub(r"\$([^$]+?)\$", lambda m: _escaped(_line(m[1])), text, flags=re.DOTALL)


def _line(formula: str) -> str:
    """Return a formula in one line."""
    text = re.sub(r"\s*\n\s*", " ", formula.strip()).replace("\\_", _UNDERSCORE)
    text = re.sub(r"\\(?:text|textit|mathrm|operatorname|mathit|mathsf|mathcal|boldsymbol)\*?\{([^{}]*)\}", r"\1", text)
    text = re.sub(r"\\mathbb\s*\{?([A-Z])\}?", lambda m: _BLACKBOARD.get(m[1], m[1]), text)
    text = re.sub(
        r"\\(?:left|right|bigl|bigr|Bigl|Bigr|big|Big|bigg|Bigg|textstyle|displaystyle)(?![a-zA-Z])", "", text
    )
    text = re.sub(r"\\[,;:! ]|~|&", " ", text).replace("\\\\", ";  ")
    text = re.sub(r"\\begin\{cases\}", "{ ", text)
    text = re.sub(r"\\(?:begin|end)\{[a-z*]+\}", "", text)
    for _ in range(8):  # From the inside out, as deep as a formula goes.
        before = text
        text = re.sub(rf"\\[dt]?frac{_ARGUMENT}{_ARGUMENT}", _quotient, text)
        text = re.sub(rf"\\binom{_ARGUMENT}{_ARGUMENT}", lambda m: f"C({m[1] or m[2]}, {m[3] or m[4]})", text)
        text = re.sub(rf"\\sqrt{_ARGUMENT}", lambda m: f"√{_group(m[1] or m[2])}", text)
        text = re.sub(r"\\hat\s*\{?(\w)\}?", "\\1\u0302", text)
        text = re.sub(r"\\(?:bar|overline)\s*\{?(\w)\}?", "\\1\u0304", text)
        text = re.sub(r"\\tilde\s*\{?(\w)\}?", "\\1\u0303", text)
        text = re.sub(r"([\^_])\{((?:[^{}]|\\\{|\\\})*)\}", lambda m: _script(m[1], m[2]), text)
        text = re.sub(r"([\^_])([0-9a-zA-Z])", lambda m: _script(m[1], m[2]), text)
        if text == before:
            break
    text = (
        text.replace("\\{", "{").replace("\\}", "}").replace("\\|", "‖").replace("\\%", "%").replace(_UNDERSCORE, "_")
    )
    text = re.sub(r"\\([a-zA-Z]+) ?(?=\W)|\\([a-zA-Z]+)", lambda m: _sign(m[1] or m[2], m[0]), text)
    return re.sub(r" {2,}", " ", text).strip()


def _quotient(found: re.Match[str]) -> str:
    """Return a fraction in one line, in brackets where a neighbour would be taken for a part of it."""
    text = f"{_group(found[1] or found[2])}/{_group(found[3] or found[4])}"
    before, after = found.string[: found.start()].rstrip(), found.string[found.end() :].lstrip()
    left = re.search(r"[\w)}\]!']$", before) and not re.search(rf"\\{_APART}$", before)
    right = re.match(r"[\w(\\^\[{!]", after) and not re.match(rf"\\{_APART}", after)
    joined = left or right
    return f"({text})" if joined else text


def _sign(name: str, whole: str) -> str:
    return _SIGNS[name] + (" " if whole.endswith(" ") else "") if name in _SIGNS else whole.lstrip("\\")


def _group(text: str) -> str:
    inner = text.strip()
    return inner if re.fullmatch(r"\\?\w+|\w\([^()]*\)", inner) else f"({inner})"


def _script(mark: str, inner: str) -> str:
    """Return a raised or lowered text, in small signs where they exist."""
    table = _UPPER if mark == "^" else _LOWER
    small = inner.strip().translate(table)
    if inner and all(ord(c) in table for c in inner.strip()):
        return small
    return f"{mark}{_group(inner)}"


def _escaped(text: str) -> str:
    """Return a text in which Markdown sees no marks."""
    return re.sub(r"([*_`\[\]<>|\\])", r"\\\1", text)
