"""Change the source in every small way there is, one at a time, and see which changes the tests let pass.

`make mutation` runs this; docs/mutation.md is its reader's guide. Unlike mutants.py, which plants the known bugs of
this field, it knows nothing of privacy: it swaps operators, moves constants by one, forces branches, drops arguments
and statements. A first look plants a change in a function of the imported module, in a forked child, and runs the
quick tests that enter this function. What survives it, and what is outside functions, gets a second look, where
everything is imported anew and all the tests run. A change that makes a test run for ever counts as found.
"""

from __future__ import annotations

import argparse
import ast
import ctypes
import inspect
import json
import math
import os
import resource
import select
import shutil
import signal
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass
from functools import cache
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from pathlib import Path
from types import CodeType
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
SOURCE = ROOT / "src"
EXAMPLES = 50
"""Hypothesis makes at most this many examples a test."""
CASES = 4000
"""test_reals.py makes this many hard numbers a test."""
SLOW = 1.0
"""A first look leaves out tests that take longer, under a tracer, and gives up after as many seconds."""
PAUSE = 0.05
"""How often a child is looked after, in seconds."""
BUILD = ROOT / "build" / "mutation"
NOTES = BUILD / "changes.jsonl"
MEASURED = BUILD / "tests.jsonl"

MECHANISMS = ["test_mechanisms.py", "test_catalogue.py", "test_vectors.py"]
SURVEYS = ["test_survey_mechanisms.py", "test_catalogue.py"]
TESTS = {
    "reals.py": ["test_reals.py", "test_catalogue.py"],
    "samplers/one.py": ["test_samplers.py", "test_catalogue.py"],
    "samplers/tables.py": ["test_samplers.py", "test_catalogue.py"],
    "samplers/many.py": ["test_samplers.py", "test_catalogue.py"],
    "samplers/cks20.py": ["test_samplers.py"],
    "noise/base.py": ["test_noise.py", "test_any_noise.py"],
    "noise/laplace.py": ["test_noise.py", "test_mechanisms.py"],
    "mechanisms/add_noise.py": ["test_any_noise.py", *MECHANISMS],
    "mechanisms/keep_above.py": ["test_any_noise.py", *MECHANISMS],
    "mechanisms/encoders.py": MECHANISMS,
    "mechanisms/integer_laplace.py": MECHANISMS,
    "mechanisms/laplace_threshold.py": MECHANISMS,
    "mechanisms/randomized_response.py": MECHANISMS,
    "mechanisms/randomized_response_bool.py": MECHANISMS,
    "mechanisms/rappor.py": MECHANISMS,
    "mechanisms/_bits.py": ["test_mechanisms.py", *SURVEYS],
    "mechanisms/longitudinal_rappor.py": SURVEYS,
    "mechanisms/optimized_unary.py": SURVEYS,
    "mechanisms/subset_selection.py": SURVEYS,
}
"""The sources, and the tests that a first look takes: of each, those that enter the changed function."""
MORE = ["test_mechanisms.py", "test_bad_input.py", "test_suite.py"]
"""What survives a first look meets these as well, and the slow tests, with everything imported anew."""

COMPARISONS: dict[type[ast.cmpop], tuple[type[ast.cmpop], ...]] = {
    ast.Lt: (ast.LtE, ast.GtE),
    ast.LtE: (ast.Lt, ast.Gt),
    ast.Gt: (ast.GtE, ast.LtE),
    ast.GtE: (ast.Gt, ast.Lt),
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
}
OPERATORS: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Div,
    ast.Mod: ast.FloorDiv,
    ast.Pow: ast.Mult,
    ast.LShift: ast.RShift,
    ast.RShift: ast.LShift,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
    ast.BitXor: ast.BitOr,
}
NAMES = {
    "min": "max",
    "max": "min",
    "any": "all",
    "all": "any",
    "bisect_right": "bisect_left",
    "float_up": "float_down",
    "float_down": "float_up",
}
METHODS = {"lower": "upper", "upper": "lower", "__ceil__": "__floor__", "floor": "ceil", "min": "max", "max": "min"}


