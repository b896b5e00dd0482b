"""Data have declared types: what comes out is a new value of the type, and no code of the data's own runs."""

import decimal
import itertools
import math
import sys
import traceback
from collections import Counter, OrderedDict, UserDict, defaultdict, namedtuple
from collections.abc import Mapping
from datetime import UTC, date, datetime, time, timedelta, timezone, tzinfo
from decimal import Decimal
from fractions import Fraction
from types import MappingProxyType
from zoneinfo import ZoneInfo

import numpy as np
import pytest
from junk import objects

from discreet import (
    BitVectors,
    Bloom,
    Booleans,
    Bytes,
    Categories,
    Composition,
    Dates,
    Decimals,
    DiscreetError,
    DomainError,
    Floats,
    IntegerLaplace,
    Integers,
    KindError,
    L01InfDistance,
    LaplaceThreshold,
    LongitudinalRappor,
    Maps,
    Nullable,
    Objects,
    OneHot,
    OptimizedUnary,
    RandomizedResponse,
    RandomizedResponseBool,
    Rappor,
    SubsetSelection,
    Texts,
    Times,
    Timestamps,
    Tuples,
    Vectors,
)
from discreet.coins import SYSTEM
from discreet.domains import identity
from discreet.domains.categories import _entries
from discreet.opendp import absolute_distance, atom_domain, l01inf_distance, make_laplace_threshold, map_domain

ROME, HOUR = ZoneInfo("Europe/Rome"), timedelta(hours=1)


def truth(keys, values=None):
    """Return a mechanism that releases the true entries above 1, to see their form."""
    return LaplaceThreshold(scale=0, threshold=1, domain=Maps(keys, values or Integers()))


def form(x):
    """All that an observer sees of a value: exact types, spellings, dtypes, order."""
    if type(x) is dict:
        return dict, [(form(key), form(value)) for key, value in x.items()]
    if type(x) in (list, tuple):
        return type(x), [form(entry) for entry in x]
    if isinstance(x, np.ndarray):
        return type(x), x.dtype.str, x.dtype.metadata, [form(entry) for entry in x.tolist()]
    return type(x), repr(x), getattr(x, "__dict__", None)


SAME = [
    (Texts(), "a", ["a", np.str_("a")]),
    (Texts(), "a\0", ["a\0"]),
    (Bytes(), b"a\0", [b"a\0"]),
    (Bytes(), b"a", [b"a", np.bytes_(b"a")]),
    (Booleans(), True, [True, np.True_]),
    (Integers(), 1, [1, np.int8(1), np.uint64(1), np.longlong(1)]),
    (Integers(), 2**80, [2**80]),
    (Floats(), 0.0, [0.0, -0.0, np.float64(-0.0), np.float32(0), np.float16(-0.0)]),
    (Floats(), math.nan, [math.nan, -math.nan, np.float64("nan"), float("nan"), np.float32("nan")]),
    (Floats(), math.inf, [math.inf, np.float32("inf")]),
    (Decimals(), Decimal("1.5"), [Decimal("1.5"), Decimal("1.50"), Decimal("15E-1"), Decimal("001.500")]),
    (Decimals(), Decimal("1E+2"), [Decimal(100), Decimal("1E2"), Decimal("100.00")]),
    (Decimals(), Decimal(0), [Decimal(0), Decimal("-0"), Decimal("0E+9"), Decimal("0.00")]),
    (Decimals(places=2), Decimal("100.00"), [Decimal(100), Decimal("1E2"), Decimal("100.000")]),
    (Decimals(places=2), Decimal("0.00"), [Decimal(0), Decimal("-0.0000")]),
    (Decimals(places=0), Decimal(10**38 - 1), [Decimal(10**38 - 1)]),
    (Dates(), date(2026, 1, 31), [date(2026, 1, 31), np.datetime64("2026-01-31")]),
    (Times(), time(1, 30), [time(1, 30), time(1, 30, fold=1)]),
    (
        Timestamps(),
        datetime(2026, 10, 25, 2, 30),
        [datetime(2026, 10, 25, 2, 30, fold=fold) for fold in (0, 1)]
        + [np.datetime64("2026-10-25T02:30", unit) for unit in ("s", "ms", "us", "ns")],
    ),
    (
        Timestamps(utc=True),
        datetime(2026, 10, 25, 0, 30, tzinfo=UTC),
        [
            datetime(2026, 10, 25, 2, 30, tzinfo=ROME),
            datetime(2026, 10, 25, 0, 30, tzinfo=UTC, fold=1),
            datetime(2026, 10, 25, 1, 30, tzinfo=timezone(HOUR, "a name")),
        ],
    ),
    (
        Timestamps(utc=True),
        datetime(2026, 10, 25, 1, 30, tzinfo=UTC),
        [datetime(2026, 10, 25, 2, 30, tzinfo=ROME, fold=1)],
    ),
    (Nullable(Floats()), None, [None]),
    (Nullable(Floats()), 0.0, [-0.0]),
    (Tuples(Texts(), Nullable(Floats())), ("a", 0.0), [("a", -0.0), (np.str_("a"), np.float32(0))]),
    (Categories(["a", (1, 0.5)]), (1, 0.5), [(1, 0.5)]),
    (Categories([1, 2]), 1, [1, np.int8(1)]),
]  # fmt: skip


