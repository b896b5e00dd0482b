"""The command line of invitations: codes and tickets, where they are kept, and which page has which key."""

import json
from contextlib import closing

import pytest
from command import assert_one_line, lines, ok, run

from discreet.serve import Calendar, open_store, ticket_keys
from discreet.survey import Survey

SURVEY = """
epsilon = 1
[[questions]]
name = "smokes"
choices = ["no", "yes"]
"""
BLIND = 'invitations = "blind"\n'
WAVES = """
[[waves]]
name = "spring"
end = 2026-05-14T20:00:00+02:00
[[waves]]
name = "autumn"
start = 2026-10-01T08:00:00+02:00
"""


@pytest.fixture
def survey(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "survey.toml"
    path.write_text(SURVEY)
    return path


def test_a_mistyped_store_gets_no_invitations_and_is_not_made(survey, tmp_path):
    words = ("survey", "invite", survey, "--number", 2, "--store")
    done = run(*words, "report")
    assert_one_line(done, 2)
    assert "there is no store of this survey here" in done.stderr
    assert not (tmp_path / "report").exists()
    assert len(lines(ok(*words, "reports", "--create"))) == 2
    assert len(lines(ok(*words, "reports"))) == 2
    with closing(open_store(Survey.load(survey), "reports")) as store:
        assert store.invited() == (4, 0)


def test_a_page_elsewhere_has_the_key_of_the_store(survey):
    survey.write_text(BLIND + SURVEY)
    words = ("survey", "page", survey, "--out", "poll.html", "--collector", "https://poll.example.org")
    done = run(*words)
    assert_one_line(done, 2)
    assert "--store" in done.stderr
    assert_one_line(run(*words, "--store", "report"), 2)
    ok("survey", "invite", survey, "--store", "reports", "--number", 1, "--create")
    said = json.loads(ok(*words, "--store", "reports", "--json"))
    with closing(open_store(Survey.load(survey), "reports")) as store:
        key = ticket_keys(store, Calendar())["null"].public
    assert said["key"] == key.fingerprint
    page = (survey.parent / "poll.html").read_text()
    assert key.to_bytes().hex() in page
    assert "connect-src https://poll.example.org/reports https://poll.example.org/tickets;" in page
    ok("survey", "page", survey, "--out", "code.html")  # Without a collector nobody signs.


def test_each_wave_has_a_key(survey):
    survey.write_text(BLIND + SURVEY + WAVES)
    ok("survey", "invite", survey, "--store", "reports", "--number", 1, "--wave", "spring", "--create")
    words = ("survey", "page", survey, "--out", "poll.html", "--collector", "self", "--store", "reports", "--json")
    assert_one_line(run(*words[:-1]), 2)
    keys = [json.loads(ok(*words, "--wave", wave))["key"] for wave in ("spring", "autumn", "spring")]
    assert keys[0] == keys[2] != keys[1]


@pytest.mark.parametrize(("said", "asked"), [("codes", "blind"), ("blind", "codes"), ("tokens", None)])
def test_what_the_file_says_is_not_overruled(survey, said, asked):
    survey.write_text(f'invitations = "{said}"\n' + SURVEY)
    more = () if asked is None else ("--invitations", asked)
    done = run("survey", "serve", survey, "--store", "reports", "--port", 0, *more)
    assert_one_line(done, 2)
    assert "invitations" in done.stderr
    assert not (survey.parent / "reports").exists()
