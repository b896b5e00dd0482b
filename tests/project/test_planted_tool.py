"""The tool behind `make mutants` takes a bug for caught where a test fails, and nowhere else."""

from pathlib import Path

import pytest
from mutants import BROKEN, CAUGHT, SKIPPED, SURVIVED, outcome
from tiers import each

SOURCE = Path(__file__).parents[2] / "src"
QUICK = ("-p", "no:hypothesispytest", "-p", "no:xdist")  # To start without these takes two thirds of the time.
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
    found, said = outcome([f"{tmp_path / 'test_one.py'}::test_it"], SOURCE, "-x", *QUICK)
    assert found == expected, said


def test_a_deep_test_is_asked_where_everything_is(tmp_path):
    (tmp_path / "test_one.py").write_text(TEXTS["a test of make test-all"][0])
    assert outcome([f"{tmp_path / 'test_one.py'}"], SOURCE, *QUICK, everything=True)[0] == CAUGHT
