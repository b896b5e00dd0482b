"""Wanted tables: what a plan's file says of each, checked, and with its part of the budget.

[tables.cities]                    # one table, with noise of its own
by = ["city"]
max_groups = 3
people = true
means = ["amount"]
share = 2

[tables.months]
by = ["city", "day by month from 2026-01 to 2026-12 as month"]
keys = {city = ["Rome", "Bath"], month = "bins"}
max_groups = 3
people = true

[publications.census]              # several, made to add up
tables = [[], ["region"], ["region", "age"]]
keys = {region = ["north", "south"], age = ["0-17", "18+"]}
margins = [50, 20, 10]             # or weights
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from types import MappingProxyType
from typing import Any, Final, final

from discreet.errors import ParameterError, none_of
from discreet.exact import exact
from discreet.tables.aggregates import Aggregate, Mean, People, Rows, Sum
from discreet.tables.answers import Answer
from discreet.tables.explain import Explanation
from discreet.tables.planning import PublicationPlan
from discreet.tables.project import Binding
from discreet.tables.table import Groups, Table

__all__ = ["Need", "Wanted", "WantedTogether", "check", "wanted"]

Need = tuple[str, Callable[[Any], bool]]
_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,59}")
_OTHERS: Final = re.compile(r"[^A-Za-z0-9_]+")
_LONGEST: Final = 80
"""Characters of a file's name, before its suffix."""


def is_text(value: Any) -> bool:
    """Whether a value of a plan is a text that says something."""
    return isinstance(value, str) and bool(value) and "\0" not in value


def is_number(value: Any) -> bool:
    """Whether a value of a plan is a number that is exact as it was typed."""
    return isinstance(value, str | int) and not isinstance(value, bool)


def are_texts(value: Any) -> bool:
    """Whether a value of a plan is a list of texts."""
    return isinstance(value, list) and bool(value) and all(map(is_text, value))


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value > 0


def _are_numbers(value: Any) -> bool:
    return isinstance(value, list) and all(map(is_number, value))


def _are_keys(value: Any) -> bool:
    lists = (
        (isinstance(each, list) or each == "bins" for each in value.values()) if isinstance(value, dict) else [False]
    )
    return all(lists)


_TABLE: Final[Mapping[str, Need]] = MappingProxyType(
    {
        "by": ("a list of columns", are_texts),
        "keys": (
            'known keys, such as ["Rome", "Bath"], "bins", or {city = ["Rome", "Bath"], month = "bins"}',
            lambda x: x == "bins" or (isinstance(x, list) and bool(x)) or _are_keys(x),
        ),
        "max_groups": ("an integer above 0", _is_count),
        "people": ("true, or nothing", lambda x: x is True),
        "rows": ("how many rows of a person count", _is_count),
        "sums": ("a list of columns that have bounds", are_texts),
        "means": ("a list of columns that have bounds", are_texts),
        "share": ("a number above 0", is_number),
    }
)
_TOGETHER: Final[Mapping[str, Need]] = MappingProxyType(
    {
        "tables": (
            'a list of lists of columns, such as [[], ["region"]]',
            lambda x: isinstance(x, list) and bool(x) and all(each == [] or are_texts(each) for each in x),
        ),
        "keys": ('the known keys of each column, such as {region = ["north", "south"], tens = "bins"}', _are_keys),
        "max_groups": ("an integer above 0", _is_count),
        "sum": ("a column that has bounds; else people are counted", is_text),
        "weights": ("a number for each table", _are_numbers),
        "margins": ("a number for each table", _are_numbers),
        "noise": ("laplace or gaussian", lambda x: x in ("laplace", "gaussian")),
        "zeros": ("a list of impossible groups", lambda x: isinstance(x, list) and all(isinstance(y, dict) for y in x)),
        "total": ("how many there are in all, where that is public", lambda x: type(x) is int and x >= 0),
        "share": ("a number above 0", is_number),
    }
)


@final
@dataclass(frozen=True, slots=True)
class Wanted:
    """A table that is to be published, and its part of the budget."""

    name: str
    asked: tuple[Aggregate, ...]
    by: tuple[str, ...]
    keys: tuple[Any, ...] | dict[str, Any] | str | None
    epsilon: Fraction
    delta: Fraction | None
    max_groups: int | None

    @property
    def place(self) -> str:
        """Where the plan has it."""
        return f"tables.{self.name}"

    @property
    def files(self) -> tuple[str, ...]:
        """What its file is called."""
        return (self.name,)

    def _groups(self, table: Table) -> tuple[Groups, dict[str, Any]]:
        keys: Any = self.keys
        groups = table.group_by(*self.by, keys=keys) if self.by else Groups(table, ())
        return groups, {"epsilon": self.epsilon, "delta": self.delta, "max_groups": self.max_groups}

    def explain(self, table: Table) -> Explanation:
        """Say what can be said of it before it is made."""
        groups, numbers = self._groups(table)
        if numbers["max_groups"] is None and self.by and table.person is not None:
            raise ParameterError(self.place, "max_groups", "max_groups = 3, say: in how many a person counts")
        return groups.explain(*self.asked, **numbers)

    def release(self, table: Table) -> tuple[Answer, ...]:
        """Make it, or get it again where it is kept."""
        groups, numbers = self._groups(table)
        return (groups.release(*self.asked, **numbers),)


