"""The samplers beside OpenDP's and NumPy's (float, insecure), and the time to import.

A peer that is slow draws fewer, and its time is scaled up to as many.
"""

from __future__ import annotations

import ssl
import subprocess
import sys
from collections.abc import Iterator
from fractions import Fraction

import numpy as np

from benchmarks.measure import Look, Row, faster, power, seconds, within
from benchmarks.peers import opendp
from discreet.coins import SYSTEM
from discreet.samplers import (
    bernoulli_many,
    discrete_gaussian,
    discrete_gaussian_many,
    discrete_laplace,
    discrete_laplace_many,
)
from discreet.samplers.blocks import Blocks
from discreet.samplers.many import Digits

SCALES = [Fraction(1, 2), Fraction(1), Fraction(10), Fraction(1000), Fraction(10**6)]
DEVIATIONS = [1, 10, 1000, 10**6]


def numpy(look: Look) -> Iterator[Row]:
    n, generator = look.size(10**6), np.random.default_rng()
    for scale in SCALES:
        discrete_laplace_many(scale, n)
        ours, insecure = look.best(
            lambda s=scale: discrete_laplace_many(s, n), lambda s=scale: generator.laplace(0, float(s), n), repeat=9
        )
        what = f"{power(n)} discrete Laplace draws, scale {float(scale):g}: time over NumPy's float Laplace"
        yield within(what, ours, insecure, 1.25, f"{ours / n * 1e9:.1f} ns a draw")
    build = max(min(look.best(lambda s=s: Digits(s, True))) for s in [*SCALES, Fraction(2**53), Fraction(355, 113)])
    what, ratio = "building the tables of a new scale, the slowest of seven: time over 50 ms", build / 0.050
    yield Row(what, seconds(build), "50 ms", ratio, "<=", 1)


def normal(look: Look) -> Iterator[Row]:
    n, generator = look.size(10**6), np.random.default_rng()
    for sigma in DEVIATIONS:
        discrete_gaussian_many(sigma**2, n)
        ours, insecure = look.best(
            lambda s=sigma: discrete_gaussian_many(s**2, n), lambda s=sigma: generator.normal(0, s, n), repeat=9
        )
        what = f"{power(n)} discrete Gaussian draws, deviation {sigma:g}: time over NumPy's float normal"
        yield within(what, ours, insecure, 0.9, f"{ours / n * 1e9:.1f} ns a draw")
    variances = [Fraction(s) ** 2 for s in (*DEVIATIONS, 127, Fraction(355, 113), 2**53)]
    build = max(min(look.best(lambda v=v: Blocks(v))) for v in variances)
    what, ratio = "building the tables of a new variance, the slowest of seven: time over 20 ms", build / 0.020
    yield Row(what, seconds(build), "20 ms", ratio, "<=", 1)


def openssl(look: Look) -> Iterator[Row]:
    n = look.size(10**7)
    ours, alone = look.best(lambda: bernoulli_many(Fraction(3, 10), n), lambda: ssl.RAND_bytes(n), repeat=7)
    yield within(f"{power(n)} Bernoulli(0.3) draws: time over as many bytes of OpenSSL", ours, alone, 4)


def laplace(look: Look) -> Iterator[Row]:
    dp = opendp(look)
    n, few = look.size(10**6), look.size(20_000)
    for scale in SCALES:
        peer = dp.m.make_laplace(dp.vector_domain(dp.atom_domain(T=int)), dp.l1_distance(T=int), float(scale))
        zeros = [0] * few
        discrete_laplace_many(scale, n)
        ours, theirs = look.best(lambda s=scale: discrete_laplace_many(s, n), lambda p=peer, z=zeros: p(z))
        what = f"{power(n)} discrete Laplace draws, scale {float(scale):g}: faster than OpenDP"
        yield faster(what, ours, theirs / few * n, 300)
    for scale in SCALES:
        peer = dp.m.make_laplace(dp.atom_domain(T=int), dp.absolute_distance(T=int), float(scale))
        ours, theirs = look.each((lambda s=scale: discrete_laplace(s, SYSTEM), 2000), (lambda p=peer: p(0), 200))
        yield faster(f"one draw, scale {float(scale):g}: faster than OpenDP", ours, theirs, 10)


def gaussian(look: Look) -> Iterator[Row]:
    dp = opendp(look)
    n, few = look.size(10**6), look.size(20_000)
    for sigma in DEVIATIONS:
        peer = dp.m.make_gaussian(dp.vector_domain(dp.atom_domain(T=int)), dp.l2_distance(T=int), float(sigma))
        zeros = [0] * few
        discrete_gaussian_many(sigma**2, n)
        ours, theirs = look.best(lambda s=sigma: discrete_gaussian_many(s**2, n), lambda p=peer, z=zeros: p(z))
        what = f"{power(n)} discrete Gaussian draws, deviation {sigma:g}: faster than OpenDP"
        yield faster(what, ours, theirs / few * n, 1000)
    for sigma in DEVIATIONS:
        peer = dp.m.make_gaussian(dp.atom_domain(T=int), dp.absolute_distance(T=int), float(sigma))
        ours, theirs = look.each((lambda s=sigma: discrete_gaussian(s**2, SYSTEM), 2000), (lambda p=peer: p(0), 200))
        yield faster(f"one Gaussian draw, deviation {sigma:g}: faster than OpenDP", ours, theirs, 10)


def imports(look: Look) -> Iterator[Row]:
    def start(code: str) -> object:
        return subprocess.run([sys.executable, "-c", code], check=True)

    codes = ("pass", "import discreet", "import numpy, flint")
    nothing, ours, needed = look.best(*(lambda c=code: start(c) for code in codes), repeat=9)
    what = "import discreet: time over import numpy, flint"
    yield within(what, max(ours - nothing, 1e-9), max(needed - nothing, 1e-9), 1.6, "Python's own start taken off")


PARTS = {
    "numpy": numpy,
    "normal": normal,
    "openssl": openssl,
    "opendp": laplace,
    "gaussian": gaussian,
    "imports": imports,
}
