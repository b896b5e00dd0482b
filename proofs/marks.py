"""Read the marked lines of the Python into Coq: `# proof: map` in rappor.py becomes Definition rappor_map.

`python proofs/marks.py --write` writes Code.v. Arithmetic, comparisons, conditions, a few functions and loops of one
shape are known; anything else is an error, never a guess. Names that a function assigns once stand for what they are
assigned. A rounding to a float is read as the real number that is rounded, and INFINITE as no number: None.
"""

from __future__ import annotations

import ast
import re
import sys
from dataclasses import dataclass, field
from pathlib import Path

HERE = Path(__file__).parent
SOURCE = HERE.parent / "src" / "discreet"
CODE = HERE / "Code.v"

_OPERATORS = {
    "R": {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.Pow: "^", ast.LShift: "* 2 ^"},
    "Z": {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.FloorDiv: "/", ast.Mod: "mod"},
    "nat": {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Mod: "mod"},
}
_BITWISE = {ast.LShift: "Z.shiftl", ast.RShift: "Z.shiftr", ast.BitOr: "Z.lor", ast.BitAnd: "Z.land"}
_TESTS = {
    "R": {
        ast.Lt: "Rlt_dec {} {}",
        ast.LtE: "Rle_dec {} {}",
        ast.Gt: "Rlt_dec {1} {0}",
        ast.GtE: "Rle_dec {1} {0}",
        ast.Eq: "Req_EM_T {} {}",
    },
    "Z": {ast.Lt: "{} <? {}", ast.LtE: "{} <=? {}", ast.Gt: "{1} <? {0}", ast.GtE: "{1} <=? {0}", ast.Eq: "{} =? {}"},
}
_ZERO = {"R": "Req_EM_T {} 0", "Z": "{} =? 0"}
_RELATIONS = {
    ast.Lt: "{} < {}",
    ast.LtE: "{} <= {}",
    ast.Gt: "{1} < {0}",
    ast.GtE: "{1} <= {0}",
    ast.Eq: "{} = {}",
}
_FUNCTIONS = {
    "R": {
        "ln": "(ln {})",
        "exp": "(exp {})",
        "expm1": "(exp {} - 1)",
        "log1p": "(ln (1 + {}))",
        "min": "(Rmin {} {})",
        "max": "(Rmax {} {})",
        "maximum": "(Rmax {} {})",
    },
    "Z": {"min": "(Z.min {} {})", "max": "(Z.max {} {})"},
}
_SEEN_THROUGH = {"Pure", "float_up", "float_down", "int", "bool"}


class UnreadableError(SyntaxError):
    """A marked line that is not of a shape that is read."""


@dataclass(frozen=True)
class Line:
    """A marked line, or a part of it, as a definition over some variables."""

    file: str
    mark: str
    variables: str
    names: dict[str, str] = field(default_factory=dict)
    scope: str = "R"
    part: tuple[int | str, ...] = ()
    suffix: str = ""
    proposition: bool = False

    def definition(self, source: Path) -> str:
        """Return the line of Python as a comment, and its meaning in Coq."""
        statement, function = _marked(source / self.file, self.mark)
        variables = " ".join(re.findall(r"\(([^:]+):", self.variables)).split()
        names = {name: name for name in variables} | self.names
        reader = _Reader(self.scope, names, _constants(source / self.file) | _assigned(function))
        if isinstance(statement, ast.If):
            meaning, kind = reader.guard(statement), " : Prop"
        else:
            value = statement if self.part[:1] == ("target",) else statement.value
            assert value is not None  # noqa: S101  # Returns and assignments here have one.
            for step in self.part:
                value = _part(reader.assigned.get(ast.unparse(value), value), step)
            if self.proposition:
                meaning, kind = reader.proposition(value), " : Prop"
            else:
                meaning, kind = reader.value(value), ""
        shown = ast.unparse(statement).split("\n")[0]
        name = f"{Path(self.file).stem}_{self.mark}{self.suffix}"
        defined = f"Definition {name} {self.variables}{kind} := {_closed(meaning)}%{self.scope}."
        return f"(* {self.file}: {shown} *)\n{defined}\n"


