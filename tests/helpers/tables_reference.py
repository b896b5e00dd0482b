"""A plain-Python engine: what a plan means, written a second time, for engines to be held against.

Rows are dicts. It shares no code with `discreet.tables`; a plan is read for its public parameters only.
"""

import hashlib
import math
from collections import Counter, defaultdict
from datetime import date, datetime, timedelta
from fractions import Fraction

P = 1518500213


EDGES = (2.0**-64, *(2.0**e for e in range(-32, 64)))
SIZES = (1, 2, 3, 4, 5, 6, 8, 12, 16, 24, 32, 64)


def people_of(plan, rows, where=None):
    """Each person's rows that count, by group: of each row, the values of the plan's aggregates."""
    people = defaultdict(lambda: defaultdict(list))
    for number, row in enumerate(rows):
        who = (number,) if plan.person is None else tuple(plain(row[name]) for name in plan.person)
        values = [None if each.column is None else row[each.column] for each in plan.aggregates]
        lacks = any(each.column is not None and missing(x) for each, x in zip(plan.aggregates, values, strict=True))
        if (where is None or where(row)) and not any(map(missing, who)) and not lacks:
            key = tuple(plain(row[name]) for name in plan.by)
            if plan.keys is None or (key if len(plan.by) > 1 else key[0]) in plan.keys:
                people[who][key].append(values)
    return people


def aggregates(plan, rows, salt, where=None):
    """Each group's key, as a tuple, and what people add up to there: their number, then a total of each aggregate."""
    found = defaultdict(lambda: [0, *(Counter() if each.bins or each.brings else 0 for each in plan.aggregates)])
    for who, groups in people_of(plan, rows, where).items():
        places = {key: place(who, key, salt) for key in groups}
        for key, here in places.items():
            if sum(there <= here for there in places.values()) > plan.max_groups:
                continue
            columns = zip(*groups[key], strict=True)
            adds = [1]
            for each, x in zip(plan.aggregates, columns, strict=True):
                adds.append(brought(each, who, key, x, salt) if each.brings else contribution(each, x))
            found[key] = [total + add for total, add in zip(found[key], adds, strict=True)]
    found = found if plan.by else {(): found[()]}
    for totals in found.values():  # Of values that people bring, how many are different.
        totals[1:] = [len(x) if each.brings else x for each, x in zip(plan.aggregates, totals[1:], strict=True)]
    return found


def brought(aggregate, who, key, values, salt):
    """The distinct values that a person brings to a group: the first ones in an order of their own."""
    places = {value: place(who, (*key, value), salt) for value in set(map(plain, values))}
    most = getattr(aggregate, "numerator", aggregate).most
    return Counter(v for v, here in places.items() if sum(there <= here for there in places.values()) <= most)


def result(plan, rows, salt, where=None, place=0):
    """What one of the plan's aggregates gets noise for: a dict where the groups are private, else a list."""
    totals = aggregates(plan, rows, salt, where)
    found = {(key[0] if len(key) == 1 else key): n[1 + place] for key, n in totals.items()}
    if plan.by and plan.keys is None:
        return found
    nobody = Counter() if plan.aggregates[place].bins else 0
    return [found.get(key, nobody) for key in plan.keys or ((),)]


def sizes(plan, rows, where=None):
    """How many people are in each bin: by groups; or by rows, and by how many quarters of them are kept."""
    quarters = 5 if plan.by and plan.sizes.rows is not None else 1
    found = [0] * (len(SIZES) * quarters)
    for groups in people_of(plan, rows, where).values():
        counts = [len(values) for values in groups.values()]
        if plan.sizes.values is not None:
            counts = [len({plain(row[plan.sizes.values]) for row in values}) for values in groups.values()]
        if plan.sizes.rows is None:
            size, kept = len(counts), 1
        else:
            size, many = sum(counts), len(counts)
            kept = sum(min(n, plan.sizes.rows) for n in counts) / size * (min(many, plan.max_groups) / many)
        bin_ = next((i for i, most in enumerate(SIZES) if size <= most), len(SIZES) - 1)
        found[bin_ * quarters + (4 - math.floor(kept * 4) if quarters > 1 else 0)] += 1
    return found


