"""A bound table stays on its books however its source is written, and no message, name or digest has a password."""

import sqlite3
from pathlib import Path

import duckdb
import pytest
from command import assert_one_line, ok, run
from tiers import crossed

from discreet import Ledger
from discreet.errors import ParameterError
from discreet.tables import Project
from discreet.tables.kept import declared
from discreet.urls import database_file, without_secrets

URL = "postgresql://ana:s3cret@127.0.0.1:1/shop"
DATABASES = """
[tables.lite]
source = "sqlite://data/e.db"
table = "events"
person = "user_id"
ledger = "budget.db"

[tables.duck]
source = "duckdb://data/e.duckdb"
table = "events"
person = "user_id"
ledger = "budget.db"
"""
MONTHS = """
[tables.months]
source = "*.csv"
person = "user_id"
ledger = "../budget.db"
"""
AGAIN = '\n[tables.y]\nsource = "{}"\nperson = "a"\n'
ASK = ["--person", "user_id", "--epsilon", 1]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A project of two databases, one of files in a folder of it, books of epsilon 3, and the working folder in it."""
    rows, data = [(i,) for i in range(30)], tmp_path / "data"
    data.mkdir()
    for database in (sqlite3.connect(data / "e.db"), duckdb.connect(data / "e.duckdb")):
        database.execute("CREATE TABLE events (user_id INTEGER)")
        database.execute("CREATE TABLE others (user_id INTEGER)")
        database.executemany("INSERT INTO events VALUES (?)", rows)
        database.commit()
        database.close()
    for month in ("january", "february"):
        (data / f"{month}.csv").write_text("user_id\n" + "".join(f"{i}\n" for (i,) in rows))
    (tmp_path / "discreet.toml").write_text(DATABASES)
    Ledger(tmp_path / "budget.db", epsilon=3).close()
    monkeypatch.chdir(tmp_path)
    return tmp_path


def left(folder):
    """What is left on the project's books."""
    return Ledger(folder / "budget.db").left.epsilon


class TestBoundHoweverWritten:
    @crossed(
        2,
        source=[
            "sqlite://{0}/data/e.db",
            "sqlite://{0}/./data/../data/e.db",
            "sqlite:///{0}/data/e.db",
            "SQLite://{0}/data/e.db",
            "sqlite://data/e.db",
            "file://{0}/data/e.db",
            "duckdb://data/e.duckdb",
            "duckdb://{0}/data/e.duckdb?access_mode=READ_ONLY",
        ],
        table=["events", "EVENTS", None],
    )
    def test_a_database_is_its_file(self, folder, source, table):
        done = run("count", source.format(folder), *ASK, *([] if table is None else ["--table", table]))
        assert (done.exit_code, done.stderr, left(folder)) == (0, "", 2)

    @pytest.mark.parametrize("name", ["lite", "duck"])
    def test_a_url_in_the_file_is_beside_it(self, folder, name, tmp_path_factory, monkeypatch):
        elsewhere = tmp_path_factory.mktemp("elsewhere")
        monkeypatch.chdir(elsewhere)
        Project(folder / "discreet.toml").table(name).count_people(epsilon=1)
        ok("count", f"sqlite://{folder}/data/e.db", "--table", "events", *ASK)
        (elsewhere / "link.db").symlink_to(folder / "data" / "e.db")
        ok("count", "sqlite://link.db", "--table", "events", *ASK)
        assert left(folder) == 0

    def test_a_link_between_projects_is_of_both(self, folder, tmp_path_factory):
        other = tmp_path_factory.mktemp("other")
        (other / "discreet.toml").write_text('[tables.a]\nsource = "a.csv"\neach_row = true\n')
        (other / "link.db").symlink_to(folder / "data" / "e.db")
        ok("count", f"sqlite://{other}/link.db", "--table", "events", *ASK)
        assert left(folder) == 2

    def test_another_table_is_not_bound(self, folder):
        done = run("count", "sqlite://data/e.db", "--table", "others", *ASK)
        assert (done.exit_code, "no ledger was given" in done.stderr, left(folder)) == (0, True, 3)
        refused = run("count", "lite", "--table", "others", "--epsilon", 1)
        assert_one_line(refused, 2)
        assert "says which table lite is" in refused.stderr

    def test_of_several_tables_one_is_named(self, folder):
        others = (
            DATABASES.partition("[tables.duck]")[0]
            .replace("tables.lite", "tables.more")
            .replace('"events"', '"others"')
        )
        (folder / "discreet.toml").write_text(DATABASES + others)
        assert_one_line(run("count", "sqlite://data/e.db", *ASK), 2)
        assert left(folder) == 3

    @pytest.mark.parametrize("pattern", ["data/*.csv", "dat?/*.csv", "*/*.csv", "**/*.csv", "dat[a]/*ry.csv"])
    def test_a_pattern_in_folders_finds_the_files_project(self, folder, pattern):
        (folder / "data" / "discreet.toml").write_text(MONTHS)
        ok("count", pattern, *ASK)
        assert left(folder) == 2

    @pytest.mark.parametrize("pattern", ["dat[a]/january.csv", "*/j*.csv"])
    def test_a_pattern_in_folders_does_not_lead_around_the_books(self, folder, pattern):
        (folder / "data" / "discreet.toml").write_text(MONTHS)
        done = run("count", pattern, *ASK)
        assert_one_line(done, 2)
        assert "months, whose files" in done.stderr

    @pytest.mark.parametrize(
        "source", ["postgres://bob@h/shop", "postgresql://h/shop", "Postgres://H/shop?password=x", URL]
    )
    def test_a_server_is_the_same_for_all_who_ask(self, folder, source):
        bound = DATABASES.partition("[tables.duck]")[0].replace("sqlite://data/e.db", "postgres://ana:s3cret@h/shop")
        (folder / "discreet.toml").write_text(bound)
        found = Project().of(source.replace("127.0.0.1:1", "h"), "Events")
        assert found is not None
        assert "s3cret" not in repr(Project())