@final
@dataclass(frozen=True, slots=True)
class WantedTogether:
    """Tables that are to be published so that they add up, and their part of the budget, or margins that set it."""

    name: str
    of: Aggregate
    tables: tuple[tuple[str, ...], ...]
    keys: tuple[tuple[str, Any], ...] | None
    epsilon: Fraction | None
    delta: Fraction | None
    max_groups: int
    weights: tuple[Fraction, ...] | None
    margins: tuple[Fraction, ...] | None
    noise: str
    zeros: tuple[tuple[tuple[str, Any], ...], ...] | None
    total: int | None

    @property
    def place(self) -> str:
        """Where the plan has them."""
        return f"publications.{self.name}"

    @property
    def files(self) -> tuple[str, ...]:
        """What the file of each table is called: by the columns that it is by."""
        return tuple(
            "-".join([self.name, *(_OTHERS.sub("_", _short(x)) for x in by or ("all",))]) for by in self.tables
        )

    def explain(self, table: Table) -> PublicationPlan:
        """Say what can be said of them before they are made; from margins, find epsilon first."""
        by = [tuple(map(_short, each)) for each in self.tables]
        plan = table.plan(
            self.tables,
            of=self.of,
            epsilon=self.epsilon,
            margins=None if self.margins is None else dict(zip(by, self.margins, strict=True)),
            delta=self.delta,
            keys=None if self.keys is None else dict(self.keys),
            max_groups=self.max_groups,
            weights=None if self.weights is None else dict(zip(by, self.weights, strict=True)),
            noise=self.noise,
            zeros=None if self.zeros is None else [dict(zero) for zero in self.zeros],
            totals=None if self.total is None else {(): self.total},
        )
        return plan if self.margins is None else plan.solve()

    def release(self, table: Table) -> tuple[Answer, ...]:
        """Make them, or get them again where they are kept."""
        return self.explain(table).release().tables


def _short(column: str) -> str:
    """Return what a column is called that may be derived.

    >>> _short("age by 10 from 0 to 100 as tens"), _short("region")
    ('tens', 'region')
    """
    return column.rpartition(" as ")[2].strip()


def check(name: str, value: Any, need: Need) -> None:
    """Raise unless a value of a plan is of the kind that is needed; a URL, which may have a password, is not shown."""
    text, fits = need
    if not fits(value):
        is_url = isinstance(value, str) and "://" in value
        raise ParameterError(name, "a URL" if is_url else value, text)


def wanted(said: Mapping[str, Any], binding: Binding) -> tuple[Wanted | WantedTogether, ...]:
    """Return the tables of a plan, each with its part of the budget; a delta is for those that need one."""
    groups = {"tables": _TABLE, "publications": _TOGETHER}
    told = {kind: dict(said.get(kind, {})) for kind in groups}
    for kind, needs in groups.items():
        for name, each in told[kind].items():
            if not _NAME.fullmatch(name) or not isinstance(each, dict):
                raise ParameterError(kind, name, "names of letters, digits, - and _, which files can have")
            for key, value in each.items():
                if key in ("median", "medians", "quantile", "quantiles"):
                    raise ParameterError(f"{kind}.{name}", key, "`discreet quantile`: a plan has no quantiles")
                if key not in needs:
                    raise none_of(f"{kind}.{name}", key, needs)
                check(f"{kind}.{name}.{key}", value, needs[key])
    budget = _Budget(said, told)
    found: tuple[Wanted | WantedTogether, ...] = (
        *(_table(name, each, binding, budget) for name, each in told["tables"].items()),
        *(_together(name, each, binding, budget) for name, each in told["publications"].items()),
    )
    files = [name.casefold() for each in found for name in each.files]
    if len(set(files)) < len(files) or max(map(len, files)) > _LONGEST:
        need = f"names of tables that make different files, of at most {_LONGEST} characters, whatever the case"
        raise ParameterError("tables", [each.name for each in found], need)
    return found


