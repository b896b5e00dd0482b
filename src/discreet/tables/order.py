"""Order: the keyed order in which a person's groups are kept, the same on every engine.

Under a salt, each group has a code of 56 bits, the beginning of an MD5 digest of a key that the salt gives and the
group's text, and so has each person who is not an integer. A person x and a group with code 2**28 y1 + y2 are mixed by

    z = (x + a) (y1 + b) mod P + y2,    h = z**3 mod P,    P = 1518500213,

where a and b come from the salt, in integers that stay below 2**63 on the way. A person's groups are ordered by h, then
by the low bits of the code. Digests are computed once for each person and group, or once for each of the groups that
are given as common, and then looked up; a short key makes one block of MD5.

How unpredictable it is: without the salt, codes are (MD5 has no known bias that would help), and so is the order. The
mixing is no cipher. Nothing about privacy rests on either: see bounding.md.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from discreet.tables.engines.engine import HALF, LOW, Engine, P

__all__ = ["Order", "spelled"]


@dataclass(frozen=True, slots=True)
class Order:
    """The order under one salt, in the words of an engine; which groups are *common* changes its time alone."""

    engine: Engine
    salt: str
    a: int
    b: int
    common: Any = field(default=None, compare=False)

    @classmethod
    def of(cls, engine: Engine, salt: bytes, common: Any = None) -> Order:
        """Return the order that a salt gives."""
        digest = hashlib.sha256(salt).digest()
        a, b = int.from_bytes(digest[:8], "big"), int.from_bytes(digest[8:16], "big")
        return cls(engine, digest[16:24].hex(), a=P + a % P, b=1 + b % HALF, common=common)

    def placed(self, each: Any, who: list[str], keys: list[str]) -> Any:
        """Return rows of people and groups with their place v in the order."""
        kept, kind = each.columns, each[who[0]].type()
        each, c = self._coded(each, keys)
        plain = len(who) == 1 and kind.is_integer() and not kind.is_uint64()
        x = each[who[0]].cast("int64") if plain else self.code("p", [self.engine.key(each[p]) for p in who])
        if (v := self.engine.place(x, c, self.a, self.b)) is not None:
            return each.mutate(v=v)
        coded = self.engine.once(each.mutate(x=x, c=c))
        z = (coded.x % P + self.a) * ((coded.c >> 28) + self.b) % P + (coded.c & (HALF - 1))
        mixed = coded.mutate(z=z)  # proof: mix
        h = mixed.z * mixed.z % P * mixed.z % P
        return mixed.select(*kept, v=h * LOW + (mixed.c & (LOW - 1)))  # proof: place

    def _coded(self, each: Any, keys: list[str]) -> tuple[Any, Any]:
        """Return rows of groups, and their codes; those of the common groups are computed once and looked up."""
        import ibis

        if self.common is None:
            return each, self.code("g", [each[key] for key in keys])
        named = {f"j{i}": self.common[key] for i, key in enumerate(keys)}
        found = self.common.select(**named, j=self.code("g", named.values()))
        each = each.left_join(found, [each[key] == found[name] for key, name in zip(keys, named, strict=True)])
        return each, ibis.coalesce(each.j, self.code("g", [each[key] for key in keys]))  # proof: common

    def code(self, role: str, columns: Iterable[Any]) -> Any:
        """Return the first 56 bits of the digest of the salt, a role and some columns, each as a key travels."""
        import ibis

        return self.engine.digest(ibis.literal(f"{self.salt}{role}|") + spelled(self.engine, columns))


def spelled(engine: Engine, columns: Iterable[Any]) -> Any:
    """Return a text that says the values of some columns, each as a key travels."""
    first, *others = (_text(engine, column) for column in columns)
    for text in others:
        first = first + "|" + text
    return first


def _text(engine: Engine, column: Any) -> Any:
    """Return a text that says the value; floats that are very close may share one, which is harmless for an order."""
    import ibis

    kind = column.type()
    if kind.is_integer():
        text = ibis.literal("i") + column.cast("string")
    elif kind.is_floating():
        text = ibis.literal("f") + engine.number(column)
    else:
        text = ibis.literal("s") + engine.hex(column)
    return column.isnull().ifelse("n", text)
