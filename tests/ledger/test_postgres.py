"""Books in PostgreSQL: what only a server can do to them, and what nobody is shown."""

import pickle
import random
import signal
import sys
import threading
import time
from contextlib import suppress
from fractions import Fraction

import postgres_server
import pytest
from command import ok
from ledger_past import raw, refusal, write
from ledger_shelves import POSIX, Database, filled, killed, spend
from tiers import cases

from discreet import BudgetError, Ledger, LedgerError, ParameterError, UnsupportedError

psycopg = pytest.importorskip("psycopg", reason="psycopg is not installed (pip install 'psycopg[binary]')")
from discreet.ledger.postgres import PostgresStore  # noqa: E402

pytestmark = pytest.mark.xdist_group("books in postgres")


@pytest.fixture
def shelf():
    return Database()


@pytest.fixture
def server():
    """Return a server of this test's own."""
    made = postgres_server.Server()
    yield made
    made.remove()


def with_word(url, word="hush-7919"):
    return url.replace("discreet@", f"discreet:{word}@")


class TestServers:
    def test_a_server_that_goes_away_is_named_and_loses_nothing(self, server):
        book = filled(Database(server) / "b")
        for how in (signal.SIGINT, signal.SIGQUIT):
            server.stop(how)
            for call in (lambda: book.charge(epsilon=1), book.entries, book.verify, lambda: Ledger(book.path)):
                with pytest.raises(
                    LedgerError, match=r"\?schema=b: the server cannot be reached, .*nothing was charged"
                ):
                    call()
            server.start()
            before = len(book.entries())
            assert book.charge(epsilon=1).number == before + 1
            book.verify()

    @POSIX
    def test_a_server_that_crashes_amid_charges_has_all_that_were_reported(self, server):
        book, reported, seed = Ledger(Database(server) / "b", epsilon=1000), 0, random.Random(7919)

        def work(write):
            with suppress(LedgerError):
                spend(book, Fraction(1, 7), write)

        for _ in range(cases(2, 20)):
            timer = threading.Timer(seed.uniform(0.1, 0.6), server.stop, [signal.SIGQUIT])
            timer.start()
            with killed(2, 1.0, seed, work) as pipe:
                reported += pipe.readall().count(b".")
            timer.join()
            server.start()
            book.verify()
            assert reported <= len(book.entries()) <= 7000
        assert reported > 0

    def test_a_server_that_may_lose_a_commit_is_refused(self, server):
        path = Database(server) / "b"
        filled(path)
        with server.connect() as connection:
            connection.execute("ALTER SYSTEM SET fsync TO off")
            connection.execute("SELECT pg_reload_conf()")
        time.sleep(0.5)
        with pytest.raises(LedgerError, match="need fsync on"):
            Ledger(path)

    def test_a_role_that_does_not_wait_for_the_disk_does_here(self, shelf, monkeypatch):
        path, seen = shelf / "b", []
        book, commit = filled(path), PostgresStore._commit

        def spy(store, connection):
            seen.append(connection.execute("SHOW synchronous_commit").fetchone()[0])
            commit(store, connection)

        with raw(path) as connection:
            connection.execute(f"ALTER DATABASE {shelf.name} SET synchronous_commit TO off")
        monkeypatch.setattr(PostgresStore, "_commit", spy)
        book.charge(epsilon=1)
        with raw(path) as connection:
            connection.execute(f"ALTER DATABASE {shelf.name} SET synchronous_commit TO remote_apply")
        book.charge(epsilon=1)
        assert seen == ["on", "remote_apply"]  # What is stronger stays.