class _Budget:
    """The budget of a plan, divided by shares: epsilon among what has no margins, delta among what needs one."""

    def __init__(self, said: Mapping[str, Any], told: Mapping[str, Mapping[str, Any]]) -> None:
        parts = {(kind, name): each for kind, some in told.items() for name, each in some.items()}
        shares = {at: exact(each.get("share", 1), f"{'.'.join(at)}.share") for at, each in parts.items()}
        if min(shares.values()) <= 0:
            raise ParameterError("tables", "a share", "shares above 0")
        plain = [at for at, each in parts.items() if "margins" not in each]
        if plain and "epsilon" not in said:
            raise ParameterError("plan", "no epsilon", f"epsilon = ..., which {plain[0][1]} has a share of")
        if not plain and "epsilon" in said:
            raise ParameterError("plan.epsilon", said["epsilon"], "none, where all tables have margins, which set it")
        private = [(kind, name) for kind, name in parts if _is_private(kind, parts[kind, name])]
        if private and "delta" not in said:
            raise ParameterError(
                "plan", "no delta", f"a delta, because the groups of {private[0][1]} are private; or keys"
            )
        needy = [at for at, each in parts.items() if at in private or each.get("noise") == "gaussian"]
        if needy and "delta" not in said:
            raise ParameterError("plan", "no delta", f"a delta, for the gaussian noise of {needy[0][1]}")
        self._epsilon = _divided(exact(said.get("epsilon", 0), "plan.epsilon"), plain, shares)
        self._delta = _divided(exact(said.get("delta", 0), "plan.delta"), needy, shares)

    def of(self, kind: str, name: str) -> dict[str, Fraction | None]:
        """Return the epsilon and the delta of some tables."""
        return {"epsilon": self._epsilon.get((kind, name)), "delta": self._delta.get((kind, name))}


_At = tuple[str, str]


def _divided(whole: Fraction, among: Sequence[_At], shares: Mapping[_At, Fraction]) -> dict[_At, Fraction]:
    total = sum((shares[at] for at in among), Fraction(0))
    return {at: whole * shares[at] / total for at in among}


def _is_private(kind: str, told: Mapping[str, Any]) -> bool:
    by = told.get("by", ()) if kind == "tables" else [name for each in told.get("tables", ()) for name in each]
    return bool(by) and "keys" not in told


def _table(name: str, told: Mapping[str, Any], binding: Binding, budget: _Budget) -> Wanted:
    keys = told.get("keys")
    return Wanted(
        name,
        _asked(name, told, binding),
        tuple(told.get("by", ())),
        {name: _frozen(each) for name, each in keys.items()} if isinstance(keys, dict) else _frozen(keys),
        max_groups=told.get("max_groups"),
        **budget.of("tables", name),  # type: ignore[arg-type]
    )


def _together(name: str, told: Mapping[str, Any], binding: Binding, budget: _Budget) -> WantedTogether:
    at = f"publications.{name}"
    if "tables" not in told:
        raise ParameterError(at, "no tables", _TOGETHER["tables"][0])
    tables = tuple(map(tuple, told["tables"]))
    weights, margins = (_numbers(at, key, told.get(key), len(tables)) for key in ("weights", "margins"))
    if "weights" in told and "margins" in told:
        raise ParameterError(f"{at}.weights", "weights", "weights or margins, not both")
    return WantedTogether(
        name,
        Sum(told["sum"], *_bounds(f"{at}.sum", told["sum"], binding)) if "sum" in told else People(),
        tables,
        tuple((column, _frozen(keys)) for column, keys in told["keys"].items()) if "keys" in told else None,
        max_groups=told.get("max_groups", 1),
        noise=told.get("noise", "auto"),
        zeros=tuple(tuple(zero.items()) for zero in told["zeros"]) if "zeros" in told else None,
        total=told.get("total"),
        weights=weights,
        margins=margins,
        **budget.of("publications", name),
    )


def _numbers(at: str, key: str, given: list[Any] | None, count: int) -> tuple[Fraction, ...] | None:
    if given is not None and len(given) != count:
        raise ParameterError(f"{at}.{key}", len(given), f"{count} numbers, one for each table")
    return None if given is None else tuple(exact(x, f"{at}.{key}") for x in given)


def _frozen(keys: Any) -> Any:
    return tuple(map(_frozen, keys)) if isinstance(keys, list) else keys


def _asked(name: str, told: Mapping[str, Any], binding: Binding) -> tuple[Aggregate, ...]:
    """Return what is asked of a table; sums and means take the bounds that the plan says."""
    asked: list[Aggregate] = [People()] if "people" in told else []
    asked += [Rows(told["rows"])] if "rows" in told else []
    for key, kind in (("sums", Sum), ("means", Mean)):
        asked += [kind(each, *_bounds(f"tables.{name}.{key}", each, binding)) for each in told.get(key, ())]
    if not asked:
        raise ParameterError(f"tables.{name}", "no figures", "people = true, rows, sums or means")
    return tuple(asked)


def _bounds(name: str, column: str, binding: Binding) -> Iterator[Any]:
    if column not in binding.bounds:
        raise ParameterError(name, column, "a column with bounds = {...} in the plan")
    return iter(binding.bounds[column])
