"""Domains: which data a component accepts, and in which form it sees them.

``x in domain``, ``domain.validate(x)`` and ``domain.take(x)`` are one idea. `take` returns the data as new, plain
values: of exactly the declared types, and the same for data that count as equal. What is released is made of those, so
it shows no type, spelling, mask or attribute of the data's own. No code of the data's own runs, and an error describes
the domain, never the data.

One thing the data decide: lists give lists, arrays give arrays. Which of them is given says how the program was
written, and counts as public.
"""

from discreet.domains.base import FOREIGN, Anything, Domain, Keys
from discreet.domains.categories import Categories, identity
from discreet.domains.keys import Nullable, Objects, Tuples
from discreet.domains.maps import Maps
from discreet.domains.numbers import Booleans, Decimals, Floats, Integers, saturated
from discreet.domains.texts import Bytes, Texts
from discreet.domains.times import Dates, Times, Timestamps
from discreet.domains.vectors import BitVectors, Vectors

__all__ = [
    "FOREIGN",
    "Anything",
    "BitVectors",
    "Booleans",
    "Bytes",
    "Categories",
    "Dates",
    "Decimals",
    "Domain",
    "Floats",
    "Integers",
    "Keys",
    "Maps",
    "Nullable",
    "Objects",
    "Texts",
    "Times",
    "Timestamps",
    "Tuples",
    "Vectors",
    "identity",
    "saturated",
]
