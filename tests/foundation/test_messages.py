"""What a message says: whatever is put in the place of whichever argument, no value of the data is told.

Every public callable is tried with frames, columns, arrays, rows and the contents of files in each argument. New names
are found by themselves; where they need an argument of a new name, `GOOD` says what to give.
"""

import datetime as dt
import gc
import importlib
import inspect
import io
import json
import pickle
import pkgutil
import traceback
import warnings
from collections import namedtuple
from contextlib import redirect_stderr, redirect_stdout
from fractions import Fraction
from functools import cache
from pathlib import Path
from types import FunctionType
from zlib import crc32

import ibis
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from tiers import ALL

import discreet
import discreet.opendp as dp
from discreet import Ledger, audit, survey, tables
from discreet.errors import DiscreetError, KindError, ParameterError, none_of, one_of, show
from discreet.exact import exact, listed, whole
from discreet.files import path_of
from discreet.ledger import Amount
from discreet.tables.release import InTurn

NAME, NUMBER = "Quentin-HIV-7717", 771717100
INNER = {
    *("cli", "coins", "errors", "figures", "files", "intervals"),
    *("noise", "pages", "progress", "reals", "samplers", "serve", "urls", "words"),
}
"""Modules that take what others have checked or released, and the command line and the collector, which take texts."""
SEAMS = {
    *(
        "add_chunk",
        "array",
        "bin",
        "ends",
        "errors",
        "extents",
        "find",
        "finish",
        "keep",
        "laws",
        "many",
        "note",
        "order",
        "own_mean",
        "placed",
        "plot",
        "rank",
        "read",
    ),
    *("refuse", "sample", "take", "total"),
}
"""Methods that take what has been checked already, what a file of ours holds, or an object of another library."""
GIVEN = {"amount", "least", "rows"}
"""Arguments that only our own code gives."""
NAMES = {("Survey.collect", "sources", "many texts"), ("Survey.perturb", "keep", "many texts")}
"""Lists of the names of files and columns: that of which there is none is told."""
TRUSTING = {
    # Losses, amounts and laws, which mechanisms and the ledger compute.
    *("Amount.minus", "Amount.plus", "Amount.within", "common"),
    *("Approximate.add", "MaxDivergence.add", "ZeroConcentrated.add"),
    *(
        f"{kind}.{name}"
        for kind in ("Adaptive", "Plain", "ZCDP")
        for name in (
            *("after", "cost", "excess", "exceeds", "left", "of_terms", "readings", "spent", "without"),
            "share",
        )
    ),
    *("Adaptive.for_budget", "Adaptive.is_sound", "Adaptive.limits", "Adaptive.remark"),
    *("ZCDP.for_budget", "ZCDP.is_sound"),
    *(f"{kind}.text_{what}" for what in ("left", "of") for kind in ("Adaptive", "Plain", "ZCDP")),
    *("in_full", "pair_of_laws", "read_in_full", "typed", "written"),
    # Two data sets of one domain, and whatever a function under audit takes.
    *("L1Distance.measure", "LInfDistance.measure", "PersonDistance.measure", "SymmetricDistance.measure"),
    *("discreet.audit.exact", "sampled"),
    # An entry that the books gave.
    # Counts and rows that a collector has read.
    *("Crosstab.of", "Estimate.of", "Form.possible", "TextForm.possible", "TextForm.decode", "simplex"),
    *("Question.places_of_answers", "Question.places_of_reports", "Question.places_of_texts"),
    *("Collector.add_many", "PairCollector.add_many", "Bounding.expression"),
    *(
        "Bounding.common",
        "Bounding.each",
        "Bounding.first_groups",
        "Bounding.named",
        "Bounding.rows",
        "Bounding.run",
        "Bounding.wires",
    ),
    # Mappings raise KeyError.
    *("Boxes.__getitem__", "Estimates.__getitem__", "Waves.__getitem__", "WavesEstimate.__getitem__"),
}
"""Callables whose errors may be another library's: they take what our own code computes. They tell nothing either."""
COLUMNS = {
    "user": [NUMBER, NUMBER + 1, NUMBER + 2],
    "city": [NAME, f"{NAME} again", f"not {NAME}"],
    "amount": [float(NUMBER), NUMBER + 1.5, NUMBER + 2.5],
}
ROWS = list(zip(*COLUMNS.values(), strict=True))
CSV = "user,city,amount\n" + "\n".join(",".join(map(str, row)) for row in ROWS)
Row = namedtuple("Row", COLUMNS)


