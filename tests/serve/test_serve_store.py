"""The store: what is in it is there once, whole, in no order of time, and survives what a machine does."""

import itertools
import sqlite3
from collections import Counter
from contextlib import closing

import numpy as np
import pytest
from serve_desk import responses, small_survey
from tiers import cases

from discreet.errors import StoreError
from discreet.serve import export, invite, open_store
from discreet.serve.counts import Counts
from discreet.serve.invitations import invitation_mark
from discreet.serve.store import Outcome, Submission, shuffled
from discreet.survey import Question, Survey

WAVE = "null"


@pytest.fixture
def tmp_path(memory_path):
    return memory_path


@pytest.fixture
def survey():
    return small_survey()


@pytest.fixture
def store(survey, tmp_path):
    with closing(open_store(survey, tmp_path / "reports")) as opened:
        yield opened


def file_of(tmp_path):
    (file,) = (tmp_path / "reports").glob("*.reports")
    return file


class Given:
    """Coins that give these words, one list for each time they are asked."""

    def __init__(self, draws):
        self._draws = iter(draws)

    def words(self, n):
        draw = next(self._draws)
        assert n == len(draw)
        return np.array(draw, np.uint64)


def numbered(store, numbers):
    """Put payloads into a store one by one, each the number of its turn; how they are drawn does not matter here."""
    for number in numbers:
        store.add(WAVE, [Submission(number.to_bytes(store.width, "big"))])


class TestWhatIsStored:
    def test_every_payload_is_there_once(self, store):
        numbered(store, range(300))
        numbers = [int.from_bytes(row.tobytes(), "big") for row in store.payloads(WAVE)]
        assert sorted(numbers) == list(range(300))

    @pytest.mark.parametrize("sizes", [(1, 4095, 1, 4096, 8192, 3), (20_000, 1), (8191, 1, 1)])
    def test_drawers_and_pool_hold_all_of_any_groups(self, store, sizes):
        rows = np.arange(sum(sizes), dtype=">u2").view(np.uint8).reshape(-1, 2)
        for start, size in zip(itertools.accumulate((0, *sizes)), sizes, strict=False):
            store.add(WAVE, [Submission(rows[start : start + size].tobytes())])
        found = store.payloads(WAVE)
        assert sorted(map(bytes, found)) == sorted(map(bytes, rows))

    def test_one_drawer_stays_behind_to_mix_with_whatever_comes(self, survey, store, tmp_path):
        for size in (1000, 7191, 1, 1, 30_000):
            store.add(WAVE, [Submission(bytes(size * store.width))])
            with closing(sqlite3.connect(file_of(tmp_path))) as raw:
                ((pool,),) = raw.execute("SELECT reports FROM pool")
                drawers = raw.execute("SELECT reports FROM drawers").fetchall()
            assert all(len(kept) == store.drawer * store.width for (kept,) in drawers)
            assert not drawers or store.drawer * store.width <= len(pool)
            assert len(pool) < 2 * store.drawer * store.width

    def test_wide_reports_have_smaller_drawers(self, tmp_path):
        wide = Survey([Question("x", [str(i) for i in range(3000)])], epsilon=1)
        with closing(open_store(wide, tmp_path)) as opened:
            assert 64 <= opened.drawer <= 32768 // opened.width + 64

    def test_waves_are_apart(self, store):
        store.add('"spring"', [Submission(b"\0\0")])
        store.add('"autumn"', [Submission(b"\1\1"), Submission(b"\1\1")])
        assert sorted(store.waves()) == ['"autumn"', '"spring"']
        assert store.payloads('"autumn"').tolist() == [[1, 1], [1, 1]]
        assert store.payloads('"winter"').shape == (0, 2)


class TestOnce:
    def test_a_key_is_counted_once_and_equal_reports_without_it_twice(self, store):
        key = Submission(b"\0\1", once=bytes(16))
        assert store.add(WAVE, [key, key]) == [Outcome.STORED, Outcome.AGAIN]
        assert store.add(WAVE, [key, Submission(b"\0\1"), Submission(b"\0\1", once=b"\1" * 16)]) == [
            Outcome.AGAIN,
            Outcome.STORED,
            Outcome.STORED,
        ]
        assert len(store.payloads(WAVE)) == 3

    def test_a_key_counts_in_whichever_wave_it_comes_again(self, store):
        assert store.add('"spring"', [Submission(b"\0\1", once=bytes(16))]) == [Outcome.STORED]
        assert store.add('"autumn"', [Submission(b"\0\1", once=bytes(16))]) == [Outcome.AGAIN]