@dataclass(frozen=True)
class Change:
    """One node of a module's tree, replaced."""

    file: str
    number: int
    path: tuple[Any, ...]
    scope: str
    body: bool
    text: bool
    kind: str
    line: int
    old: str
    new: str

    @property
    def name(self) -> str:
        """What the report calls it; stable while the file stays as it is."""
        return f"{self.file}:{self.number}"

    @property
    def module(self) -> str:
        """The module's full name."""
        return "discreet." + self.file.removesuffix(".py").replace("/", ".")

    def tree(self) -> ast.Module:
        """Return the module with the node replaced."""
        tree = _parsed(self.file)
        node = _at(tree, self.path)
        index = sum(other.path == self.path for other in changes(self.file)[: self.number])
        new = list(_variants(node))[index]
        parent, last = _at(tree, self.path[:-1]), self.path[-1]
        if isinstance(last, tuple):
            getattr(parent, last[0])[last[1]] = new
        else:
            setattr(parent, last, new)
        ast.copy_location(new, node)
        return ast.fix_missing_locations(tree)


def _parsed(file: str) -> ast.Module:
    return ast.parse((SOURCE / "discreet" / file).read_text())


@cache
def changes(file: str) -> list[Change]:
    """Return every change of a file."""
    tree, found = _parsed(file), []
    for path, scope, body, text in _places(tree, (), "", False, False):
        node = _at(tree, path)
        for new in _variants(node):
            old, told = _told(node), "nothing" if isinstance(new, ast.Pass) else _told(new)
            kind, line = type(node).__name__, getattr(node, "lineno", 0)
            found.append(Change(file, len(found), path, scope, body, text, kind, line, old, told))
    return found


def _told(node: ast.AST) -> str:
    return ast.unparse(ast.fix_missing_locations(node)).split("\n")[0]


def _at(tree: ast.AST, path: tuple[Any, ...]) -> Any:
    node: Any = tree
    for step in path:
        node = getattr(node, step[0])[step[1]] if isinstance(step, tuple) else getattr(node, step)
    return node


def _places(
    node: ast.AST, path: tuple[Any, ...], scope: str, body: bool, text: bool
) -> Iterator[tuple[tuple[Any, ...], str, bool, bool]]:
    """Yield the way to each node that may change, its function, whether it is in its body, and in a message."""
    if isinstance(node, (ast.FunctionDef, ast.ClassDef)) and not body:
        scope = f"{scope}.{node.name}" if scope else node.name
    text = text or isinstance(node, (ast.Raise, ast.JoinedStr)) or scope.endswith("__repr__")
    if path:
        yield path, scope, body, text
    for field, value in ast.iter_fields(node):
        if field in ("annotation", "returns", "decorator_list", "ctx", "op", "ops", "bases"):
            continue
        inside = body or (isinstance(node, ast.FunctionDef) and field == "body")
        for i, child in enumerate(value) if isinstance(value, list) else [(None, value)]:
            if isinstance(child, ast.AST) and not _still(child):
                yield from _places(child, (*path, field if i is None else (field, i)), scope, inside, text)


def _still(child: ast.AST) -> bool:
    """Whether a part says nothing at run time: docstrings, types, lists of names, checks for type checkers."""
    if isinstance(child, ast.Expr) and isinstance(child.value, ast.Constant):
        return True
    if isinstance(child, ast.AnnAssign) and "TypeAlias" in ast.unparse(child.annotation):
        return True
    if isinstance(child, ast.Assign) and any(
        isinstance(t, ast.Name) and t.id in ("__all__", "__slots__", "T") for t in child.targets
    ):
        return True
    return isinstance(child, ast.If) and "TYPE_CHECKING" in ast.unparse(child.test)