class Same(discreet.Transformation):
    """Bits, as they are."""

    input_domain = output_domain = discreet.OneHot(["a", "b"]).output_domain
    input_metric = output_metric = discreet.OneHot(["a", "b"]).output_metric

    def stability_map(self, d_in, /):
        return d_in

    def apply(self, x, /):
        return x


class Talkative:
    """An object whose every word is private."""

    def __repr__(self):
        return NAME

    __str__ = __repr__

    def __format__(self, spec):
        return NAME

    def __fspath__(self):
        return NAME * 20


class Failing:
    """An object that fails with private words, whatever is asked of it."""

    def fail(self, *_):
        raise ValueError(NAME)

    __repr__ = __str__ = __eq__ = __hash__ = __bool__ = __len__ = __iter__ = __index__ = __float__ = __fspath__ = fail
    __getitem__ = __contains__ = __call__ = __lt__ = __format__ = fail


class Words(str):
    """A text of a class of its own."""

    __slots__ = ()


@cache
def frame():
    return pd.DataFrame(COLUMNS)


DATA = {
    "a pandas frame": frame,
    "a pandas column of texts": lambda: frame().city,
    "a pandas column of numbers": lambda: frame().amount,
    "a pandas index": lambda: pd.Index(COLUMNS["city"]),
    "a pandas category": lambda: frame().city.astype("category"),
    "a group of pandas": lambda: frame().groupby("city"),
    "a Polars frame": lambda: pl.DataFrame(COLUMNS),
    "a lazy Polars frame": lambda: pl.DataFrame(COLUMNS).lazy(),
    "a Polars column": lambda: pl.Series(COLUMNS["city"]),
    "a Polars expression": lambda: pl.lit(NAME),
    "an Arrow table": lambda: pa.table(COLUMNS),
    "an Arrow array": lambda: pa.array(COLUMNS["city"]),
    "an Arrow scalar": lambda: pa.scalar(NAME),
    "an array of texts": lambda: np.array(COLUMNS["city"]),
    "an array of integers": lambda: np.array(COLUMNS["user"]),
    "an array of floats": lambda: np.array(COLUMNS["amount"]),
    "an array of objects": lambda: np.array(COLUMNS["city"], object),
    "an array of rows": lambda: np.array(ROWS, object),
    "an array of records": lambda: np.array(ROWS, "i8,U20,f8"),
    "an array of one text": lambda: np.array(NAME),
    "a record": lambda: np.array(ROWS, "i8,U20,f8")[2],
    "a masked array": lambda: np.ma.masked_array([NUMBER, NUMBER], [False, True]),
    "rows": lambda: list(ROWS),
    "rows by name": lambda: [dict(zip(COLUMNS, row, strict=True)) for row in ROWS],
    "rows of lists": lambda: [list(row) for row in ROWS],
    "a row by name": lambda: Row(*ROWS[2]),
    "rows to come": lambda: iter(ROWS),
    "texts to come": lambda: (city for city in COLUMNS["city"]),
    "columns": lambda: dict(COLUMNS),
    "counts": lambda: {NAME: NUMBER},
    "a set": lambda: set(COLUMNS["city"]),
    "values of a dict": {1: NAME}.values,
    "many texts": lambda: [NAME, *map(str, range(9))],
    "many numbers": lambda: [NUMBER, *range(9)],
    "CSV": lambda: CSV,
    "a line of CSV": lambda: f"{NAME} again,{NAME},2,3",
    "JSON": lambda: json.dumps({"name": NAME}),
    "a long text": lambda: f"{NAME} " * 20,
    "a text of its own class": lambda: Words(CSV),
    "bytes": NAME.encode,
    "many bytes": lambda: bytearray(CSV.encode()),
    "a view of bytes": lambda: memoryview(NAME.encode()),
    "a long path": lambda: Path(NAME * 30),
    "a path with lines": lambda: Path(CSV),
    "a file": lambda: io.StringIO(CSV),
    "an Ibis table": lambda: ibis.memtable(frame()),
    "an Ibis column": lambda: ibis.memtable(frame()).city,
    "an Ibis literal": lambda: ibis.literal(NAME),
    "an Ibis condition": lambda: ibis.memtable(frame()).city == NAME,
    "an Ibis deferral": lambda: ibis._.city == NAME,
    "an error": lambda: ValueError(NAME),
    "a talkative object": Talkative,
    "a failing object": Failing,
    "a list of a talkative object": lambda: [Talkative(), Failing()],
    "a function": lambda: lambda *_, name=NAME: {}[name],
}
SHORT = {
    "few texts": lambda: list(COLUMNS["city"]),
    "few numbers": lambda: tuple(COLUMNS["user"]),
}
"""What a parameter of several entries may be: told where it is of the right type, not where it is of the wrong one."""

