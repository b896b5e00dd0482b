"""The command line: each command is one library call, with one line for an error and JSON for machines."""

import json
import shlex
from inspect import signature
from math import ceil, floor

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

click = pytest.importorskip("click", reason="pip install 'discreet[cli]'")
from command import Called, assert_one_line, joined, lines, run, run_apart  # noqa: E402  After the check that it is there.

import discreet  # noqa: E402
from discreet import EntropyError, survey  # noqa: E402
from discreet.cli.app import app  # noqa: E402
from discreet.coins import SystemCoins  # noqa: E402
from discreet.exact import written  # noqa: E402
from discreet.survey import Boxes, Survey  # noqa: E402

SENTINEL = "sentinel-7919"
TOML = """
epsilon = 4
[[questions]]
name = "smokes"
choices = ["never", "sometimes", "daily"]
missing = "no answer"
[[questions]]
name = "city"
choices = ["a", "b", "c", "d", "e", "f", "g", "h"]
mechanism = "OptimizedUnary"
"""
COMMANDS = ["plan", "perturb", "collect", "estimate"]


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "survey.toml").write_text(TOML)
    answers = {"smokes": ["never", "daily", None, "sometimes"] * 50, "city": list("abcdefgh") * 25, "n": range(200)}
    pd.DataFrame(answers).to_csv(tmp_path / "answers.csv", index=False)
    pq.write_table(pa.table({key: list(value) for key, value in answers.items()}), tmp_path / "answers.parquet")
    return tmp_path


