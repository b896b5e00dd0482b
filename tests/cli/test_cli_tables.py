"""Tables from the command line: each command is one library call, and what fails is not charged."""

import json
import os
import shlex
import sqlite3
import subprocess
import sys
from fractions import Fraction
from inspect import signature
from pathlib import Path

import pandas as pd
import pyarrow.parquet as pq
import pytest

click = pytest.importorskip("click", reason="pip install 'discreet[cli]'")
pytest.importorskip("ibis", reason="pip install 'discreet[tables]'")
from answer_forms import with_ends  # noqa: E402  After the check that it is there.
from command import Called, assert_one_line, joined, lines, ok, run  # noqa: E402

import discreet.files  # noqa: E402
from discreet import EntropyError, Ledger, TruncatedLaplaceThreshold  # noqa: E402
from discreet.accounting import compare  # noqa: E402
from discreet.cli.app import app  # noqa: E402
from discreet.coins import SystemCoins  # noqa: E402
from discreet.tables import Answer, Groups, Mean, People, Rows, Sum, Table  # noqa: E402

SENTINEL = "sentinel-7919"
COMMANDS = [
    "count",
    "sum",
    "mean",
    "quantile",
    "release",
    "explain count",
    "explain sum",
    "explain mean",
    "explain quantile",
    "explain release",
    "keys",
    "explain keys",
    "suggest",
    "budget",
]
WHO = ("--person", "user_id")
GROUPS = ("--by", "city", "--max-groups", "2")
SPEND = ("--epsilon", "1", "--delta", "1e-6")
MONTHS = ("--type", "month=integer")
BOUNDS = ("--low", "0", "--high", "10")


def command_of(name):
    found = app
    for word in name.split():
        found = found.commands[word]
    return found


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    """500 people, each in Rome in month 1 and in Bath in month 2; one alone in a city nobody may hear of."""
    folder = tmp_path_factory.mktemp("data")
    rows = [
        (i, city, month, amount) for i in range(500) for city, month, amount in (("Rome", 1, 5.0), ("Bath", 2, 7.5))
    ]
    frame = pd.DataFrame([*rows, (1000, SENTINEL, 3, 1.0)], columns=["user_id", "city", "month", "amount"])
    frame.to_csv(folder / "events.csv", index=False)
    frame.to_parquet(folder / "events.parquet")
    with sqlite3.connect(folder / "events.db") as base:
        frame.to_sql("events", base, index=False)
    return folder


@pytest.fixture
def folder(data, tmp_path, monkeypatch):
    """An empty folder to work in, with a ledger; the tables stay where they are."""
    monkeypatch.chdir(tmp_path)
    for file in data.iterdir():
        (tmp_path / file.name).symlink_to(file)
    Ledger("budget.db", epsilon=3, delta="1e-5").close()
    return tmp_path


def spent():
    return Ledger("budget.db").spent


def made(folder):
    """The files that a command has left beside the tables and the ledger."""
    return sorted(path.name for path in folder.iterdir() if not path.is_symlink() and path.name != "budget.db")