RR = discreet.RandomizedResponse(categories=["yes", "no"], prob="3/4")
RAPPOR = discreet.Rappor(length=8, max_weight=1, f="1/2")
UNARY = discreet.OptimizedUnary(length=2, p="1/2", q="1/4")
LAPLACE = discreet.IntegerLaplace(scale=2)
QUESTION = survey.Question("smoke", ["yes", "no"])
OTHER = survey.Question("drink", ["yes", "no"])
TEXTS = survey.TextQuestion("word", length=16, hashes=2, cohorts=4)
FORM = QUESTION.form(RR)
SURVEY = survey.Survey([QUESTION, OTHER], epsilon=2)
RESPONSE = survey.Response(SURVEY.tag, (b"\0", b"\1"))
ROLLED = survey.Survey([QUESTION, OTHER], epsilon=2, dice=[6, 6])
SPACE = dp.vector_domain(dp.atom_domain(T=int)), dp.l1_distance(T=int)


@cache
def table():
    rows = pd.DataFrame({"user": range(40), "city": ["Rome", "Bath"] * 20, "amount": [1.0, 2.0] * 20})
    return tables.Table(rows, person="user")


@cache
def groups():
    return table().group_by("city", keys=["Rome", "Bath"])


@cache
def answer():
    return groups().count_people(epsilon=5, max_groups=1)


@cache
def box():
    made = survey.Collector(FORM)
    made.add_many(survey.Client(FORM).report_many(["yes", "no"] * 50), payloads=True)
    return made


@cache
def words():
    made = TEXTS.collector(TEXTS.mechanism(epsilon=4))
    for _ in range(40):
        made.add(survey.TextClient(TEXTS.form(TEXTS.mechanism(epsilon=4))).report("hello"))
    return made


@cache
def boxes():
    noisy = SURVEY.perturb(pd.DataFrame({"smoke": ["yes", "no"] * 50, "drink": ["no", "yes"] * 50}))
    return SURVEY.collect(noisy), noisy


@cache
def crosstab():
    return SURVEY.crosstab(boxes()[1], "smoke", "drink")


def project_file():
    """Return the path of a project file."""
    Path("events.csv").write_text("user,city\n1,Rome\n")
    Path("discreet.toml").write_text('[tables.events]\nsource = "events.csv"\nperson = "user"\n')
    return str(Path("discreet.toml").absolute())