class TestEndToEnd:
    @pytest.mark.parametrize("source", ["answers.csv", "answers.parquet"])
    @pytest.mark.parametrize("target", ["noisy.csv", "noisy.parquet"])
    def test_from_answers_to_estimates(self, source, target, folder):
        asked = folder / "survey.toml"
        done = run("survey", "perturb", folder / source, "--survey", asked, "--out", folder / target, "--keep", "n")
        assert (done.exit_code, done.stderr) == (0, "")
        assert "200 people" in done.stdout
        assert done.stdout.endswith("each loses at most epsilon 4\n")
        done = run("survey", "collect", folder / target, "--survey", asked, "--out", folder / "box.json")
        assert (done.exit_code, done.stderr) == (0, "")
        assert [line.split() for line in lines(done.stdout)[3:]] == [["smokes", "200", "0"], ["city", "200", "0"]]
        done = run("survey", "estimate", folder / "box.json")
        assert (done.exit_code, done.stderr) == (0, "")
        for row in Boxes.load(folder / "box.json").estimate().to_rows():
            numbers = [f"{100 * row['share']:.1f}"]
            numbers += [f"{side(row[name] * 1000) / 10:.1f}" for name, side in (("low", floor), ("high", ceil))]
            numbers += [f"{100 * row['error']:.1f}"]
            [line] = [line for line in lines(done.stdout) if line.startswith(f"{row['choice']} ")]
            assert line.removeprefix(row["choice"]).replace(" to ", " ").split()[:4] == numbers
        assert "smokes  200 reports\n" in done.stdout
        kept = pd.read_csv(folder / target) if target.endswith("csv") else pq.read_table(folder / target).to_pandas()
        assert kept["n"].astype(int).tolist() == list(range(200))

    def test_every_command_speaks_json(self, folder):
        asked = folder / "survey.toml"
        said = json.loads(run("survey", "plan", "--choices", 10, "--epsilon", 1, "--people", 100, "--json").stdout)
        assert said["options"] == json.loads(json.dumps(survey.plan(10, epsilon=1, people=100).to_rows()))
        assert said["limit"] == survey.plan(10, epsilon=1).limit
        noisy = folder / "noisy.csv"
        done = run("survey", "perturb", folder / "answers.csv", "--survey", asked, "--out", noisy, "--json")
        loss = Survey.load(asked).privacy_map(1)
        assert json.loads(done.stdout) == {"out": str(noisy), "people": 200, "epsilon": loss}
        done = run("survey", "collect", noisy, "--survey", asked, "--out", folder / "box.json", "--json")
        counts = {"reports": 200, "refused": {}}
        assert json.loads(done.stdout) == {
            "out": str(folder / "box.json"),
            "questions": {"smokes": counts, "city": counts},
        }
        done = run("survey", "estimate", folder / "box.json", "--confidence", "0.9", "--simultaneous", "--json")
        expected = Boxes.load(folder / "box.json").estimate(confidence="0.9", simultaneous=True)
        facts = {
            name: {"reports": 200, "refused": 0, "misfit": {"p": found.misfit.p, "implausible": False}}
            for name, found in expected.items()
        }
        assert json.loads(done.stdout) == {"questions": facts, "estimates": expected.to_rows()}

    def test_boxes_and_patterns_are_collected_with_files(self, folder):
        asked = folder / "survey.toml"
        for i in range(2):
            out = folder / f"noisy-{i}.parquet"
            run("survey", "perturb", folder / "answers.csv", "--survey", asked, "--out", out)
        run("survey", "collect", folder / "noisy-0.parquet", "--survey", asked, "--out", folder / "first.json")
        words = [folder / "noisy-*.parquet", folder / "first.json"]
        done = run("survey", "collect", *words, "--survey", asked, "--out", folder / "all.json")
        assert done.exit_code == 2
        assert "counted in both boxes" in done.stderr
        words = [folder / "noisy-1.parquet", folder / "first.json"]
        done = run("survey", "collect", *words, "--survey", asked, "--out", folder / "all.json")
        assert done.exit_code == 0
        assert Boxes.load(folder / "all.json")["city"].n == 400

    def test_a_box_is_not_overwritten_but_by_what_is_added_to_it(self, folder):
        asked, box = folder / "survey.toml", folder / "day.json"
        for i in range(2):
            out = folder / f"noisy-{i}.parquet"
            run("survey", "perturb", folder / "answers.csv", "--survey", asked, "--out", out)
        collect = ("survey", "collect", "--survey", asked, "--out", box)
        assert run(*collect, folder / "noisy-0.parquet").exit_code == 0
        done = run(*collect, folder / "noisy-1.parquet")
        assert done.exit_code == 2
        assert done.stderr.startswith(f"discreet: {box} exists: --out needs a new file, or add {box} to those")
        assert Boxes.load(box)["city"].n == 200
        assert run(*collect, folder / "noisy-1.parquet", box).exit_code == 0
        assert Boxes.load(box)["city"].n == 400

    def test_refused_reports_are_shown(self, folder):
        (folder / "noisy.csv").write_text('smokes,city\nnever,"01"\noften,"zz"\n')
        done = run(
            "survey", "collect", folder / "noisy.csv", "--survey", folder / "survey.toml", "--out", folder / "b.json"
        )
        assert [line.split()[:3] for line in lines(done.stdout)[3:]] == [["smokes", "1", "1"], ["city", "1", "1"]]

    def test_a_plan_shows_what_the_library_says(self):
        done = run("survey", "plan", "--choices", "10", "--epsilon", "1", "--margin", "0.02")
        made = survey.plan(10, epsilon=1, margin="0.02")
        shown = lines(done.stdout)[3:-2]
        assert len(shown) == len(made.options)
        for line, option in zip(shown, made.options, strict=True):
            assert line.startswith(option.name)
            people = [f"{option.people:,}", f"{100 * option.error:.2f}", f"{100 * option.margin:.2f}"]
            influence = written(option.influence, up=True)
            assert line.split()[-6:] == [f"{100 * option.of_limit:.1f}", "%", influence, *people]

    def test_the_module_is_the_command(self):
        done = run_apart("survey", "plan", "--choices", "2", "--epsilon", "1/2")
        assert (done.returncode, done.stderr) == (0, "")
        assert done.stdout == run("survey", "plan", "--choices", "2", "--epsilon", "1/2").stdout
        assert "RandomizedResponse" in done.stdout