@dataclass(frozen=True)
class Loop:
    """A loop that compares a prefix of U and adds words: the which-th `while True` of a function."""

    function: str
    which: int
    name: str
    variables: str

    def definition(self, source: Path) -> str:
        """Return what the loop says of a prefix, and how it lengthens the prefix."""
        tree = ast.parse((source / "samplers/one.py").read_text())
        function = next(n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef) and n.name == self.function)
        loops = sorted((n for n in ast.walk(function) if isinstance(n, ast.While)), key=lambda n: n.lineno)
        loop = loops[self.which]
        match loop:
            case ast.While(
                test=ast.Constant(value=True),
                body=[
                    ast.Assign(targets=[target], value=value),
                    ast.If(test=stop, body=[ast.Return(value=ast.expr() as answer)], orelse=[]),
                    ast.Assign(targets=[ast.Tuple() as state], value=ast.Tuple(elts=[prefix, bits])),
                ],
                orelse=[],
            ) if ast.unparse(state) in ("prefix, bits", "(prefix, bits)"):
                pass
            case _:
                raise UnreadableError(ast.unparse(loop))
        given = ("a", "d", "n", "prefix", "bits", "low", "high", "word")
        reader = _Reader("Z", {name: name for name in given} | {"gap": "gap", "coins.bits(word)": "u"}, {})
        match target, value:
            case ast.Name(id=name), _:
                lets = f"let {name} := {reader.value(value)} in "
            case ast.Tuple(elts=elements), ast.Tuple(elts=values):
                pairs = zip(elements, values, strict=True)
                lets = "".join(f"let {ast.unparse(e)} := {reader.value(v)} in " for e, v in pairs)
            case _ if ast.unparse(value) == "enclose_bits([p], bits)" and ast.unparse(target) == "[(low, high)]":
                lets = ""
            case _:
                raise UnreadableError(ast.unparse(loop))
        says = f"{lets}if {reader.value(stop)} then Some {reader.value(answer)} else None"
        return (
            f"(* samplers/one.py: {self.function}: if {ast.unparse(stop)}: return {ast.unparse(answer)} *)\n"
            f"Definition {self.name} ({self.variables} : Z) := ({says})%Z.\n"
            f"Definition {self.name}_prefix (prefix word u : Z) := ({reader.value(prefix)})%Z.\n"
            f"Definition {self.name}_bits (bits word : Z) := ({reader.value(bits)})%Z.\n"
        )


@dataclass(frozen=True)
class Rows:
    """A function of one file: all of it as it is written here, but for holes.

    So are read the one that makes the adaptive filter's rows of values, the search for the least threshold, and an
    array of coins.
    """

    file: str
    function: str
    text: str
    holes: dict[str, tuple[str, str]]

    def definition(self, source: Path) -> str:
        """Return what stands in the holes, a definition each."""
        tree = ast.parse((source / self.file).read_text())
        [function] = [n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef) and n.name == self.function]
        body = "\n".join(map(ast.unparse, function.body[ast.get_docstring(function) is not None :]))
        found = re.fullmatch(re.sub(r"<(\w+)>", r"(?P<\1>.+)", re.escape(self.text.strip())), body)
        if found is None:
            raise UnreadableError(body)
        shown = [f"(* {self.file}: {self.function} *)"]
        for hole, (variables, scope) in self.holes.items():
            names = re.findall(r"\w+", variables.split(":")[0])
            reader = _Reader(scope, {name: name for name in names}, {})
            meaning = reader.value(ast.parse(found[hole], mode="eval").body)
            shown.append(f"Definition {Path(self.file).stem}_{hole} {variables} := {_closed(meaning)}%{scope}.")
        return "\n".join(shown) + "\n"


