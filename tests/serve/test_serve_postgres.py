"""The store in PostgreSQL keeps to the same as the one in a file."""

import pytest
from postgres_server import shared
from serve_desk import small_survey

from discreet.errors import StoreError
from discreet.serve import export, invite, open_store
from discreet.serve.counts import Counts
from discreet.serve.invitations import invitation_mark
from discreet.serve.store import Outcome, Submission

pytestmark = pytest.mark.xdist_group("postgres")
WAVE = '"spring"'


@pytest.fixture
def url():
    server = shared()
    where = server.where
    return f"postgresql://{where['user']}@{where['host']}:{where['port']}/{server.database()}"


def test_what_is_stored_is_there_once_and_opened_again(url, tmp_path):
    survey = small_survey()
    store = open_store(survey, url)
    once = Submission(b"\0\1", once=bytes(16))
    assert store.add(WAVE, [once, once, Submission(b"\1\2" * 9000)]) == [Outcome.STORED, Outcome.AGAIN, Outcome.STORED]
    store.close()
    again = open_store(survey, url)
    assert again.add(WAVE, [once]) == [Outcome.AGAIN]
    assert Counts(survey, again).n(WAVE) == 9001
    assert again.waves() == [WAVE]
    assert export(survey, again, tmp_path / "all.txt", wave="spring") == 9001
    assert survey.collect(tmp_path / "all.txt")["age"].n == 9001
    again.close()


def test_invitations_are_spent_once(url):
    survey = small_survey()
    store = open_store(survey, url)
    (code,) = invite(survey, store, 1)
    told = Submission(b"\0\1", invitation=invitation_mark(code, survey.tag, None))
    assert store.add("null", [told, told, Submission(b"\0\1")]) == [
        Outcome.STORED,
        Outcome.UNINVITED,
        Outcome.UNINVITED,
    ]
    store.close()


def test_one_server_at_a_time_and_no_password_in_a_message(url):
    survey = small_survey()
    one, other = open_store(survey, url), open_store(survey, url)
    one.hold()
    with pytest.raises(StoreError, match="another server has it"):
        other.hold()
    one.close()
    other.hold()
    other.close()
    with pytest.raises(StoreError, match="cannot be reached") as told:
        open_store(survey, "postgresql://ana:s3cret@127.0.0.1:1/none")
    assert "s3cret" not in str(told.value)


def test_newer_and_foreign_tables_are_refused(url):
    survey = small_survey()
    store = open_store(survey, url)
    schema = f"discreet_{survey.tag.hex()}"
    for comment, words in (("discreet reports, format 3", "newer discreet"), ("a shop", "another program")):
        store.run(lambda c, comment=comment: c.execute(f"COMMENT ON TABLE {schema}.about IS '{comment}'"))
        with pytest.raises(StoreError, match=words):
            open_store(survey, url)
    store.close()


def test_a_transaction_that_fails_changes_nothing(url):
    survey = small_survey()
    store = open_store(survey, url)
    store.add(WAVE, [Submission(b"\0\1")])
    with pytest.raises(StoreError):
        store.run(lambda c: [store._add(c, WAVE, [Submission(b"\1\1")]), c.execute("SELECT 1/0")])
    assert store.payloads(WAVE).tolist() == [[0, 1]]
    store.close()