class TestCommits:
    def failing(self, monkeypatch, state, times=1):
        """Let commits happen and then fail, or fail before, as a server says."""
        left, do = [times], PostgresStore._commit.__globals__["_do"]

        def broken(connection, sql):
            if sql != "COMMIT" or not left[0]:
                return do(connection, sql)
            left[0] -= 1
            if state is None:
                do(connection, sql)
                raise psycopg.OperationalError("the connection is lost")
            do(connection, "ROLLBACK")
            raise psycopg.errors.lookup(state)("undone")

        monkeypatch.setitem(PostgresStore._commit.__globals__, "_do", broken)

    def test_a_commit_without_an_answer_may_stand_and_is_not_done_again(self, shelf, monkeypatch):
        book = filled(shelf / "b")
        self.failing(monkeypatch, None)
        with pytest.raises(LedgerError, match="it may be on the books or not; release nothing, count it as spent"):
            book.charge(epsilon=1)
        assert [entry.epsilon for entry in book.entries()].count(1) == 1
        book.verify()

    @pytest.mark.parametrize("state", ["40001", "40P01"])
    def test_what_the_server_undid_is_done_again_and_once(self, shelf, monkeypatch, state):
        book = filled(shelf / "b")
        self.failing(monkeypatch, state, times=3)
        assert book.charge(epsilon=1).number == 4
        assert len(book.entries()) == 4
        book.verify()

    def test_who_waits_too_long_is_told_and_charged_nothing(self, shelf):
        path = shelf / "b"
        book, hurried = filled(path), Ledger(path, timeout=0.2)
        with raw(path) as connection:
            connection.execute("BEGIN")
            connection.execute("LOCK TABLE budget IN EXCLUSIVE MODE")
            with pytest.raises(LedgerError, match=r"\?schema=b: is in use by others, for 0.2 seconds now"):
                hurried.charge(epsilon=1)
            assert len(hurried.entries()) == 3  # Who only reads does not wait.
            timer = threading.Timer(0.3, connection.execute, ["ROLLBACK"])
            timer.start()
            assert book.charge(epsilon=1).number == 4
            timer.join()