@dataclass(frozen=True)
class _Reader:
    """Expressions of Python as terms of Coq, in one scope."""

    scope: str
    names: dict[str, str]
    assigned: dict[str, ast.expr]

    def value(self, node: ast.expr) -> str:
        """Return a term; Some of it, where a branch is INFINITE and so None."""
        match node:
            case ast.Call(func=ast.Name(id="Pure"), args=[inner]):
                return self.value(inner)
            case ast.IfExp(test=test, body=ast.Name(id="INFINITE"), orelse=other):
                return f"if {self.test(test)} then None else Some {self.term(other)}"
            case ast.IfExp(test=ast.Attribute() as test, body=other, orelse=ast.Name(id="INFINITE")) if (
                self.scope in _ZERO
            ):
                return f"if {_ZERO[self.scope].format(self.term(test))} then None else Some {self.term(other)}"
        return self.term(node)

    def term(self, node: ast.expr) -> str:  # noqa: PLR0912  # A case for each kind of expression.
        """Return a term."""
        text = ast.unparse(node)
        if text in self.names:
            return self.names[text]
        match node:
            case ast.Name(id=name) if name in self.assigned:
                return self.term(self.assigned[name])
            case ast.Constant(value=int(number)) if not isinstance(number, bool):
                return str(number)
            case ast.Constant(value=float(number)) if number.is_integer() and self.scope == "R":
                return str(int(number))
            case ast.BinOp(left=left, op=op, right=right):
                return self.operation(left, op, right)
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                return f"(- {self.term(operand)})"
            case ast.IfExp(test=ast.Name() | ast.Attribute() as test, body=body, orelse=other) if self.scope in _ZERO:
                return (
                    f"(if {_ZERO[self.scope].format(self.term(test))} then {self.term(other)} else {self.term(body)})"
                )
            case ast.IfExp(test=test, body=body, orelse=other):
                return f"(if {self.test(test)} then {self.term(body)} else {self.term(other)})"
            case ast.Compare(left=left, ops=[ast.Is() | ast.Eq()], comparators=[right]) if self.scope == "bool":
                return f"(Bool.eqb {self.term(left)} {self.term(right)})"
            case ast.Compare() | ast.BoolOp():
                return f"({self.test(node)})"
            case ast.Call(func=ast.Name(id="Fraction"), args=[top, bottom]):
                return f"({self.term(top)} / {self.term(bottom)})"
            case ast.Call(func=ast.Name(id="Fraction"), args=[only]):
                return self.term(only)
            case ast.Call(func=ast.Name(id=name), args=[inner]) if name in _SEEN_THROUGH:
                return self.term(inner)
            case ast.Call(func=ast.Name(id=name), args=args) if name in _FUNCTIONS.get(self.scope, {}):
                return _FUNCTIONS[self.scope][name].format(*map(self.term, args))
            case ast.Call(func=ast.Attribute(attr="asarray"), args=[array, _]):
                return self.term(array)
            case ast.Call(func=ast.Attribute(attr="where"), args=[test, one, other]):  # One element of each array.
                return f"(if {self.term(test)} then {self.term(one)} else {self.term(other)})"
        raise UnreadableError(text)

    def operation(self, left: ast.expr, op: ast.operator, right: ast.expr) -> str:
        """Return a term with an operator."""
        one, other = self.term(left), self.term(right)
        if self.scope == "bool" and isinstance(op, ast.BitXor):
            return f"(xorb {one} {other})"
        if self.scope == "Z" and type(op) in _BITWISE:
            return f"({_BITWISE[type(op)]} {one} {other})"
        if self.scope == "R" and isinstance(op, ast.FloorDiv):
            return f"(IZR (Int_part ({one} / {other})))"
        if type(op) not in _OPERATORS.get(self.scope, {}):
            raise UnreadableError(ast.unparse(left) + type(op).__name__)
        return f"({one} {_OPERATORS[self.scope][type(op)]} {other})"

    def test(self, node: ast.expr) -> str:
        """Return what decides an `if`."""
        if (text := ast.unparse(node)) in self.names:
            return self.names[text]
        match node:
            case ast.Compare(left=ast.Call(func=ast.Name(id="sign"), args=[left]), comparators=[ast.Constant(value=0)]):
                return self.test(ast.Compare(left=left, ops=node.ops, comparators=node.comparators))
            case ast.Compare(left=left, ops=[op], comparators=[right]) if type(op) in _TESTS.get(self.scope, {}):
                return _TESTS[self.scope][type(op)].format(self.term(left), self.term(right))
            case ast.BoolOp(op=op, values=values) if self.scope == "Z":
                sign = "||" if isinstance(op, ast.Or) else "&&"
                return "(" + f" {sign} ".join(f"({self.test(value)})%Z" for value in values) + ")%bool"
        raise UnreadableError(text)

    def proposition(self, node: ast.expr) -> str:
        """Return comparisons, and what `and` and `or` make of them."""
        match node:
            case ast.BoolOp(op=op, values=values):
                sign = " \\/ " if isinstance(op, ast.Or) else " /\\ "
                return "(" + sign.join(map(self.proposition, values)) + ")"
            case ast.Compare():
                return self.relation(node)
        raise UnreadableError(ast.unparse(node))

    def guard(self, node: ast.If) -> str:
        """Return what a parameter is that is let through: where the test raises, its opposite."""
        if not isinstance(node.body[-1], ast.Raise):
            raise UnreadableError(ast.unparse(node))
        match node.test:
            case ast.UnaryOp(op=ast.Not(), operand=ast.Compare() as allowed):
                return self.relation(allowed)
            case ast.Compare() as refused:
                return f"~ ({self.relation(refused)})"
        raise UnreadableError(ast.unparse(node.test))

    def relation(self, node: ast.Compare) -> str:
        """Return a chain of comparisons as a proposition."""
        match node:
            case ast.Compare(left=ast.Call(func=ast.Name(id="sign"), args=[left]), comparators=[ast.Constant(value=0)]):
                node = ast.Compare(left=left, ops=node.ops, comparators=node.comparators)
        sides = [self.term(side) for side in (node.left, *node.comparators)]
        found = [_RELATIONS[type(op)].format(*sides[i : i + 2]) for i, op in enumerate(node.ops)]
        return " /\\ ".join(found)


