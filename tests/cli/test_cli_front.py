"""The front door: what every command of the command line keeps to."""

import ast
import contextlib
import io
import itertools
import json
import os
import pty
import re
import shlex
import shutil
import subprocess
import sys
import zipfile
from collections import Counter
from fractions import Fraction
from inspect import getsource
from pathlib import Path
from unittest import mock

import audited
import pandas as pd
import pytest
import tiers

click = pytest.importorskip("click", reason="pip install 'discreet[cli]'")
pytest.importorskip("rich", reason="pip install 'discreet[cli]'")
pytest.importorskip("ibis", reason="pip install 'discreet[tables]'")
from click.shell_completion import ShellComplete  # noqa: E402
from command import Called, joined, lines, ok, run  # noqa: E402

import discreet  # noqa: E402
import discreet.cli.demo  # noqa: E402
import discreet.cli.version  # noqa: E402
import discreet.files  # noqa: E402
import discreet.tables.publishing  # noqa: E402
from discreet import Ledger, audit, disclosure, serve, survey, tables  # noqa: E402
from discreet.cli.app import app  # noqa: E402
from discreet.cli.show import Grid  # noqa: E402
from discreet.exact import written as amount  # noqa: E402
from discreet.tables.receipts import described  # noqa: E402

ROOT = Path(discreet.__file__).parents[2]
SENTINEL = "sentinel-7919"
RR = 'RandomizedResponse(categories=["a", "b"], prob="3/4")'
TOML = 'epsilon = 2\n[[questions]]\nname = "smokes"\nchoices = ["never", "daily"]\n'
CALLS = {
    "count": (tables.Table, "count_people"),
    "sum": (tables.Table, "sum"),
    "mean": (tables.Table, "mean"),
    "quantile": (tables.Table, "release"),
    "release": (tables.Table, "release"),
    "explain count": (tables.Table, "explain"),
    "explain sum": (tables.Table, "explain"),
    "explain mean": (tables.Table, "explain"),
    "explain quantile": (tables.Table, "explain"),
    "explain release": (tables.Table, "explain"),
    "keys": (tables.Groups, "keys"),
    "explain keys": (tables.Groups, "explain_keys"),
    "suggest": (tables.Table, "suggest_max_groups"),
    "budget": (Ledger, "to_dict"),
    "publish": (tables.publishing.PublicationFile, "check"),
    "verify": (disclosure.Disclosure, "read"),
    "record": (disclosure.Disclosure, "record"),
    "survey plan": (survey, "plan"),
    "survey perturb": (survey.Survey, "perturb_file"),
    "survey collect": (survey.Survey, "collect"),
    "survey estimate": (survey.Boxes, "estimate"),
    "survey sheet": (survey.Paper, "load"),
    "survey page": (survey.Poll, "load"),
    "survey tally": (survey.Boxes, "add_counts"),
    "survey serve": (serve, "Desk"),
    "survey invite": (serve, "invite"),
    "survey export": (serve, "export"),
    "audit": (audit, "exact"),
    "proof": (audit, "proof"),
    "demo": (discreet.cli.demo, "make"),
    "version": (discreet.cli.version, "versions"),
}
"""The library call that each command is."""
WORDS = {
    "count": "events.csv --person user_id --epsilon 1",
    "sum": "events.csv amount --low 0 --high 10 --person user_id --epsilon 1",
    "mean": "events.csv amount --low 0 --high 10 --person user_id --epsilon 1",
    "quantile": "events.csv amount --at 0.5 --low 0 --high 10 --person user_id --epsilon 1",
    "release": "events.csv --people --mean amount:0:10 --person user_id --epsilon 1",
    "explain count": "events.csv --person user_id --epsilon 1",
    "explain sum": "events.csv amount --low 0 --high 10 --person user_id --epsilon 1",
    "explain mean": "events.csv amount --low 0 --high 10 --person user_id --epsilon 1",
    "explain quantile": "events.csv amount --at 0.5 --low 0 --high 10 --person user_id --epsilon 1",
    "explain release": "events.csv --people --mean amount:0:10 --person user_id --epsilon 1",
    "keys": "events.csv --by city --person user_id --epsilon 1 --delta 1e-6",
    "explain keys": "events.csv --by city --person user_id --epsilon 1 --delta 1e-6",
    "suggest": "events.csv --by city --person user_id",
    "budget": "budget.db",
    "publish": "plan.toml",
    "verify": "disclosure.json",
    "record": "disclosure.json",
    "survey plan": "--choices 3 --epsilon 1",
    "survey perturb": "answers.csv --survey survey.toml --out noisy.csv",
    "survey collect": "monday.parquet --survey survey.toml --out out.json",
    "survey estimate": "box.json",
    "survey sheet": "class.toml --out sheet.html",
    "survey page": "class.toml --out poll.html",
    "survey tally": "class.toml smokes never=52 daily=31 --out class.json",
    "survey serve": "survey.toml --store reports --port 0",
    "survey invite": "survey.toml --store reports --number 3 --create",
    "survey export": "survey.toml --store reports --out noisy.csv",
    "audit": f"'{RR}'",
    "proof": "Rappor",
    "demo": "--folder here --rows 2000 --people 100",
    "version": "",
}