GOOD = {
    "epsilon": 1,
    "delta": "1e-6",
    "prob": "3/4",
    "categories": ["yes", "no"],
    "choices": ["yes", "no"],
    "values": ["yes", "no"],
    "length": 8,
    "max_weight": 1,
    "hashes": 2,
    "size": 1,
    "f": "1/2",
    "p": "1/2",
    "q": "3/4",
    "scale": 2,
    "variance": 2,
    "rho": "1/8",
    "tail": 5,
    "threshold": 20,
    "limit": 9,
    "sides": 6,
    "least": 1,
    "noise": discreet.Laplace(2),
    "measurements": [RR],
    "measurement": RR,
    "function": abs,
    "of": discreet.MaxDivergence(),
    "d_in": 1,
    "d_out": 5,
    "x": "yes",
    "y": "no",
    "xs": ["yes", "no"],
    "value": 1,
    "keys": ["Rome"],
    "path": None,
    "name": "smoke",
    "questions": [QUESTION],
    "question": QUESTION,
    "forms": [FORM],
    "form": FORM,
    "mechanism": RR,
    "person": ("user",),
    "column": "amount",
    "columns": "city",
    "public": lambda: pd.DataFrame({"city": ["Rome"], "country": ["Italy"]}),
    "on": "city",
    "by": "city",
    "low": 0,
    "at": "1/2",
    "edges": 9,
    "high": 5,
    "max_groups": 1,
    "texts": ["Rome"],
    "tables": [["city"]],
    "text": "IntegerLaplace(scale=2)",
    "condition": "amount > 1",
    "source": frame,
    "table": table,
    "release": RR,
    "trials": 100,
    "rate": "1/10",
    "first": "smoke",
    "second": "drink",
    "noisy": lambda: boxes()[1],
    "sources": lambda: boxes()[1],
    "frame": lambda: pd.DataFrame({"smoke": ["yes"], "drink": ["no"]}),
    "answer": "yes",
    "answers": ["yes", "no"],
    "report": lambda: survey.Client(FORM).report("yes"),
    "reports": lambda: survey.Client(FORM).report_many(["yes", "no"]),
    "response": RESPONSE,
    "widths": [1, 1],
    "title": "Habits",
    "sponsor": "The town",
    "consent": "I agree.",
    "language": "de",
    "wording": lambda: survey.Wording(title="Habits"),
    "collector": "https://poll.example.org",
    "group": "Which?",
    "survey": SURVEY,
    "devices": 2,
    "code": RESPONSE.to_code(),
    "candidates": ["hello", "bye"],
    "data": FORM.to_dict,
    "input_domain": SPACE[0],
    "input_metric": SPACE[1],
    "metric": dp.absolute_distance(T=int),
    "measure": dp.max_divergence(),
    "T": int,
    "atom_domain": dp.atom_domain(T=int),
    "key_domain": dp.atom_domain(T=str),
    "value_domain": dp.atom_domain(T=int),
    "arg": [1, 2],
    "domain": dp.atom_domain(T=int),
    "coins": discreet.coins.SYSTEM,
    "aggregate": "people",
    "numerator": tables.People(),
    "denominator": tables.People(),
    "then": RAPPOR,
    "losses": [Fraction(1)],
    "loss": Fraction(1),
    "allowed": 1,
    "digest": bytes(8),
    "payload": b"\0",
    "other": RAPPOR,
    "target": "noisy.csv",
    "caption": "A chart",
    "labels": ["a"],
    "rows": [["a"]],
    "head": ["a"],
}
"""What to give for an argument of a name, or a function that makes it."""
KINDS = ("Sum", "Mean", "Variance", "StandardDeviation", "Quantile")
BETTER = {
    "Quantile": {"low": 0, "high": 9},
    "Composition.release": {"x": "yes"},
    "Maps": {"keys": discreet.Texts(), "values": discreet.Integers()},
    "Vectors": {"of": discreet.Integers()},
    "Nullable": {"of": discreet.Texts()},
    "Tuples": {"of": discreet.Texts()},
    "LongitudinalRappor.within": {"p": "1/4"},
    "LongitudinalRappor": {"p": "1/4"},
    "OptimizedUnary": {"p": "3/4", "q": "1/4"},
    "SubsetSelection": {"categories": ["a", "b", "c"]},
    "SubsetSelection.within": {"categories": ["a", "b", "c"], "size": 1},
    "Ledger": {"path": "books.db"},
    "Disclosure": {"facts": lambda: answer().disclosure().facts},
    "Disclosure.read": {"told": lambda: answer().disclosure().to_dict()},
    "Disclosure.check_ledger": {"ledger": lambda: Ledger.in_memory(epsilon=1)},
    "Reservation": {"ledger": lambda: Ledger.in_memory(epsilon=1), "number": 1},
    "Ledger.set_limit": {"analyst": "ana"},
    "Period": {"every": "month", "start": "2026-11-01"},
    "Period.begin": {"index": 1},
    "Period.index_of": {"day": dt.date(2026, 11, 17)},
    "Analyst": {"since": 1, "limit": Amount(Fraction(1), Fraction(0)), "spent": Amount(Fraction(0), Fraction(0))},
    "Project": {"path": project_file},
    "Project.near": {"source": "events.csv"},
    "Project.of": {"source": "events.csv"},
    "Project.table": {"name": "events"},
    "Project.__getitem__": {"name": "events"},
    "Measured": {"first": discreet.OneHot(["a", "b"]), "then": discreet.Rappor(length=2, max_weight=1, f="1/2")},
    "Paper": {"survey": ROLLED},
    "Asking": {"text": "Do you smoke?", "labels": ["No", "Yes"]},
    "Wording": {"questions": {"smoke": survey.Asking("Do you smoke?")}},
    "Wording.from_dict": {"data": SURVEY.to_dict()},
    "Collector.add_counts": {"counts": {"yes": 1}},
    "Boxes.add_counts": {"counts": {"smoke": {"yes": 1}}},
    "PairCollector": {"first": FORM, "second": OTHER.form(RR)},
    "TextForm": {"question": TEXTS, "mechanism": TEXTS.mechanism(epsilon=1)},
    "TextQuestion.form": {"mechanism": TEXTS.mechanism(epsilon=1)},
    "Boxes": {"boxes": {"smoke": box}},
    "SurveyClient": {"forms": SURVEY.forms},
    "SurveyClient.report": {"answers": {"smoke": "yes", "drink": "no"}},
    "Memory": {"path": "memory.json"},
    "Response": {"digest": bytes(16), "payloads": (b"\0",)},
    "Response.from_bytes": {"data": RESPONSE.to_bytes()},
    "Response.from_json": {"text": RESPONSE.to_json()},
    "Waves": {"boxes": lambda: [box()], "people": "same"},
    "Waves.__getitem__": {"wave": 1},
    "Waves.change": {"choice": "yes", "before": None, "after": 1},
    "proof": {"name": "Rappor"},
    "Estimate.difference": {"a": "yes", "b": "no"},
    "LaplaceThreshold.privacy_map": {"d_in": (1, 1, 1)},
    "GaussianThreshold": {"epsilon": 1},
    "FindKeys": {"rounds": [discreet.KeyRound(30, 26)], "max_keys": 2, "norm": 12, "domain": discreet.Texts()},
    "FindKeys.within": {"max_keys": 2, "domain": discreet.Texts()},
    "FindKeys.release": {"x": [["a"]]},
    "FindKeys.law": {"x": [["a"]]},
    "FindKeys.weight": {"keys": 1},
    "KeyRound": {"variance": 30, "threshold": 26},
    "KeySets": {"keys": discreet.Texts(), "most": 2},
    "IntegerGaussian.within": {"epsilon": 1, "delta": "1e-6"},
    "plan": {"epsilon": 1},
    "Partial": {"make": lambda: dp.make_laplace, "parameters": (2,)},
    "sampled": {"trials": 100},
    "timing": {"trials": 20, "streams": 2},
    "timed": {"calls": 5},
    "Tables": {"columns": ["city"]},
    "Table.plan": {"epsilon": 1, "keys": {"city": ["Rome"]}},
    "Table.publish": {"epsilon": 1, "keys": {"city": ["Rome"]}},
    "Groups": {"by": ("city",)},
    "Bounding": {"by": ("city",)},
    **{name: {"low": 0, "high": 5} for name in (*KINDS, "Table.sum", "Table.mean", "Groups.sum", "Groups.mean")},
}
"""The same for one callable."""