class TestEqualDataAreReleasedAlike:
    @pytest.mark.parametrize(("domain", "canonical", "given"), SAME, ids=repr)
    def test_as_one_new_value_of_the_declared_type(self, domain, canonical, given):
        for x in given:
            assert form(domain.take(x)) == form(canonical)
            assert form(domain.take(domain.take(x))) == form(canonical)
            assert form(truth(domain).release({x: 5})) == form({canonical: 5})

    @pytest.mark.parametrize(("domain", "canonical", "given"), SAME, ids=repr)
    def test_in_arrays_too(self, domain, canonical, given):
        forms = set()
        for x in given:
            arrays = [objects(x)]
            own = np.array([x])
            if own.ndim == 1 and own.tolist() == [x] and own[0] in domain:  # NumPy's texts lose zeros at their ends.
                arrays.append(own)
            for keys in arrays:
                shown, values = truth(domain).release((keys, np.array([5], np.int8)))
                assert form(shown.tolist()) == form([canonical])
                forms.add(repr(form((shown, values))))
        assert len(forms) == 1

    @pytest.mark.parametrize(("domain", "canonical", "given"), SAME, ids=repr)
    def test_twice_they_are_one_key_too_many(self, domain, canonical, given):
        for x, y in itertools.product(given, repeat=2):
            assert (objects(x, y), np.array([5, 6])) not in Maps(domain, Integers())

    def test_equal_objects_of_two_types_are_not_both_in_one_domain(self):
        equal = [1, True, 1.0, Decimal(1), Fraction(1), np.True_, 1 + 0j]
        for domain in (Integers(), Booleans(), Floats(), Decimals(), Categories([1]), Categories([True]), Texts()):
            assert len({type(domain.take(x)) for x in equal if x in domain}) <= 1

    def test_a_distance_of_0_means_one_form(self):
        keys = [
            1,
            True,
            1.0,
            0.0,
            -0.0,
            Decimal("1.0"),
            Decimal("1.00"),
            "1",
            b"1",
            math.nan,
            np.str_("1"),
            (1,),
            (True,),
        ]
        for x, y in itertools.product(keys, repeat=2):
            if L01InfDistance().measure({x: 5}, {y: 5}) == (0, 0, 0):
                for domain in {domain for domain, *_ in SAME}:
                    assert (x in domain) == (y in domain)
                    if x in domain:
                        assert form(truth(domain).release({x: 5})) == form(truth(domain).release({y: 5}))

    def test_keys_that_python_calls_equal_are_told_apart_by_the_metric(self):
        assert L01InfDistance().measure({1: 5}, {True: 5}) == (2, 10, 5)
        assert L01InfDistance().measure({1: 5}, {1: 4}) == (1, 1, 1)


UNSEEN = [
    (Texts(), ["Rome"], ["a town with a much longer name", "\U0001f600" * 99, "x\0"]),
    (Integers(), [3], [2**70, -(2**70), 2**63]),
    (Floats(), [0.5], [math.nan, -0.0]),
    (Dates(), [date(2026, 1, 31)], [date.min, date.max]),
    (Timestamps(), [datetime(2026, 1, 31)], [datetime.min, datetime.max]),
    (Nullable(Texts()), ["Rome"], [None]),
    (Nullable(Integers()), [3], [None, 2**80]),
    (Decimals(), [Decimal("0.5")], [Decimal(1).scaleb(-500)]),
    (Tuples(Texts(), Integers()), [("a", 1)], [("b" * 99, 2**80)]),
    (Categories(["a", "bbbb", "ccc"]), ["a"], ["bbbb"]),
    (Objects(), ["a"], [1, None, 2.5]),
]


