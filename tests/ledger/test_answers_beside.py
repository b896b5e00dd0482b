"""Kept answers inside the books, beside them, or nowhere: as their owner chose when the books were made."""

import json
import pickle
import random
import stat
from contextlib import suppress
from hashlib import sha256
from pathlib import Path

import pytest
from command import assert_one_line, ok, run
from ledger_past import is_url, raw, schema_of
from ledger_shelves import POSIX, killed
from tiers import cases

from discreet import Ledger, LedgerError
from discreet.errors import ParameterError

PAST = "people in November"
ANSWER = {"people": [81_004], "text": "è \u2028"}


def made(path, answers="beside"):
    return Ledger(path, epsilon=10, accountant="plain", answers=answers)


def beside(path, *values, sql="SELECT answer FROM {}"):
    """Look at, or change, what is beside the books; give it as a list of texts."""
    if is_url(path):
        with raw(path) as connection:
            found = connection.execute(sql.format(f'"{schema_of(path)}_answers".answers'), *values)
            return [text for (text,) in found.fetchall()] if sql.startswith("SELECT") else None
    files = list(Path(f"{path}.answers").glob("*")) if Path(f"{path}.answers").exists() else []
    for file in [] if sql.startswith("SELECT") else files:
        file.unlink() if sql.startswith("DELETE") else file.write_text('{"people": [0]}')
    return [file.read_text(encoding="utf-8") for file in files] if sql.startswith("SELECT") else None


def kept(path):
    found = Ledger(path).kept(PAST)
    return None if found is None else (found[0].number, found[1])


@pytest.mark.parametrize("answers", ["inside", "beside"])
def test_an_answer_is_had_again_wherever_it_is(answers, shelf):
    path = shelf / "b.db"
    book = made(path, answers)
    book.charge(epsilon=1)
    note = book.keep(1, question=PAST, answer=ANSWER)
    assert kept(path) == (1, ANSWER)
    assert pickle.loads(pickle.dumps(book)).kept(PAST)[1] == ANSWER
    assert ("81004" in json.dumps(note.receipt)) is (answers == "inside")
    assert ("81004" in json.dumps(book.to_dict())) is (answers == "inside")
    if answers == "beside":
        assert [json.loads(text)["answer"] for text in beside(path)] == [ANSWER]
    with pytest.raises(ParameterError, match="a charge whose answer was not kept"):
        book.void(1, reason="the disk was full", unseen=True)
    book.verify()


def test_what_is_deleted_beside_the_books_is_paid_for_again(shelf):
    path = shelf / "b.db"
    book = made(path)
    book.charge(epsilon=1)
    book.keep(1, question=PAST, answer=ANSWER)
    beside(path, sql="DELETE FROM {}")
    assert kept(path) is None
    book.verify()
    if is_url(path):
        beside(path, sql="DROP TABLE {}")
        assert kept(path) is None
        book.verify()
        return
    book.keep(book.charge(epsilon=1).number, question=PAST, answer=ANSWER)
    assert kept(path) == (3, ANSWER)


def test_books_confirm_no_guess_of_what_was_deleted_beside_them(shelf):
    book = made(shelf / "b.db")
    notes = [book.keep(book.charge(epsilon=1).number, question=PAST, answer=7) for _ in range(2)]
    digests = {note.receipt["sha256"] for note in notes}
    assert len(digests | {sha256(b"7").hexdigest()}) == 3
    salts = {json.loads(text)["salt"] for text in beside(shelf / "b.db")}
    assert sorted(map(len, salts)) == [64, 64]


@POSIX
@pytest.mark.parametrize(("rights", "folder"), [(0o600, 0o700), (0o640, 0o750), (0o664, 0o775)])
def test_who_may_not_read_the_books_reads_no_answer_beside_them(rights, folder, tmp_path):
    book = made(tmp_path / "b.db")
    book.path.chmod(rights)
    book.keep(book.charge(epsilon=1).number, question=PAST, answer=7)
    place = Path(f"{book.path}.answers")
    (file,) = place.iterdir()
    assert [stat.S_IMODE(each.stat().st_mode) for each in (place, file)] == [folder, rights]
    place.chmod(0o755)
    book.path.chmod(0o600)
    book.keep(book.charge(epsilon=1).number, question=PAST, answer=8)
    assert sorted(stat.S_IMODE(each.stat().st_mode) for each in place.iterdir()) == sorted([rights, 0o600])
    book.verify()