@cache
def made():
    """Return objects of the public classes that no constructor of a user's makes."""
    exact = audit.exact(RR)
    suggestion = table().suggest_max_groups("city")
    bounds = table().suggest_bounds("amount")
    return [
        *(box(), words(), boxes()[0], crosstab(), FORM, QUESTION, OTHER, TEXTS, SURVEY, answer(), suggestion, bounds),
        *(
            groups(),
            table(),
            groups().explain(epsilon=1),
            table().group_by("city").explain_keys(epsilon=1, delta="1e-6"),
            table().plan([["city"]], epsilon=1, keys={"city": ["Rome"]}),
            table().publish([["city"]], epsilon=1, keys={"city": ["Rome"]}),
            tables.Histogram("age", 0, 18),
            RR,
            RAPPOR,
            UNARY,
            LAPLACE,
            RR >> str,
            exact,
            exact.pairs[0],
        ),
        *(box().estimate(), boxes()[0].estimate(), box().estimate()["yes"], box().estimate().difference("yes", "no")),
        *(words().decode(["hello"]), words().form, survey.TextClient(words().form), survey.Client(FORM)),
        *(survey.plan(3, epsilon=1, people=100), survey.plan(3, epsilon=1, people=100).options[0]),
        *(survey.Client(FORM).report("yes"), box().add_many(survey.Client(FORM).report_many(["yes"]), payloads=True)),
        *(audit.timing(RR, "yes", "no", trials=20, streams=2), audit.sampled(RR, "yes", "no", trials=200)),
        *(Ledger.in_memory(epsilon=10), dp.make_laplace(*SPACE, 2)),
        discreet.OneHot(["a", "b"]) >> discreet.Rappor(length=2, max_weight=1, f="1/2"),
        Ledger.in_memory(epsilon=10).charge(epsilon=1),
        Ledger.in_memory(epsilon=10).reserve([discreet.IntegerLaplace(scale=2).event(1)]),
        tables.Bounding(tables.People(), person="user", by="city", keys=["Rome"]),
        survey.PairCollector(FORM, OTHER.form(RR)),
        *(RESPONSE, SURVEY.client(), survey.Poll(SURVEY), survey.Wording(title="Habits")),
        survey.Waves([box()], people="same"),
        survey.Waves([box()], people="same").estimate(),
        InTurn.within(tables.Bounding(tables.People(), person="user"), epsilons=[1]),
        discreet.OneHot(["a", "b"]) >> Same(),
    ]


def modules():
    """Return the public modules and packages."""
    names = [found.name for found in pkgutil.iter_modules(discreet.__path__) if found.name not in INNER]
    return [discreet, *(importlib.import_module(f"discreet.{name}") for name in names if not name.startswith("_"))]


