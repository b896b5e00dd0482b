"""The samplers beside OpenDP's and NumPy's, and the time to import."""

from __future__ import annotations

import ssl
import subprocess
import sys
from fractions import Fraction

import numpy as np
import opendp.prelude as dp

from benchmarks.measure import Row, best, each
from discreet.coins import SYSTEM
from discreet.samplers import bernoulli_many, discrete_laplace, discrete_laplace_many
from discreet.samplers.many import Digits

SCALES = [Fraction(1, 2), Fraction(1), Fraction(10), Fraction(1000), Fraction(10**6)]


def rows() -> list[Row]:
    return [*_laplace(), *_coins(), *_one(), *_import()]


def _laplace() -> list[Row]:
    n, few = 10**6, 20_000
    generator = np.random.default_rng()
    found = []
    for scale in SCALES:
        peer = dp.m.make_laplace(dp.vector_domain(dp.atom_domain(T=int)), dp.l1_distance(T=int), float(scale))
        zeros = [0] * few
        discrete_laplace_many(scale, n)
        ours = best(lambda s=scale: discrete_laplace_many(s, n))
        theirs = best(lambda p=peer, z=zeros: p(z), 3) / few * n
        insecure = best(lambda s=scale: generator.laplace(0, float(s), n))
        label = f"10^6 discrete Laplace draws, scale {float(scale):g}"
        found += [
            Row(f"{label}: faster than opendp", theirs / ours, ">=", 300, f"{ours / n * 1e9:.1f} ns a draw"),
            Row(f"{label}: time over numpy's float Laplace", ours / insecure, "<=", 1.25),
        ]
    build = max(best(lambda s=scale: Digits(s, True), 3) for scale in [*SCALES, Fraction(2**53), Fraction(355, 113)])
    found.append(Row("building the tables of a new scale, over 50 ms", build / 0.050, "<=", 1, "the slowest of seven"))
    return found


def _coins() -> list[Row]:
    n = 10**7
    ours = best(lambda: bernoulli_many(Fraction(3, 10), n))
    bytes_alone = best(lambda: ssl.RAND_bytes(n))
    return [Row("10^7 Bernoulli(0.3) draws: time over 10^7 bytes of OpenSSL", ours / bytes_alone, "<=", 4)]


def _one() -> list[Row]:
    found = []
    for scale in SCALES:
        peer = dp.m.make_laplace(dp.atom_domain(T=int), dp.absolute_distance(T=int), float(scale))
        ours = each(lambda s=scale: discrete_laplace(s, SYSTEM), 2000)
        theirs = each(lambda p=peer: p(0), 200)
        found.append(Row(f"one draw, scale {float(scale):g}: faster than opendp", theirs / ours, ">=", 10))
    return found


def _import() -> list[Row]:
    def start(code: str) -> float:
        return best(lambda: subprocess.run([sys.executable, "-c", code], check=True), 9)

    nothing = start("pass")
    ours = start("import discreet") - nothing
    needed = start("import numpy, flint") - nothing
    return [Row("import discreet: time over import numpy, flint", ours / needed, "<=", 1.6)]