class TestNothingIsInferredFromTheEntries:
    @pytest.mark.parametrize(("domain", "shown", "unseen"), UNSEEN, ids=repr)
    def test_keys_that_are_not_released_do_not_show(self, domain, shown, unseen):
        forms = set()
        for others in ([], *([key] for key in unseen), unseen):
            keys = [*shown, *others]
            values = [5] * len(shown) + [1] * len(others)
            as_dict = truth(domain).release(dict(zip(keys, values, strict=True)))
            as_arrays = truth(domain).release((objects(*keys), np.array(values)))
            forms.add(repr((form(as_dict), form(as_arrays))))
        assert len(forms) == 1

    @pytest.mark.parametrize("kind", ["i1", "u1", "<i4", ">i4", "i8", "u8"])
    def test_the_type_of_an_array_is_not_the_datas_own(self, kind):
        data = np.array([3, 4], np.dtype(kind, metadata={"of": "Ann"}))
        for m, x in (
            (truth(Integers()), (data, data)),
            (IntegerLaplace(scale=0, domain=Vectors(Integers())), data),
            (IntegerLaplace(scale=0, domain=Vectors(Integers(0, 255))), data),
        ):
            out = m.release(x)
            for part in out if type(out) is tuple else [out]:
                assert (part.dtype, part.dtype.metadata) == (np.dtype(np.int64), None)

    @pytest.mark.parametrize("width", ["U1", "U9", ">U9"])
    def test_the_width_of_texts_is_not_the_datas_own(self, width):
        keys = np.array(["a", "b"], np.dtype(width, metadata={"of": "Ann"}))
        shown, _ = truth(Texts()).release((keys, np.array([5, 6])))
        assert shown.dtype == np.dtypes.StringDType()
        assert shown.tolist() == ["a", "b"]

    def test_the_type_of_bits_carries_nothing(self):
        bits = np.eye(3, dtype=np.dtype("?", metadata={"of": "Ann"}))
        assert bits.dtype.metadata
        for out in (
            RAPPOR.release(bits[0]),
            RAPPOR.release_many(bits),
            LASTING.permanent(bits[0]),
            UNARY.release_many(bits),
            RandomizedResponseBool(prob="3/4").release_many(bits[0]),
        ):
            assert out.dtype.metadata is None

    def test_a_saturated_array_has_the_type_of_what_is_released(self):
        m = IntegerLaplace(scale=0, domain=Vectors(Integers(0, 5)))
        big = IntegerLaplace(scale=2**60, domain=Vectors(Integers(0, 5)))
        for x in (np.array([1, 2]), objects(1, 2)):
            assert m.release(x).dtype == big.release(x).dtype == np.int64


class Attributes(np.ndarray):
    """An array with something of its own."""

    def __array_finalize__(self, other):
        self.secret = getattr(other, "secret", "Ann")


REFUSED_ARRAYS = {
    "masked": lambda x: np.ma.masked_array(x, mask=np.arange(x.size).reshape(x.shape) == 0),
    "subclass": lambda x: x.view(Attributes),
    "matrix": np.asmatrix,
    "recarray": lambda x: np.rec.fromarrays([x, x]),
    "structured": lambda x: np.array([(entry, 1) for entry in x], [("f0", x.dtype), ("f1", "i8")]),
    "two dimensions": lambda x: x.reshape(1, -1),
}


class NoCoins:
    """Coins that nobody may toss."""

    def bits(self, n):
        raise AssertionError("noise was drawn")

    words = bits


@pytest.fixture
def no_coins(monkeypatch):
    for name, module in list(sys.modules.items()):
        if name.startswith("discreet") and getattr(module, "SYSTEM", None) is SYSTEM:
            monkeypatch.setattr(module, "SYSTEM", NoCoins())