@cache
def public():
    """Return every public function and class, once, by its name."""
    found = {}
    for module in modules():
        for name in getattr(module, "__all__", ()):
            thing = getattr(module, name)
            if callable(thing) and id(thing) not in {id(other) for other in found.values()}:
                found[name if name not in found else f"{module.__name__}.{name}"] = thing
    return found


def methods(name, thing):
    """Return the public methods of an object or a class that the library defines, with their names."""
    kind = thing if isinstance(thing, type) else type(thing)
    for each in dir(kind):
        static = inspect.getattr_static(kind, each)
        function = getattr(static, "__func__", static)
        wanted = (not each.startswith("_") and each not in SEAMS) or each in ("__call__", "__rshift__", "__getitem__")
        ours = isinstance(function, FunctionType) and function.__module__.startswith("discreet")
        ours = ours and function.__module__.split(".")[1] not in INNER
        if wanted and ours and (isinstance(static, classmethod | staticmethod) or not isinstance(thing, type)):
            yield f"{name}.{each}", getattr(thing, each)


def arguments(name, call, which=None, value=None):
    """Return positional and named arguments for a call: good ones, but for one of them."""
    better, args, named = BETTER.get(name, {}), [], {}
    for each in inspect.signature(call).parameters.values():
        if each.kind is each.VAR_KEYWORD:
            named |= better
            continue
        if each.name == which:
            given = value
        elif each.name in better or each.default is each.empty:
            given = better.get(each.name, GOOD.get(each.name))
            given = given() if isinstance(given, FunctionType) else given
        elif each.kind is each.POSITIONAL_ONLY:
            given = each.default
        else:
            continue
        if each.kind in (each.POSITIONAL_ONLY, each.VAR_POSITIONAL):
            args.append(given)
        else:
            named[each.name] = given
    return args, named


@cache
def callables(name):
    """Return a public function, or a class's constructor and public methods, by their names."""
    thing = public()[name]
    if not isinstance(thing, type):
        return {name: thing}
    if issubclass(thing, BaseException) or inspect.isabstract(thing):
        return {}
    return {name: thing} | dict(methods(name, thing)) | dict(methods(name, objects()[name]))


@cache
def objects():
    """Return an object of each public class, made by hand or by its constructor."""
    found = {type(each): each for each in made()}
    for name, kind in public().items():
        if isinstance(kind, type) and kind not in found and not inspect.isabstract(kind):
            if issubclass(kind, BaseException) or kind.__name__.startswith("_"):
                continue
            args, named = arguments(name, kind)
            found[kind] = kind(*args, **named)
    names = {thing: name for name, thing in public().items()}
    return {names.get(kind, kind.__name__): each for kind, each in found.items()}


def tried(argument):
    """Return the data that an argument is given: all of them, or a sixth, which is another one for each argument."""
    first = crc32(argument.encode()) % 6
    return DATA.items() if ALL else list(DATA.items())[first::6]


@cache
def findings(name):
    """Return what data in the place of each argument make known, and which errors are of another library."""
    told, foreign = {}, {}
    for called, call in callables(name).items():
        for which, each in inspect.signature(call).parameters.items():
            if which in GIVEN or each.kind is each.VAR_KEYWORD:
                continue
            for label, value in tried(f"{called} {which}"):
                error, text = outcome(call, *arguments(called, call, which, value()))
                if is_told(text) and not is_own(error) and (called, which, label) not in NAMES:
                    told[f"{called}({which}={label})"] = text[-300:]
                if error is not None and not is_declared(error):
                    foreign[f"{called}({which}={label})"] = repr(error)[:100]
    return told, foreign


def outcome(call, args, named):
    """Return the error of a call, if there is one, and all that is said: in words, tracebacks, warnings and prints."""
    said, error = io.StringIO(), None
    with warnings.catch_warnings(record=True) as warned, redirect_stdout(said), redirect_stderr(said):
        warnings.simplefilter("always")
        try:
            call(*args, **named)
        except Exception as raised:
            error = raised
    texts = [said.getvalue(), *(str(warning.message) for warning in warned)]
    if error is not None:
        texts += [str(error), repr(error), repr(error.args), *traceback.format_exception(error)]
    return error, "\n".join(texts)


def is_told(text):
    return "Quentin" in text or "771717" in text


def last_frame(error):
    return traceback.extract_tb(error.__traceback__)[-1] if error.__traceback__ else None


def is_own(error):
    """Whether it is the error of a function or an object that was given, which speaks for itself."""
    return (
        error is not None and last_frame(error).filename == __file__ and last_frame(error).name in ("fail", "<lambda>")
    )