def _marked(file: Path, mark: str) -> tuple[ast.Return | ast.Assign | ast.AugAssign | ast.AnnAssign | ast.If, ast.AST]:
    """Return the statement on a marked line, and the function it is in."""
    text = file.read_text()
    [line] = [n for n, line in enumerate(text.splitlines(), 1) if re.search(rf"# proof: {mark}$", line)]
    for function in ast.walk(ast.parse(text)):
        if isinstance(function, ast.FunctionDef):
            for node in ast.walk(function):
                if isinstance(node, ast.If) and node.lineno == line:
                    return node, function
                if isinstance(node, (ast.Return, ast.Assign, ast.AugAssign, ast.AnnAssign)) and node.end_lineno == line:
                    return node, function
    raise UnreadableError(f"{file.name}: {mark}")


def _assigned(function: ast.AST) -> dict[str, ast.expr]:
    """Return what the names are that a function assigns once."""
    found: dict[str, list[ast.expr]] = {}
    for node in ast.walk(function):
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                found.setdefault(name, []).append(value)
            case ast.Assign(targets=[ast.Tuple(elts=names)], value=ast.Tuple(elts=values)) if len(names) == len(values):
                for one, value in zip(names, values, strict=True):
                    if isinstance(one, ast.Name):
                        found.setdefault(one.id, []).append(value)
            case ast.AugAssign(target=ast.Name(id=name), value=value):
                found.setdefault(name, []).extend([value, value])
    return {name: values[0] for name, values in found.items() if len(values) == 1}


def _constants(file: Path) -> dict[str, ast.expr]:
    """Return what the constants of a module are."""
    body = ast.parse(file.read_text()).body
    return {
        n.target.id: n.value
        for n in body
        if isinstance(n, ast.AnnAssign) and isinstance(n.target, ast.Name) and n.value
    }


def _closed(term: str) -> str:
    """Return a term in parentheses, unless it has them."""
    depth = [sum({"(": 1, ")": -1}.get(sign, 0) for sign in term[:i]) for i in range(1, len(term))]
    return term if re.fullmatch(r"\w+", term) or (term[0] == "(" and all(depth)) else f"({term})"


def _part(node: ast.expr, step: int | str) -> ast.expr:
    """Return a part of an expression: an element, an argument, or a field of the syntax tree."""
    match node, step:
        case ast.Assign(targets=[target]), "target":
            return target
        case ast.Tuple(elts=parts) | ast.List(elts=parts) | ast.Set(elts=parts) | ast.Call(args=parts), int(place):
            return parts[place]
        case ast.Call(keywords=keywords), str(name) if name in {keyword.arg for keyword in keywords}:
            return next(keyword.value for keyword in keywords if keyword.arg == name)
        case ast.ListComp(generators=[only]) | ast.GeneratorExp(generators=[only]), "iter":
            return only.iter
        case _, str(name) if hasattr(node, name):
            found: ast.expr = getattr(node, name)
            return found
    raise UnreadableError(ast.unparse(node))


_P = {"self.prob": "p"}
_RR, _RB = "mechanisms/randomized_response.py", "mechanisms/randomized_response_bool.py"
_RA, _OU, _SS = "mechanisms/rappor.py", "mechanisms/optimized_unary.py", "mechanisms/subset_selection.py"
_LR, _CH = "mechanisms/longitudinal_rappor.py", "mechanisms/choose.py"
_LA, _NB, _KA, _AN = "noise/laplace.py", "noise/base.py", "mechanisms/keep_above.py", "mechanisms/add_noise.py"
_T = _P | {"len(self.categories)": "t", "len(cats)": "t"}
_EPS = {"amount(epsilon)": "epsilon"}
_F = {"self.f": "f", "self.max_weight": "m", "self.length": "k", "domain.max_weight": "m", "domain.length": "k"} | _EPS
_U = {"self.p": "p", "self.q": "q", "self.length": "k", "domain.length": "k"} | _EPS
_UNSEEN = "self.noise.surprise(abs(self.threshold), new)"
_L = {"self.f": "f", "self.p": "p", "self.q": "q"}
_PERMANENT = "bernoulli_many(self.f / 2, self.length, coins)"
_TOSSED = "geometric_many(self.scale, gaps.size, coins)"
_CU, _QU, _NE = "tables/cuts.py", "tables/quantiles.py", "tables/nested.py"
_RANKS = {"q.denominator": "M", "q.numerator": "N", "choice.move": "v", "up_to[:, :-1]": "c", "up_to[:, -1:]": "n"}
_RIGHT = "sum((1 - q for q in right))"
_SWAP = {"below(k - 1 - i, coins)": "c"}
_FLIPS, _COIN = "self._flips(self.length, coins)", "bernoulli_many(self.q, self.length, coins)"