@pytest.mark.filterwarnings("ignore:the matrix subclass:PendingDeprecationWarning")
class TestOnlyPlainArrays:
    @pytest.mark.parametrize("kind", REFUSED_ARRAYS)
    def test_others_are_refused_before_anything_is_drawn(self, kind, no_coins):
        wrap = REFUSED_ARRAYS[kind]
        ints, texts, bits = (
            wrap(np.array([1, 2, 77])),
            wrap(np.array(["a", "b", "secret"])),
            wrap(np.eye(3, dtype=bool)[0]),
        )
        categories = ["a", "b", "secret"]
        table, rr = LaplaceThreshold(scale=1, threshold=9), RandomizedResponse(categories=categories, prob="1/2")
        numbered = LaplaceThreshold(scale=1, threshold=9, domain=Maps(Integers(), Integers()))
        calls = [
            lambda: table.release((texts, np.array([1, 2, 3]))),
            lambda: table.release((np.array(categories), ints)),
            lambda: numbered.release((ints, np.array([1, 2, 3]))),
            lambda: IntegerLaplace(scale=1, domain=Vectors(Integers())).release(ints),
            lambda: IntegerLaplace(scale=1).release_many(ints),
            lambda: RandomizedResponseBool(prob="3/4").release_many(bits),
            lambda: Rappor(length=3, max_weight=1, f="1/2").release(bits),
            lambda: LongitudinalRappor(length=3, max_weight=1, f="1/2", p="1/4", q="1/2").permanent(bits),
        ]
        if kind != "two dimensions":  # Answers may be in arrays of any shape.
            calls += [
                lambda: OneHot(categories).apply_many(texts),
                lambda: rr.release_many(texts),
                lambda: rr.release_places(ints),
                lambda: SubsetSelection(categories=categories, size=1, prob="1/2").release_many(texts),
                lambda: Rappor(length=99, max_weight=1, f="1/2").release_packed(ints),
            ]
        for call in calls:
            with pytest.raises(DiscreetError) as caught:
                call()
            assert "77" not in str(caught.value)
            assert "Ann" not in str(caught.value)

    @pytest.mark.parametrize("kind", REFUSED_ARRAYS)
    def test_rows_of_bits_are_plain_too(self, kind, no_coins):
        wrap, rows = REFUSED_ARRAYS[kind], np.eye(3, dtype=bool)
        given = wrap(rows.ravel()) if kind in ("structured", "recarray") else wrap(rows)
        for m in (
            Rappor(length=3, max_weight=1, f="1/2"),
            OptimizedUnary(length=3, p="1/2", q="1/4"),
            LongitudinalRappor(length=3, max_weight=1, f="1/2", p="1/4", q="1/2"),
        ):
            for xs in (given, [given] * 3):
                with pytest.raises(DomainError):
                    m.release_many(xs)

    def test_rows_of_bits_may_be_lists(self):
        m = Rappor(length=3, max_weight=1, f=5e-324)
        rows = np.eye(3, dtype=bool)
        for xs in (rows.tolist(), tuple(map(tuple, rows.tolist())), list(rows)):
            assert m.release_many(xs).tolist() == rows.tolist()
        assert m.release_many([]).shape == (0, 3)
        for bad in ([[True, True, False]], [[True]], [[1, 0, 0]], [None], [rows]):
            with pytest.raises(DomainError):
                m.release_many(bad)


class TestDicts:
    DOMAIN = Maps(Texts(), Integers())

    @pytest.mark.parametrize("kind", [Counter, OrderedDict, lambda x: defaultdict(int, x)])
    def test_dicts_of_other_kinds_are_read_as_dicts(self, kind):
        assert form(truth(Texts()).release(kind({"b": 5, "a": 6}))) == form({"a": 6, "b": 5})

    def test_what_a_dict_says_about_itself_is_not_asked(self):
        class Liar(dict):
            def _lie(self, *_):
                raise AssertionError

            __iter__ = __len__ = __getitem__ = __contains__ = keys = values = items = get = _lie

        assert truth(Texts()).release(Liar(a=5)) == {"a": 5}

    def test_mappings_that_are_no_dicts_are_refused(self):
        class Repeats(Mapping):
            """A map that tries one key a thousand times."""

            def __getitem__(self, key):
                return 1

            def __iter__(self):
                return iter(["a"] * 1000)

            def __len__(self):
                return 1

        for x in (Repeats(), MappingProxyType({"a": 1}), UserDict({"a": 1}), {"a": 1}.items(), [("a", 1)]):
            with pytest.raises(DomainError):
                LaplaceThreshold(scale=1, threshold=3).release(x)

    def test_a_release_is_of_what_was_checked(self):
        """Data that change when they are looked at again: the first look is all there is."""
        looks = []

        class Changes(dict):
            def items(self):
                looks.append(1)
                return [("a", 10**6)] * len(looks)

            __iter__ = keys = values = items

        assert LaplaceThreshold(scale=0, threshold=1).release(Changes(a=5)) == {"a": 5}
        both = Composition([LaplaceThreshold(scale=0, threshold=1)] * 2)
        assert both.release(Changes(a=5)) == ({"a": 5}, {"a": 5})
        assert looks == []

    def test_the_data_are_not_changed_and_not_handed_on(self):
        data = {"a": 5}
        taken = self.DOMAIN.take(data)
        taken["b"] = 6
        assert data == {"a": 5}
        keys = np.array([3, 1])
        shown, _ = truth(Integers()).release((keys, np.array([5, 6])))
        shown[:] = 0
        assert keys.tolist() == [3, 1]

    def test_a_vector_is_not_handed_on(self):
        x = np.array([1, 2])
        released = IntegerLaplace(scale=0, domain=Vectors(Integers())).release(x)
        released[:] = 0
        assert x.tolist() == [1, 2]