class TestOneCall:
    """Each command hands what was typed to the library, and does nothing else first."""

    def stop(self, monkeypatch, owner, name, seen):
        def called(*args, **kwargs):
            seen.append((args, kwargs))
            raise Called

        monkeypatch.setattr(owner, name, called)

    def test_plan(self, monkeypatch):
        seen = []
        self.stop(monkeypatch, survey, "plan", seen)
        words = ["--choices", "7", "--epsilon", "1/3", "--margin", "0.01", "--confidence", "0.9"]
        assert isinstance(run("--debug", "survey", "plan", *words).exception, Called)
        wanted = {"margin": "0.01", "people": None, "max_share": None, "confidence": "0.9"}
        assert seen == [((7,), {"epsilon": "1/3"} | wanted)]
        run("--debug", "survey", "plan", "--choices", "7", "--epsilon", "1", "--people", "50")
        wanted = {"margin": None, "people": 50, "max_share": None, "confidence": "0.95"}
        assert seen[1] == ((7,), {"epsilon": "1"} | wanted)

    def test_perturb(self, monkeypatch, folder):
        seen = []
        self.stop(monkeypatch, Survey, "perturb_file", seen)
        words = ["in.csv", "--survey", folder / "survey.toml", "--out", "out.csv", "--keep", "a", "--keep", "b"]
        assert isinstance(run("--debug", "survey", "perturb", *words).exception, Called)
        [((asked, *args), kwargs)] = seen
        assert asked.forms == Survey.load(folder / "survey.toml").forms
        assert (args, kwargs) == (["in.csv", "out.csv"], {"keep": ("a", "b")})

    def test_collect(self, monkeypatch, folder):
        seen = []
        self.stop(monkeypatch, Survey, "collect", seen)
        words = ["1.csv", "2.parquet", "--survey", folder / "survey.toml", "--out", "box.json"]
        assert isinstance(run("--debug", "survey", "collect", *words).exception, Called)
        [((asked, *args), kwargs)] = seen
        assert asked.forms == Survey.load(folder / "survey.toml").forms
        assert (args, kwargs) == ([("1.csv", "2.parquet")], {"wave": None})

    def test_estimate(self, monkeypatch, folder):
        Survey.load(folder / "survey.toml").collector().save(folder / "box.json")
        seen = []
        self.stop(monkeypatch, Boxes, "estimate", seen)
        words = [folder / "box.json", "--confidence", "0.99", "--simultaneous"]
        assert isinstance(run("--debug", "survey", "estimate", *words).exception, Called)
        [((boxes, *args), kwargs)] = seen
        assert (list(boxes), args) == (["smokes", "city"], [])
        assert kwargs == {"people": None, "confidence": "0.99", "simultaneous": True}

    @pytest.mark.parametrize("command", COMMANDS)
    def test_every_option_is_a_parameter_of_the_call(self, command):
        """Nothing can be typed that the library has no parameter for, beside the files and the form of the output."""
        calls = [survey.plans.make_plan, Survey.perturb_file, Survey.collect, Boxes.estimate]
        parameters = set(signature(dict(zip(COMMANDS, calls, strict=True))[command]).parameters)
        options = {option.name for option in app.commands["survey"].commands[command].params}
        assert options - {"survey_file", "out", "html", "as_json", "answers", "noisy", "box"} <= parameters


class TestHelp:
    @pytest.mark.parametrize("words", [(), ("survey",), *(("survey", command) for command in COMMANDS)], ids=" ".join)
    @pytest.mark.parametrize("flag", ["-h", "--help"])
    def test_everything_has_help(self, words, flag):
        done = run(*words, flag)
        assert (done.exit_code, done.stderr) == (0, "")
        assert done.stdout.startswith(f"Usage: discreet {' '.join(words)}".strip())

    @pytest.mark.parametrize("command", COMMANDS)
    def test_every_command_has_an_example_that_parses(self, command):
        called, start = app.commands["survey"].commands[command], f"discreet survey {command} "
        examples = [line for line in joined(called.help) if line.startswith(start)]
        assert examples
        shown = joined(run("survey", command, "--help").stdout)
        for example in examples:
            assert called.make_context(command, example.removeprefix(start).split()).params
            assert example in shown

    @pytest.mark.parametrize("command", COMMANDS)
    def test_the_example_stands_on_a_line_of_its_own(self, command):
        text = run("survey", command, "--help").stdout
        assert "\\b" not in text
        assert any(line.strip().startswith(f"discreet survey {command} ") for line in lines(text))

    def test_every_option_says_what_it_is(self):
        for command in COMMANDS:
            for option in app.commands["survey"].commands[command].params:
                if isinstance(option, click.Option):
                    assert option.help, (command, option.name)

    def test_the_group_shows_what_a_survey_looks_like(self):
        text = run("survey", "--help").stdout
        assert "[[questions]]" in text
        assert all(command in text for command in COMMANDS)

    def test_the_version_is_the_librarys(self):
        assert run("--version").stdout == f"discreet, version {discreet.__version__}\n"

    @pytest.mark.parametrize("name", ["survey", "explain"])
    def test_a_group_alone_shows_its_help(self, name):
        done = run(name)
        assert (done.exit_code, done.stderr) == (0, "")
        assert done.stdout.startswith(f"Usage: discreet {name}")

    def test_nothing_greets_and_shows_both_jobs(self):
        done = run()
        assert (done.exit_code, done.stderr) == (0, "")
        assert done.stdout.startswith(f"discreet {discreet.__version__}")
        assert max(map(len, lines(done.stdout))) <= 80
        text = done.stdout.replace("\\\n", " ")
        tried = [shlex.split(line)[1:] for line in lines(text) if line.startswith("    discreet ")]
        assert [words[0] for words in tried] == ["count", "survey"]
        count, plan = tried
        assert app.commands["count"].make_context("count", count[1:]).params["by"] == ("city",)
        assert run(*plan).exit_code == 0