_GA, _TR, _ZC = "noise/gaussian.py", "noise/truncated.py", "accounting/zcdp.py"
_L2 = {"apart.l2_squared": "l2", "self.variance": "v", "budget.rho": "rho"}
_ES, _N = "survey/estimates.py", {"self.n": "n"}
_AD, _STEP = "accounting/adaptive.py", {"self.step": "step"}
_BOOKS = {"self.units": "most", "self.release_delta": "kept", "budget.epsilon": "budget", "budget.delta": "total"}
_VALUES = Rows(
    _AD,
    "_values",
    """
lattice = range(-_BELOW, (epsilon / step).__ceil__() + _ABOVE)
room, size = (max(menu), len(lattice))
here = slice(room, room + size)
rows = np.ones((room * room + 1, size + 2 * room))
best = np.array([_payoff(<over>) for j in lattice])
chances = [(m, *_chances(<loss>)) for m in menu]
up, down = (np.empty(size), np.empty(size))
for units in count():
    for m, rises, falls in chances:
        if <fits>:
            row = rows[(<before>) % len(rows)]
            np.multiply(row[<above>:room + m + size], rises, out=up)
            np.multiply(row[<below>:room - m + size], falls, out=down)
            np.maximum(best, np.add(up, down, out=up), out=best)
    row = rows[units % len(rows)]
    row[here], row[:room] = (best, best[0])
    yield Fraction(float(best[_BELOW]))
""",
    {
        "over": ("(j step epsilon : R)", "R"),
        "loss": ("(m step : R)", "R"),
        "fits": ("(m units : Z)", "Z"),
        "before": ("(m units : Z)", "Z"),
        "above": ("(room m : Z)", "Z"),
        "below": ("(room m : Z)", "Z"),
    },
)

_FLOOR = "floor_bits(self.scale * ln(p * (1 + exp(-1 / self.scale))), 0)"
_LEAST = Rows(
    _KA,
    "_least_threshold",
    """
l0, l1, li = new
if most == 1 or l0 == 0:
    return li
full = <full>
low = <bottom> + noise.reach(<share>)
if full == l0:
    return <first>
here, high = (<first_look>, None)
while high is None or <apart>:
    surprise = noise.surprise(here, new)
    tail = <ratio> * noise.tail(<gap>) if surprise else Fraction(1)
    there = <floor> + noise.reach(tail)
    if <rises>:
        low = here
        here = there if high is None or <below> else <middle>
    else:
        low, high = (<skipped>, here)
        here = <next>
return high
""",
    {
        "full": ("(l1 li : Z)", "Z"),
        "bottom": ("(li : Z)", "Z"),
        "share": ("(most full : R)", "R"),
        "first": ("(low : Z)", "Z"),
        "first_look": ("(low : Z)", "Z"),
        "apart": ("(low high : Z)", "Z"),
        "ratio": ("(most surprise : R)", "R"),
        "gap": ("(here li : Z)", "Z"),
        "floor": ("(li : Z)", "Z"),
        "rises": ("(here there : Z)", "Z"),
        "below": ("(there high : Z)", "Z"),
        "middle": ("(low high : Z)", "Z"),
        "skipped": ("(low there : Z)", "Z"),
        "next": ("(low : Z)", "Z"),
    },
)