def leaves(group, before=()):
    """Every command, with the words that call it."""
    for name, command in group.commands.items():
        if isinstance(command, click.Group):
            yield from leaves(command, (*before, name))
        else:
            yield " ".join((*before, name)), command


COMMANDS = dict(leaves(app))


class Terminal(io.StringIO):
    """A stream that says that it is a terminal."""

    def isatty(self):
        return True


def terminal(columns, environment):
    """What is said of a terminal beside it: its width, and what it can do."""
    env = {k: v for k, v in os.environ.items() if k not in ("NO_COLOR", "FORCE_COLOR")}
    return env | {"COLUMNS": str(columns), "TERM": "xterm-256color", **environment}


def on_terminal(*words, columns=80, **environment):
    """What a command prints on a terminal of a width."""
    env = mock.patch.dict(os.environ, terminal(columns, environment), clear=True)
    with env, contextlib.redirect_stdout(Terminal()) as printed, pytest.raises(SystemExit) as left:
        app([str(word) for word in words], prog_name="discreet")
    assert left.value.code == 0
    return printed.getvalue()


def on_terminal_apart(*words, columns=80, **environment):
    """The same in a process of its own, on a terminal that the system keeps."""
    master, slave = pty.openpty()
    command = [sys.executable, "-m", "discreet.cli", *map(str, words)]
    with subprocess.Popen(command, stdout=slave, stderr=subprocess.PIPE, env=terminal(columns, environment)) as process:
        os.close(slave)
        read = b""
        with contextlib.suppress(OSError):  # The other end is closed.
            while part := os.read(master, 1 << 16):
                read += part
        os.close(master)
        assert (process.wait(), process.stderr.read()) == (0, b"")
    return read.decode().replace("\r\n", "\n")


def uncoloured(text):
    return re.sub(r"\x1b\[[0-9;]*m", "", text)


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    folder = tmp_path_factory.mktemp("data")
    rows = [(i, city, 1 + i % 12, 5.0) for i in range(400) for city in ("Rome", "Bath", None)]
    frame = pd.DataFrame(rows, columns=["user_id", "city", "month", "amount"])
    frame.to_csv(folder / "events.csv", index=False)
    frame.to_parquet(folder / "events.parquet")
    counted = tables.Table(frame, person="user_id").count_people(epsilon=1)
    counted.disclosure().save(folder / "disclosure.json")
    counted.save(folder / "answer.json")
    (folder / "survey.toml").write_text(TOML)
    (folder / "class.toml").write_text(f"dice = [6, 6]\n{TOML}")
    pd.DataFrame({"smokes": ["never", "daily"] * 100}).to_csv(folder / "answers.csv", index=False)
    asked = survey.Survey.load(folder / "survey.toml")
    for day in ("monday", "tuesday", "may"):
        asked.perturb_file(folder / "answers.csv", folder / f"{day}.parquet")
    asked.collect([folder / "monday.parquet"]).save(folder / "box.json")
    for wave, file in (("spring", "monday"), ("autumn", "tuesday")):
        asked.collect([folder / f"{file}.parquet"], wave=wave).save(folder / f"{wave}.json")
    return folder