@POSIX
@pytest.mark.parametrize("name", ["[a].db", "{x}.db", "<y>.db", "a,b,c,d.db", "a\tb.db"])
def test_books_may_have_any_name_that_a_file_has(name, tmp_path):
    book = made(tmp_path / name)
    book.keep(book.charge(epsilon=1).number, question=PAST, answer=ANSWER)
    assert kept(tmp_path / name) == (1, ANSWER)
    assert {each.name for each in tmp_path.iterdir()} == {name, f"{name}.answers"}


def test_what_is_changed_beside_the_books_is_refused(shelf):
    path = shelf / "b.db"
    book = made(path)
    book.charge(epsilon=1)
    book.keep(1, question=PAST, answer=ANSWER)
    beside(path, sql="UPDATE {} SET answer = '{{\"people\": [0]}}'")
    with pytest.raises(LedgerError, match=r"the answer that entry 2 keeps beside it, .* is damaged"):
        kept(path)
    with pytest.raises(LedgerError, match="is damaged"):
        book.verify()
    assert book.charge(epsilon=1).number == 3


def test_books_without_answers_keep_none(shelf):
    book = made(shelf / "b.db", "none")
    book.charge(epsilon=1)
    with pytest.raises(ParameterError, match="made with answers='none'"):
        book.keep(1, question=PAST, answer=ANSWER)
    assert (kept(shelf / "b.db"), len(book.entries())) == (None, 1)
    assert book.void(1, reason="the disk was full", unseen=True).kind == "void"


@pytest.mark.parametrize("answers", ["inside", "beside", "none"])
def test_the_choice_is_made_once(answers, shelf):
    path = shelf / "b.db"
    made(path, answers)
    made(path, answers), Ledger(path)
    for other in {"inside", "beside", "none"} - {answers}:
        with pytest.raises(LedgerError, match=f"was made with answers='{answers}'"):
            Ledger(path, answers=other)


def test_beside_memory_there_is_nothing():
    with pytest.raises(ParameterError, match="answers='beside'"):
        Ledger(None, epsilon=1, answers="beside")
    with pytest.raises(ParameterError, match="answers='besides'"):
        Ledger(None, epsilon=1, answers="besides")


@POSIX
def test_what_was_kept_when_a_process_dies_is_whole_or_not_there(shelf):
    path, seed, times = shelf / "b.db", random.Random(1), range(1, cases(16, 41))
    book = made(path)
    for number in times:
        book.charge(epsilon="1/100", table=str(number))

    def work(_):
        own = Ledger(path)
        for number in times:
            with suppress(ParameterError):  # It was kept by one that died.
                own.keep(number, question=f"{PAST} {number}", answer=[number] * 1000)

    for _ in range(cases(6, 40)):
        with killed(1, 0.1, seed, work):
            pass
        found = {note.about for note in book.entries() if note.kind == "answer"}
        book.verify()
        answers = {number: Ledger(path).kept(f"{PAST} {number}") for number in times}
        assert {number for number, answer in answers.items() if answer is not None} == found
        assert all(answers[number][1] == [number] * 1000 for number in found)
    work(None)
    assert {note.about for note in book.entries() if note.kind == "answer"} == set(times)
    book.verify()


def test_the_command_line_makes_and_fills_them(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    tmp_path.joinpath("people.csv").write_text("user\n1\n2\n")
    ok("budget", "b.db", "--create", "--epsilon", 1, "--answers", "beside")
    ask = "count people.csv --person user --epsilon 0.1 --ledger b.db --data-version a"
    first = ok(*ask.split())
    again = ok(*ask.split())
    assert (first.splitlines()[1:], "free: kept answer of entry 1" in again) == (again.splitlines()[1:], True)
    assert len(list(Path("b.db.answers").iterdir())) == 1
    assert "sha256" in ok("budget", "b.db", "--entry", 2)
    assert_one_line(run("budget", "b.db", "--answers", "none"), 2)
