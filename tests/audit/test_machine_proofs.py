"""What Coq has proved and computed is about the Python beside it. None of this needs Coq; `make proofs` does."""

import ast
import json
import os
import re
import shutil
import sys
from fractions import Fraction
from pathlib import Path

import pytest
import tiers
from coin_tree import Exhausted, ScriptedCoins

from discreet import LongitudinalRappor, OptimizedUnary, RandomizedResponse, Rappor, SubsetSelection
from discreet.samplers.one import below_real, categorical, floor_of

ROOT = Path(__file__).parents[2]
PROOFS = ROOT / "proofs"
TABLES = ROOT / "tests" / "data" / "proofs"
MAP = ROOT / "docs" / "proofs" / "map.md"

sys.path.append(str(PROOFS))
import bugs  # noqa: E402
import check  # noqa: E402
import floats  # noqa: E402
import marks  # noqa: E402
import unread  # noqa: E402


def table(name):
    rows = json.loads((TABLES / f"{name}.json").read_text())
    assert rows
    return rows


def test_every_proof_is_compiled_and_nothing_is_taken_for_granted():
    named = re.findall(r"^(\w+)\.v$", (PROOFS / "_CoqProject").read_text(), re.MULTILINE)
    assert set(named) == {file.stem for file in PROOFS.glob("*.v")}
    for file in PROOFS.glob("*.v"):
        assert not check.TAKEN.search(file.read_text()), file.name


def test_the_map_says_how_long_each_file_is():
    rows = re.findall(r"^\| `(\w+)\.v` \| (\d+) \| [\d.]+ \|$", MAP.read_text(), re.MULTILINE)
    assert [name for name, _ in rows] == check.files()
    for name, lines in rows:  # Seconds are measured, and lines are near enough until they are measured again.
        assert abs(int(lines) - check.lines_of(name)) <= 0.1 * check.lines_of(name), "run proofs/check.py --measure"


def test_the_statements_are_those_of_the_theorems():
    printed = re.findall(r"^@?([\w.]+)\n     :", check.STATEMENTS.read_text(), re.MULTILINE)
    claimed = check.theorems()
    assert printed[: len(claimed)] == claimed  # Definitions follow.
    assert len(set(claimed)) == len(claimed)


def statement(name):
    """A statement, or a definition, as Coq prints it."""
    found = re.search(
        rf"^@?{re.escape(name)}\n     : .*?(?=^\S)", check.STATEMENTS.read_text(), re.MULTILINE | re.DOTALL
    )
    assert found, name
    return found[0]


def test_proofs_beside_the_code_quote_what_coq_prints():
    quoted = 0
    for proof in sorted(marks.SOURCE.rglob("*.md")):
        for block in re.findall(r"^```coq\n(.*?)^```", proof.read_text(), re.MULTILINE | re.DOTALL):
            names = re.findall(r"^@?([\w.]+)$", block, re.MULTILINE)
            assert block == "".join(map(statement, names)), f"{proof.name}: quote proofs/statements.txt"
            quoted += len(names)
    assert quoted >= 10


def test_the_map_names_each_theorem_once_in_its_file():
    rows = re.findall(r"^\|.*?\|(.*?)\|(.*?)\|.*\|$", MAP.read_text().split("## Claims")[1], re.MULTILINE)
    named = []
    for files, cell in rows:
        sources = "".join((PROOFS / file).read_text() for file in re.findall(r"`(\w+\.v)`", files))
        for name in re.findall(r"`([\w.]+)`", cell):
            assert re.search(rf"^ *(Theorem|Lemma) {name.split('.')[-1]}\b", sources, re.MULTILINE), (name, files)
            named.append(name)
    assert sorted(named) == sorted(check.theorems())


def verdicts(text):
    """What a table says of each mechanism: yes, no, or in part."""
    lines = text.split("| | private |")[1].split("\n\n")[0].splitlines()
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[2:]]
    return {
        name: [re.match(r"yes|no|in part", cell)[0] for cell in rest[:6]]
        for first, *rest in cells
        for name in re.findall(r"`(\w+)`", first)
    }


def test_the_readme_says_of_each_mechanism_what_the_map_says():
    readme, page = verdicts((ROOT / "README.md").read_text()), verdicts(MAP.read_text())
    mechanisms = re.findall(r"^\| `(\w+)` \|.*\[proof\]", (ROOT / "README.md").read_text(), re.MULTILINE)
    assert sorted(readme) == sorted(mechanisms) == sorted(page.keys() - {"Laplace"})
    assert readme == {name: page[name] for name in readme}


def test_the_map_says_which_marks_are_read():
    text = MAP.read_text()
    for line in marks.LINES:
        if isinstance(line, marks.Line):
            assert re.search(rf"\b{line.mark}\b", text), line.mark


def test_the_code_in_coq_is_what_the_marked_lines_say():
    assert marks.CODE.read_text() == marks.code(), "run python proofs/marks.py --write, then make proofs"


def test_every_mark_is_read_or_has_a_reason():
    read = {}
    for line in marks.LINES:
        if isinstance(line, marks.Line):
            read.setdefault(line.file, set()).add(line.mark)
    assert read.keys() == unread.UNREAD.keys()
    for file, found in read.items():
        marked = set(re.findall(r"# proof: (\w+)", (marks.SOURCE / file).read_text()))
        assert not found & unread.UNREAD[file].keys()
        assert marked == found | unread.UNREAD[file].keys()
    assert f"\n{unread.rows()}\n" in MAP.read_text(), "run python proofs/unread.py --write"
    others = unread.marked().keys() - read.keys()
    for file in others:
        assert file in unread.WHOLE or f"{file.split('/')[0]}/" in unread.WHOLE, file
    for start in unread.WHOLE:
        assert any(file.startswith(start) for file in others), start


