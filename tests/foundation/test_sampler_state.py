"""What outlives a release is decided by public things: later calls do not feel how many private keys there were."""

from fractions import Fraction

import numpy as np
import pytest
from tiers import crossed

from discreet import IntegerLaplace, Integers, LaplaceThreshold, Vectors
from discreet.samplers import many, one
from discreet.tables import Table

ENOUGH = many._WORTH_TABLES
SIZES = (0, 1, 7, ENOUGH // 2, ENOUGH - 1, ENOUGH, ENOUGH + 1)


@pytest.fixture
def watch(monkeypatch):
    """Return a function that runs releases in a fresh state, and says what was built and kept after each."""

    def run(releases):
        kept, built = {}, []
        make = many.Digits
        with monkeypatch.context() as patch:
            patch.setattr(many, "_KEPT", kept)
            patch.setattr(many, "Digits", lambda *law, **sizes: built.append(law) or make(*law, **sizes))
            one.scaled_log.cache_clear()
            seen = []
            for release in releases:
                release()
                logs = one.scaled_log.cache_info()
                seen.append((tuple(built), tuple(kept), logs.misses, logs.currsize))
        return seen

    return run


def the_same(runs):
    assert all(run == runs[0] for run in runs)
    return runs[0]


@crossed(
    2, arrays=[False, True], scale=[Fraction(1, 3), Fraction(10), Fraction(2**53), Fraction(2**54), Fraction(10**30)]
)
def test_what_a_release_builds_does_not_depend_on_the_number_of_keys(watch, scale, arrays):
    def releases(sizes):
        m = LaplaceThreshold(scale=scale, threshold=10**40)  # Nothing is released, so nothing else can differ.
        for n in sizes:
            keys = [f"key {i}" for i in range(n)]
            values = np.arange(n) + 1
            x = (np.array(keys, object), values) if arrays else dict(zip(keys, values.tolist(), strict=True))
            yield lambda x=x: m.release(x)

    built = the_same([watch(releases(sizes)) for sizes in ((0, 0, 0), (1, 0, 3), SIZES[-3:], (ENOUGH // 2,) * 3)])
    assert len(built[0][0]) == (scale < many._LARGEST)
    assert built[0] == built[-1]  # All of it at the first release.


def test_the_laws_that_are_kept_do_not_depend_on_the_numbers_of_keys(watch):
    laws = [Fraction(k, 7) for k in range(1, 2 * many._ROOM)]

    def releases(sizes):
        for scale, n in zip(laws * 2, sizes, strict=False):
            x = {f"key {i}": 1 for i in range(n)}
            yield lambda x=x, s=scale: LaplaceThreshold(scale=s, threshold=10**6).release(x)

    runs = [[0] * 2 * len(laws), [n % 5 for n in range(2 * len(laws))], [*[ENOUGH] * 3, *[1] * (2 * len(laws) - 3)]]
    seen = the_same([watch(releases(sizes)) for sizes in runs])
    assert len(seen[-1][1]) == many._ROOM


def test_for_vectors_the_length_decides_which_is_public(watch):
    m = IntegerLaplace(scale=3, domain=Vectors(Integers()))
    short, long = [0] * (ENOUGH - 1), [0] * ENOUGH
    assert [len(built) for built, *_ in watch([lambda: m.release(short)] * 5 + [lambda: m.release(long)])] == [
        0
    ] * 5 + [1]


@pytest.mark.parametrize("question", ["sum", pytest.param("count_people", marks=pytest.mark.deep)])
def test_what_a_query_builds_does_not_depend_on_the_table(watch, question):
    pd = pytest.importorskip("pandas")

    def releases(groups):
        rows = pd.DataFrame({"id": range(groups), "city": [f"city {i}" for i in range(groups)], "amount": 1.0})
        cities = Table(rows, person="id").group_by("city")
        bounds = {"low": 0, "high": 1, "grid": 1} if question == "sum" else {}
        column = ("amount",) if question == "sum" else ()
        for epsilon in (1, 1, "1/3"):
            ask = getattr(cities, question)
            yield lambda ask=ask, e=epsilon: ask(*column, epsilon=e, delta="1e-12", max_groups=1, **bounds)

    assert the_same([watch(releases(groups)) for groups in (1, 2, 50)])[-1][0]


def test_a_draw_past_the_tables_makes_nothing_new():
    digits = many.Digits(Fraction(1000), True)
    before = one.scaled_log.cache_info()
    assert isinstance(digits._go_on(digits._span << digits._shift, one.SYSTEM), int)
    assert one.scaled_log.cache_info() == before