class TestFile:
    @pytest.mark.parametrize(
        ("said", "message"),
        [
            ('source = "sqlite://e.db"\nperson = "a"', "tables.x='table': need table = NAME where the source"),
            ('source = "e.csv"\ntable = "t"\nperson = "a"', "tables.x='table': need table = NAME where the source"),
            ('source = "e.csv"\nperson = {a = 1}', "tables.x.person="),
            ('source = "e\\u0000.csv"\nperson = "a"', "tables.x.source="),
            ('source = "e.csv"\nperson = "a"\nledger = "e\\u0000.db"', "tables.x.ledger="),
            (
                'source = "./data/../e.csv"\neach_row = true' + AGAIN.format("e.csv"),
                "tables.y='a source': need another",
            ),
            ('source = "data/*.csv"\neach_row = true' + AGAIN.format("data/january.csv"), "tables.y="),
            (
                'source = "sqlite://e.db"\ntable = "t"\neach_row = true'
                + AGAIN.format("sqlite://./e.db")
                + 'table = "T"',
                "tables.y='a source': need another than that of x",
            ),
        ],
        ids=["no table", "table of a file", "person", "source", "ledger", "twice", "a part", "twice in a database"],
    )
    def test_what_is_ambiguous_is_refused(self, folder, said, message):
        Path("discreet.toml").write_text(f"[tables.x]\n{said}\n")
        with pytest.raises(ParameterError, match=message):
            Project()
        assert_one_line(run("count", "x", "--epsilon", 1), 2)


class TestSecrets:
    @pytest.mark.parametrize("ledger", [URL, "POSTGRESQL://ana:s3cret@h/d", "mysql://ana:s3cret@h/d"])
    def test_a_ledger_is_not_echoed(self, folder, ledger):
        for source in ("lite", "data/january.csv"):
            done = run("count", source, *ASK, "--ledger", ledger)
            assert done.exit_code != 0
            assert "s3cret" not in done.output + done.stderr
        assert not list(folder.glob("*:*"))

    @pytest.mark.parametrize("sign", ["\\u0000", ""])
    def test_a_url_in_the_file_is_not_echoed(self, folder, sign):
        Path("discreet.toml").write_text(f'[tables.x]\nsource = "mysql://ana:s3cret@h/d{sign}"\nperson = "a"\n')
        done = run("count", "x", "--epsilon", 1)
        assert done.exit_code == 2
        assert "s3cret" not in done.output + done.stderr

    def test_a_source_is_known_again_without_its_secrets(self):
        known = declared("postgres://ana@h/shop?schema=a", "t", "1")
        for password in ("s3cret", "%40other"):
            assert declared(f"postgres://ana:{password}@h/shop?schema=a&sslpassword={password}", "t", "1") == known
        assert declared("postgres://ana@h/shop?schema=b", "t", "1") != known

    @pytest.mark.parametrize("url", ["postgres://u:pa/s3cret@h/d", "postgres://u:p#s3cret@h/d", "postgres://[s3cret"])
    def test_a_url_whose_secrets_cannot_be_told_is_refused_unseen(self, url):
        with pytest.raises(ParameterError, match="need a URL such as") as refused:
            without_secrets(url)
        assert "s3cret" not in str(refused.value)
        assert database_file(url) is None

    def test_a_relative_url_is_of_its_folder(self, folder, monkeypatch):
        known = declared("sqlite://e.db", "events", "1")
        monkeypatch.chdir("data")
        assert declared("sqlite://e.db", "events", "1") != known
        assert declared("sqlite://../e.db", "events", "1") is not None