def is_declared(error):
    """Whether an error is the library's, the language's own about the call, or that of what was given."""
    by_the_call = isinstance(error, TypeError) and last_frame(error).filename == __file__
    return isinstance(error, DiscreetError) or by_the_call or is_own(error)


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path, monkeypatch):
    """Work where files may be written, and without a window."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MPLBACKEND", "Agg")


@pytest.mark.filterwarnings("ignore")
class TestEveryArgument:
    @pytest.mark.parametrize("name", public())
    def test_no_message_tells_a_value_and_every_error_is_declared(self, name):
        told, foreign = findings(name)
        assert not told
        assert not {call: error for call, error in foreign.items() if call.partition("(")[0] not in TRUSTING}

    @pytest.mark.deep
    def test_what_is_let_through_is_needed(self):
        """A callable that is excused must exist, and must be in need of it."""
        for name in TRUSTING:
            home = name.rpartition(".")[0] if name not in public() else name
            _, foreign = findings(home)
            assert any(call.partition("(")[0] == name for call in foreign), name


class TestShow:
    @pytest.mark.parametrize(
        ("value", "text"),
        [
            ("Rome", "'Rome'"),
            (
                "city IN ('Rome', 'Bath', 'Oslo', 'York', 'Kiev')",
                "\"city IN ('Rome', 'Bath', 'Oslo', 'York', 'Kiev')\"",
            ),
            (np.int8(3), "3"),
            (np.float64("nan"), "nan"),
            (np.str_("Rome"), "'Rome'"),
            (dt.date(2026, 1, 31), "datetime.date(2026, 1, 31)"),
            (dt.datetime(2026, 1, 31, tzinfo=dt.UTC), "a datetime.datetime"),
            (["a", 2, None], "['a', 2, None]"),
            ((1,), "(1,)"),
            (list(range(9)), "a list"),
            ([("a", 1)], "a list"),
            ([["a"]], "a list"),
            (["x" * 60, "y" * 60], "a list"),
            ("a,b,c,d", "a text"),
            ("a\nb", "a text"),
            ("a\tb", "a text"),
            ('{"a": 1}', "a text"),
            ("x" * 101, "a text"),
            (b"abc", "bytes"),
            ({"a": 1}, "a dict"),
            ({1}, "a set"),
            (np.array([1]), "a numpy.ndarray"),
            (Row(*ROWS[0]), "a test_messages.Row"),
            (int, "<class 'int'>"),
            (RR, "a discreet.RandomizedResponse"),
        ],
        ids=str,
    )
    def test_parameters_are_shown_and_what_may_be_data_is_not(self, value, text):
        assert show(value) == text

    @pytest.mark.parametrize("label", DATA)
    def test_of_data_only_the_type_is_shown(self, label):
        for text in (
            show(DATA[label]()),
            str(ParameterError("x", DATA[label](), "y")),
            str(KindError("x", DATA[label](), "")),
        ):
            assert not is_told(text)
            assert len(text) < 80
        assert not is_told(str(none_of("x", DATA[label](), ["city", "age"])))

    @pytest.mark.parametrize("label", SHORT)
    def test_entries_of_a_list_are_shown_only_where_a_list_is_wanted(self, label):
        assert is_told(str(ParameterError("categories", SHORT[label](), "distinct answers")))
        assert not is_told(str(KindError("column", SHORT[label](), "a column's name")))

    def test_no_code_of_the_value_runs(self):
        ran = []

        class Noting(type):
            def __repr__(cls):
                ran.append("type")
                return NAME

        def note(self, *_):
            ran.append("value")
            return NAME

        slots = ("__repr__", "__str__", "__format__", "__len__", "__iter__", "__eq__", "__hash__", "__getattribute__")
        value = Noting("Sly", (), dict.fromkeys(slots, note) | {"__class__": property(note)})()
        for text in (show(value), show([value]), show(type(value)), str(none_of("x", value, ["a"]))):
            assert not is_told(text)
        assert not ran

    @pytest.mark.parametrize(
        "door",
        [
            lambda x: exact(x, "x"),
            lambda x: whole(x, "x"),
            lambda x: listed(x, "x", "a list"),
            lambda x: path_of(x, "x"),
            lambda x: one_of("x", x, ["a", "b"]),
        ],
    )
    def test_doors_keep_what_an_object_says_to_themselves(self, door):
        error, text = outcome(door, (Failing(),), {})
        assert isinstance(error, KindError | ParameterError)
        assert str(error).startswith("x=a test_messages.Failing: need ")
        assert not is_told(text)

    def test_no_length_is_told(self):
        for many in (1000, 1001):
            assert show(["a"] * many) == "a list"
            assert show("a" * many) == "a text"
            assert show(np.zeros(many)) == "a numpy.ndarray"
            assert show(pd.DataFrame({"a": range(many)})) == "a pandas.DataFrame"

    def test_errors_pickle_with_what_they_say_and_nothing_more(self):
        for kind in (ParameterError, KindError):
            error = kind("column", frame(), "a column's name")
            assert (
                str(pickle.loads(pickle.dumps(error)))
                == str(error)
                == "column=a pandas.DataFrame: need a column's name"
            )
            assert not is_told(pickle.dumps(error).decode("latin1"))
            assert not any(each is frame() for each in gc.get_referents(error, error.__dict__, error.args))


class TestSlips:
    """What people type by mistake, and what they read."""

    @pytest.mark.parametrize(
        ("call", "message"),
        [
            (lambda: table().group_by(frame().city), "columns=a pandas.Series: need a column's name"),
            (lambda: table().group_by(list(frame().city)), "columns=a list: need a column's name"),
            (
                lambda: tables.Table(frame(), person=frame().user),
                "person=a pandas.Series: need a column's name, or a list",
            ),
            (
                lambda: table().mean(frame().amount, low=0, high=1, epsilon=1),
                "column=a pandas.Series: need a column's name",
            ),
            (lambda: tables.Table(frame(), ledger=frame(), person=None), "ledger=a pandas.DataFrame: need a Ledger"),
            (lambda: tables.Table(CSV, person=None), "source=a text: need a path, not the contents of a file"),
            (
                lambda: tables.Table(f"{NAME} " * 20, person=None),
                "source=a text: need a path, not the contents of a file",
            ),
            (lambda: table().group_by("city", keys=frame().amount), "keys=<class 'float'>: need a text, as in city"),
            (lambda: table().group_by("city", "user", keys=ROWS), "keys=<class 'tuple'>: need tuples of 2, one entry"),
            (lambda: RR >> frame(), "need a function of the release on the right"),
            (lambda: discreet.OneHot(["a"]) >> frame(), ">> a pandas.DataFrame: need a Transformation"),
            (lambda: RR.require(1, frame()), "a pandas.DataFrame: need"),
            (lambda: discreet.Bloom(length=8, hashes=2, key=NAME.encode() * 20), "key=bytes: need at most 64 bytes"),
            (lambda: Ledger(CSV), "a path: there is no ledger here"),
            (lambda: survey.Survey.load(CSV), "path=a text: need a path, not the contents of a file"),
            (
                lambda: SURVEY.collect({NAME: 5}),
                "reports=a dict: need a mapping from the names of columns: smoke, drink",
            ),
        ],
    )
    def test_the_message_says_what_is_needed(self, call, message):
        error, text = outcome(call, (), {})
        assert isinstance(error, DiscreetError)
        assert message in str(error)
        assert not is_told(text)

    def test_a_file_that_looks_like_a_row_is_read_if_it_is_there(self, tmp_path):
        path = tmp_path / "a,b,c,d.csv"
        path.write_text("city\nRome\n")
        assert repr(tables.Table(path, person=None)) == "<table a,b,c,d.csv: each row is a person>"

    def test_a_pattern_may_begin_like_a_list(self, tmp_path):
        for name in "ab":
            (tmp_path / f"{name}.csv").write_text("city\nRome\n")
        assert tables.Table(tmp_path / "[ab].csv", person=None).count_rows(epsilon=50).columns["rows"] == [2]

    def test_a_text_of_many_slashes_is_no_path(self):
        error, text = outcome(tables.Table, (f"{NAME}/" * 1000,), {"person": None})
        assert str(error) == "source=a text: need a path, not the contents of a file"
        assert not is_told(text)

    def test_reprs_of_what_holds_data_hold_none(self):
        held = tables.Table(frame(), person="user")
        grouped = held.group_by("city")
        for thing in (
            held,
            held.where("amount > 0"),
            held.where(ibis._.amount > 0),
            grouped,
            SURVEY,
            box(),
            boxes()[0],
        ):
            for method in ("__repr__", "__str__", "_repr_html_", "_repr_mimebundle_"):
                if hasattr(thing, method):
                    assert not is_told(str(getattr(thing, method)()))

    def test_the_command_line_says_no_more(self):
        from click.testing import CliRunner

        from discreet.cli.app import app

        for words in (
            ["count", CSV],
            ["count", f"{NAME} " * 20],
            ["audit", CSV],
            ["budget", CSV],
            ["survey", "estimate", CSV],
        ):
            found = CliRunner().invoke(app, [*words, *(["--epsilon", "1"] if words[0] == "count" else [])])
            assert found.exit_code in (1, 2)
            assert not is_told(found.output)