def contribution(aggregate, values):
    """What a person adds to a group, whose rows there have these values: steps, or one in a bin."""
    if aggregate.kind == "people":
        return 1
    if aggregate.kind == "rows":
        return min(len(values), aggregate.most)
    if aggregate.kind == "ratio":
        return contribution(aggregate.numerator, values)
    low, high = round_half_up(aggregate.low / aggregate.grid), round_half_up(aggregate.high / aggregate.grid)
    steps = []
    for value in values:
        inside = min(max(float(value), float(aggregate.low)), float(aggregate.high))
        units = inside * float(aggregate.grid.denominator) / float(aggregate.grid.numerator)
        steps.append(min(max(math.floor(units + 0.5), low), high))
    if aggregate.kind == "sum":
        return min(max(sum(steps), low), high)
    mean = min(max(round_half_up(Fraction(sum(steps), len(steps))), low), high)
    if aggregate.kind == "quantile":
        return Counter({mean - low: 1})
    if aggregate.kind == "histogram":
        return Counter({sum(mean >= round_half_up(edge / aggregate.grid) for edge in aggregate.edges[1:-1]): 1})
    if aggregate.kind in {"variance", "standard deviation"}:
        twice = float(2 * mean - low - high)
        return 2 * min(math.floor(twice * twice * (2**30 / (high - low) ** 2) + 0.5), 2**30) - 2**30
    return 2 * mean - low - high


def place(who, key, salt):
    """Where a group stands in a person's order."""
    digest = hashlib.sha256(salt).digest()
    a = P + int.from_bytes(digest[:8], "big") % P
    b = 1 + int.from_bytes(digest[8:16], "big") % 2**28
    plain_number = len(who) == 1 and type(who[0]) is int
    x = who[0] if plain_number else code(who, salt, "p")
    x = x % P if x >= 0 else -(-x % P)
    y = code(key, salt, "g")
    z = (x + a) * (y // 2**28 + b) % P + y % 2**28
    return z**3 % P, y % 2**32, [x for x in key if type(x) is float]  # Close floats share a code.


def code(values, salt, role):
    text = hashlib.sha256(salt).digest()[16:24].hex() + role + "".join("|" + text_of(value) for value in values)
    return int.from_bytes(hashlib.md5(text.encode()).digest()[:7], "little")


def text_of(value):
    if value is None:
        return "n"
    if isinstance(value, int):
        return f"i{int(value)}"
    if isinstance(value, datetime):
        return f"i{(value - datetime(1970, 1, 1)) // timedelta(microseconds=1)}"
    if isinstance(value, date):
        return f"i{(value - date(1970, 1, 1)).days}"
    if isinstance(value, float):
        inside = min(max(value, -(2.0**62)), 2.0**62)
        return f"f{math.floor(inside)}.{math.floor((inside - math.floor(inside)) * 2.0**30)}"
    if value is NAN:
        return "fnan"
    return "s" + value.encode().hex().upper()


class _NaN:
    """One NaN, equal to itself."""

    def __repr__(self):
        return "NaN"


NAN = _NaN()


def plain(value):
    """A value that is equal to the same key's others: one NaN, one zero."""
    if isinstance(value, float):
        return NAN if value != value else value + 0.0
    return value


def missing(value):
    return value is None or value is NAN or value != value


def round_half_up(x):
    return math.floor(x + Fraction(1, 2))


def extents(plan, rows, salt, *, sums, where=None):
    """How many least and greatest values of people are in each bin of powers of two, from below 0 to above."""
    found = [0] * 195
    for who, groups in people_of(plan, rows, where).items():
        places = {key: place(who, key, salt) for key in groups}
        for key, here in places.items():
            if sum(there <= here for there in places.values()) > 1:
                continue
            bins = [power(value) for (value,) in groups[key]]
            more = (len(bins) - 1).bit_length() if sums else 0
            least, greatest = min(bins), max(bins)
            found[97 + (max(least - more, -97) if least < 0 else least)] += 1
            found[97 + (min(greatest + more, 97) if greatest > 0 else greatest)] += 1
    return found


def power(value):
    """The bin of a value: 0, or 1 up to 2**-32, and so on; below 0 likewise."""
    bin_ = sum(abs(value) > edge for edge in EDGES)
    return bin_ if value > 0 else -bin_