class TestTexts:
    @pytest.mark.parametrize("bad", ["\ud800", "a\udfff", "\udc80 and more"])
    def test_halves_of_characters_are_refused_in_every_form(self, bad):
        domain = Maps(Texts(), Integers())
        for x in (
            {bad: 1},
            {"a": 1, bad: 1},
            (np.array(["a", bad]), np.array([1, 2])),
            (objects(bad), np.array([1])),
        ):
            assert x not in domain

    def test_numbers_that_are_no_characters_are_refused(self):
        keys = np.array([0x110000], np.uint32).view("U1")
        assert (keys, np.array([1])) not in Maps(Texts(), Integers())

    def test_every_character_is_taken(self):
        text = "".join(map(chr, [*range(1, 0xD800, 997), 0xD7FF, 0xE000, 0xFFFF, 0x10000, 0x10FFFF]))
        for x in ({text: 5}, (np.array([text]), np.array([5])), (objects(text), np.array([5]))):
            released = truth(Texts()).release(x)
            assert (list(released) if type(released) is dict else released[0].tolist()) == [text]

    def test_the_bad_text_may_be_anywhere_in_a_long_list(self):
        texts = [f"key {i}" for i in range(20_000)]
        for place in (0, 4095, 12_345, 19_999):
            bad = [*texts[:place], "\ud800", *texts[place + 1 :]]
            subclass = [*texts[:place], type("Text", (str,), {})("x"), *texts[place + 1 :]]
            for keys in (bad, subclass):
                assert dict.fromkeys(keys, 1) not in Maps(Texts(), Integers())
                assert (objects(*keys), np.ones(len(keys), int)) not in Maps(Texts(), Integers())


class TestNumbers:
    def test_decimals_are_never_rounded_whatever_the_context(self):
        long = Decimal("123456789012345678901234567890.123456789012345678901234567890")
        with decimal.localcontext(decimal.Context(prec=3, traps=[decimal.Inexact, decimal.Rounded])):
            assert Decimals().take(long).as_tuple() == Decimal(str(long)[:-1]).as_tuple()
            assert Decimals(places=30).take(long) == long
            assert long not in Decimals(places=28)

    @pytest.mark.parametrize("bad", ["NaN", "sNaN", "-sNaN123", "Infinity", "-Infinity"])
    def test_only_finite_decimals(self, bad):
        for domain in (Decimals(), Decimals(places=2), Nullable(Decimals()), Tuples(Decimals())):
            assert Decimal(bad) not in domain
            assert (Decimal(bad),) not in domain

    def test_astronomical_decimals_take_no_time(self):
        huge, tiny = Decimal("1E+999999999999"), Decimal("1E-999999999999")
        assert Decimals().take(huge) == huge
        assert huge not in Decimals(places=2)
        assert tiny not in Decimals(places=2)
        assert list(truth(Decimals()).release({huge: 5, tiny: 5})) == [tiny, huge]

    @pytest.mark.parametrize("places", [-1, 1001, 1.0, "2", True])
    def test_places_are_a_number_of_digits(self, places):
        with pytest.raises(DiscreetError, match="places"):
            Decimals(places=places)


class Zone(tzinfo):
    """A time zone that cannot be hashed, as dateutil's."""

    __hash__ = None

    def utcoffset(self, when):
        raise AssertionError

    tzname = dst = utcoffset