def test_the_floats_in_coq_are_what_the_python_reports():
    assert floats.REPORTED.read_text() == floats.text(), "run python proofs/floats.py --write, then make proofs"


@pytest.mark.deep
@pytest.mark.xdist_group("coq")
def test_more_floats_are_the_least(coq, tmp_path):
    check.compiled(ROOT / "build" / "proofs")
    build = shutil.copytree(ROOT / "build" / "proofs", tmp_path / "build")
    (build / "Reported.v").write_text(floats.text(floats.MORE))
    check.run([*check.MAKE, "Floats.vo"], build)


@pytest.mark.parametrize(
    "text", ["sum(x)", "x if x < y < z else w", "x ** y // z", "x[0]", "lambda: x", "f'{x}'", "True"]
)
def test_what_is_not_known_is_refused_and_never_guessed(text):
    names = {name: name for name in "xyzw"}
    for scope in ("Z", "nat", "bool"):
        with pytest.raises(marks.UnreadableError):
            marks._Reader(scope, names, {}).value(ast.parse(text, mode="eval").body)


def test_planted_bugs_fit_the_sources():
    for file, old, new in bugs.PLANTED:
        text = ((PROOFS if file.endswith(".v") else marks.SOURCE) / file).read_text()
        assert old in text, (file, old)
        assert old != new
    assert len(set(bugs.PLANTED)) == len(bugs.PLANTED) >= 30


def test_the_documents_say_how_many_bugs_are_planted():
    said = f"{len(bugs.PLANTED)} refused / {len(bugs.PLANTED)} planted"
    for page in (MAP, ROOT / "README.md"):
        assert said in page.read_text(), f"{page.name}: run python proofs/bugs.py, and say what it says"


@pytest.fixture
def coq():
    """Where Coq is missing a test is skipped, unless DISCREET_PROOFS says that it may not be."""
    if shutil.which("coqc") is None or shutil.which("coqchk") is None:
        assert os.environ.get("DISCREET_PROOFS") != "1", "coq is not installed"
        pytest.skip("coq is not installed")


@pytest.mark.deep
@pytest.mark.xdist_group("coq")
def test_the_independent_checker_accepts_the_proofs(coq):
    check.compiled(ROOT / "build" / "proofs")
    check.rechecked(ROOT / "build" / "proofs")


@pytest.mark.deep
@pytest.mark.xdist_group("coq")
def test_planted_bugs_are_refused(coq):
    """One in seven, in half a minute; all under DISCREET_SLOW=1, and by `python proofs/bugs.py`."""
    assert bugs.main(every=1 if tiers.SLOW > 1 else 7) == 0


def test_tables_are_committed_for_whatever_coq_computes():
    named = re.findall(r'^Redirect "(\w+)"', (PROOFS / "Tables.v").read_text(), re.MULTILINE)
    assert {f"{name}.json" for name in named} == {file.name for file in TABLES.iterdir()}


def loop(sampler, first, *words):
    """Run a loop of the samplers on words of two bits; -1 if it asks for another."""
    coins = ScriptedCoins(int("".join(map(str, words)) or "0", 4), 2 * len(words))
    try:
        return int(sampler(first, 2, coins, 2))
    except Exhausted:
        return -1


def test_coins_say_what_coq_computes():
    for a, d, *words, answer in table("coins"):
        assert loop(lambda *rest, p=Fraction(a, d): below_real(p, *rest), *words) == answer


def test_whole_numbers_are_what_coq_computes():
    for n, *words, answer in table("uniform"):
        assert loop(lambda *rest, n=n: floor_of(n, *rest), *words) == answer


class Told:
    """Coins of which the first U has a given floor of n U, for n below 2**32."""

    def __init__(self, u, n):
        self.u, self.n = u, n

    def bits(self, length):
        return (2 * self.u + 1) * (1 << length) // (2 * self.n)


def test_categories_are_what_coq_computes():
    for *weights, u, answer in table("categorical"):
        assert categorical(weights, Told(u, sum(weights))) == answer


def test_randomized_response_has_the_law_that_coq_computes():
    for t, a, d, x, y, num, den in table("randomized_response"):
        assert RandomizedResponse(categories=range(t), prob=Fraction(a, d)).law(x)[y] == Fraction(num, den)


@pytest.mark.parametrize(
    ("name", "parameters", "mechanism"),
    [
        ("rappor", ("f",), Rappor),
        ("optimized_unary", ("p", "q"), OptimizedUnary),
        ("longitudinal_rappor", ("f", "p", "q"), LongitudinalRappor),
    ],
)
def test_reports_of_bits_have_the_law_that_coq_computes(name, parameters, mechanism):
    for row in table(name):
        given = {parameter: Fraction(*row[2 * i : 2 * i + 2]) for i, parameter in enumerate(parameters)}
        bits = [bool(b) for b in row[2 * len(given) : -2]]
        k = len(bits) // 2
        weight = {} if mechanism is OptimizedUnary else {"max_weight": k}
        law = mechanism(length=k, **weight, **given).law(bits[:k])
        assert law[tuple(bits[k:])] == Fraction(*row[-2:])


def test_sets_have_the_law_that_coq_computes():
    for k, a, d, x, *chosen, num, den in table("subset_selection"):
        mechanism = SubsetSelection(categories=range(k), size=len(chosen), prob=Fraction(a, d))
        assert mechanism.law(x)[tuple(chosen)] == Fraction(num, den)
