"""A tour of the mechanisms: what each releases, what it costs, and how exact that is."""

from __future__ import annotations

import time
from fractions import Fraction

import numpy as np

from discreet import Composition, IntegerLaplace, LaplaceThreshold, RandomizedResponse, RandomizedResponseBool, Rappor
from discreet.samplers import discrete_laplace_many


def title(text: str) -> None:
    print(f"\n\033[1m{text}\033[0m")


def main() -> None:
    print("discreet: exact differential privacy, a tour")

    title("Ask people: one answer")
    rr = RandomizedResponse.within(epsilon=1, categories=["never", "sometimes", "daily"])
    print(f"  truthful with probability {float(rr.prob):.4f}; loss between any two answers: {rr.privacy_map(1)}")
    print(f"  'daily' was asked ten times: {', '.join(rr.release('daily') for _ in range(10))}")

    title("Ask people: 100,000 answers, and what they add up to")
    truth = np.repeat(rr.categories.values, [60_000, 30_000, 10_000])
    start = time.perf_counter()
    replies = rr.release_many(truth)
    took = time.perf_counter() - start
    p, q = float(rr.prob), float((1 - rr.prob) / 2)
    for name in rr.categories.values:
        estimate = ((replies == name).mean() - q) / (p - q)
        print(f"  {name:10s} truth {np.mean(truth == name):6.3f}   estimate {estimate:6.3f}")
    print(f"  randomized in {took * 1e3:.0f} ms")

    title("Ask people: RAPPOR, 20,000 vectors of 16 bits")
    rappor = Rappor.within(epsilon=2, length=16, max_weight=1)
    bits = np.eye(16, dtype=bool)[np.minimum(np.arange(20_000) % 40, 15)]
    estimate = rappor.debias(rappor.release_many(bits))
    print(f"  bit  0: truth {bits[:, 0].mean():.3f}, estimate {estimate.frequencies[0]:.3f}")
    print(f"  bit 15: truth {bits[:, 15].mean():.3f}, estimate {estimate.frequencies[15]:.3f}")
    print(f"  standard error {estimate.frequency_error:.3f}; loss {rappor.privacy_map(1)}")

    title("Publish tables: people per city, the list of cities private")
    cities = {"Rome": 81_000, "Oslo": 12_000, "Bath": 950, "Ouro": 60, "Brig": 1}
    table = LaplaceThreshold.within(epsilon=1, delta="1e-6", l0=3)
    epsilon, delta = table.privacy_map((3, 3, 1))
    print(f"  scale {table.scale}, released strictly above {table.threshold}; epsilon {epsilon}, delta {delta:.3g}")
    released = table.release(cities)
    for city, count in cities.items():
        print(f"  {city:6s} truth {count:6d}   released {released.get(city, 'not')}")

    title("Several releases cost the exact sum, rounded up once")
    ten = Composition([IntegerLaplace(scale=10)] * 10)
    print(f"  ten at 1/10 each: {ten.privacy_map(1)} (added as floats: {sum([1 / 10] * 10)}, which is too little)")
    print(f"  a coin of 3/4: {RandomizedResponseBool(prob='3/4').privacy_map(1)}, the least float at or above ln 3")

    title("Speed")
    n = 1_000_000
    discrete_laplace_many(Fraction(10), n)
    start = time.perf_counter()
    discrete_laplace_many(Fraction(10), n)
    ours = time.perf_counter() - start
    print(f"  a million exact, secure discrete Laplace draws: {ours * 1e3:.1f} ms")


if __name__ == "__main__":
    main()