class TestTimes:
    def test_zones_with_code_of_their_own_are_refused_before_anything_is_drawn(self, no_coins):
        moment = datetime(2026, 1, 31, tzinfo=Zone())
        for domain in (Timestamps(), Timestamps(utc=True), Objects(), Nullable(Timestamps(utc=True))):
            m = LaplaceThreshold(scale=1, threshold=1, domain=Maps(domain, Integers()))
            with pytest.raises(DomainError):
                m.release((objects(moment), np.array([5])))

    def test_with_and_without_a_zone_are_two_types(self):
        naive, aware = datetime(2026, 1, 31), datetime(2026, 1, 31, tzinfo=UTC)
        assert (naive in Timestamps(), aware in Timestamps()) == (True, False)
        assert (naive in Timestamps(utc=True), aware in Timestamps(utc=True)) == (False, True)
        assert np.datetime64("2026-01-31T00:00:00") not in Timestamps(utc=True)

    def test_a_moment_is_no_day_and_a_day_no_moment(self):
        assert datetime(2026, 1, 31) not in Dates()
        assert date(2026, 1, 31) not in Timestamps()
        assert np.datetime64("2026-01-31T00", "s") not in Dates()
        assert np.datetime64("2026-01-31") not in Timestamps()

    def test_the_hour_that_repeats_is_two_hours(self):
        first, again = (datetime(2026, 10, 25, 2, 30, tzinfo=ROME, fold=fold) for fold in (0, 1))
        released, _ = truth(Timestamps(utc=True)).release((objects(first, again), np.array([5, 6])))
        assert [moment.hour for moment in released] == [0, 1]

    @pytest.mark.parametrize("zone", [timezone(HOUR), timezone(-HOUR)])
    def test_a_moment_that_has_no_year_in_utc_is_refused(self, zone):
        end = datetime.min if zone.utcoffset(None) > timedelta(0) else datetime.max
        assert end.replace(tzinfo=zone) not in Timestamps(utc=True)

    @pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
    def test_moments_in_arrays_are_those_that_python_has(self, unit):
        domain = Maps(Timestamps(), Integers())
        good = np.array(["2026-01-31T12:00:00"], f"M8[{unit}]")
        assert (good, np.array([1])) in domain
        for bad in (np.datetime64("NaT", unit), np.iinfo("i8").max, np.iinfo("i8").min + 1):
            keys = np.array([good[0], bad], f"M8[{unit}]")
            if unit != "ns" or np.isnat(keys[1]) or int(bad) % 1000:
                assert (keys, np.array([1, 2])) not in domain

    def test_less_than_a_microsecond_is_refused(self):
        assert np.datetime64("2026-01-31T00:00:00.000000001", "ns") not in Timestamps()
        assert np.datetime64("2026-01-31T00:00:00.000001", "ns") in Timestamps()

    @pytest.mark.parametrize("bad", ["NaT", "0000-12-31", "10000-01-01", "-5000-01-01"])
    def test_days_in_arrays_are_those_that_python_has(self, bad):
        keys = np.array(["2026-01-31", bad], "M8[D]")
        assert (keys[:1], np.array([1])) in Maps(Dates(), Integers())
        assert (keys, np.array([1, 2])) not in Maps(Dates(), Integers())
        assert keys[1] not in Dates()


class TestOpenDP:
    def test_the_key_type_is_the_users(self):
        metric = l01inf_distance(absolute_distance(T=int))
        for kind, good, bad in ((str, {"a": 5}, {1: 5}), (int, {1: 5}, {"a": 5}), (bool, {True: 5}, {1: 5})):
            space = map_domain(atom_domain(T=kind), atom_domain(T=int))
            m = make_laplace_threshold(space, metric, scale=0.0, threshold=1)
            assert form(m(good)) == form(good)
            with pytest.raises(DomainError):
                m(bad)


class TestTables:
    @pytest.fixture
    def ask(self):
        pa = pytest.importorskip("pyarrow")
        from discreet.tables import Table

        def ask(keys, kind, question="count_people", epsilon=100):
            rows = [key for key in keys for _ in range(100)]
            data = {"id": range(len(rows)), "k": pa.array(rows, kind), "x": [1.0] * len(rows)}
            groups = Table(pa.table(data), person="id").group_by("k")
            bounds = {"low": 0, "high": 1, "grid": 1} if question == "sum" else {}
            column = ("x",) if question == "sum" else ()
            return getattr(groups, question)(*column, epsilon=epsilon, delta="1e-6", max_groups=1, **bounds)

        return ask

    @pytest.mark.parametrize(
        ("kind", "keys", "domain"),
        [
            ("string", ["a", None], Texts()),
            ("int32", [3, None], Integers(dtype="int32")),
            ("int64", [2**62 + 1, None], Integers(dtype="int64")),
            ("bool_", [True, None], Booleans()),
            ("float64", [0.5, math.nan, None], Floats()),
            ("date32", [date(2026, 1, 31), None], Dates()),
        ],
    )
    def test_the_schema_says_what_the_keys_are(self, ask, kind, keys, domain):
        import pyarrow as pa

        answer = ask(keys, getattr(pa, kind)())
        assert repr(Nullable(domain)) in answer.receipt.mechanisms["people"]
        assert {repr(key) for (key,) in answer.keys} == {repr(key) for key in keys}

    def test_moments_are_released_in_utc(self, ask):
        import pyarrow as pa

        moments = [datetime(2026, 10, 25, 0, 30, tzinfo=UTC), datetime(2026, 10, 25, 1, 30, tzinfo=UTC)]
        answer = ask(moments, pa.timestamp("us", "Europe/Rome"))
        assert form([key for (key,) in answer.keys]) == form(moments)
        assert "Timestamps(utc=True)" in answer.receipt.mechanisms["people"]

    def test_the_sum_of_every_key_is_that_of_its_rows(self, ask):
        import pyarrow as pa

        answer = ask([0.5, math.nan, None], pa.float64(), "sum")
        assert len(answer.columns["sum"]) == 3
        assert all(80 <= total <= 120 for total in answer.columns["sum"])

    def test_a_plan_whose_types_are_not_the_columns_is_refused(self):
        import ibis

        from discreet.tables import Bounding, People

        plan = Bounding(People(), person="id", by="k", key_types=[Texts()])
        with pytest.raises(KindError, match="key_types"):
            plan(ibis.memtable({"id": [1], "k": [5]}))
        for bad in ([], [Texts(), Texts()], ["text"], Texts(), [Vectors(Integers())]):
            with pytest.raises(KindError, match="key_types"):
                Bounding(People(), person="id", by="k", key_types=bad)