@pytest.fixture
def folder(data, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for file in data.iterdir():
        shutil.copy(file, tmp_path)
    with Ledger("budget.db", epsilon=3, delta="1e-5") as book:
        book.charge(epsilon="1/10", table="other.csv")
    tmp_path.joinpath("plan.toml").write_text(
        'source = "events.csv"\nperson = "user_id"\nledger = "budget.db"\nversion = "1"\nout = "published"\n'
        'formats = ["csv"]\nepsilon = 1\n[tables.all]\npeople = true\n'
    )
    tmp_path.joinpath("plan.txt").write_text("3 count events.csv --person user_id --epsilon 0.1\n")
    serve.open_store(survey.Survey.load("survey.toml"), "reports").close()
    return tmp_path


@pytest.fixture(autouse=True)
def no_server_stays(monkeypatch):
    """A collector says where it is and stops at once; its own tests run one."""
    bound = serve.bound_socket
    monkeypatch.setattr(serve, "bound_socket", lambda host, _: bound(host, 0))
    monkeypatch.setattr(serve, "run", lambda _, listening, **__: listening.close())


class TestOneCall:
    def test_every_command_is_one(self):
        assert set(CALLS) == set(WORDS) == set(COMMANDS)

    @pytest.mark.parametrize("name", CALLS)
    def test_the_call_is_made_and_nothing_is_printed_before(self, name, folder, monkeypatch):
        owner, attribute = CALLS[name]
        seen = []

        def called(*args, **kwargs):
            seen.append((args, kwargs))
            raise Called

        monkeypatch.setattr(owner, attribute, called)
        done = run("--debug", *name.split(), *shlex.split(WORDS[name]))
        assert isinstance(done.exception, Called)
        assert (len(seen), done.stdout) == (1, "")

    def test_audit_hands_over_what_was_typed(self, monkeypatch):
        seen = {}
        for name in ("exact", "sampled", "evidence"):
            true = getattr(audit, name)

            def spy(*args, name=name, true=true, **kwargs):
                seen[name] = (args, kwargs)
                return true(*args, **kwargs)

            monkeypatch.setattr(audit, name, spy)
        ok("audit", RR, "--trials", 100)
        mechanism = audit.read(RR)
        worst = audit.exact(mechanism).worst
        assert seen["exact"] == ((mechanism,), {})
        assert seen["sampled"] == ((mechanism, worst.x, worst.y), {"trials": 100})
        assert "evidence" not in seen

    def test_a_list_of_proofs_and_the_evidence_are_calls_too(self, monkeypatch):
        for words, name in ((("proof",), "proofs"), (("audit", "--all"), "evidence")):
            monkeypatch.setattr(audit, name, lambda: (_ for _ in ()).throw(Called))
            assert isinstance(run("--debug", *words).exception, Called)

    def test_demo_and_proof_hand_over_what_was_typed(self, monkeypatch):
        seen = []

        def called(*args, **kwargs):
            seen.append((args, kwargs))
            raise Called

        monkeypatch.setattr(discreet.cli.demo, "make", called)
        monkeypatch.setattr(audit, "proof", called)
        run("demo")
        run("demo", "--folder", "x", "--rows", 5000, "--people", 300)
        run("proof", "rappor")
        default, given = {"rows": 1_000_000, "people": 10_000}, {"rows": 5000, "people": 300}
        assert seen == [(("demo",), default), (("x",), given), (("rappor",), {})]

    def test_no_command_computes(self):
        """The files of commands import nothing that draws, charges or releases, but through the library's results."""
        for module in ("app", "tables", "survey", "audit", "books", "show", "complete", "version"):
            source = (ROOT / "src" / "discreet" / "cli" / f"{module}.py").read_text()
            names = {n.module for n in ast.walk(ast.parse(source)) if isinstance(n, ast.ImportFrom)}
            assert not {name for name in names if name and re.match(r"discreet\.(coins|samplers|mechanisms)", name)}


class TestJson:
    @pytest.mark.parametrize("name", CALLS)
    def test_every_command_speaks_it(self, name, folder):
        text = ok(*name.split(), *shlex.split(WORDS[name]), "--json")
        assert len(lines(text)) == 1
        assert json.loads(text)

    def test_errors_are_json_on_stderr(self, folder):
        done = run("count", "events.csv", "--person", "user_id", "--epsilon", 9, "--ledger", "budget.db", "--json")
        assert (done.exit_code, done.stdout) == (1, "")
        said = json.loads(done.stderr)
        assert (said["kind"], said["exit_code"]) == ("BudgetError", 1)
        assert "nothing was charged" in said["error"]
        done = run("count", "--json")
        assert json.loads(done.stderr)["exit_code"] == done.exit_code == 2

    @pytest.mark.xdist_group("evidence")
    def test_an_audit_says_the_exact_numbers(self, monkeypatch):
        monkeypatch.setattr(audit, "evidence", audited.evidence)
        said = json.loads(ok("audit", RR, "--trials", 200, "--json"))
        worst = audit.exact(audit.read(RR)).worst
        assert (said["exact"]["claimed"], said["exact"]["true"]) == (worst.claimed, float(worst.low))
        assert said["sampled"]["trials"] == 200
        assert said["holds"] is True
        found = json.loads(ok("audit", "--all", "--json"))
        assert list(found) == [name for name, *_ in audit.cases()]

    def test_what_is_not_finite_is_a_text(self):
        said = json.loads(ok("audit", "RandomizedResponseBool(prob=1)", "--json"))
        assert said["exact"]["claimed"] == "inf"

    def test_versions_are_the_libraries(self):
        said = json.loads(ok("version", "--json"))
        assert said["discreet"] == discreet.__version__
        assert said["packages"]["cli"]["click"] is not None


def _examples():
    for name, command in COMMANDS.items():
        for line in joined(command.help or ""):
            if line.startswith("discreet "):
                yield name, line


EXAMPLES = list(_examples())


def _marked(name, example):
    """An example as a parameter: the evidence is made once, and an audit of thousands of trials takes seconds."""
    marks = {"--all": pytest.mark.xdist_group("evidence"), "--trials": pytest.mark.deep}
    return pytest.param(name, example, marks=[mark for word, mark in marks.items() if word in example])


class TestExamples:
    def test_every_command_has_one(self):
        assert {name for name, _ in EXAMPLES} == set(COMMANDS)

    @pytest.mark.parametrize(("name", "example"), list(itertools.starmap(_marked, EXAMPLES)), ids=lambda text: text)
    def test_they_run(self, name, example, folder, monkeypatch):
        words = shlex.split(example)[1:]
        assert " ".join(words).startswith(name)
        if name == "demo":  # Its own tests run it; what is asked of it here is that it be asked.
            small = discreet.cli.demo.make(folder / "small", rows=2000, people=100)
            monkeypatch.setattr(discreet.cli.demo, "make", lambda *_, **__: small)
        monkeypatch.setattr(audit, "evidence", audited.evidence)
        if "--create" in words:
            Path("budget.db").unlink()
        if "collect" in words:
            Path(words[words.index("--out") + 1]).unlink()  # The folder has the boxes that others read.
        done = run(*words)
        assert done.exit_code == 0, done.stderr

    @pytest.mark.parametrize(("name", "example"), EXAMPLES, ids=lambda text: text)
    def test_they_stand_on_lines_of_their_own(self, name, example):
        assert example in joined(ok(*name.split(), "--help"))

    @pytest.mark.parametrize("name", COMMANDS)
    def test_help_fits_a_terminal_of_eighty_columns(self, name):
        assert max(map(len, lines(ok(*name.split(), "--help")))) <= 80

    @pytest.mark.parametrize("name", COMMANDS)
    def test_every_option_says_what_it_is(self, name):
        assert all(option.help for option in COMMANDS[name].params if isinstance(option, click.Option))
        assert ok(*name.split(), "--help").startswith(f"Usage: discreet {name}")

    def test_the_help_lists_every_command_once(self):
        text = ok("--help")
        for name in app.commands:
            assert len(re.findall(rf"^  {name} +\S", text, re.MULTILINE)) == 1
        assert "..." not in text.split("Every command")[0].split("Publish tables:")[1]


class TestErrors:
    def test_what_was_not_foreseen_is_one_line_that_quotes_nothing(self, monkeypatch):
        def broken(*_, **__):
            raise RuntimeError(f"row 7: {SENTINEL}")

        monkeypatch.setattr(survey, "plan", broken)
        words = ("survey", "plan", "--choices", "3", "--epsilon", "1")
        done = run(*words)
        assert (done.exit_code, done.stdout, len(lines(done.stderr))) == (1, "", 1)
        assert SENTINEL not in done.stderr
        assert "RuntimeError" in done.stderr
        assert "--debug" in done.stderr
        assert isinstance(run(*words, "--debug").exception, RuntimeError)

    @pytest.mark.parametrize(
        ("words", "code", "said"),
        [
            ("count events.csv --person user_id --by citty --max-groups 1 --epsilon 1 --delta 1e-6", 2, "mean 'city'"),
            ("count events.csv --person user_id --by city --epsilon 1 --delta 1e-6", 2, "`discreet explain`"),
            ("count events.csv --person user_id --by city --max-groups 1 --epsilon 1", 2, "--delta: need delta > 0"),
            ("count events.csv --person user_id --epsilon x", 2, "--epsilon 'x': need"),
            ("count none.csv --person user_id --epsilon 1", 2, "FILE 'none.csv': need"),
            ("count events.csv --person user_id --epsilon 1 --ledger none.db", 1, "discreet budget PATH --create"),
            ("budget budget.db --create --epsilon 4", 1, "leave --create"),
            ("budget budget.db --entry 7", 2, "the books hold 1 entry;"),
            ("count --nothing", 2, "see `discreet count --help`"),
            ("conut", 2, "see `discreet --help`"),
            ("survey estimate none.json", 1, "none.json: No such file or directory; check the path"),
            ("audit", 2, "--all"),
            ("audit x --all", 2, "--all"),
            ("audit Rapor(length=3)", 2, "did you mean 'Rappor'"),
            ("audit 'Rappor(length=99, max_weight=1, f=1/2)'", 1, "--trials 100000"),
            (f"audit '{RR}' --trials 1", 2, "--trials 1: need"),
            ("proof rapor", 2, "did you mean 'Rappor'"),
            ("demo --rows 10", 2, "--rows 10: need"),
            ("demo --folder .", 2, "that is empty"),
            ("count events.csv --person user_id --by city --max-groups 1 --epsilon 1 --null x", 2, "--key or --keys"),
        ],
    )
    def test_a_hint_is_in_the_command_lines_words(self, words, code, said, folder):
        done = run(*shlex.split(words))
        assert (done.exit_code, done.stdout, len(lines(done.stderr))) == (code, "", 1)
        assert done.stderr.startswith("discreet: ")
        assert said in done.stderr
        assert "suggest_max_groups" not in done.stderr

    def test_debug_may_stand_anywhere(self, folder):
        words = ("budget", "none.db")
        for typed in (("--debug", *words), (*words, "--debug")):
            assert isinstance(run(*typed).exception, discreet.LedgerError)

    def test_a_claim_that_does_not_hold_is_1(self, monkeypatch):
        monkeypatch.setattr(discreet.RandomizedResponse, "privacy_map", lambda *_: 1.0)
        done = run("audit", RR)
        assert done.exit_code == 1
        assert done.stdout.startswith("VIOLATED")
        monkeypatch.undo()
        assert ok("audit", RR).startswith("holds")

    def test_nobody_reading_is_no_error_to_speak_of(self):
        command = f"{shlex.quote(sys.executable)} -m discreet.cli proof bounding | true; echo ${{PIPESTATUS[0]}}"
        for _ in range(tiers.cases(1, 3)):
            done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=True)
            assert done.stderr == ""
            assert done.stdout.strip() in ("0", "1")

    def test_a_terminal_without_the_signs_gets_others(self):
        env = os.environ | {"PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}
        for words in (("survey", "plan", "--choices", "3", "--epsilon", "1"), ("proof", "rappor")):
            command = [sys.executable, "-m", "discreet.cli", *words]
            done = subprocess.run(command, capture_output=True, env=env, check=False)
            assert (done.returncode, done.stderr) == (0, b"")
            assert done.stdout.isascii()


class TestPipesAndTerminals:
    LONG = "Llanfairpwllgwyngyllgogerychwyrndrobwllllantysiliogogoch, by the whirlpool"

    @pytest.fixture
    def wide(self, folder):
        names = [f"a rather long name of a column {i}" for i in range(4)]
        rows = [(i, *[f"{self.LONG} {j}" for j in range(4)]) for i in range(300)]
        pd.DataFrame(rows, columns=["user_id", *names]).to_csv("wide.csv", index=False)
        by = [word for name in names for word in ("--by", name)]
        return [
            "count",
            "wide.csv",
            "--person",
            "user_id",
            "--max-groups",
            "1",
            "--epsilon",
            "1",
            "--delta",
            "1e-6",
            *by,
        ]

    def test_a_pipe_has_no_codes_and_cuts_and_folds_nothing(self, wide):
        text = ok(*wide)
        assert "\x1b" not in text
        assert "…" not in text
        [row] = [line for line in lines(text) if self.LONG in line]
        assert all(f"{self.LONG} {j}" in row for j in range(4))
        assert not any(line.endswith(" ") for line in lines(text))

    def test_a_narrow_terminal_shows_every_cell(self, wide):
        for columns in (40, 80, 120):
            text = uncoloured(on_terminal(*wide, columns=columns))
            assert "…" not in text
            assert max(map(len, lines(text))) <= columns
            cells = Counter("".join(f"{self.LONG} {j}" for j in range(4)).replace(" ", ""))
            assert Counter(text) >= cells  # Folded beside each other, or each on lines of its own.

    def test_numbers_are_never_folded(self, folder):
        words = ("survey", "plan", "--choices", 10, "--epsilon", 1, "--margin", "0.001")
        people = [f"{row['people']:,}" for row in json.loads(ok(*words, "--json"))["options"]]
        for columns in (30, 60, 80):
            text = uncoloured(on_terminal(*words, columns=columns))
            assert all(re.search(rf"(^|\s){number}(\s|$)", text, re.MULTILINE) for number in people)

    def test_colours_are_for_terminals_that_want_them(self, folder):
        coloured = on_terminal_apart("budget", "budget.db")
        assert coloured == on_terminal("budget", "budget.db")
        assert "\x1b[36m" in coloured
        plain = on_terminal("budget", "budget.db", NO_COLOR="1")
        assert "\x1b[36m" not in plain
        assert uncoloured(plain) == uncoloured(coloured)
        assert "\x1b" not in on_terminal("budget", "budget.db", TERM="dumb")

    @pytest.mark.parametrize("name", sorted(set(COMMANDS) - {"demo"}))
    def test_everything_fits_a_terminal_of_80(self, name, folder):
        text = uncoloured(on_terminal(*name.split(), *shlex.split(WORDS[name]), columns=80))
        assert max(map(len, lines(text))) <= 80
        for line in lines(run(*name.split(), "--help", env={"COLUMNS": "80"}).stdout):
            assert len(line) <= 80 or line.strip().startswith("discreet "), line

    def test_a_key_cannot_command_the_terminal(self, folder):
        nasty = "\x1b[2J[red]Rome[/red]\r\n:smile:"
        pd.DataFrame({"user_id": range(300), "city": [nasty] * 300}).to_parquet("nasty.parquet")
        words = ("count", "nasty.parquet", "--person", "user_id", "--by", "city", "--max-groups", 1)
        text = ok(*words, "--epsilon", 1, "--delta", "1e-6")
        assert r"\x1b[2J[red]Rome[/red]\r\n:smile:" in text
        assert "\x1b" not in text

    def test_a_grid_becomes_blocks_where_it_must(self):
        from rich.console import Console

        grid = Grid(["city", "people", "interval"], [["Rome", "1,234,567", "1,234,560 to 1,234,574"]], "trr")
        for width, blocks in ((60, False), (20, True)):
            console = Console(width=width, record=True, file=io.StringIO())
            console.print(grid.drawn(width))
            text = console.export_text()
            assert ("people    1,234,567" in text) is blocks
            assert "1,234,567" in text


class TestBudget:
    @pytest.fixture
    def spent(self, folder):
        who = ("--person", "user_id", "--epsilon", "1/3", "--ledger", "budget.db")
        groups = ("--by", "city", "--max-groups", 3, "--delta", "1e-6")
        ok("count", "events.csv", *who, *groups, "--where", "month < 7", "--type", "month=integer")
        ok("suggest", "events.csv", "--person", "user_id", "--by", "city", "--ledger", "budget.db")
        return Ledger("budget.db")

    def test_it_says_what_was_spent_on_what_and_when_and_what_is_left(self, spent):
        text = ok("budget", "budget.db")
        other, count, suggestion = lines(text)[3:6]
        when = spent.entries()[1].when
        assert other.split()[3:] == ["other.csv", "100", "0.1", "0"]
        assert f"{when:%Y-%m-%d %H:%M}  events.csv: people by city, where month < 7, max_groups 3" in count
        assert count.split()[-2] == "1/3"
        assert "events.csv: suggestion of max_groups" in suggestion
        left = spent.left.epsilon
        assert left == Fraction("2.9") - Fraction(1, 3) - Fraction(1, 10)
        assert amount(left, up=False) == "2.46"
        assert "0.534 of 3 spent, 2.46 left" in text
        assert "[#####.........................]" in text

    def test_one_charge_is_shown_whole(self, spent):
        text = ok("budget", "budget.db", "--entry", 2)
        receipt = spent.entries()[1].receipt
        for said in (receipt["mechanisms"]["people"], receipt["sha256"], receipt["engine"], "month < 7", "1/3"):
            assert said in text
        assert json.loads(ok("budget", "budget.db", "--entry", 2, "--json"))["receipt"] == receipt

    def test_amounts_are_on_the_safe_side(self):
        for text in ("1/3", "1e-7", "0.123456789", "12345.6789", "7/9000000", "99999.99", "1e-300", "123456789"):
            x = Fraction(text)
            up, down = Fraction(amount(x, up=True)), Fraction(amount(x, up=False))
            assert down <= x <= up
            assert up - down <= x / 99

    def test_anyones_receipt_will_do(self):
        assert described(None) == described("x") == described({"schema": 3}) == ""
        asked = {"aggregates": [{"name": "rows", "kind": "rows", "most": 2}], "by": []}
        assert described({"schema": "discreet.tables.receipt", **asked}) == "rows"


PAGES = {
    "count": "count events.csv --person user_id --by city --max-groups 3 --epsilon 1 --delta 1e-6",
    "sum": "sum events.csv amount --low 0 --high 10 --person user_id --epsilon 1",
    "mean": "mean events.csv amount --low 0 --high 10 --person user_id --epsilon 1",
    "plan": "survey plan --choices 3 --epsilon 1 --margin 0.05",
    "estimate": "survey estimate box.json",
    "audit": f"audit '{RR}' --trials 100",
}


class TestHtml:
    @pytest.mark.parametrize("name", PAGES)
    def test_a_page_is_written_and_named(self, name, folder):
        words = shlex.split(PAGES[name])
        assert lines(ok(*words, "--html", "a.html"))[-1] == "a.html: open it in a browser"
        page = Path("a.html").read_text(encoding="utf-8")
        assert page.startswith("<!doctype html>")
        assert {"count": "Rome", "estimate": "smokes", "audit": "The claim holds."}.get(name, "epsilon") in page
        said = json.loads(ok(*words, "--html", "b.html", "--json"))
        assert said["html"] == "b.html"
        assert Path("b.html").exists()

    @pytest.mark.parametrize("name", PAGES)
    @pytest.mark.parametrize("place", ["report.txt", "none/report.html", "taken.html"])
    def test_a_place_that_will_not_do_is_found_first(self, name, place, folder, monkeypatch):
        Path("taken.html").mkdir()
        called = []
        for owner, attribute in (
            (survey, "plan"),
            (survey.Boxes, "estimate"),
            (audit, "exact"),
            (tables.Table, "group_by"),
            (tables.Table, "sum"),
            (tables.Table, "mean"),
        ):
            monkeypatch.setattr(owner, attribute, lambda *_, **__: called.append(1))
        words = shlex.split(PAGES[name])
        ledger = ("--ledger", "budget.db") if name in ("count", "sum", "mean") else ()
        done = run(*words, *ledger, "--html", place)
        assert (done.exit_code, done.stdout, called) == (2, "", [])
        assert place in done.stderr
        assert len(Ledger("budget.db").entries()) == 1

    def test_both_files_can_be_had(self, folder):
        text = ok(*shlex.split(PAGES["count"]), "--out", "a.parquet", "--html", "a.html")
        named = [line.split(":")[0] for line in lines(text)]
        assert (named[0], named[-1]) == ("a.parquet", "a.html")
        assert named[1] == "Bias"
        assert {"a.parquet", "a.html"} <= {path.name for path in folder.iterdir()}

    def test_what_is_read_is_not_overwritten(self, folder):
        Path("events.csv").rename("events.html")
        words = PAGES["count"].replace("events.csv", "events.html")
        done = run(*shlex.split(words), "--html", "./events.html")
        assert done.exit_code == 2
        Path("keys.html").write_text("Rome\n")
        words = "count events.parquet --person user_id --by city --max-groups 3 --epsilon 1 --keys keys.html"
        done = run(*shlex.split(words), "--html", "keys.html")
        assert (done.exit_code, Path("keys.html").read_text()) == (2, "Rome\n")
        assert "need another file" in done.stderr

    def test_a_disk_that_fails_shows_what_was_paid_for(self, folder, monkeypatch):
        def full(*_):
            raise OSError(28, "No space left on device")

        monkeypatch.setattr(discreet.files.os, "fsync", full)
        done = run(*shlex.split(PAGES["count"]), "--html", "a.html")
        assert done.exit_code == 1
        assert "No space left" in done.stderr
        assert "Rome" in done.stdout
        assert not Path("a.html").exists()

    def test_the_table_of_evidence_has_no_page(self):
        assert run("audit", "--all", "--html", "a.html").exit_code == 2


class TestKeys:
    def test_a_missing_key_can_be_typed(self, folder):
        Path("keys.txt").write_text("Rome\n-\n")
        words = ("count", "events.csv", "--person", "user_id", "--by", "city", "--max-groups", 3, "--epsilon", 1)
        for typed in (("--key", "Rome", "--key", "-"), ("--keys", "keys.txt")):
            rows = json.loads(ok(*words, *typed, "--null", "-", "--json"))["rows"]
            assert [row["city"] for row in rows] == ["Rome", None]
            assert all(350 < row["people"] < 450 for row in rows)
        assert "no value " in ok(*words, "--key", "-", "--null", "-")
        both = ("--by", "month", "--type", "month=integer", "--key", "-,1", "--key", "Rome,-")
        rows = json.loads(ok(*words, *both, "--null", "-", "--json"))["rows"]
        assert [(row["city"], row["month"]) for row in rows] == [(None, 1), ("Rome", None)]

    def test_without_it_nothing_typed_is_missing(self, folder):
        words = ("count", "events.csv", "--person", "user_id", "--by", "city", "--max-groups", 3, "--epsilon", 1)
        for text in ("", "null", "NULL", "None"):
            assert json.loads(ok(*words, "--key", text, "--json"))["rows"][0]["city"] == text


class TestCompletion:
    def complete(self, *words, incomplete=""):
        found = ShellComplete(app, {}, "discreet", "_DISCREET_COMPLETE").get_completions(list(words), incomplete)
        return [item.value for item in found]

    @pytest.mark.parametrize("shell", tiers.each(["bash", "zsh", "fish"], 3))
    def test_each_shell_gets_a_script_and_answers(self, shell, folder):
        environment = os.environ | {"_DISCREET_COMPLETE": f"{shell}_source"}
        start = [sys.executable, "-c", "from discreet.cli import main; main()"]
        done = subprocess.run(start, env=environment, capture_output=True, text=True, check=False)
        assert (done.returncode, done.stderr) == (0, "")
        assert "_DISCREET_COMPLETE" in done.stdout
        words = "discreet count events.csv --by "
        asked = {
            "_DISCREET_COMPLETE": f"{shell}_complete",
            "COMP_WORDS": words,
            "COMP_CWORD": "" if shell == "fish" else "4",
        }
        done = subprocess.run(start, env=os.environ | asked, capture_output=True, text=True, check=False)
        assert (done.returncode, done.stderr) == (0, "")
        assert {"user_id", "city", "month", "amount"} <= set(re.split(r"[,\s]", done.stdout))

    def test_the_help_says_how(self):
        for line in (
            'eval "$(_DISCREET_COMPLETE=bash_source discreet)"',
            "_DISCREET_COMPLETE=fish_source discreet | source",
        ):
            assert line in ok("--help")

    def test_commands_and_options(self):
        assert self.complete(incomplete="su") == ["suggest", "sum", "survey"]
        assert self.complete("survey", incomplete="p") == ["page", "perturb", "plan"]
        assert "--max-groups" in self.complete("count", incomplete="--max")

    @pytest.mark.parametrize("file", ["events.csv", "events.parquet", "*.parquet"])
    def test_columns_of_the_file(self, file, folder):
        if "*" in file:
            for day in ("monday", "tuesday"):
                Path(f"{day}.parquet").unlink()
        assert self.complete("count", file, "--by") == ["user_id", "city", "month", "amount"]
        assert self.complete("count", file, "--by", "city", "--by") == ["user_id", "month", "amount"]
        assert self.complete("sum", file, incomplete="am") == ["amount"]
        assert self.complete("count", file, "--person", incomplete="u") == ["user_id"]

    @pytest.mark.parametrize("file", ["none.csv", "box.json", "none.parquet", "sqlite://x", "*.none", "/*.csv"])
    def test_a_file_that_cannot_be_read_has_none_and_no_errors(self, file, folder):
        Path("none.parquet").write_text("no")
        assert self.complete("count", file, "--by") == []

    def test_names_of_proofs_and_mechanisms(self):
        assert self.complete("proof", incomplete="rand") == ["RandomizedResponse", "RandomizedResponseBool"]
        assert self.complete("audit", incomplete="Opt") == ["OptimizedUnary("]
        assert self.complete("audit", incomplete="Int") == ["IntegerGaussian(", "IntegerLaplace("]


class TestProof:
    def test_it_is_rendered_and_its_formulas_can_be_read(self):
        text = ok("proof", "rappor")
        assert "Basic RAPPOR" in text
        assert "min(2m, k)ln((2-f)/f)" in text.replace("\n", "")
        assert not re.search(r"\$|\\frac|\\ge|<!--", text)
        assert max(map(len, lines(text))) <= 100

    @pytest.mark.parametrize("name", audit.proofs())
    def test_no_formula_is_left(self, name):
        text = ok("proof", name)
        assert not re.search(r"\$|\\[a-zA-Z]{2,}|\{[a-z]*\}\{", text)

    def test_json_has_the_document_itself(self):
        assert json.loads(ok("proof", "bounding", "--json"))["markdown"] == audit.proof("bounding")

    def test_the_list_has_every_one(self):
        assert [line.split()[0] for line in lines(ok("proof"))[2:]] == list(audit.proofs())


class TestVersion:
    def test_every_extra_is_as_in_the_project(self):
        import tomllib

        extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
        for name, listed in discreet.cli.version.PARTS.items():
            needs = extras["dependencies"] if name == "discreet" else extras["optional-dependencies"][name]
            plain = {re.split(r"[\[<>=]", need)[0] for need in needs} - {"discreet"}
            assert set(listed) | ({"ibis-framework"} if name == "spark" else set()) == plain
        assert set(discreet.cli.version.PARTS) == set(extras["optional-dependencies"]) - {
            "dev",
            "bench",
            "all",
            "docs",
        } | {"discreet"}

    def test_what_is_missing_is_said_with_the_remedy(self, monkeypatch):
        monkeypatch.setitem(discreet.cli.version.PARTS, "plot", ("matplotlib", "no-such-package"))
        assert "lacks no-such-package: pip install 'discreet[plot]'" in ok("version")
        assert json.loads(ok("version", "--json"))["packages"]["plot"]["no-such-package"] is None

    def test_it_imports_none_of_it(self):
        code = (
            "import sys; sys.argv = ['discreet', 'version']\n"
            "from discreet.cli import main\n"
            "try: main()\n"
            "finally: print([n for n in ('pandas', 'ibis', 'duckdb', 'matplotlib', 'pyarrow') if n in sys.modules])"
        )
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
        assert lines(done.stdout)[-1] == "[]"


def test_the_wheel_carries_the_proofs_and_the_command(tmp_path):
    pytest.importorskip("hatchling", reason="pip install hatchling")
    words = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)]
    subprocess.run(words, cwd=ROOT, check=True, capture_output=True)
    [wheel] = tmp_path.glob("*.whl")
    with zipfile.ZipFile(wheel) as file:
        names = set(file.namelist())
        entry = next(name for name in names if name.endswith("entry_points.txt"))
        assert "discreet = discreet.cli:program" in file.read(entry).decode()
    source = ROOT / "src"
    wanted = {path.relative_to(source).as_posix() for path in source.rglob("*.md")}
    assert len(wanted) == len(audit.proofs())
    assert wanted <= names


def test_the_main_function_needs_its_extra():
    assert "discreet[cli]" in getsource(discreet.cli.main)
