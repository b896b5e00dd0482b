"""Words: amounts as they were typed, or rounded to the safe side, and sentences that say what is true."""

import re
import subprocess
import sys
import tomllib
from fractions import Fraction
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet import Ledger
from discreet.exact import written
from discreet.reals import float_up
from discreet.tables import Table
from discreet.words import promise

ROOT = Path(__file__).parents[2]
TYPED = ["1", "0.1", "0.3", "0.7", "1.1", "2.2", "1e-6", "3e-9", "1e-05", "1/3", "2/7", "0.0123456789", "12", "1e-300"]


@pytest.mark.parametrize("text", TYPED)
@pytest.mark.parametrize("up", [True, False])
def test_what_was_typed_stays_as_it_was(text, up):
    assert Fraction(written(Fraction(text), up=up)) == Fraction(text)
    assert written(Fraction(text), up=up) == text.replace("1e-05", "1e-5").replace("0.0123456789", "0.0123456789")
    assert written(float_up(Fraction(text)), up=up) == written(Fraction(text), up=up)  # As a receipt has it.


@pytest.mark.parametrize("x", [0.1, 0.3, 0.7, 1e-6, 2.5, 1e-300, 1e300])
def test_a_float_is_written_as_python_writes_it(x):
    assert float(written(Fraction(x), up=True)) == float(written(x, up=False)) == x


@given(st.fractions(min_value=0, max_value=10**9), st.booleans())
def test_what_was_computed_is_rounded_to_the_safe_side_in_three_digits(x, up):
    shown = Fraction(written(x, up=up))
    assert x <= shown if up else x >= shown
    assert abs(shown - x) * 100 <= x


@given(st.floats(1e-12, 1e6), st.booleans())
def test_a_float_is_off_by_no_more_than_its_own_rounding(x, up):
    shown = Fraction(written(x, up=up))
    ulp = Fraction(x) / (1 << 52)
    assert shown >= x - ulp if up else shown <= x + ulp


@pytest.mark.parametrize("epsilon", ["0.1", "0.3", "1/3", "0.7", "2"])
def test_an_answer_says_what_was_typed_everywhere(epsilon, tmp_path):
    book = Ledger(tmp_path / "books.db", epsilon=3, delta="1e-5")
    t = Table(pd.DataFrame({"id": range(9)}), person="id", ledger=book)
    answer = t.count_people(epsilon=epsilon)
    assert f"epsilon {epsilon} spent" in answer.to_text()
    assert f"<dt>Epsilon spent</dt><dd>{epsilon}</dd>" in answer.to_html()
    assert f"spent epsilon {epsilon}." in answer.to_html()
    assert f"  {epsilon} " in str(book)


def test_the_guarantee_has_no_double_negation():
    t = Table(pd.DataFrame({"id": range(9), "city": ["Rome"] * 9}), person="id")
    said = t.group_by("city").explain(epsilon=1, delta="1e-6", max_groups=2, left_out=0).guarantee
    assert said == (
        "No possible result becomes more than 2.72 times likelier or less likely because of one person, "
        "except with probability 6.72e-7; a person is all rows of one id."
    )
    assert t.explain(epsilon=2).guarantee.startswith("No possible result becomes more than 7.39 times likelier")
    assert "except" not in t.explain(epsilon=2).guarantee


def test_a_promise_that_is_none_is_not_made():
    assert promise(Fraction(41)) == "Epsilon is too large for a useful promise to a person"
    assert promise(Fraction(1), Fraction(1)) == "Delta is too large for a useful promise to a person"
    assert "1.11 times" in promise(Fraction("0.1"))  # exp(0.1) is 1.105...: upward.


STALE = [
    "changes the probability of no answer",
    "but for a probability of",
    "but for 5 %",
    "would tell that somebody",
    "holds it as likely",
    "says whose a row is",
    "Say the mean of",
]


@pytest.mark.parametrize("words", STALE)
def test_what_made_readers_stop_is_gone(words):
    sources = [
        p for folder in ("src", "docs", "examples") for p in (ROOT / folder).rglob("*") if p.suffix in (".py", ".md")
    ]
    said = [p.name for p in [*sources, ROOT / "README.md"] if words in re.sub(r"\s+", " ", p.read_text())]
    assert said == []


def test_the_package_runs_as_a_program():
    done = subprocess.run([sys.executable, "-m", "discreet", "--version"], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("discreet, version")


def test_all_that_is_installed_is_light():
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    assert "spark" not in extras["all"][0]
    assert set(re.findall(r"\w+", extras["all"][0])) - {"discreet"} == {
        "tables",
        "plot",
        "survey",
        "serve",
        "audit",
        "cli",
        "xlsx",
    }
