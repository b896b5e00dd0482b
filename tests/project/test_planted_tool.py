"""The tool behind `make mutants` takes a bug for caught where a test fails, and nowhere else."""

import py_compile
from pathlib import Path

import pytest
from mutants import BROKEN, CAUGHT, SKIPPED, SURVIVED, Verdict, main, outcome, planted, sound
from planted import Mutant
from tiers import each

SOURCE = Path(__file__).parents[2] / "src"
FIXTURE = "import pytest\n@pytest.fixture\ndef server():\n    raise OSError\n"
DEEP = "import pytest\n@pytest.mark.deep\n"
TEXTS = {
    "a claim that does not hold": ("def test_it():\n    assert 0", CAUGHT),
    "an exception in the test": ("def test_it():\n    int('x')", CAUGHT),
    "a fixture that does not start": (FIXTURE + "def test_it(server):\n    assert 0", BROKEN),
    "an import that fails": ("import discreet.nothing\ndef test_it():\n    assert 0", BROKEN),
    "a name that no test has": ("def test_that():\n    assert 0", BROKEN),
    "a claim that holds": ("def test_it():\n    pass", SURVIVED),
    "a test that is skipped": ("import pytest\ndef test_it():\n    pytest.skip('no engine')", SKIPPED),
    "a test of make test-all": (DEEP + "def test_it():\n    assert 0", BROKEN),
}


@pytest.mark.parametrize("case", each(TEXTS, 3))
def test_a_bug_is_caught_where_a_test_fails_and_nowhere_else(tmp_path, case):
    text, expected = TEXTS[case]
    (tmp_path / "test_one.py").write_text(text)
    ran, said = outcome([f"{tmp_path / 'test_one.py'}::test_it"], SOURCE, "-x")
    assert ran.outcome == expected, said


def test_a_deep_test_is_asked_where_everything_is(tmp_path):
    (tmp_path / "test_one.py").write_text(TEXTS["a test of make test-all"][0])
    assert outcome([f"{tmp_path / 'test_one.py'}"], SOURCE, everything=True)[0].outcome == CAUGHT


def test_a_bug_is_planted_and_taken_out_again_with_what_was_compiled_of_it(tmp_path):
    path = tmp_path / "discreet" / "exact.py"
    path.parent.mkdir()
    path.write_text("one = 1\n")
    with planted(Mutant("another one", "exact.py", "1", "2", "test_exact.py"), tmp_path):
        assert path.read_text() == "one = 2\n"
        compiled = Path(py_compile.compile(path))
    assert path.read_text() == "one = 1\n"
    assert not compiled.exists()


def test_words_that_no_bug_has_are_an_error():
    with pytest.raises(SystemExit, match="No bug has exact and nowhere in its name or file"):
        main(["exact", "nowhere"])


@pytest.mark.parametrize(("text", "expected"), [("pass", True), ("assert 0", False)])
def test_tests_that_fail_without_a_bug_are_seen(tmp_path, text, expected):
    (tmp_path / "test_one.py").write_text(f"def test_it():\n    {text}")
    test = f"{tmp_path / 'test_one.py'}::test_it"
    assert sound([Verdict(CAUGHT, [test], everything=False, seconds=0)]) is expected
