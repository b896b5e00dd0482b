"""``--disclosure``, ``discreet verify`` and ``discreet record``."""

import json
from pathlib import Path

import pytest

click = pytest.importorskip("click", reason="pip install 'discreet[cli]'")
pytest.importorskip("ibis", reason="pip install 'discreet[tables]'")
from command import assert_one_line, ok, run  # noqa: E402

from discreet import Ledger  # noqa: E402

ASKED = ("count", "rows.csv", "--person", "user", "--epsilon", 1, "--ledger", "b.db")


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "rows.csv").write_text("user\n" + "".join(f"{i}\n" for i in range(30)))
    Ledger("b.db", epsilon=9).close()
    Ledger("other.db", epsilon=9).close()


@pytest.mark.parametrize(
    "words",
    [
        ("--disclosure", "d.txt"),
        ("--disclosure", "none/d.json"),
        ("--disclosure", "d.json", "--sign", "none"),
        ("--sign", "rows.csv"),
        ("--disclosure", "d.json", "--out", "d.json"),
    ],
    ids=str,
)
def test_what_cannot_be_written_or_signed_is_found_before_the_charge(words):
    assert_one_line(run(*ASKED, *words), 2)
    assert Ledger("b.db").entries() == []


def test_a_release_is_verified_by_its_page_and_its_disclosure():
    ok(*ASKED, "--disclosure", "d.json", "--html", "p.html")
    for file in ("d.json", "p.html"):
        text = ok("verify", file, "--ledger", "b.db")
        assert "epsilon 1" in text
        assert "have it as entry 1" in text
        assert "not signed" in text
        assert json.loads(ok("verify", file, "--json"))["digest"] == "right"
        assert_one_line(run("verify", file, "--ledger", "other.db"), 2)
        Path(file).write_text(Path(file).read_text().replace("Pure DP", "Approximate DP"))
        assert_one_line(run("verify", file), 2)


def test_a_page_whose_figures_were_changed_is_refused():
    """The disclosure in it is whole, and so is its digest; the figures and the words of the page are not."""
    ok(*ASKED, "--html", "p.html", "--out", "a.json")
    (row,) = json.loads(Path("a.json").read_text())
    page, shown = Path("p.html").read_text(), f"{row['people']:,}"
    assert "The digest is right: the page is as it was written." in ok("verify", "p.html")
    for changed in (
        page.replace(f">{shown}<", ">1,234<", 1),
        page.replace("likelier", "likely", 1),
        f"{page}<p>1234</p>",
    ):
        assert changed != page
        Path("p.html").write_text(changed)
        assert_one_line(run("verify", "p.html"), 2)


@pytest.mark.parametrize("suffix", ["parquet", "json"])
def test_figures_are_checked_by_the_digest_of_the_disclosure(suffix):
    ok(*ASKED, "--disclosure", "d.json", "--out", f"a.{suffix}")
    assert "has the figures that it is about" in ok("verify", "d.json", "--figures", f"a.{suffix}")
    if suffix == "json":
        (row,) = json.loads(Path("a.json").read_text())
        Path("b.json").write_text(json.dumps([row | {"people": row["people"] + 1}]))
        assert_one_line(run("verify", "d.json", "--figures", "b.json"), 2)
    for other in ("rows.csv", "none.parquet", "none.json", "d.json"):
        assert_one_line(run("verify", "d.json", "--figures", other), 2)
    Path("junk.parquet").write_text("junk")
    assert_one_line(run("verify", "d.json", "--figures", "junk.parquet"), 2)


def test_a_record_is_drafted_from_it():
    ok(*ASKED, "--disclosure", "d.json")
    said = json.loads(ok("record", "d.json", "--say", "name=People = all", "--json"))
    assert said["deployment"]["basic"]["name"] == "People = all"
    assert "TODO" in ok("record", "d.json")
    assert_one_line(run("record", "d.json", "--say", "nome=x"), 2)
    assert_one_line(run("record", "rows.csv"), 2)