class TestEndToEnd:
    @pytest.mark.parametrize("source", ["events.csv", "events.parquet"])
    def test_from_a_budget_to_an_answer_and_its_books(self, source, folder):
        Path("budget.db").unlink()
        made = ok("budget", "budget.db", "--create", *SPEND[:1], 3, "--delta", "1e-5")
        assert lines(made)[0].startswith("budget.db: 0 charges")
        assert [line.split("]  ")[1] for line in lines(made)[1:4]] == [
            "0 of 4718 spent, 4718 left",
            "0 of 3 spent, 3 left",
            "0 of 5e-6 spent, 5e-6 left",
        ]
        ok("explain", "count", source, *WHO, *GROUPS, *SPEND)
        assert spent() == (0, 0)
        text = ok("count", source, *WHO, *GROUPS, *SPEND, "--ledger", "budget.db")
        assert lines(text)[0].startswith("People by city  2 groups; epsilon 1 and delta 7.")
        assert [line.split()[0] for line in lines(text)[1:5] if line[0] != "─"] == ["city", "Bath", "Rome"]
        assert lines(text)[-1].startswith("The budget has epsilon 2 and delta 4.")
        assert SENTINEL not in text
        [entry] = Ledger("budget.db").entries()
        assert (entry.epsilon, entry.table) == (1, source)
        assert 0 < entry.delta <= Fraction("1e-6")
        assert entry.receipt["aggregates"] == [{"name": "people", "kind": "people"}]
        page = ok("budget", "budget.db")
        assert f"{source}: people by city, max_groups 2" in page
        assert f"{entry.when:%Y-%m-%d %H:%M}" in page
        assert "1 of 3 spent, 2 left" in page

    def test_a_database_is_reached_by_its_url(self, folder):
        url = f"sqlite://{folder / 'events.db'}"
        said = json.loads(ok("count", url, "--table", "events", *WHO, *GROUPS, *SPEND, "--json"))
        assert [row["city"] for row in said["rows"]] == ["Bath", "Rome"]
        assert said["receipt"]["engine"].startswith("sqlite ")
        assert_one_line(run("count", url, *WHO, *GROUPS, *SPEND), 2)

    def test_a_count_speaks_json(self, folder):
        said = json.loads(ok("count", "events.csv", *WHO, *GROUPS, *SPEND, "--ledger", "budget.db", "--json"))
        assert [row["city"] for row in said["rows"]] == ["Bath", "Rome"]
        for row in said["rows"]:
            assert row["people_low"] < row["people"] < row["people_high"]
            assert 400 < row["people"] < 600
        assert said["receipt"]["ledger"]["entry"] == 1

    @pytest.mark.parametrize("question", ["sum", "mean"])
    def test_sums_and_means_speak_json(self, question, folder):
        said = json.loads(ok(question, "events.csv", "amount", *BOUNDS, *WHO, *GROUPS, *SPEND, "--json"))
        assert [set(row) for row in said["rows"]] == [{"city", *with_ends("people", question)}] * 2
        said = json.loads(ok(question, "events.csv", "amount", *BOUNDS, *WHO, "--epsilon", "1", "--json"))
        assert said["receipt"]["spent"] == {"epsilon": 1.0, "delta": 0.0}
        assert said["receipt"]["aggregates"][0]["high"] == "10"

    def test_several_aggregates_are_released_at_once(self, folder):
        asked = ["--people", "--rows", 2, "--sum", "amount:0:10", "--mean", "amount:0:10", "--weight", "rows=2"]
        said = json.loads(ok("release", "events.csv", *asked, *WHO, *GROUPS, *SPEND, "--json"))
        labels = ["people", "rows", "sum of amount", "mean of amount"]
        assert [list(row) for row in said["rows"]] == [["city", *with_ends(*labels)]] * 2
        assert set(said["receipt"]["shares"].values()) == {"19/100", "19/50"}
        text = ok("release", "events.csv", *asked, *WHO, "--epsilon", 1)
        assert "sum of amount" in text
        assert "mean of amount" in text

    @pytest.mark.parametrize(
        ("asked", "need"),
        [
            ((), "need at least one of --people, --rows, --distinct, --sum, --mean"),
            (("--sum", "amount:0"), "COLUMN:LOW:HIGH"),
            (("--people", "--weight", "people"), "NAME=NUMBER"),
            (("--people", "--weight", "rows=2"), "people"),
        ],
    )
    def test_a_release_that_makes_no_sense_is_refused(self, asked, need, folder):
        done = run("release", "events.csv", *asked, *WHO, *GROUPS, *SPEND)
        assert done.exit_code == 2
        assert need in done.stderr

    def test_no_groups_and_filters(self, folder):
        said = json.loads(ok("count", "events.csv", *WHO, "--epsilon", "1", *MONTHS, "--where", "month = 3", "--json"))
        assert abs(said["rows"][0]["people"] - 1) < 60
        assert said["receipt"]["where"] == "month = 3"

    def test_rows_are_counted_where_they_are_asked_for(self, folder):
        words = ["count", "events.csv", *WHO, "--rows", "--max-rows", "2", "--epsilon", "1", "--json"]
        said = json.loads(ok(*words))
        assert abs(said["rows"][0]["rows"] - 1001) < 120
        assert said["receipt"]["aggregates"] == [{"name": "rows", "kind": "rows", "most": 2}]

    def test_each_row_is_a_person_where_that_is_said(self, folder):
        said = json.loads(ok("count", "events.csv", "--each-row", "--by", "city", *SPEND, "--json"))
        assert said["receipt"]["person"] is None

    def test_known_keys_have_the_columns_type(self, folder):
        (folder / "keys.txt").write_text("1\r\n\n9\n", encoding="utf-8-sig")
        words = ["count", "events.csv", *WHO, *MONTHS, "--by", "month", "--max-groups", 2, "--epsilon", 1, "--json"]
        said = json.loads(ok(*words, "--keys", "keys.txt", "--key", "2"))
        assert [row["month"] for row in said["rows"]] == [1, 9, 2]
        assert [row["people"] > 250 for row in said["rows"]] == [True, False, True]
        said = json.loads(ok(*words, "--by", "city", "--key", "1,Rome", "--key", '1,"Rome, NY"'))
        assert [(row["month"], row["city"]) for row in said["rows"]] == [(1, "Rome"), (1, "Rome, NY")]
        assert [row["people"] > 250 for row in said["rows"]] == [True, False]

    def test_all_groups_are_printed(self, folder):
        keys = [word for i in range(50) for word in ("--key", i)]
        text = ok("count", "events.csv", *WHO, "--by", "month", "--max-groups", 2, "--epsilon", 1, *keys)
        assert len([line for line in lines(text) if " to " in line and not line.startswith("Bias: ")]) == 50

    def test_suggest_charges_what_it_spends(self, folder):
        words = ["suggest", "events.csv", *WHO, "--by", "city", "--ledger", "budget.db"]
        assert lines(ok(*words))[0].startswith("max_groups = ")
        said = json.loads(ok(*words, "--epsilon", "0.2", "--planned", "0.5", "--group-size", "300", "--json"))
        assert said["best"] in [choice["max_groups"] for choice in said["choices"]]
        planned = TruncatedLaplaceThreshold.within(epsilon="0.5", delta="1e-6")
        assert said["choices"][0]["noise"] == planned.noise.deviation
        assert spent() == (Fraction("0.3"), 0)

    @pytest.mark.parametrize("words", [("count",), ("sum", "amount"), ("mean", "amount")], ids=" ".join)
    def test_explain_says_what_the_library_says(self, words, folder):
        question, *column = words
        typed = ["explain", question, "events.csv", *column, *(BOUNDS if column else ()), *WHO]
        table = Table("events.csv", person="user_id")
        of = {"count": People, "sum": lambda: Sum("amount", 0, 10), "mean": lambda: Mean("amount", 0, 10)}[question]()
        expected = table.group_by("city").explain(of, epsilon=1, delta="1e-6", max_groups=2)
        text = ok(*typed, *GROUPS, *SPEND)
        assert lines(text)[0].startswith(expected.question)
        assert expected.guarantee in lines(text)
        for choice in expected.choices:
            mark = " *" if choice.max_groups == 2 else ""
            [line] = [line for line in lines(text) if line.startswith(f"{choice.max_groups}{mark} ")]
            assert line.removeprefix(f"{choice.max_groups}{mark}").split()[-3:] == [
                f">{choice.threshold:,}",
                f"{choice.n50:,}",
                f"{choice.n95:,}",
            ]
        said = json.loads(ok(*typed, *GROUPS, *SPEND, "--json"))
        assert said["choices"] == json.loads(json.dumps(expected.to_rows()))
        assert said["receipt"] == expected.receipt.to_dict()
        alone = table.explain(of, epsilon=1)
        assert alone.guarantee in ok(*typed, "--epsilon", 1)
        assert json.loads(ok(*typed, "--epsilon", 1, "--json"))["choices"] == json.loads(json.dumps(alone.to_rows()))

    def test_explain_runs_no_query(self, folder, monkeypatch):
        monkeypatch.setattr("discreet.tables.engines.Engine.answer", lambda *_: pytest.fail("a query was run"))
        ok("explain", "count", "events.parquet", *WHO, *GROUPS, *SPEND)

    def test_the_books_speak_json(self, folder):
        ok("count", "events.csv", *WHO, "--epsilon", "1/3", "--ledger", "budget.db")
        said = json.loads(ok("budget", "budget.db", "--json"))
        assert said["left"] == {"epsilon": "8/3", "delta": "1/200000"}
        assert said["entries"] == [json.loads(json.dumps(Ledger("budget.db").entries()[0].to_dict()))]