class TestErrors:
    @pytest.mark.parametrize(
        "words",
        [
            ("nothing",),
            ("--nothing",),
            ("survey", "nothing"),
            ("survey", "plan"),
            ("survey", "plan", "--choices", "3"),
            ("survey", "plan", "--choices", "many", "--epsilon", "1"),
            ("survey", "plan", "--choices", "1", "--epsilon", "1"),
            ("survey", "plan", "--choices", "3", "--epsilon", "0"),
            ("survey", "plan", "--choices", "3", "--epsilon", "x"),
            ("survey", "plan", "--choices", "3", "--epsilon", "1", "--margin", "2"),
            ("survey", "plan", "--choices", "3", "--epsilon", "1", "--margin", "0.1", "--people", "5"),
            ("survey", "plan", "--choices", "3", "--epsilon", "1", "--confidence", "1"),
            ("survey", "plan", "--choices", "3", "--epsilon", "1", "--nothing"),
            ("survey", "plan", "3", "--choices", "3", "--epsilon", "1"),
            ("survey", "perturb"),
            ("survey", "perturb", "{folder}/answers.csv", "--out", "x.csv"),
            ("survey", "perturb", "{folder}/answers.csv", "--survey", "{folder}/survey.toml"),
            ("survey", "perturb", "{folder}/answers.csv", "--survey", "{folder}/survey.toml", "--out", "x.txt"),
            ("survey", "perturb", "{folder}/none.csv", "--survey", "{folder}/survey.toml", "--out", "x.csv"),
            ("survey", "perturb", "{folder}/answers.csv", "--survey", "{folder}/answers.csv", "--out", "x.csv"),
            ("survey", "collect", "--survey", "{folder}/survey.toml", "--out", "x.json"),
            ("survey", "collect", "{folder}/none-*.csv", "--survey", "{folder}/survey.toml", "--out", "x.json"),
            ("survey", "estimate"),
            ("survey", "estimate", "{folder}/answers.csv"),
            ("survey", "estimate", "{folder}/survey.toml"),
        ],
        ids=" ".join,
    )
    def test_wrong_use_is_one_line_and_2(self, words, folder):
        assert_one_line(run(*(word.format(folder=folder) for word in words)), 2)

    @pytest.mark.parametrize(
        "words",
        [
            ("survey", "perturb", "{folder}/answers.csv", "--survey", "{folder}/none.toml", "--out", "x.csv"),
            ("survey", "estimate", "{folder}/none.json"),
            ("survey", "collect", "{folder}/none.json", "--survey", "{folder}/survey.toml", "--out", "x.json"),
            (
                "survey",
                "collect",
                "{folder}/noisy.csv",
                "--survey",
                "{folder}/survey.toml",
                "--out",
                "{folder}/none/x.json",
            ),
        ],
        ids=lambda words: " ".join(words[:2]),
    )
    def test_what_the_system_refuses_is_one_line_and_1(self, words, folder):
        (folder / "noisy.csv").write_text("smokes,city\nnever,01\n")
        assert_one_line(run(*(word.format(folder=folder) for word in words)), 1)

    def test_no_entropy_is_one_line_and_1(self, folder, monkeypatch):
        def dry(*_):
            raise EntropyError("the well is dry")

        monkeypatch.setattr(SystemCoins, "words", dry)
        monkeypatch.setattr(SystemCoins, "bits", dry)
        words = [folder / "answers.csv", "--survey", folder / "survey.toml", "--out", folder / "noisy.csv"]
        assert_one_line(run("survey", "perturb", *words), 1)
        assert not (folder / "noisy.csv").exists()

    @pytest.mark.parametrize("name", ["answers.csv", "answers.parquet"])
    def test_a_foreign_answer_is_one_line_that_does_not_tell_it(self, name, folder):
        for table in (pa.table({"smokes": ["never", SENTINEL], "city": ["a", "b"]}),):
            pq.write_table(table, folder / "answers.parquet")
            table.to_pandas().to_csv(folder / "answers.csv", index=False)
        words = [folder / name, "--survey", folder / "survey.toml", "--out", folder / "noisy.csv"]
        done = run("survey", "perturb", *words)
        assert done.exit_code in (1, 2)
        assert_one_line(done, done.exit_code)
        assert SENTINEL not in done.stderr
        assert "'never', 'sometimes', 'daily', 'no answer'" in done.stderr
        assert SENTINEL not in run_apart("--debug", "survey", "perturb", *words).stderr
        assert not (folder / "noisy.csv").exists()

    def test_a_foreign_answer_is_refused_with_1(self, folder):
        (folder / "answers.csv").write_text("smokes,city\noften,a\n")
        words = [folder / "answers.csv", "--survey", folder / "survey.toml", "--out", folder / "noisy.csv"]
        assert run("survey", "perturb", *words).exit_code == 1

    def test_a_box_without_reports_has_no_estimate(self, folder):
        Survey.load(folder / "survey.toml").collector().save(folder / "box.json")
        done = run("survey", "estimate", folder / "box.json")
        assert_one_line(done, done.exit_code)
        assert done.exit_code in (1, 2)
        assert "at least one report" in done.stderr

    def test_a_column_that_is_not_there_gets_a_hint(self, folder):
        (folder / "answers.csv").write_text("smoked,city\nnever,a\n")
        words = [folder / "answers.csv", "--survey", folder / "survey.toml", "--out", folder / "noisy.csv"]
        done = run("survey", "perturb", *words)
        assert_one_line(done, 2)
        assert "did you mean 'smoked'" in done.stderr

    def test_only_debug_shows_a_traceback(self, folder):
        words = ["survey", "estimate", folder / "survey.toml"]
        plain, debug = run_apart(*words), run_apart("--debug", *words)
        assert_one_line(plain, 2)
        assert "Traceback" in debug.stderr
        assert debug.returncode != 0
        assert debug.stderr.strip().endswith(lines(plain.stderr)[0].removeprefix("discreet: "))

    def test_debug_is_read_from_the_arguments_given(self, folder):
        done = run("--debug", "survey", "estimate", folder / "survey.toml")
        assert isinstance(done.exception, discreet.DiscreetError)

    def test_an_interruption_is_one_line_and_130(self, monkeypatch):
        def stopped(*_, **__):
            raise KeyboardInterrupt

        monkeypatch.setattr(survey, "plan", stopped)
        done = run("survey", "plan", "--choices", "3", "--epsilon", "1")
        assert (done.exit_code, done.stdout.strip(), lines(done.stderr)[-1]) == (130, "", "discreet: interrupted")