class TestPlaces:
    def test_no_one_is_shown_a_password(self, shelf, monkeypatch):
        path, said = with_word(shelf / "b"), []
        book = filled(path)
        said += [repr(book), str(book), book.sheet._repr_html_(), book.path, repr(book.to_dict()), pickle.dumps(book)]
        said += [repr(pickle.loads(pickle.dumps(book)))]
        nowhere = with_word("postgresql://discreet@127.0.0.1:1/b?sslpassword=hush-7919")
        for call in (
            lambda: book.charge(epsilon=10**6),
            lambda: Ledger(path, epsilon=1),
            lambda: Ledger(nowhere),
            lambda: Ledger("postgresql://discreet:hush-7919@[b"),
            lambda: Ledger("postgresql://discreet:hush@hush-7919@host/b"),
            lambda: Ledger("postgresql://discreet:1/hush-7919@host/b"),
            lambda: Ledger("postgresql://discreet:2#hush-7919@host/b"),
            lambda: Ledger("postgresql://discreet@host:hush-7919:4/b"),
            lambda: Ledger("postgresql://discreet@host/b?nonsense=hush-7919"),
        ):
            with pytest.raises((LedgerError, ParameterError, BudgetError)) as caught:
                call()
            said.append(str(caught.value))
            assert caught.value.__suppress_context__ or caught.value.__context__ is None
        for text in said:
            assert "hush" not in (text if isinstance(text, str) else text.decode("latin-1")), text

    def test_the_command_line_takes_a_url_and_shows_no_password(self, shelf, tmp_path):
        path = with_word(shelf / "b")
        said = [
            ok("budget", path, "--create", "--epsilon", "3"),
            ok("budget", path, "--verify", "--out", str(tmp_path / "b.json"), "--html", str(tmp_path / "b.html")),
            ok("budget", path, "--json"),
            *((tmp_path / name).read_text() for name in ("b.json", "b.html")),
        ]
        assert "?schema=b" in said[0]
        assert not any("hush" in text for text in said)

    @pytest.mark.parametrize("name", ["a b", 'q"uote', "x'; DROP TABLE y; --", "ü-☃", "x" * 63, "Discreet"])
    def test_a_schema_may_have_any_name(self, shelf, name):
        book = filled(shelf / name)
        book.verify()
        assert eval(repr(book)).entries() == book.entries()
        assert [str(path) for path in shelf.iterdir()] == [str(shelf / name)]

    def test_a_schema_is_discreet_unless_it_is_named(self, shelf):
        url = (shelf / "x").partition("?")[0]
        Ledger(url, epsilon=1).charge(epsilon=1)
        assert Ledger(shelf / "discreet").left.epsilon == 0
        assert Ledger(url.replace("postgresql", "postgres")).path == url

    @pytest.mark.parametrize("name", ["", "pg_x", "x" * 64, "a\0b"])
    def test_a_name_that_the_server_cannot_keep_is_refused(self, shelf, name):
        with pytest.raises(ParameterError, match="schema="):
            Ledger(shelf / name, epsilon=1)

    def test_what_is_no_ledger_is_refused_with_a_remedy(self, shelf):
        with raw(shelf / "public") as connection:
            connection.execute("CREATE TABLE t (x INTEGER)")
            connection.execute("CREATE SCHEMA other; CREATE TABLE other.budget (x INTEGER)")
            connection.execute("CREATE SCHEMA empty")
        for name in ("public", "other"):
            for more in ({}, {"epsilon": 1}):
                with pytest.raises(LedgerError, match=rf"schema={name}: .*belongs to another program"):
                    Ledger(shelf / name, **more)
        for name in ("empty", "absent"):
            with pytest.raises(LedgerError, match=rf"schema={name}: there is no ledger here: give epsilon="):
                Ledger(shelf / name)
        Ledger(shelf / "empty", epsilon=1).charge(epsilon=1)  # Made by somebody who may make schemas.
        write(shelf / "empty", "COMMENT ON TABLE budget IS 'discreet ledger, format 3'")
        with pytest.raises(LedgerError, match="was made by an unreleased discreet, in format 3"):
            Ledger(shelf / "empty")
        write(shelf / "empty", "COMMENT ON TABLE budget IS 'discreet ledger, format 99'")
        with pytest.raises(LedgerError, match="was made by a newer discreet, in format 99: upgrade"):
            Ledger(shelf / "empty")

    def test_a_role_without_the_right_to_write_reads(self, shelf):
        path = shelf / "b"
        filled(path)
        with raw(path) as connection:
            connection.execute("CREATE ROLE auditor LOGIN")
            connection.execute("GRANT USAGE ON SCHEMA b TO auditor; GRANT SELECT ON ALL TABLES IN SCHEMA b TO auditor")
        try:
            book = Ledger(path.replace("discreet@", "auditor@"))
            book.verify()
            assert len(book.entries()) == 3
            with pytest.raises(LedgerError, match="cannot be used by this role: grant it"):
                book.charge(epsilon=1)
        finally:
            with raw(path) as connection:
                connection.execute("DROP OWNED BY auditor; DROP ROLE auditor")

    def test_a_role_without_the_schema_is_told_so(self, shelf):
        path = shelf / "b"
        filled(path)
        with raw(path) as connection:
            connection.execute("CREATE ROLE stranger LOGIN")
        try:
            with pytest.raises(LedgerError, match="cannot be used by this role: grant it usage of the schema"):
                Ledger(path.replace("discreet@", "stranger@"))
        finally:
            with raw(path) as connection:
                connection.execute("DROP ROLE stranger")

    def test_a_table_that_a_crash_empties_is_refused(self, shelf):
        path = shelf / "b"
        book = filled(path)
        with raw(path) as connection:
            connection.execute("ALTER TABLE entries SET UNLOGGED")
        for call in (book.verify, lambda: Ledger(path)):
            with pytest.raises(LedgerError, match="damaged"):
                call()

    def test_a_database_that_cannot_hold_every_text_is_left_as_it_was(self, shelf, monkeypatch):
        with shelf.server.connect("postgres") as connection:
            connection.execute("DROP DATABASE IF EXISTS latin")
            connection.execute("CREATE DATABASE latin ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0")
        try:
            monkeypatch.setattr(shelf, "name", "latin")
            with pytest.raises(LedgerError, match="a database in UTF8"):
                Ledger(shelf / "b", epsilon=1)
            assert shelf.iterdir() == []
        finally:
            with shelf.server.connect("postgres") as connection:
                connection.execute("DROP DATABASE latin")

    def test_without_the_driver_the_remedy_is_said(self, monkeypatch):
        monkeypatch.setitem(sys.modules, "discreet.ledger.postgres", None)
        with pytest.raises(UnsupportedError, match=r"need psycopg: pip install 'discreet\[postgres\]'"):
            Ledger("postgresql://host/b")


