"""Telemetry by RAPPOR: which search engine browsers use, day after day, and which homepages they have.

Each browser keeps a permanent randomized answer, by a secret that never leaves it, and sends a fresh randomization of
it each day [Erlingsson and others 2014].
"""

from __future__ import annotations

import os

import numpy as np

from discreet import LongitudinalRappor
from discreet.survey import Question, TextQuestion

ENGINES = {"Alpha": 0.55, "Beta": 0.25, "Gamma": 0.12, "Delta": 0.05, "Omega": 0.03}
BROWSERS = 3_000
HOMEPAGES = {"news.example": 0.45, "mail.example": 0.30, "maps.example": 0.15, "cats.example": 0.10}
CANDIDATES = [*HOMEPAGES, "weather.example", "chess.example", "dog.example"]


def engines() -> None:
    rng = np.random.default_rng(1)
    question = Question("search engine", ENGINES)
    mechanism = LongitudinalRappor(length=len(ENGINES), max_weight=1, f="1/2", p="1/4", q="3/4")
    print(f"{BROWSERS:,} browsers say their search engine, as {len(ENGINES)} noisy bits each.")
    print("What one browser's reports may tell, as epsilon:")
    for days, what in ((1, "one day"), (30, "thirty days"), (None, "for ever")):
        loss = mechanism.privacy_map_for_ever() if days is None else mechanism.privacy_map_of(days)
        print(f"  {what:12s} {loss:.3f}")
    used = rng.choice(list(ENGINES), BROWSERS, p=list(ENGINES.values())).tolist()
    browsers = [question.client(mechanism, secret=os.urandom(16)) for _ in used]
    days = {day: question.collector(mechanism) for day in ("Monday", "Tuesday")}
    for box in days.values():
        for browser, engine in zip(browsers, used, strict=True):
            box.add(browser.report(engine))
    print("\n  engine     truth   " + "".join(f"{day}, 95 % interval       " for day in days))
    shares = [box.estimate(confidence="0.95") for box in days.values()]
    for engine in ENGINES:
        both = [f"{found[engine].share:6.3f}  {found[engine].low:.3f} to {found[engine].high:.3f}" for found in shares]
        print(f"  {engine:8s} {used.count(engine) / BROWSERS:7.3f}   " + "       ".join(both))


def homepages() -> None:
    rng = np.random.default_rng(2)
    question = TextQuestion("homepage", length=64, hashes=2, cohorts=8, key=b"this study")
    mechanism = question.mechanism(epsilon=6)
    box = question.collector(mechanism)
    for page in rng.choice(list(HOMEPAGES), BROWSERS, p=list(HOMEPAGES.values())):
        box.add(question.client(mechanism).report(str(page)))
    decoded = box.decode(CANDIDATES, confidence="0.999")
    print(f"\nThey also say their homepage, through a Bloom filter, at epsilon {mechanism.privacy_map(1):.3g}.")
    print(f"Of {len(CANDIDATES)} candidates these are found: {', '.join(sorted(decoded.found()))}")


if __name__ == "__main__":
    engines()
    homepages()