WITHOUT = """
import sys
sys.modules[{module!r}] = None
sys.argv[0] = "discreet"
from discreet.cli import main
main()
"""
HELP = """
import sys
sys.argv = ["discreet", "--help"]
from discreet.cli import main
try:
    main()
finally:
    heavy = ("pandas", "polars", "pyarrow", "scipy", "ibis", "duckdb", "matplotlib", "rich", "sqlite3", "narwhals")
    print([name for name in heavy if name in sys.modules])
"""


class TestWithout:
    def test_without_click_there_is_a_hint(self):
        done = run_apart("survey", "plan", code=WITHOUT.format(module="click"))
        assert_one_line(done, 1)
        assert "click" in done.stderr
        assert "pip install 'discreet[cli]'" in done.stderr

    def test_a_plan_needs_no_arrow(self):
        done = run_apart("survey", "plan", "--choices", "3", "--epsilon", "1", code=WITHOUT.format(module="pyarrow"))
        assert (done.returncode, done.stderr) == (0, "")

    def test_without_arrow_there_is_a_hint(self, folder):
        words = [folder / "answers.csv", "--survey", folder / "survey.toml", "--out", folder / "noisy.csv"]
        done = run_apart("survey", "perturb", *words, code=WITHOUT.format(module="pyarrow"))
        assert_one_line(done, 1)
        assert "discreet[survey]" in done.stderr

    def test_help_imports_neither_frames_nor_arrow(self):
        assert lines(run_apart(code=HELP).stdout)[-1] == "[]"