_WORD, _MA = ("(word : Z)", "Z"), "samplers/many.py"
_ENCLOSED = Rows(
    "reals.py",
    "_enclose",
    """
if not isinstance(x, Real):
    low, rest = divmod(x.numerator << <up>, x.denominator << <down>)
    return (low, low + bool(rest))
ends = _ends(x.ball(known))
if ends is None:
    raise PrecisionError(f'a real number has no finite enclosure at {bits + 64} bits')
(low, low_exp), (high, high_exp) = ends
return (_floor_shift(low, low_exp + bits), -_floor_shift(-high, high_exp + bits))
""",
    {"up": ("(bits : Z)", "Z"), "down": ("(bits : Z)", "Z")},
)
_COINS = Rows(
    _MA,
    "bernoulli_many",
    """
check_probability(p)
if constant_words:
    return _bernoulli_constant(p, n, coins, word)
out = np.empty(n, np.bool_)
[(low, high)] = enclose_bits([p], word)
first, last = (<first>, <last>)
for start in range(0, n, _BYTES):
    part = out[start:start + _BYTES]
    cells = fields(coins, part.size, 8)
    np.less(cells, first, out=part)
    if (low, high) != (<edge>, <other_edge>):
        places = np.flatnonzero(cells == first if first == last else (cells >= first) & (cells <= last))
        part[places] = _settle_bits(p, cells[places], low, high, coins, word)
return out
""",
    {"first": ("(low word : Z)", "Z"), "last": ("(high word : Z)", "Z")}
    | dict.fromkeys(("edge", "other_edge"), ("(first word : Z)", "Z")),
)
_SETTLED = Rows(
    _MA,
    "_settle_bits",
    """
words = fields(coins, cells.size, word)
prefixes = cells.astype(words.dtype) << words.dtype.type(<shift>)
prefixes |= words >> words.dtype.type(<dropped>)
answers: NDArray[np.bool_] = prefixes < low
for i in np.flatnonzero((prefixes >= low) & (prefixes < high)):
    answers[i] = below_real(p, int(prefixes[i]), word, coins, word)
return answers
""",
    {"shift": _WORD, "dropped": _WORD},
)

