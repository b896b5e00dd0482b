"""Coins: fair, never twice the same, whatever forks, threads and pools do; and the only file that has any.

A test on draws fails by chance too: among a million 64-bit words two agree with probability below 2**-24.
"""

from __future__ import annotations

import ast
import copy
import multiprocessing
import os
import pickle
import random
import signal
import ssl
import sys
import threading
from collections import Counter
from functools import reduce
from operator import and_, or_
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from tiers import cases, each

import discreet
from discreet import coins as module
from discreet.coins import SYSTEM, Coins, SystemCoins, fields
from discreet.errors import DiscreetError, EntropyError

CHILDREN, DRAWS = cases(4, 64), cases(2000, 10**4)
WORD_BYTES = 8
WAYS = ["words", "one word", "bits"]

needs_fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
fork_is_meant = pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")


# --- Many draws at once, as bytes: what a worker sends home. ---


def drawn(coins, way, count):
    """Draw *count* words: as one array, as an array for each, or as an integer for each."""
    if way == "words":
        return coins.words(count).tobytes()
    if way == "one word":
        return b"".join(coins.words(1).tobytes() for _ in range(count))
    return b"".join(coins.bits(64).to_bytes(WORD_BYTES, sys.byteorder) for _ in range(count))


def pool_worker(task):
    """Draw in a worker of a pool, and say whether the coins that came along are this process's own."""
    coins, way, count = task
    return os.getpid(), coins is SYSTEM, drawn(coins, way, count)


def duplicates(raws):
    """Return how many of the words are repetitions."""
    every = np.frombuffer(b"".join(raws), np.uint64)
    return len(every) - len(np.unique(every))


def in_forked_children(draw, children):
    """Return what *draw* gives in each of several children, all alive at once, and then in the parent."""
    pipes = []
    for _ in range(children):
        reader, writer = os.pipe()
        child = os.fork()
        if child == 0:
            status = 1
            try:
                signal.alarm(60)  # A child that hangs is killed; its draws are then too few.
                os.close(reader)
                with os.fdopen(writer, "wb") as pipe:
                    pipe.write(draw())
                status = 0
            finally:
                os._exit(status)
        os.close(writer)
        pipes.append((child, reader))
    raws = [draw()]
    for child, reader in pipes:
        with os.fdopen(reader, "rb") as pipe:
            raws.append(pipe.read())
        assert os.waitpid(child, 0)[1] == 0
    return raws


class Copied:
    """Coins as they must not be: their state follows into a child."""

    def __init__(self):
        self.rng = random.Random(1)

    def words(self, n):
        return np.frombuffer(self.rng.randbytes(WORD_BYTES * n), np.uint64)

    def bits(self, n):
        return self.rng.getrandbits(n)


@needs_fork
@fork_is_meant
@pytest.mark.parametrize("way", WAYS)
def test_forked_children_draw_nothing_twice(way):
    before = drawn(SYSTEM, way, DRAWS)  # Whatever state there is has been made before the fork.
    raws = in_forked_children(lambda: drawn(SYSTEM, way, DRAWS), CHILDREN)
    assert [len(raw) for raw in raws] == [WORD_BYTES * DRAWS] * (CHILDREN + 1)
    assert duplicates([before, *raws]) == 0


@needs_fork
@fork_is_meant
@pytest.mark.parametrize("way", WAYS)
def test_the_check_catches_coins_whose_state_a_fork_copies(way):
    wrong = Copied()
    raws = in_forked_children(lambda: drawn(wrong, way, 10), 3)
    assert duplicates(raws) == 30


@needs_fork
@fork_is_meant
def test_grandchildren_draw_nothing_twice():
    def draw():
        own = drawn(SYSTEM, "words", 100)
        return own + b"".join(in_forked_children(lambda: drawn(SYSTEM, "words", 100), 3))

    raws = in_forked_children(draw, 4)
    assert [len(raw) for raw in raws] == [WORD_BYTES * 500] * 5
    assert duplicates(raws) == 0