RAN = []


def hostile(*_, **__):
    RAN.append(traceback.extract_stack())
    raise RuntimeError("secret")


SLOTS = [
    "__eq__",
    "__ne__",
    "__lt__",
    "__le__",
    "__gt__",
    "__ge__",
    "__hash__",
    "__len__",
    "__iter__",
    "__contains__",
    "__getitem__",
    "__bool__",
    "__int__",
    "__index__",
    "__float__",
    "__complex__",
    "__str__",
    "__repr__",
    "__format__",
    "__bytes__",
    "__array__",
    "__array_finalize__",
    "__array_ufunc__",
    "__array_function__",
    "__array_interface__",
    "__reduce_ex__",
    "__getattr__",
    "__call__",
    "__add__",
    "__radd__",
    "__sub__",
    "__mul__",
    "__neg__",
    "__abs__",
    "__trunc__",
    "__round__",
    "__next__",
    "__enter__",
    "__copy__",
    "__deepcopy__",
    "__fspath__",
    "__missing__",
    "__reversed__",
    "keys",
    "items",
    "values",
    "get",
    "item",
    "tolist",
    "astype",
    "utcoffset",
    "tzname",
    "dst",
    "as_tuple",
    "is_finite",
    "encode",
    "__length_hint__",
    "__buffer__",
]


class Meta(type):
    __hash__ = __eq__ = __instancecheck__ = __subclasscheck__ = __repr__ = hostile


def evil(base, *args):
    """An instance of a subclass that fails, and says so, whatever is asked of it."""
    kind = type(f"Evil{base.__name__}", (base,), {"__class__": property(hostile)})
    made = kind(*args) if base is not np.ndarray else np.array([1, 2]).view(kind)
    for slot in SLOTS:
        try:
            setattr(kind, slot, hostile)
        except (TypeError, AttributeError):
            continue
    return made


def nested(depth):
    x = ()
    for _ in range(depth):
        x = (x, x)
    return x


def sets(depth):
    x = frozenset({1})
    for _ in range(depth):
        x = frozenset({x, (x, x)})
    return x


PAIR = namedtuple("Pair", "a b")


def hostile_objects():
    bases = [
        (object,), (str, "secret"), (bytes, b"secret"), (int, 5), (float, 0.5), (tuple, ("a", 1)), (list, [1, 2]),
        (dict, {"a": 5}), (set, {1}), (frozenset, {1}), (Decimal, "1.5"), (Fraction, "1/2"), (date, 2026, 1, 31),
        (datetime, 2026, 1, 31), (time, 1), (timedelta, 1), (np.int64, 5), (np.float64, 0.5), (np.str_, "secret"),
        (np.bytes_, b"secret"), (np.ndarray,), (Counter, {"a": 5}), (Exception, "secret"),
    ]  # fmt: skip
    made = [evil(*each) for each in bases]
    made += [Meta("Type", (), {})(), Meta("Text", (str,), {})("a"), Meta("Whole", (int,), {})(1)]
    made += [
        datetime(2026, 1, 31, tzinfo=Zone()),
        Decimal("sNaN"),
        nested(40),
        sets(30),
        namedtuple("Pair", "a b")("a", 1),
    ]
    made += [np.ma.masked_array([1, 2], [True, False]), (x for x in "ab"), iter([1]), range(3), memoryview(b"secret")]
    return made


def surrounded(x):
    """The object itself, and where data of one kind or another would have it."""
    yield x
    yield from ([x], (x,), ("a", x), [True, x, False], [1, x])
    yield from ({"a": x}, (objects("a"), objects(x)), (objects(x), np.array([5])), objects(x))
    yield objects(x).reshape(1, 1)
    yield [[x]]
    if type(x) is tuple:  # To hash one takes as long as there are entries.
        return
    try:
        data = {x: 5}
    except Exception:  # It cannot be hashed.
        RAN.clear()
        return
    yield data