LINES: tuple[Line | Loop | Rows, ...] = (
    Loop("below_real", 0, "below_real_enclosed", "low high prefix"),
    Loop("below_real", 1, "below_real", "a d prefix bits"),
    Loop("floor_of", 0, "floor_of", "n prefix bits"),
    _ENCLOSED,
    _COINS,
    _SETTLED,
    Line(_RB, "range", "(p : R)"),
    Line(_RB, "support", "(p : R)", _P, part=(0,), suffix="_own"),
    Line(_RB, "support", "(p : R)", _P, part=(1,), suffix="_other"),
    Line(_RB, "map", "(p : R)", _P),
    Line(_RB, "answer", "(x honest : bool)", {}, "bool"),
    Line(_RB, "answers", "(truths honest : bool)", {}, "bool"),
    Line(_RB, "within", "(epsilon : R)", _EPS, part=("prob",)),
    Line(_RR, "range", "(p t : R)"),
    Line(_RR, "support", "(p t : R)", _T, part=(0,), suffix="_own"),
    Line(_RR, "support", "(p t : R)", _T, part=(1,), suffix="_other"),
    Line(_RR, "map", "(p t : R)", _T),
    Line(_RR, "honest", "(p : R)", _P, part=(0,)),
    Line(_RR, "choice", "(place t : Z)", {}, "Z", (0,)),
    Line(_RR, "foreign", "(choice : nat)", {}, "nat", ("slice",)),
    Line(_RR, "answer", "(place choice t : nat) (honest : bool)", {}, "nat", ("slice",)),
    Line(_RR, "within", "(epsilon t : R)", _T | _EPS, part=("prob",)),
    Line(_RA, "range", "(f : R)", {"share": "f"}),
    Line(_RA, "support", "(f : R)", _F, part=(0,), suffix="_own"),
    Line(_RA, "support", "(f : R)", _F, part=(1,), suffix="_other"),
    Line(_RA, "map", "(f m k : R)", _F),
    Line(_RA, "flips", "(f : R)", _F, part=(0,)),
    Line(_RA, "xor", "(x flip : bool)", {_FLIPS: "flip"}, "bool"),
    Line(_RA, "debias", "(f y n : R)", {"self.f": "f"}, part=("elt",)),
    Line(_RA, "variance", "(f n : R)", {"self.f": "f"}),
    Line(_RA, "within", "(epsilon m k : R)", _F),
    Line(_OU, "bias", "(p : R)", {"yes": "p"}),
    Line(_OU, "range", "(p q : R)", {"yes": "p", "no": "q"}),
    Line(_OU, "map", "(p q k : R)", _U),
    Line(_OU, "bits", "(x honest coin : bool)", {"honest": "honest", _COIN: "coin"}, "bool"),
    Line(_OU, "bits", "(p q : R)", _U, part=(1, 0), suffix="_honest"),
    Line(_OU, "bits", "(p q : R)", _U, part=(2, 0), suffix="_coin"),
    Line(_OU, "within", "(epsilon k : R)", _U, part=("q",)),
    Line(_SS, "range", "(p d k : R)"),
    Line(_SS, "support", "(p d k : R)", part=(0,), suffix="_own"),
    Line(_SS, "support", "(p d k : R)", part=(1,), suffix="_other"),
    Line(_SS, "map", "(p d k : R)"),
    Line(_SS, "foreign", "(stand_in : nat)", {}, "nat", (0,), "_place"),
    Line(_SS, "foreign", "(d k : R)", part=(1,), suffix="_share"),
    Line(_SS, "shuffle", "(k i : nat)", {}, "nat", (0, "slice", "right", 0), "_among"),
    Line(_SS, "shuffle", "(i c : nat)", _SWAP, "nat", ("target", 0, "slice"), "_first"),
    Line(_SS, "shuffle", "(i c : nat)", _SWAP, "nat", ("target", 1, "slice"), "_second"),
    Line(_SS, "shuffle", "(i c : nat)", _SWAP, "nat", (0, "slice"), "_to_first"),
    Line(_SS, "shuffle", "(i c : nat)", _SWAP, "nat", (1, "slice"), "_to_second"),
    Line(_SS, "exchange", "(place : nat)", {}, "nat", ("target", "slice"), "_where"),
    Line(_SS, "exchange", "(place : nat)", {}, "nat"),
    Line(_SS, "size", "(epsilon k a : R)"),
    Line(_SS, "within", "(epsilon d k : R)", _EPS, part=("prob",)),
    Line(_LR, "range", "(f : R)", {"share": "f"}),
    Line(_LR, "zero", "(p : R)", {"no": "p"}),
    Line(_LR, "order", "(p q : R)", {"no": "p", "yes": "q"}),
    Line(_LR, "support", "(f p q : R)", _L, part=(0,), suffix="_own"),
    Line(_LR, "support", "(f p q : R)", _L, part=(1,), suffix="_other"),
    Line(_LR, "ratio", "(base f r : R)", _L),
    Line(_LR, "map", "(p q : R)", _L, part=(0, "left", "left", "left", 0), suffix="_ones"),
    Line(_LR, "map", "(p q : R)", _L, part=(0, "left", "left", "right", 0), suffix="_zeros"),
    Line(_LR, "map", "(ones zeros m k : R)", _F),
    Line(_LR, "ever", "(f m k : R)", _F),
    Line(_LR, "permanent", "(bits flip : bool)", {_PERMANENT: "flip"}, "bool"),
    Line(_LR, "permanent", "(f : R)", _L, part=("right", 0), suffix="_flips"),
    Line(_LR, "report", "(bits one zero : bool)", {_COIN: "one", "zeros": "zero"}, "bool"),
    Line(_LR, "report", "(p q : R)", _L, part=(1, 0), suffix="_one"),
    Line(_LR, "report", "(p q : R)", _L, part=(2, 0), suffix="_zero"),
    Line(_LR, "within", "(epsilon m k : R)", _F, part=("f",)),
    Line(_CH, "map", "(d s : R)", {"self.scale": "s"}),
    Line(_CH, "heads", "(tossed gaps : Z)", {_TOSSED: "tossed"}, "Z", (0,)),
    Line(_CH, "choice", "(size : nat)", {"heads.size": "size"}, "nat", ("slice", "slice", 0)),
    Line(_CH, "within", "(d epsilon : R)", {"cls.input_metric.check(d_in)": "d", "budget": "epsilon"}, part=("scale",)),
    Line(_CU, "most", "(odds : R)"),
    Line(_QU, "ranks", "(M N c n v : R)", _RANKS),
    Line(_QU, "scale", "(M ranks epsilon : R)", _RANKS),
    Line(_QU, "reach", "(scale cuts error : R)"),
    Line(_NE, "bounded", "(at_left : R)", {"sum(left)": "at_left"}, part=(0,), suffix="_upper"),
    Line(_NE, "bounded", "(at_right : R)", {_RIGHT: "at_right"}, part=(1,), suffix="_lower"),
    Line(_NE, "moved", "(q left right lower upper : R)", {"moved(left)": "left", "moved(right)": "right"}),
    Line(_LA, "scale", "(s : R)"),
    Line(_LA, "map", "(l1 s : R)", {"self.scale": "s", "sensitivity.l1": "l1"}),
    Line(_LA, "within", "(l1 epsilon : R)", {"sensitivity.l1": "l1"}, part=(0,)),
    Line(_LA, "tail", "(k s : R)"),
    Line(_LA, "reach", "(p s : R)", {"self.scale": "s"}, part=(0, "operand", 0)),
    Line(_LA, "reach", "(floor : Z)", {_FLOOR: "floor"}, "Z", suffix="_least"),
    Line(_AN, "diameter", "(l0 size : Z)", {}, "Z", ("func", "value", 0, "orelse"), "_l0"),
    Line(_AN, "diameter", "(li width : Z)", {}, "Z", ("func", "value", 2), "_li"),
    Line(_NB, "either", "(k tail other : R)", {"self.tail(k)": "tail", "self.tail(1 - k)": "other"}),
    Line(_NB, "point", "(here beyond : R)", {"self.at_least(abs(z))": "here", "self.tail(abs(z) + 1)": "beyond"}),
    Line(_NB, "candidates", "(l1 li : Z)", {}, "Z", (1,), "_fewest"),
    Line(_NB, "multiples", "(l1 room least : Z)", {"min(spare)": "least"}, "Z", (0,), "_first"),
    Line(_NB, "multiples", "(l1 room most : Z)", {"max(spare)": "most"}, "Z", (1,), "_last"),
    Line(_NB, "packed", "(tail count : R)", part=(0, "elt")),
    Line(_KA, "delta", "(surprise : R)", {_UNSEEN: "surprise"}, part=("body",), suffix="_of"),
    Line(_KA, "nonzero", "(low : Z)", {}, "Z", (0,)),
    Line(_KA, "width", "(li low high : Z)", {"self.low": "low", "self.high": "high"}, "Z"),
    Line(_KA, "new", "(count l1 m : Z)", {"self.count(l0)": "count"}, "Z", ("func", "value", 0)),
    Line(_KA, "strict", "(noisy threshold : Z)", {"self.threshold": "threshold"}, "Z"),
    _LEAST,
    Line(_GA, "variance", "(v : R)"),
    Line(_GA, "zcdp", "(l2 v : R)", _L2),
    Line(_GA, "rho", "(l2 rho : R)", _L2, part=(0,)),
    Line(_GA, "moment", "(t v : R)", {"self.variance": "v"}),
    Line(_TR, "scale", "(s : R)"),
    Line(_TR, "tail", "(k s r whole : R)", {"_whole(s, r, exp, expm1)": "whole"}),
    Line(_TR, "whole", "(s r : R)"),
    Line(_ZC, "constant", "(order delta : R)"),
    Line(_ZC, "rho", "(epsilon constant order : R)", {"_ln_constant(order, delta)": "constant"}),
    Line(_ZC, "worth", "(most rho : R)", {"self.rho": "rho", "most": "most"}, proposition=True),
    Line(_ES, "share", "(c n p q : R)", _N, part=("elt",)),
    Line(_ES, "respondents", "(f p q n : R)", _N, part=("left", 0)),
    Line(_ES, "respondents", "(p q : R)", part=("right",), suffix="_over"),
    Line(_ES, "sample", "(seen n : R)", _N, part=("left", 0)),
    Line(_ES, "sample", "(p q : R)", part=("right",), suffix="_over"),
    Line(_AD, "or", "(units epsilon delta most budget kept total : R)", _BOOKS, proposition=True),
    Line(_AD, "cost", "(m step epsilon count : R)", _STEP, part=("iter", "iter", "elt", 1), suffix="_n"),
    Line(_AD, "cost", "(count n : R)", part=("iter", "elt", 0), suffix="_groups"),
    Line(_AD, "cost", "(n m : R)", part=("elt", 0)),
    Line(_AD, "off", "(most : R)", _BOOKS, part=("default", 0)),
    _VALUES,
    Line(_AD, "payoff", "(over : R)"),
    Line(_AD, "chances", "(loss : R)", part=(0,), suffix="_up"),
    Line(_AD, "chances", "(loss : R)", part=(1,), suffix="_down"),
    Line(_AD, "most", "(value delta : R)", part=(0, "iter", 0, "body"), proposition=True),
    Line(_AD, "again", "(value most total kept : R)", _BOOKS | {"value": "value"}, proposition=True),
)


def code(source: Path = SOURCE) -> str:
    """Return Code.v, as read from a tree of sources."""
    head = [
        "(* Written by marks.py from the marked lines of the Python: do not edit. *)",
        "From Coq Require Import ZArith Reals Bool.",
        "Open Scope R_scope.",
        "",
    ]
    return "\n".join([*head, *(line.definition(source) for line in LINES)])


if __name__ == "__main__":
    if "--write" in sys.argv:
        CODE.write_text(code())
    else:
        print(code())