class TestOut:
    def test_parquet_keeps_the_receipt(self, folder):
        words = ["count", "events.csv", *WHO, *GROUPS, *SPEND, "--ledger", "budget.db", "--out", "out.parquet"]
        assert ok(*words).startswith("out.parquet: 2 groups; epsilon 1 and delta ")
        table = pq.read_table("out.parquet")
        assert table.column_names == ["city", *with_ends("people")]
        assert json.loads(table.schema.metadata[b"discreet"])["ledger"]["entry"] == 1
        assert made(folder) == ["out.parquet"]

    @pytest.mark.parametrize("suffix", ["csv", "json"])
    def test_csv_and_json_have_it_beside_them(self, suffix, folder):
        words = ["mean", "events.csv", "amount", *BOUNDS, *WHO, *GROUPS, *SPEND, "--out", f"out.{suffix}", "--json"]
        said = json.loads(ok(*words))
        assert (said["out"], said["groups"]) == (f"out.{suffix}", 2)
        read = pd.read_csv if suffix == "csv" else pd.read_json
        frame = read(f"out.{suffix}")
        assert (list(frame.columns), list(frame["city"])) == (["city", *with_ends("people", "mean")], ["Bath", "Rome"])
        assert json.loads(Path(f"out.{suffix}.receipt.json").read_text()) == said["receipt"]
        assert made(folder) == [f"out.{suffix}", f"out.{suffix}.receipt.json"]

    def test_an_old_file_is_replaced_whole(self, folder):
        Path("out.csv").write_text("old\n" * 1000)
        ok("count", "events.csv", *WHO, "--epsilon", 1, "--out", "out.csv")
        assert lines(Path("out.csv").read_text())[0] == '"people","people_low","people_high"'
        assert len(lines(Path("out.csv").read_text())) == 2

    @pytest.mark.parametrize(
        "out", ["out.txt", "out", "none/out.csv", "events.csv", "keys.csv", "place.parquet", "budget.db", "x.json"]
    )
    def test_a_place_that_will_not_do_is_found_before_the_charge(self, out, folder):
        Path("keys.csv").write_text("Rome\n")
        Path("place.parquet").mkdir()
        Path("x.json.receipt.json").mkdir()
        before = made(folder)
        words = ["count", "events.csv", *WHO, *GROUPS, "--epsilon", 1, "--keys", "keys.csv", "--ledger", "budget.db"]
        assert_one_line(run(*words, "--out", out), 2)
        assert spent() == (0, 0)
        assert made(folder) == before
        assert Path("events.csv").read_text().startswith("user_id")

    def test_a_file_that_a_pattern_finds_is_not_overwritten(self, folder):
        assert_one_line(run("count", "*.parquet", *WHO, "--epsilon", 1, "--out", "./events.parquet"), 2)

    @pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
    def test_a_folder_that_cannot_be_written_is_found_before_the_charge(self, folder):
        Path("shut").mkdir(mode=0o500)
        assert_one_line(
            run("count", "events.csv", *WHO, "--epsilon", 1, "--ledger", "budget.db", "--out", "shut/o.csv"), 2
        )
        assert spent() == (0, 0)

    @pytest.mark.parametrize("suffix", ["parquet", "csv", "json"])
    def test_a_disk_that_fails_leaves_no_file_and_shows_the_answer(self, suffix, folder, monkeypatch):
        def full(*_):
            raise OSError(28, "No space left on device")

        monkeypatch.setattr(discreet.files.os, "fsync", full)
        out = f"out.{suffix}"
        done = run("count", "events.csv", *WHO, *GROUPS, *SPEND, "--out", out)
        assert done.exit_code == 1
        assert "No space left" in done.stderr
        assert len(lines(done.stderr)) == 1
        assert [line.split()[0] for line in lines(done.stdout)[3:5]] == ["Bath", "Rome"]
        done = run("count", "events.csv", *WHO, *GROUPS, *SPEND, "--out", out, "--json")
        assert [row["city"] for row in json.loads(done.stdout)["rows"]] == ["Bath", "Rome"]
        assert json.loads(done.stderr)["exit_code"] == 1
        assert made(folder) == []

    def test_a_receipt_does_not_take_the_place_of_what_is_read(self, folder):
        Path("o.csv.receipt.json").write_text('[{"user": 1}]')
        assert_one_line(run("count", "o.csv.receipt.json", "--person", "user", "--epsilon", 1, "--out", "o.csv"), 2)
        assert Path("o.csv.receipt.json").read_text() == '[{"user": 1}]'