@pytest.mark.parametrize("way", WAYS)
def test_threads_draw_nothing_twice(way):
    raws, together = [None] * 32, threading.Barrier(32)

    def work(i):
        together.wait()
        raws[i] = drawn(SYSTEM, way, 2000)

    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        threads = [threading.Thread(target=work, args=(i,)) for i in range(32)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(before)
    assert [len(raw) for raw in raws] == [WORD_BYTES * 2000] * 32
    assert duplicates(raws) == 0


@fork_is_meant
@pytest.mark.parametrize("method", each(["fork", "forkserver", "spawn"], 3))
def test_pools_draw_nothing_twice(method):
    if method not in multiprocessing.get_all_start_methods():
        pytest.skip(f"this system cannot start processes by {method}")
    before = [drawn(SYSTEM, way, 1000) for way in WAYS]
    # A worker serves two tasks, so that the pool must start others, from a parent that has drawn.
    with multiprocessing.get_context(method).Pool(2, maxtasksperchild=2) as pool:
        tasks = [(SYSTEM, way, 1000) for way in WAYS * 2]
        answers = pool.map_async(pool_worker, tasks, chunksize=1).get(timeout=120)
    workers, same, raws = zip(*answers, strict=True)
    assert os.getpid() not in workers
    assert len(set(workers)) >= 3
    assert all(same)
    assert [len(raw) for raw in raws] == [WORD_BYTES * 1000] * 6
    assert duplicates([*before, *raws]) == 0


# --- There is one SYSTEM, with no state. ---


def test_copies_and_pickles_are_the_same_object():
    assert copy.copy(SYSTEM) is copy.deepcopy(SYSTEM) is SYSTEM
    assert copy.deepcopy([{"coins": SYSTEM}])[0]["coins"] is SYSTEM
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        assert pickle.loads(pickle.dumps(SYSTEM, protocol)) is SYSTEM
        assert pickle.loads(pickle.dumps((SYSTEM, [SYSTEM]), protocol)) == (SYSTEM, [SYSTEM])


def test_system_has_no_state():
    assert not hasattr(SYSTEM, "__dict__")
    assert SystemCoins.__slots__ == ()
    with pytest.raises(AttributeError):
        SYSTEM.seed = 1
    assert repr(SYSTEM) == "SYSTEM"
    assert isinstance(SYSTEM, Coins)
    assert not isinstance(random.Random(1), Coins)


# --- Without entropy, an error and no draw. ---


def failing(error):
    def fail(n):
        raise error

    return fail


@pytest.mark.parametrize("n", [1, 7, 1000])
def test_without_openssls_entropy_words_are_refused(monkeypatch, n):
    broken = SimpleNamespace(RAND_bytes=failing(ssl.SSLError("PRNG not seeded")), SSLError=ssl.SSLError)
    monkeypatch.setattr(module, "ssl", broken)
    for ask in (lambda: SYSTEM.words(n), lambda: fields(SYSTEM, n, 8)):
        with pytest.raises(EntropyError, match=r"^OpenSSL has no entropy: .*PRNG not seeded") as caught:
            ask()
        assert isinstance(caught.value, DiscreetError)
        assert isinstance(caught.value, OSError)
        assert caught.value.__cause__ is None


@pytest.mark.parametrize("error", [OSError(38, "not implemented"), NotImplementedError("no urandom")], ids=repr)
def test_without_the_systems_entropy_bits_are_refused(monkeypatch, error):
    monkeypatch.setattr(module, "os", SimpleNamespace(urandom=failing(error)))
    for n in (1, 8, 64, 200):
        with pytest.raises(EntropyError, match=r"^the operating system has no entropy: .*(implemented|urandom)"):
            SYSTEM.bits(n)


def test_one_source_does_not_stand_in_for_the_other(monkeypatch):
    # Each source is asked for what it is documented to give, so a failure cannot go unnoticed.
    monkeypatch.setattr(module, "os", SimpleNamespace(urandom=failing(OSError("gone"))))
    assert SYSTEM.words(3).shape == (3,)
    monkeypatch.undo()
    monkeypatch.setattr(module, "ssl", SimpleNamespace(RAND_bytes=failing(ssl.SSLError("gone")), SSLError=ssl.SSLError))
    assert 0 <= SYSTEM.bits(3) < 8


def test_a_failure_half_way_through_an_array_is_refused(monkeypatch):
    calls = []

    def second_fails(n):
        calls.append(n)
        if len(calls) == 2:
            raise ssl.SSLError("gone")
        return bytes(n)

    monkeypatch.setattr(module, "ssl", SimpleNamespace(RAND_bytes=second_fails, SSLError=ssl.SSLError))
    monkeypatch.setattr(module, "_MOST_BYTES", 64)
    with pytest.raises(EntropyError):
        SYSTEM.words(16)
    assert calls == [64, 64]


# --- What words and bits are made of. ---


@pytest.mark.parametrize("n", [0, 1, 2, 3, 63, 64, 1000, 10**5])
def test_words_are_an_array_of_64_bit_words(n):
    words = SYSTEM.words(n)
    assert words.dtype == np.uint64
    assert words.shape == (n,)


def test_words_are_the_bytes_of_openssl_and_no_other(monkeypatch):
    given, asked = random.Random(2).randbytes(8000), []

    def scripted(n):
        start = sum(asked)
        asked.append(n)
        return given[start : start + n]

    monkeypatch.setattr(module, "ssl", SimpleNamespace(RAND_bytes=scripted, SSLError=ssl.SSLError))
    assert SYSTEM.words(300).tobytes() == given[:2400]
    assert asked == [2400]
    # An array longer than OpenSSL gives at once is made of shorter ones; nothing is lost or used twice.
    monkeypatch.setattr(module, "_MOST_BYTES", 100)
    words = SYSTEM.words(577)
    assert (words.dtype, words.shape) == (np.uint64, (577,))
    assert words.tobytes() == given[2400 : 2400 + 8 * 577]
    assert max(asked[1:]) <= 100


def test_bits_lie_in_range_and_each_bit_takes_both_values():
    # A fair bit keeps to one value over 300 draws with probability 2**-299.
    assert SYSTEM.bits(0) == 0
    for n in range(201):
        draws = [SYSTEM.bits(n) for _ in range(300)]
        assert all(type(draw) is int and 0 <= draw < 1 << n for draw in draws)
        assert reduce(or_, draws) == (1 << n) - 1
        assert reduce(and_, draws) == 0


def test_each_bit_of_a_word_takes_both_values():
    words = SYSTEM.words(300)
    assert np.bitwise_or.reduce(words) == 2**64 - 1
    assert np.bitwise_and.reduce(words) == 0


@pytest.mark.parametrize("n", range(17))
def test_fair_bytes_make_fair_bits(monkeypatch, n):
    # Every string of bytes that the system may give, once: every integer comes equally often.
    size = -(-n // 8)
    tape = iter(range(256**size))

    def scripted(count):
        assert count == size
        return next(tape).to_bytes(size, "little")

    monkeypatch.setattr(module, "os", SimpleNamespace(urandom=scripted))
    counts = Counter(SYSTEM.bits(n) for _ in range(256**size))
    assert counts == dict.fromkeys(range(1 << n), 256**size >> n)


# --- Fields share words, never bits. ---


class Tape:
    """Coins that read a tape of bytes and remember what they were asked for."""

    def __init__(self):
        self.asked = []

    def words(self, n):
        self.asked.append(n)
        return np.frombuffer(TAPE[: WORD_BYTES * n], np.uint64)

    def bits(self, n):
        raise AssertionError("fields asks for single draws")


TAPE = random.Random(3).randbytes(4096)


@pytest.mark.parametrize("width", [8, 16, 32, 64])
def test_fields_cut_words_into_disjoint_pieces(width):
    for n in [*range(40), 101, 255, 256]:
        tape = Tape()
        cut = fields(tape, n, width)
        assert cut.dtype == np.dtype(f"uint{width}")
        assert cut.shape == (n,)
        assert cut.tobytes() == TAPE[: n * width // 8]
        assert sum(tape.asked) == -(-n * width // 64)


@pytest.mark.parametrize("width", [8, 16, 32, 64])
def test_each_bit_of_a_field_takes_both_values(width):
    cut = fields(SYSTEM, 301, width)
    assert np.bitwise_or.reduce(cut) == 2**width - 1
    assert np.bitwise_and.reduce(cut) == 0


# --- Randomness enters in one file. ---

SOURCES = {"random", "secrets", "urandom", "getrandom", "RAND_bytes", "RAND_priv_bytes", "RAND_pseudo_bytes"}
HOUSE = Path(discreet.__file__).parent
FILES = sorted(HOUSE.rglob("*.py"))


def mentioned(source):
    """Return the sources of randomness that a program names, imports, takes as an attribute or quotes as a whole."""
    words = set()
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Import(names=names):
                words.update(part for alias in names for part in alias.name.split("."))
            case ast.ImportFrom(module=origin, names=names):
                words.update((origin or "").split("."), (alias.name for alias in names))
            case ast.Attribute(attr=word) | ast.Name(id=word):
                words.add(word)
            case ast.Constant(value=str(text)):  # As in getattr(os, "urandom") or import_module("numpy.random").
                words.update(text.split(".") if text.replace(".", "").isidentifier() else ())
    return words & SOURCES


@pytest.mark.parametrize(
    "source",
    [
        "import random",
        "import secrets as s",
        "import numpy.random",
        "import numpy.random as r",
        "from random import getrandbits",
        "from numpy import random as r",
        "from numpy.random import default_rng",
        "from os import urandom as noise",
        "def f():\n    from secrets import randbits",
        "x = np.random",
        "x = np.random.default_rng().integers(2)",
        "x = os.getrandom(8)",
        "x = ssl.RAND_bytes(8)",
        "x = ssl.RAND_priv_bytes(8)",
        "f = urandom",
        "x = getattr(os, 'urandom')(8)",
        "x = import_module('numpy.random')",
    ],
)
def test_the_search_finds_every_way_to_name_a_source(source):
    assert mentioned(source)


def test_the_search_passes_over_prose():
    assert not mentioned('"""A random word, from os.urandom."""\n# import random\nx = randomized(3)')


def test_only_coins_mentions_a_source_of_randomness():
    guilty = {path: found for path in FILES if (found := mentioned(path.read_text("utf-8")))}
    assert guilty == {HOUSE / "coins.py": {"urandom", "RAND_bytes"}}
    assert len(FILES) > 10