class TestInvitations:
    def test_each_is_spent_once_and_a_retry_is_no_second_answer(self, survey, store):
        (code,) = invite(survey, store, 1)
        mark = invitation_mark(code, survey.tag, None)
        first = Submission(b"\0\1", once=bytes(16), invitation=mark)
        again = Submission(b"\0\1", once=b"\1" * 16, invitation=mark)
        assert store.add(WAVE, [first, first, again]) == [Outcome.STORED, Outcome.AGAIN, Outcome.UNINVITED]
        assert store.add(WAVE, [first, again]) == [Outcome.AGAIN, Outcome.UNINVITED]
        assert len(store.payloads(WAVE)) == 1
        assert store.invited() == (1, 1)

    def test_whoever_is_refused_has_not_used_the_key(self, survey, store):
        (code,) = invite(survey, store, 1)
        uninvited = Submission(b"\0\1", once=bytes(16))
        assert store.add(WAVE, [uninvited]) == [Outcome.UNINVITED]
        invited = Submission(b"\0\1", once=bytes(16), invitation=invitation_mark(code, survey.tag, None))
        assert store.add(WAVE, [invited]) == [Outcome.STORED]

    def test_an_invitation_is_for_one_wave_and_one_survey(self, survey, store):
        (code,) = invite(survey, store, 1, wave="spring")
        for mark in (
            invitation_mark(code, survey.tag, "autumn"),
            invitation_mark(code, bytes(16), "spring"),
            invitation_mark(code[::-1], survey.tag, "spring"),
            None,
        ):
            assert store.add(WAVE, [Submission(b"\0\1", invitation=mark)]) == [Outcome.UNINVITED]
        mark = invitation_mark(code, survey.tag, "spring")
        assert store.add(WAVE, [Submission(b"\0\1", invitation=mark)]) == [Outcome.STORED]

    def test_no_code_is_in_the_file(self, survey, store, tmp_path):
        codes = invite(survey, store, 50)
        held = file_of(tmp_path).read_bytes()
        assert len(set(codes)) == 50
        assert not any(text.encode() in held for code in codes for text in (code, code.replace("-", "")))


class TestOrder:
    def test_every_order_is_equally_likely(self):
        """Over all words of two bits, and all second draws where two of the first are the same."""
        rows = np.arange(3, dtype=np.uint8)[:, None]
        draws = [draw for draw in itertools.product(range(4), repeat=3) if len(set(draw)) == 3]
        ties = [draw for draw in itertools.product(range(4), repeat=3) if len(set(draw)) < 3]
        for before in ([], *([tie] for tie in ties), ties):
            found = Counter(tuple(shuffled(rows, Given([*before, draw])).ravel().tolist()) for draw in draws)
            assert set(found) == set(itertools.permutations(range(3)))
            assert set(found.values()) == {4}

    def test_no_rows_and_one_row_are_as_they_are(self):
        for n in (0, 1):
            rows = np.zeros((n, 2), np.uint8)
            assert shuffled(rows).tolist() == rows.tolist()

    def test_the_file_does_not_say_who_came_first(self, store, tmp_path):
        """Neither in the order of rows nor in that of bytes, which in a page of SQLite is that of insertion."""
        turns = cases(30, 100)
        numbered(store, range(256, 256 + turns))
        held = file_of(tmp_path).read_bytes()
        with closing(sqlite3.connect(file_of(tmp_path))) as raw:
            ((pool,),) = raw.execute("SELECT reports FROM pool")
        assert held.count(pool) == 1  # No older state of it is left.
        order = [int.from_bytes(pool[i : i + 2], "big") for i in range(0, len(pool), 2)]
        falls = sum(a > b for a, b in itertools.pairwise(order))
        assert 0.2 * turns < falls < 0.8 * turns  # In the order of time there are none.

    def test_what_was_overwritten_is_gone_from_the_folder(self, store, tmp_path):
        """Also from the pages that the pool no longer needs, when a drawer has left it."""
        for number in (8191, 1, 40):
            store.add(WAVE, [Submission(bytes.fromhex("abcd") * number)])
            numbered(store, range(10))
        held = b"".join(file.read_bytes() for file in (tmp_path / "reports").iterdir())
        assert held.count(bytes.fromhex("abcd")) <= 8232
        assert len(store.payloads(WAVE)) == 8232 + 30

    def test_each_copy_leaves_in_an_order_of_its_own(self, survey, store, tmp_path):
        store.add(WAVE, [Submission(b"".join(bytes([i % 2, i % 3]) for i in range(600)))])
        copies = [store.payloads(WAVE).tobytes() for _ in range(2)]
        assert copies[0] != copies[1]
        assert export(survey, store, tmp_path / "a.csv") == export(survey, store, tmp_path / "b.csv") == 600
        texts = [(tmp_path / name).read_text() for name in ("a.csv", "b.csv")]
        assert texts[0] != texts[1]
        assert Counter(texts[0].splitlines()) == Counter(texts[1].splitlines())
        assert survey.collect(tmp_path / "a.csv")["smokes"].n == 600