class TestOneCall:
    """Each command hands what was typed to the library."""

    @pytest.fixture
    def seen(self, monkeypatch):
        calls = []

        def stop(owner, name):
            def called(*args, **kwargs):
                calls.append((args, kwargs))
                raise Called

            monkeypatch.setattr(owner, name, called)
            return calls

        return stop

    def call(self, *words):
        done = run("--debug", *words)
        assert isinstance(done.exception, Called), done.stderr

    def test_a_table_is_opened_with_what_was_typed(self, seen, folder):
        calls = seen(discreet.tables, "Table")
        self.call("count", "a.csv", "--person", "a", "--person", "b", "--table", "t", "--epsilon", 1)
        assert calls == [(("a.csv",), {"person": ("a", "b"), "ledger": None, "table": "t", "types": None})]
        self.call("count", "a.csv", "--person", "a", "--type", "b=integer", "--type", "c=d=text", "--epsilon", 1)
        assert calls.pop(1)[1]["types"] == {"b": "integer", "c=d": "text"}
        self.call("suggest", "a.csv", "--each-row", "--ledger", "budget.db")
        assert (calls[1][1]["person"], repr(calls[1][1]["ledger"])) == (None, repr(Ledger("budget.db")))

    @pytest.mark.parametrize(
        ("words", "name", "expected"),
        [
            (("count",), "count_people", {}),
            (("count", "--rows"), "count_rows", {}),
            (("count", "--rows", "--max-rows", "5"), "count_rows", {"max_rows": 5}),
            (("sum", "amount", *BOUNDS), "sum", {"low": "0", "high": "10"}),
            (("mean", "amount", "--low", "-1/3", "--high", "0.1"), "mean", {"low": "-1/3", "high": "0.1"}),
            (("sum", "amount", *BOUNDS, "--grid", "0.01"), "sum", {"low": "0", "high": "10", "grid": "0.01"}),
        ],
        ids=lambda x: " ".join(x) if isinstance(x, tuple) else "",
    )
    def test_questions(self, words, name, expected, seen, folder):
        column = words[1:2] if words[0] != "count" else ()
        rest = words[1 + len(column) :]
        calls = seen(Table, name)
        self.call(words[0], "events.csv", *column, *rest, *WHO, "--epsilon", "1/7")
        [((table, *args), kwargs)] = calls
        assert (table.name, tuple(args), kwargs) == ("events.csv", column, {"epsilon": "1/7", **expected})
        calls = seen(Groups, name)
        typed = ["--by", "city", "--by", "month", "--max-groups", "3", "--epsilon", "0.1", "--delta", "1e-7"]
        share = ["--people-share", "1/5"] if column else []
        self.call(words[0], "events.csv", *column, *rest, *WHO, *typed, *share, *MONTHS, "--where", "month < 3")
        [_, ((groups, *args), kwargs)] = calls if len(calls) == 2 else [None, *calls]
        assert (groups.by, groups.known, groups.table.condition) == (("city", "month"), None, "month < 3")
        expected = {"epsilon": "0.1", "delta": "1e-7", "max_groups": 3, **expected} | (
            {"people_share": "1/5"} if column else {}
        )
        assert (tuple(args), kwargs) == (column, expected)

    def test_explain(self, seen, folder):
        calls = seen(Groups, "explain")
        self.call("explain", "count", "events.csv", "--rows", "--max-rows", 4, *WHO, *GROUPS, *SPEND)
        self.call("explain", "mean", "events.csv", "amount", *BOUNDS, *WHO, *GROUPS, *SPEND)
        budget = {"epsilon": "1", "delta": "1e-6", "max_groups": 2}
        assert [(args[1:], kwargs) for args, kwargs in calls] == [
            ((Rows(4),), {**budget, "weights": None}),
            ((Mean("amount", 0, 10),), {**budget, "weights": None}),
        ]

    def test_rounds(self, seen, folder):
        for words, name in ((["count"], "count_people"), (["explain", "count"], "explain")):
            calls = seen(Groups, name)
            self.call(*words, "events.csv", *WHO, *GROUPS, *SPEND, "--rounds", 2)
            assert calls.pop()[1]["rounds"] == 2
        assert_one_line(run("count", "events.csv", *WHO, *GROUPS, *SPEND, "--rounds", 2, "--rows"), 2)
        assert_one_line(run("count", "events.csv", *WHO, "--epsilon", 1, "--rounds", 2), 2)

    @pytest.mark.parametrize(("words", "name"), [(["keys"], "keys"), (["explain", "keys"], "explain_keys")])
    def test_keys(self, words, name, seen, folder):
        calls = seen(Groups, name)
        typed = [
            "--by",
            "city",
            "--by",
            "month",
            "--max-groups",
            7,
            "--rounds",
            1,
            "--epsilon",
            "1/9",
            "--delta",
            "1e-7",
        ]
        self.call(*words, "events.csv", *WHO, *typed)
        [((groups,), kwargs)] = calls
        assert (groups.by, kwargs) == (
            ("city", "month"),
            {"epsilon": "1/9", "delta": "1e-7", "max_groups": 7, "rounds": 1},
        )

    def test_suggest(self, seen, folder):
        calls = seen(Table, "suggest_max_groups")
        typed = ["--by", "city", "--by", "month", "--epsilon", "1/9", "--planned", "0.7", "--group-size", 20]
        self.call("suggest", "events.csv", *WHO, *typed)
        [((_, *args), kwargs)] = calls
        assert (args, kwargs) == (
            ["city", "month"],
            {"epsilon": "1/9", "planned": "0.7", "delta": "1e-6", "group_size": 20},
        )

    def test_budget(self, seen):
        calls = seen(discreet, "Ledger")
        self.call("budget", "b.db")
        self.call("budget", "b.db", "--create", "--epsilon", "0.1", "--delta", "1e-9")
        counted = dict.fromkeys(["accountant", "release_delta", "period", "analysts", "answers", "who"])
        assert calls == [
            (("b.db",), {"epsilon": None, "delta": None, **counted}),
            (("b.db",), {"epsilon": "0.1", "delta": "1e-9", **counted}),
        ]

    def test_save(self, seen, folder):
        calls = seen(Answer, "save")
        self.call("count", "events.csv", *WHO, "--epsilon", 1, "--out", "out.csv")
        assert calls[0][0][1:] == ("out.csv",)

    @pytest.mark.parametrize("name", ["count", "sum", "mean", "release", "keys", "suggest", "budget"])
    def test_every_option_is_a_parameter_of_a_call(self, name):
        """Nothing can be typed that the library has no parameter for, beside the files and the form of the output."""
        calls = {
            "count": [Groups.count_people, Groups.count_rows],
            "sum": [Groups.sum],
            "mean": [Groups.mean],
            "release": [Groups.release],
            "keys": [Groups.keys],
            "suggest": [Table.suggest_max_groups, Table.suggest_bounds],
            "budget": [Ledger.__init__, Ledger.void, compare],
        }[name]
        opened = (
            {"file", "person", "ledger", "who", "plan", "table", "types", "version", "fresh", "where", "by", "keys"}
            if name != "budget"
            else set()
        )
        known = {p for call in calls for p in signature(call).parameters} | opened
        typed = {option.name for option in command_of(name).params}
        typed -= {
            "out",
            "html",
            "confidence",
            "safe_csv",
            "disclosure",
            "sign",
            "as_json",
            "each_row",
            "rows",
            "key",
            "bins",
            "joins",
            "people_files",
            "null",
            "create",
            "entry",
            "void",
        }
        typed -= {
            "why",
            "verify",
            "compare",
            "reserve",
            "start",
        }  # Each is a call by itself, but for the day of a Period.
        assert (
            typed
            - (
                {"people", "sums", "means", "variances", "deviations", "ratios", "distincts"}
                if name == "release"
                else set()
            )
            <= known
        )  # Each is an aggregate.


