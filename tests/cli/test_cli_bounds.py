"""Bounds that are learned, from the command line."""

import json

import pytest

pytest.importorskip("click")
pytest.importorskip("ibis")

from command import ok, run

WHO = ("--person", "user")


@pytest.fixture
def visits(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = [f"{i % 2000},{10 + i % 50}" for i in range(4000)]
    (tmp_path / "visits.csv").write_text("\n".join(["user,amount", *rows]) + "\n")
    ok("budget", "books.db", "--create", "--epsilon", 5)


def test_suggest_learns_bounds_and_charges_for_it(visits):
    words = ("suggest", "visits.csv", "--bounds", "amount", *WHO, "--epsilon", 1, "--ledger", "books.db")
    text = ok(*words)
    assert text.startswith("low = 8 and high = 64 hold nearly all amount")
    found = json.loads(ok(*words, "--sums", "--json"))
    assert (found["low"], found["high"], len(found["bins"])) == (8, 128, 4)
    assert "visits.csv: suggestion of bounds of amount" in ok("budget", "books.db")
    assert json.loads(ok("budget", "books.db", "--json"))["spent"]["epsilon"] == "2"


def test_bounds_are_auto_in_a_sum_and_in_a_release(visits):
    found = json.loads(ok("sum", "visits.csv", "amount", "--low", 0, "--high", "auto", *WHO, "--epsilon", 1, "--json"))
    assert found["receipt"]["found"]["aggregates"][0]["high"] == "128"
    words = (
        "release",
        "visits.csv",
        "--mean",
        "amount:auto:auto",
        *WHO,
        "--epsilon",
        1,
        "--weight",
        "bounds of amount=1",
    )
    assert "Bounds were learned for mean of amount. What is below 0 counts as 0" in ok(*words)


def test_variances_deviations_and_ratios_are_options_of_a_release(visits):
    options = ("--variance", "amount:0:100", "--deviation", "amount:0:100", "--ratio", "amount:0:100/people")
    found = json.loads(ok("release", "visits.csv", *options, *WHO, "--epsilon", 3, "--json"))
    kinds = ["variance", "standard deviation", "ratio"]
    assert [each["kind"] for each in found["receipt"]["aggregates"]] == kinds
    assert {each["name"] for each in found["receipt"]["aggregates"]} < set(found["rows"][0])
    assert "variance of amount" in ok("explain", "release", "visits.csv", *options, *WHO, "--epsilon", 3)


@pytest.mark.parametrize(
    ("words", "need"),
    [
        (("release", "visits.csv", "--ratio", "amount:0:9", *WHO, "--epsilon", 1), "--ratio amount:0:9: need SUM/SUM"),
        (("sum", "visits.csv", "amount", *WHO, "--epsilon", 1), "or auto, to learn it from a part of epsilon"),
        (("release", "visits.csv", "--sum", "amount:3:auto", *WHO, "--epsilon", 1), 'need "auto" or 0'),
        (("suggest", "visits.csv", "--sums", *WHO), "--sums needs --bounds"),
        (("suggest", "visits.csv", "--bounds", "amount", "--noise", "laplace", *WHO), "--noise is for --max-groups"),
    ],
)
def test_what_does_not_fit_is_told_what_to_type(visits, words, need):
    done = run(*words)
    assert done.exit_code == 2
    assert need in done.stderr