class TestUnderfoot:
    def test_a_schema_that_is_gone_is_not_made_again(self, shelf):
        path = shelf / "b"
        book = filled(path)
        with raw(path) as connection:
            connection.execute("DROP SCHEMA b CASCADE")
        for call in (lambda: book.charge(epsilon=1), book.entries, lambda: book.left, book.verify):
            with pytest.raises(LedgerError, match="has been deleted or moved"):
                call()
        filled(path, 5)
        with pytest.raises(LedgerError, match="lacks charges that it had"):
            book.charge(epsilon=1)

    def test_an_older_copy_is_noticed(self, shelf):
        path = shelf / "b"
        book = filled(path)
        tables = ("budget", "entries", "checkpoint")
        write(path, *(f"CREATE TABLE public.{name} AS TABLE {name}" for name in tables))
        book.charge(epsilon=1)
        for name in tables:
            write(path, f"DELETE FROM {name}", f"INSERT INTO {name} TABLE public.{name}")
        for call in (lambda: book.charge(epsilon=1), book.entries, lambda: book.left, book.verify):
            with pytest.raises(LedgerError, match="lacks charges that it had"):
                call()
        assert len(Ledger(path).entries()) == 3

    @pytest.mark.parametrize("table", ["budget", "entries", "checkpoint"])
    def test_the_past_cannot_be_truncated(self, shelf, table):
        book = filled(shelf / "b")
        with raw(shelf / "b") as connection, pytest.raises(refusal()):
            connection.execute(f"TRUNCATE {table}")
        book.verify()

    @pytest.mark.parametrize(
        "sql",
        [
            "ALTER TABLE entries DISABLE TRIGGER entries_keep",
            "CREATE OR REPLACE FUNCTION entries_keep() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END'",
            "ALTER TABLE entries ADD COLUMN more TEXT",
            "ALTER TABLE entries ALTER COLUMN kind DROP NOT NULL",
            "DROP INDEX notes",
            "CREATE VIEW mine AS SELECT * FROM entries",
        ],
    )
    def test_tables_that_are_changed_are_noticed(self, shelf, sql):
        book = filled(shelf / "b")
        write(shelf / "b", sql)
        for call in (book.verify, lambda: Ledger(shelf / "b")):
            with pytest.raises(LedgerError, match="is damaged"):
                call()

    def test_charges_go_on_while_the_server_ends_other_connections(self, shelf):
        path, stop, done, seed = shelf / "b", threading.Event(), [], random.Random(7919)
        book = Ledger(path, epsilon=10**6)

        def work():
            while not stop.is_set():
                with suppress(LedgerError):
                    done.append(book.charge(epsilon=1).number)

        thread = threading.Thread(target=work)
        thread.start()
        with raw(path) as connection:
            for _ in range(cases(15, 200)):
                time.sleep(seed.uniform(0, 0.3))
                connection.execute(
                    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                    "WHERE datname = current_database() AND pid <> pg_backend_pid()"
                )
        stop.set()
        thread.join()
        book.verify()
        numbers = [entry.number for entry in book.entries()]
        assert set(done) <= set(numbers)
        assert len(done) == len(set(done)) > 0
        assert book.spent.epsilon == len(numbers)

    def test_answers_beside_books_are_in_a_schema_of_their_own(self, shelf):
        Ledger(shelf / "b_answers", epsilon=1)
        with pytest.raises(LedgerError, match="other books are there"):
            Ledger(shelf / "b", epsilon=1, answers="beside")
        with pytest.raises(ParameterError, match="at most 55 bytes"):
            Ledger(shelf / ("x" * 60), epsilon=1, answers="beside")
        Ledger(shelf / "b_answers").verify()