class TestHelp:
    @pytest.mark.parametrize("name", ["explain", *COMMANDS])
    def test_everything_has_help(self, name):
        assert ok(*name.split(), "--help").startswith(f"Usage: discreet {name}")

    @pytest.mark.parametrize("name", COMMANDS)
    def test_every_command_has_examples_that_parse(self, name):
        start = f"discreet {name} "
        examples = [line for line in joined(command_of(name).help) if line.startswith(start)]
        assert examples
        shown = ok(*name.split(), "--help")
        for example in examples:
            words = shlex.split(example.removeprefix(start))
            assert command_of(name).make_context(name, words).params
            assert example in joined(shown)
        assert "\\b" not in shown

    @pytest.mark.parametrize("name", COMMANDS)
    def test_every_option_says_what_it_is(self, name):
        assert all(option.help for option in command_of(name).params if isinstance(option, click.Option))


COUNT = ("count", "events.csv", *WHO, "--ledger", "budget.db")
SUM = ("sum", "events.csv", "amount", *WHO, "--ledger", "budget.db")


class TestErrors:
    @pytest.mark.parametrize(
        "words",
        [
            ("count",),
            COUNT,
            (*COUNT, *GROUPS, "--epsilon", "1"),
            (*COUNT, *GROUPS, "--epsilon", "0", "--delta", "1e-6"),
            (*COUNT, *GROUPS, "--epsilon", "-1", "--delta", "1e-6"),
            (*COUNT, *GROUPS, "--epsilon", "x", "--delta", "1e-6"),
            (*COUNT, *GROUPS, "--epsilon", "1", "--delta", "0"),
            (*COUNT, *GROUPS, "--epsilon", "1", "--delta", "2", "--key", "Rome"),
            (*COUNT, "--by", "city", *SPEND),
            (*COUNT, "--by", "city", "--max-groups", "0", *SPEND),
            (*COUNT, "--by", "city", "--max-groups", "many", *SPEND),
            (*COUNT, "--by", "city", "--by", "city", "--max-groups", "2", *SPEND),
            (*COUNT, "--epsilon", "1", "--delta", "1e-6"),
            (*COUNT, "--epsilon", "1", "--max-groups", "3"),
            (*COUNT, "--epsilon", "1", "--key", "Rome"),
            (*COUNT, "--epsilon", "1", "--max-rows", "3"),
            (*COUNT, "--epsilon", "1", "--rows", "--max-rows", "0"),
            (*COUNT, "--epsilon", "1", "--each-row"),
            (*COUNT, "--epsilon", "1", "--where", "month ="),
            (*COUNT, "--epsilon", "1", "--where", "month = (SELECT 1)"),
            (*COUNT, "--epsilon", "1", "--nothing"),
            (*COUNT, "--epsilon", "1", "--where", "month = 3"),
            (*COUNT, "--epsilon", "1", "--type", "month"),
            (*COUNT, "--epsilon", "1", "--type", "month=int"),
            (*COUNT, "--epsilon", "1", "--type", "moth=integer"),
            ("count", "events.parquet", *WHO, "--epsilon", "1", *MONTHS),
            (*COUNT, *MONTHS, "--by", "month", "--max-groups", "1", "--epsilon", "1", "--key", "Rome"),
            (*COUNT, *MONTHS, "--by", "month", "--max-groups", "1", "--epsilon", "1", "--key", str(10**30)),
            (*COUNT, "--by", "month", "--max-groups", "1", "--epsilon", "1", "--key", "1", "--key", "1"),
            (*COUNT, "--by", "month", "--by", "city", "--max-groups", "1", "--epsilon", "1", "--key", "1"),
            (*COUNT, *GROUPS, "--epsilon", "1", "--keys", "empty.txt"),
            (*COUNT, *GROUPS, "--epsilon", "1", "--keys", "binary.txt"),
            ("count", "none.csv", *WHO, "--epsilon", "1"),
            ("count", "none-*.csv", *WHO, "--epsilon", "1"),
            ("count", "empty.txt", *WHO, "--epsilon", "1"),
            ("count", "broken.parquet", *WHO, "--epsilon", "1"),
            ("count", "sqlite:///none/none.db", "--table", "x", *WHO, "--epsilon", "1"),
            ("count", "events.csv", "--epsilon", "1"),
            ("count", "events.csv", "--person", "user", "--epsilon", "1"),
            SUM,
            (*SUM, "--epsilon", "1", "--low", "0"),
            (*SUM, "--epsilon", "1", "--low", "5", "--high", "1"),
            (*SUM, "--epsilon", "1", "--low", "0", "--high", "0"),
            (*SUM, "--epsilon", "1", *BOUNDS, "--grid", "0"),
            (*SUM, "--epsilon", "1", *BOUNDS, "--people-share", "1/2"),
            (*SUM, *GROUPS, *SPEND, *BOUNDS, "--people-share", "1"),
            ("sum", "events.csv", "amont", *WHO, *BOUNDS, "--epsilon", "1"),
            ("sum", "events.parquet", "city", *WHO, *BOUNDS, "--epsilon", "1"),
            ("sum", "events.csv", "city", "--type", "city=text", *WHO, *BOUNDS, "--epsilon", "1"),
            ("mean", "events.csv", *WHO, *BOUNDS, "--epsilon", "1"),
            ("explain", "median", "events.csv"),
            ("explain", "count", "events.csv", *WHO, *GROUPS, "--epsilon", "1"),
            ("suggest", "events.csv", *WHO),
            ("suggest", "events.csv", "--each-row", "--by", "city"),
            ("suggest", "events.csv", *WHO, "--by", "city", "--planned", "0"),
            ("suggest", "events.csv", *WHO, "--by", "city", "--epsilon", "0"),
            ("budget",),
            ("budget", "budget.db", "--create"),
            ("budget", "budget.db", "--epsilon", "3"),
            ("budget", "budget.db", "--delta", "3"),
            ("budget", "new.db", "--create", "--epsilon", "0"),
            ("budget", "new.db", "--create", "--epsilon", "1", "--delta", "1"),
        ],
        ids=" ".join,
    )
    def test_wrong_use_is_one_line_and_2_and_costs_nothing(self, words, folder):
        Path("empty.txt").write_text("\n\n")
        Path("binary.txt").write_bytes(b"\xff\xfe\x00")
        Path("broken.parquet").write_text("PAR1 is not enough")
        before = made(folder)
        assert_one_line(run(*words), 2)
        assert spent() == (0, 0)
        assert made(folder) == before

    @pytest.mark.parametrize(
        "words",
        [
            (*COUNT, "--epsilon", "4"),
            (*COUNT, "--epsilon", "3.0000001"),
            (*COUNT, *GROUPS, "--epsilon", "1", "--delta", "0.1"),
            (*COUNT, *GROUPS, "--epsilon", "1", "--keys", "none.txt"),
            ("count", "events.csv", *WHO, "--epsilon", "1", "--ledger", "none.db"),
            ("count", "events.csv", *WHO, "--epsilon", "1", "--ledger", "events.csv"),
            ("suggest", "events.csv", *WHO, "--by", "city", "--epsilon", "4", "--ledger", "budget.db"),
            ("budget", "none.db"),
            ("budget", "events.csv"),
            ("budget", "budget.db", "--create", "--epsilon", "4"),
            ("budget", "none/new.db", "--create", "--epsilon", "4"),
        ],
        ids=" ".join,
    )
    def test_what_is_refused_is_one_line_and_1_and_costs_nothing(self, words, folder):
        assert_one_line(run(*words, *(["--out", "out.csv"] if words[0] == "count" else [])), 1)
        assert spent() == (0, 0)
        assert made(folder) == []

    def test_the_last_of_the_budget_can_be_spent_and_no_more(self, folder):
        for _ in range(3):
            ok("count", "events.csv", *WHO, "--epsilon", "1", "--ledger", "budget.db")
        done = run("count", "events.csv", *WHO, "--epsilon", "1e-9", "--ledger", "budget.db")
        assert_one_line(done, 1)
        assert "nothing was charged" in done.stderr
        assert spent() == (3, 0)

    def test_a_column_that_is_not_there_gets_a_hint(self, folder):
        done = run("count", "events.csv", *WHO, "--by", "citty", "--max-groups", 1, *SPEND)
        assert_one_line(done, 2)
        assert "did you mean 'city'" in done.stderr

    def test_no_entropy_is_one_line_and_1_before_the_charge_of_the_salt(self, folder, monkeypatch):
        def dry(*_):
            raise EntropyError("the well is dry")

        monkeypatch.setattr(SystemCoins, "words", dry)
        monkeypatch.setattr(SystemCoins, "bits", dry)
        assert_one_line(run(*COUNT, *GROUPS, *SPEND, "--out", "out.csv"), 1)
        assert made(folder) == []

    def test_debug_raises(self, folder):
        assert isinstance(run("--debug", *COUNT, "--epsilon", "4").exception, discreet.BudgetError)

    def test_a_file_that_breaks_off_is_one_line_that_quotes_no_row(self, folder):
        frame = pd.DataFrame({"user_id": range(60_000), "month": [SENTINEL, *"12" * 29_999, "3"]})
        frame.to_parquet("late.parquet", compression=None)
        data = bytearray(Path("late.parquet").read_bytes())
        data[4 : len(data) // 2] = bytes(len(data) // 2 - 4)  # The footer, which is at the end, says all is well.
        Path("late.parquet").write_bytes(data)
        done = run("count", "late.parquet", *WHO, "--by", "month", "--max-groups", 1, *SPEND, "--ledger", "budget.db")
        assert SENTINEL not in done.stderr + str(done.exception)
        assert_one_line(done, 1)


APART = """
import sys
sys.modules.update(dict.fromkeys({missing!r}))
sys.argv = {words!r}
from discreet.cli import main
try:
    main()
finally:
    print([name for name in ("pandas", "pyarrow", "ibis", "duckdb", "sqlglot") if sys.modules.get(name)])
"""


def run_apart(*words, missing=()):
    """Run a command in a process of its own, in which some modules are not installed."""
    code = APART.format(missing=list(missing), words=["discreet", *words])
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)


class TestWithout:
    def test_without_ibis_there_is_a_hint(self, folder):
        done = run_apart("count", "events.csv", *WHO, "--epsilon", "1", missing=["ibis"])
        assert done.returncode == 1
        assert len(lines(done.stderr)) == 1
        assert "pip install 'discreet[tables]'" in done.stderr

    def test_help_and_books_need_no_engine(self, folder):
        for words in (["count", "--help"], ["budget", "budget.db"]):
            done = run_apart(*words, missing=["ibis"])
            assert (done.returncode, done.stderr, lines(done.stdout)[-1]) == (0, "", "[]")