def _variants(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the small changes of one node."""
    match node:
        case ast.Compare():
            for i, op in enumerate(node.ops):
                for other in COMPARISONS[type(op)]:
                    yield ast.Compare(node.left, [*node.ops[:i], other(), *node.ops[i + 1 :]], node.comparators)
        case ast.BinOp() if type(node.op) in OPERATORS:
            yield ast.BinOp(node.left, OPERATORS[type(node.op)](), node.right)
        case ast.AugAssign():
            yield ast.AugAssign(node.target, OPERATORS[type(node.op)](), node.value)
            yield ast.Pass()
        case ast.BoolOp():
            yield ast.BoolOp(ast.Or() if isinstance(node.op, ast.And) else ast.And(), node.values)
        case ast.UnaryOp():
            yield node.operand
        case ast.Constant(value=bool()):
            yield ast.Constant(not node.value)
        case ast.Constant(value=int() | float()):
            yield ast.Constant(node.value + 1)
            yield ast.Constant(node.value - 1)
        case ast.Constant(value=str() | bytes()):
            yield ast.Constant(node.value + (b"X" if isinstance(node.value, bytes) else "X"))
            if node.value:
                yield ast.Constant(node.value[:0])
        case ast.Name(id=name) if name in NAMES:
            yield ast.Name(NAMES[name], ast.Load())
        case ast.Attribute(attr=name) if name in METHODS:
            yield ast.Attribute(node.value, METHODS[name], ast.Load())
        case ast.If():
            for value in (True, False):
                yield ast.If(ast.Constant(value), node.body, node.orelse)
        case ast.IfExp():
            yield node.body
            yield node.orelse
        case ast.While(test=ast.Constant()):
            pass
        case ast.While():
            yield ast.While(ast.Constant(False), node.body, node.orelse)
        case ast.For():
            yield ast.For(node.target, ast.List([], ast.Load()), node.body, node.orelse)
        case ast.comprehension(ifs=[_, *_]):
            yield ast.comprehension(node.target, node.iter, [], node.is_async)
        case ast.Slice():
            if node.lower:
                yield ast.Slice(None, node.upper, node.step)
            if node.upper:
                yield ast.Slice(node.lower, None, node.step)
        case ast.Call():
            for i in range(len(node.keywords)):
                yield ast.Call(node.func, node.args, node.keywords[:i] + node.keywords[i + 1 :])
            if len(node.args) > 1:
                yield ast.Call(node.func, node.args[:-1], node.keywords)
        case ast.Expr(value=ast.Call()) | ast.Raise() | ast.Continue():
            yield ast.Pass()
        case ast.Break():
            yield ast.Continue()
        case ast.Assign(targets=[ast.Attribute() | ast.Subscript()]):
            yield ast.Pass()


class Finder:
    """Imports one module from a tree that has been changed."""

    def __init__(self, change: Change) -> None:
        self.change = change

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        """Return where the changed module comes from."""
        if name != self.change.module:
            return None
        spec = PathFinder.find_spec(name, path, target)
        spec.loader = Planted(name, spec.origin, self.change.tree())
        return spec


class Planted(SourceFileLoader):
    """Compiles a changed tree."""

    def __init__(self, name: str, path: str, tree: ast.Module) -> None:
        super().__init__(name, path)
        self.tree = tree

    def get_code(self, fullname: str) -> CodeType:
        """Return the changed module."""
        return compile(self.tree, self.path, "exec")


def plant(change: Change) -> bool:
    """Give a function of an imported module its changed code; False if it cannot be done so."""
    owner: Any = sys.modules[change.module]
    for part in change.scope.split("."):
        owner = vars(owner).get(part)
        owner = getattr(owner, "fget", None) or getattr(owner, "__func__", None) or owner
        owner = inspect.unwrap(owner) if callable(owner) and not inspect.isclass(owner) else owner
    if not inspect.isfunction(owner):
        return False
    codes = list(_codes(compile(change.tree(), owner.__code__.co_filename, "exec")))
    code = next((c for c in codes if c.co_qualname == change.scope), None)
    if code is None or code.co_freevars != owner.__code__.co_freevars:
        return False
    owner.__code__ = code
    return True


def _codes(code: CodeType) -> Iterator[CodeType]:
    for const in code.co_consts:
        if isinstance(const, CodeType):
            yield const
            yield from _codes(const)


def forget() -> None:
    """Empty the caches of the source, which may hold what the unchanged code made."""
    for name, module in list(sys.modules.items()):
        if name.startswith("discreet"):
            for value in list(vars(module).values()):
                if hasattr(value, "cache_clear"):
                    value.cache_clear()
    sys.modules["discreet.samplers.many"]._KEPT.clear()


class Tests:
    """A pytest plugin that runs tests for one change, or forks a child for each of many."""

    def __init__(self, serve: Any) -> None:
        self.serve = serve
        self.failed = ""

    def pytest_collection_modifyitems(self, items: list[Any]) -> None:
        """Make few cases where a test says how many it makes."""
        if "test_reals" in sys.modules:
            sys.modules["test_reals"].CASES = CASES

    def pytest_runtestloop(self, session: Any) -> bool:
        """Run the tests our way."""
        if session.testsfailed:
            self.failed = "import"
        else:
            self.serve(self, {item.nodeid: item for item in session.items})
        return True

    def pytest_runtest_logreport(self, report: Any) -> None:
        """Take note of a failure."""
        if report.failed:
            self.failed = self.failed or report.nodeid

    def passes(self, item: Any) -> bool:
        """Run one test."""
        item.config.hook.pytest_runtest_protocol(item=item, nextitem=None)
        return not self.failed


def session(files: list[str], more: list[str], serve: Any) -> str:
    """Collect the tests of files, and more, and serve them; return the first failure."""
    import pytest

    tests = Tests(serve)
    names = dict.fromkeys([*(name for file in files for name in TESTS[file]), *more])
    paths = [
        *(f"src/discreet/{file}" for file in files),
        *(str(path) for name in names for path in (ROOT / "tests").rglob(name)),
    ]
    # Plain asserts: the rewriter would import the source itself, past the change.
    options = ["-q", "--assert=plain", "--doctest-modules", "-p", "no:cacheprovider", "-p", "no:xdist"]
    code = pytest.main([*options, *paths], [tests])
    return tests.failed or ("import" if code not in (0, 1, 5) else "")


def child(work: Any, seconds: float, cpu: int) -> tuple[str, Any]:
    """Run work in a forked child that may say things; return what came of it, and what it says.

    It has so many seconds, and so many of the processor's; then it and what it has started are killed, and so they are
    where this process ends before it.
    """
    reader, writer = os.pipe()
    pid = os.fork()
    if pid == 0:
        code = 1
        try:
            os.close(reader)
            os.setsid()
            with suppress(Exception):  # Linux's: a session of its own hears no interrupt.
                ctypes.CDLL(None).prctl(1, signal.SIGKILL)
            void = os.open(os.devnull, os.O_RDWR)
            for stream in (0, 1, 2):
                os.dup2(void, stream)
            resource.setrlimit(resource.RLIMIT_CPU, (cpu, cpu + 1))
            resource.setrlimit(resource.RLIMIT_AS, (6 << 30, 6 << 30))
            said = work()
            sys.setprofile(None)
            with os.fdopen(writer, "w") as pipe:
                json.dump(said, pipe)
            code = 0
        finally:
            os._exit(code)
    os.close(writer)
    try:
        heard, status = _heard(reader, pid, time.monotonic() + seconds)
    finally:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(pid, signal.SIGKILL)
    if status is None:
        os.waitpid(pid, 0)
        return "timeout", ""
    if os.WIFSIGNALED(status):
        return ("timeout" if os.WTERMSIG(status) in (signal.SIGXCPU, signal.SIGKILL) else "killed"), ""
    if status or not heard:
        return "broken", ""  # A fault of this tool, or a change that ends the process.
    failed = json.loads(heard)
    return ("killed" if failed else "survived"), failed


def _heard(reader: int, pid: int, end: float) -> tuple[bytes, int | None]:
    """Return what a child has said, and how it ended; None where it has not by then, whoever else holds the pipe."""
    heard, ended, status = b"", 0, 0
    with os.fdopen(reader, "rb", buffering=0) as pipe:
        while not ended and time.monotonic() < end:
            ended, status = os.waitpid(pid, os.WNOHANG)
            while select.select([pipe], [], [], 0 if ended else PAUSE)[0]:
                if not (part := pipe.read(1 << 16)):
                    time.sleep(0 if ended else PAUSE)
                    break
                heard += part
    return heard, status if ended else None


def measured() -> dict[str, Any]:
    """Return what has been measured already."""
    return dict(map(json.loads, MEASURED.read_text().splitlines())) if MEASURED.exists() else {}


def measure(tests: Tests, items: dict[str, Any]) -> None:
    """Write down for each test how long it takes, and the functions of the source that it enters.

    Each has a child of its own, which is killed when it has taken too long: an exception could be caught by the test.
    """
    known = measured()
    with MEASURED.open("a") as file:
        for name in [name for name in items if name not in known]:
            _, said = child(lambda: entered(tests, items[name]), 60 * SLOW, math.ceil(SLOW))  # noqa: B023
            file.write(json.dumps([name, said or [1e9, []]]) + "\n")
            file.flush()  # Or each child would write it again.


def entered(tests: Tests, item: Any) -> list[Any]:
    """Return how long a test takes, and the functions of the source that it enters."""
    forget()
    codes: set[CodeType] = set()
    sys.setprofile(lambda frame, event, _: codes.add(frame.f_code) if event == "call" else None)
    begin = time.process_time()
    passed = tests.passes(item)
    taken = time.process_time() - begin
    sys.setprofile(None)
    start = str(SOURCE) + os.sep
    ours = {c for c in codes if c.co_filename.startswith(start)}
    return [taken if passed else 1e9, sorted({f"{c.co_filename}:{c.co_qualname.split('.<')[0]}" for c in ours})]


def look(change: Change | None, tests: Tests, items: dict[str, Any], known: dict[str, Any], likely: list[str]) -> str:
    """Return the first test that fails on a change, among those that enter its function."""
    if change is not None and not plant(change):
        return ""
    forget()
    names = [name for name in items if known[name][0] <= SLOW]
    if change is not None:
        place = f"{SOURCE / 'discreet' / change.file}:{change.scope}"
        names = [name for name in names if place in known[name][1]]
    names.sort(key=lambda name: known[name][0])
    turns: Counter[str] = Counter()
    turn = {}
    for name in names:  # One case of each test first, then the second of each.
        turn[name] = turns[name.split("[")[0]]
        turns[name.split("[")[0]] += 1
    names.sort(key=lambda name: (likely.index(name) if name in likely else len(likely), turn[name], known[name][0]))
    begin = time.process_time()
    for name in names:
        if change is not None and time.process_time() - begin > SLOW:
            break
        if not tests.passes(items[name]):
            return name
    return ""


def look_afresh(file: str, change: Change | None, likely: list[str]) -> str:
    """Return the first test that fails on a change, with everything imported anew."""
    if change is not None:
        sys.meta_path.insert(0, Finder(change))  # type: ignore[arg-type]
    first = {name: i for i, name in enumerate(likely)}

    def serve(tests: Tests, items: dict[str, Any]) -> None:
        for name in sorted(items, key=lambda name: first.get(name, len(first))):
            if not tests.passes(items[name]):
                return

    return session([file], MORE, serve)


def preload() -> None:
    """Import in the parent what every child needs and no change touches."""
    import importlib

    for name in ("numpy", "flint", "gmpy2", "hypothesis", "mpmath", "scipy.stats", "pytest", "_pytest.doctest"):
        importlib.import_module(name)
    from hypothesis import Phase, settings

    phases = (Phase.explicit, Phase.generate)
    settings.register_profile(
        "mutation", max_examples=EXAMPLES, database=None, derandomize=True, deadline=None, phases=phases
    )
    settings.load_profile("mutation")
    made = settings.__init__

    def capped(self: Any, *args: Any, **kwargs: Any) -> None:
        if isinstance(kwargs.get("max_examples"), int):
            kwargs["max_examples"] = min(kwargs["max_examples"], EXAMPLES)
        made(self, *args, **kwargs)

    settings.__init__ = capped  # type: ignore[method-assign]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="*", help="below src/discreet; all by default")
    parser.add_argument("--only", nargs="*", help="names such as reals.py:17")
    parser.add_argument("--kinds", nargs="*", help="only changes of such nodes, as ast names them: Compare, If, ...")
    parser.add_argument("--text", action="store_true", help="also change what is part of an error's message or a repr")
    parser.add_argument("--list", action="store_true", help="only say what would be changed")
    parser.add_argument("--quick", action="store_true", help="only the first look")
    options = parser.parse_args()
    os.chdir(ROOT)
    sys.path[:0] = [str(SOURCE), str(ROOT / "tests"), str(ROOT / "tests" / "helpers")]
    files = options.files or sorted({name.split(":")[0] for name in options.only or TESTS})
    chosen = [c for file in files for c in changes(file) if not options.only or c.name in options.only]
    chosen = [
        c for c in chosen if (options.text or options.only or not c.text) and (c.kind in (options.kinds or [c.kind]))
    ]
    if options.list:
        for c in chosen:
            print(f"{c.name} line {c.line} {c.scope}{' (text)' if c.text else ''}: {c.old}  ->  {c.new}")
        return 0
    preload()
    shutil.rmtree(BUILD, ignore_errors=True)
    BUILD.mkdir(parents=True)
    for file in files:
        mine = [c for c in chosen if c.file == file]
        # In a child: this process must not import the source, which a second look imports anew.
        found = child(lambda: session([file], [], lambda tests, items: first_look(tests, items, mine)), 1e6, 10**6)  # noqa: B023
        if found != ("survived", ""):
            raise SystemExit(f"{file}: the first look did not come to its end: {found}")
        if mine and not options.quick:
            second_look(mine)
    return report(files)


def first_look(tests: Tests, items: dict[str, Any], chosen: list[Change]) -> None:
    """Try each change of a function's body on the quick tests that enter the function."""
    measure(tests, items)
    known = measured()
    if (found := child(lambda: look(None, tests, items, known, []), 3600, 3600)) != ("survived", ""):
        raise SystemExit(f"the tests do not pass on the code itself: {found}")
    likely: list[str] = []
    for change in chosen:
        start, result, by = time.monotonic(), "survived", ""
        if change.body:
            result, by = child(lambda: look(change, tests, items, known, likely), 60, 2 + 4 * math.ceil(SLOW))  # noqa: B023
        likely = _likely(likely, by)
        note(change, result, by, start)


def second_look(chosen: list[Change]) -> None:
    """Try what is left on all the tests, with everything imported anew."""
    likely: list[str] = []
    if (found := child(lambda: look_afresh(chosen[0].file, None, []), 7200, 7200)) != ("survived", ""):
        raise SystemExit(f"the tests do not pass on the code itself: {found}")
    for change in [c for c in chosen if noted().get(c.name, {}).get("result") == "survived"]:
        start = time.monotonic()
        result, by = child(lambda: look_afresh(change.file, change, likely), 1200, 900)  # noqa: B023
        likely = _likely(likely, by)
        note(change, result, by, start)


def _likely(likely: list[str], by: str) -> list[str]:
    return [by, *(name for name in likely if name != by)][:12] if "::" in by else likely


def note(change: Change, result: str, by: str, start: float) -> None:
    """Write down what came of a change."""
    record = {"name": change.name} | asdict(change) | {"result": result, "by": by}
    record |= {"seconds": round(time.monotonic() - start, 2)}
    del record["path"]
    with NOTES.open("a") as out:
        out.write(json.dumps(record) + "\n")


def noted() -> dict[str, dict[str, Any]]:
    """Return the last word on each change."""
    if not NOTES.exists():
        return {}
    return {record["name"]: record for record in map(json.loads, NOTES.read_text().splitlines())}


def report(files: list[str]) -> int:
    """Print the survivors and a table; return 0, for a survivor may well be equivalent."""
    records = list(noted().values())
    for r in records:
        if r["result"] == "survived":
            print(f"survived: {r['name']} line {r['line']} {r['scope']}: {r['old']}  ->  {r['new']}")
    for file in files:
        counts = Counter(r["result"] for r in records if r["file"] == file)
        words = [f"{counts[word]:5} {word}" for word in ("killed", "timeout", "survived", "broken")]
        print(f"{file:40} {counts.total():5} changes", *words)
    return 0


if __name__ == "__main__":
    sys.exit(main())