CATEGORIES = ["a", 1, ("a", 1), frozenset({1}), 0.5, None]
RR = RandomizedResponse(categories=CATEGORIES, prob="1/2")
SETS = SubsetSelection(categories=CATEGORIES, size=2, prob="1/2")
RAPPOR = Rappor(length=3, max_weight=1, f="1/2")
UNARY = OptimizedUnary(length=3, p="1/2", q="1/4")
LASTING = LongitudinalRappor(length=3, max_weight=1, f="1/2", p="1/4", q="1/2")
KEYS = [domain for domain, *_ in SAME] + [Tuples(Texts(), Integers()), Nullable(Tuples(Texts(), Dates()))]
CALLS = {
    "yes or no": RandomizedResponseBool(prob="3/4").release,
    "yes or no, many": RandomizedResponseBool(prob="3/4").release_many,
    "categories": RR.release,
    "categories, many": RR.release_many,
    "categories, places": RR.release_places,
    "sets": SETS.release,
    "sets, many": SETS.release_many,
    "sets, packed": SETS.release_packed,
    "one hot": OneHot(CATEGORIES),
    "one hot, many": OneHot(CATEGORIES).apply_many,
    "one hot and rappor": (OneHot(["a", "b", "c"]) >> RAPPOR).release,
    "bloom": Bloom(length=8, hashes=2),
    "bloom and rappor": (Bloom(length=8, hashes=2) >> Rappor(length=8, max_weight=2, f="1/2")).release,
    "integer": IntegerLaplace(scale=2).release,
    "integer, many": IntegerLaplace(scale=2).release_many,
    "vector": IntegerLaplace(scale=2, domain=Vectors(Integers(-5, 5))).release,
    "rappor": RAPPOR.release,
    "rappor, many": RAPPOR.release_many,
    "rappor, packed": RAPPOR.release_packed,
    "rappor, law": RAPPOR.law,
    "unary": UNARY.release,
    "unary, many": UNARY.release_many,
    "unary, packed": UNARY.release_packed,
    "lasting": LASTING.release,
    "lasting, many": LASTING.release_many,
    "lasting, permanent": LASTING.permanent,
    "lasting, instantaneous": LASTING.instantaneous,
    "composition": Composition([RandomizedResponseBool(prob="3/4")] * 2).release,
    **{f"table of {domain!r}": truth(domain).release for domain in KEYS},
    **{f"bits of {n}": BitVectors(n).validate for n in (1, 2)},
}


class TestHostileObjects:
    @pytest.mark.parametrize("name", CALLS)
    def test_no_code_of_theirs_runs_and_no_word_of_theirs_shows(self, name):
        RAN.clear()
        refused = 0
        for x in hostile_objects():
            for data in surrounded(x):
                try:
                    CALLS[name](data)
                except DiscreetError as error:
                    refused += 1
                    texts = [*traceback.format_exception_only(error), *map(repr, (error.__cause__, error.__context__))]
                    assert "secret" not in "".join(texts)
                assert not RAN, "".join(RAN[0].format()[-4:])
        assert refused or "categories" in name or "sets" in name or name.startswith(("bloom", "one hot"))

    def test_an_answer_may_hold_as_much_as_any_category_and_no_more(self):
        categories = Categories([((1, 2), (3, 4)), frozenset({1, 2, 3})])
        assert ((1, 2), (3, 4)) in categories
        assert frozenset({3, 2, 1}) in categories
        assert frozenset(range(10**6)) not in categories
        assert nested(40) not in categories
        assert sets(60) not in categories
        assert nested(3) in Categories([nested(3)])
        assert 7 < _entries(nested(40), 7) < 10  # No further than it takes to see that there are more.

    def test_subclasses_of_texts_set_no_bit(self):
        bloom = Bloom(length=64, hashes=2)
        assert bloom(type("Text", (str,), {})("a")).sum() == 0
        assert bloom(type("Data", (bytes,), {})(b"a")).sum() == 0
        assert bloom(np.str_("a")).tolist() == bloom("a").tolist()


class TestObjects:
    def test_they_are_handed_through_as_the_docstring_says(self):
        key = Fraction(1, 2)
        assert next(iter(truth(Objects()).release({key: 5}))) is key
        assert "1 and True" in Objects.__doc__

    def test_what_they_do_to_refuse_stays_here(self):
        for x in hostile_objects():
            if type(x) is tuple:  # To hash one takes as long as there are entries.
                continue
            with pytest.raises(DomainError) as caught:
                Maps(Objects(), Integers()).validate((objects(x, x), np.array([1, 2])))
            assert "secret" not in str(caught.value)
        RAN.clear()


def test_identity_tells_types_apart():
    assert identity(1) != identity(True)