class TestFiles:
    def test_a_store_that_is_opened_again_holds_and_counts_the_same(self, survey, tmp_path):
        body = b"".join(each[18:] for each in responses(survey, 9000, 1))
        with closing(open_store(survey, tmp_path)) as store:
            counts = Counts(survey, store)
            store.add(WAVE, [Submission(body)])
            counts.add(WAVE, body)
            before = counts.of(WAVE)
        with closing(open_store(survey, tmp_path)) as store:
            after = Counts(survey, store).of(WAVE)
            assert dict(after) == dict(before)
            assert after["age"].n == 9000

    @pytest.mark.parametrize("what", ["another program", "a newer discreet", "is no store", "damaged", "is no store "])
    def test_a_foreign_newer_or_damaged_file_is_refused_and_left_as_it_is(self, survey, tmp_path, what):
        open_store(survey, tmp_path / "reports").close()
        file = file_of(tmp_path)
        if what.startswith("is no store"):
            file.write_bytes(b"" if what.endswith(" ") else b"user,city\n" * 1000)
        else:
            change = {
                "another program": "PRAGMA application_id = 7",
                "a newer discreet": "PRAGMA user_version = 3",
                "damaged": "DROP TRIGGER drawers_delete",
            }[what]
            with closing(sqlite3.connect(file)) as raw:
                raw.execute(change)
                raw.commit()
        before = file.read_bytes()
        words = "belongs to another program" if what.endswith(" ") else what
        with pytest.raises(StoreError, match=words):
            open_store(survey, tmp_path / "reports")
        assert file.read_bytes() == before

    def test_another_survey_has_another_file(self, survey, tmp_path):
        open_store(survey, tmp_path).close()
        open_store(small_survey(epsilon=1), tmp_path).close()
        files = sorted(tmp_path.glob("*.reports"))
        assert len(files) == 2
        files[0].replace(files[1])
        survey_of = {each.tag.hex(): each for each in (survey, small_survey(epsilon=1))}
        with pytest.raises(StoreError, match="another survey"):
            open_store(survey_of[files[1].stem], tmp_path)

    def test_only_its_owner_reads_it(self, survey, tmp_path):
        open_store(survey, tmp_path / "reports").close()
        assert file_of(tmp_path).stat().st_mode & 0o077 == 0
        assert (tmp_path / "reports").stat().st_mode & 0o077 == 0

    def test_a_file_that_is_deleted_or_replaced_takes_nothing(self, survey, store, tmp_path):
        store.add(WAVE, [Submission(b"\0\1")])
        file = file_of(tmp_path)
        file.replace(tmp_path / "aside")
        with pytest.raises(StoreError, match="replaced or deleted"):
            store.add(WAVE, [Submission(b"\0\1")])
        open_store(survey, tmp_path / "reports").close()
        with pytest.raises(StoreError, match="replaced or deleted"):
            store.add(WAVE, [Submission(b"\0\1")])
        (tmp_path / "aside").replace(file)
        store.add(WAVE, [Submission(b"\0\1")])
        assert len(store.payloads(WAVE)) == 2

    def test_one_server_at_a_time(self, survey, store, tmp_path):
        store.hold()
        with closing(open_store(survey, tmp_path / "reports")) as other:
            with pytest.raises(StoreError, match="another server has it"):
                other.hold()
            store.close()
            other.hold()

    def test_reports_only_grow(self, store, tmp_path):
        store.add(WAVE, [Submission(bytes(20_000 * 2), once=bytes(16))])
        for change in (
            *(f"DELETE FROM {table}" for table in ("about", "pool", "drawers", "once")),
            *("UPDATE drawers SET reports = x''", "UPDATE once SET mark = x''", "UPDATE about SET width = 3"),
        ):
            with closing(sqlite3.connect(file_of(tmp_path))) as raw, pytest.raises(sqlite3.Error, match="only grows"):
                raw.execute(change)

    def test_a_full_disk_refuses_keeps_all_and_recovers(self, survey, store, tmp_path):
        store.add(WAVE, [Submission(bytes(2 * 9000))])
        store._connection.execute(f"PRAGMA max_page_count = {file_of(tmp_path).stat().st_size // 4096}")
        with pytest.raises(StoreError, match="does not fit on the disk"):
            store.add(WAVE, [Submission(bytes(2 * 90_000), once=bytes(16))])
        assert len(store.payloads(WAVE)) == 9000  # On a new connection, which has no such limit.
        assert store.add(WAVE, [Submission(bytes(2 * 90_000), once=bytes(16))]) == [Outcome.STORED]
        assert len(store.payloads(WAVE)) == 99_000

    def test_rows_that_nobody_can_have_sent_are_damage(self, survey, store):
        store.add(WAVE, [Submission(b"\xff\xff")])
        with pytest.raises(StoreError, match="damaged"):
            Counts(survey, store)
