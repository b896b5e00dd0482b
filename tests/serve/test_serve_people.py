"""From a browser's client to the results: reports made in JavaScript, collected over HTTP, estimated with intervals."""

import json
import math
import random
import shutil
import subprocess
from pathlib import Path

import pytest
from serve_desk import TOKEN, collecting, played, sent, small_survey
from tiers import cases

ROOT = Path(__file__).parents[2]
PEOPLE = ROOT / "tests" / "helpers" / "javascript_people.mjs"
NODE = shutil.which("node")
TRUTH = {("smokes", "yes"): 0.3, ("age", "old"): 0.15}
SIZE = 500

pytestmark = pytest.mark.skipif(NODE is None, reason="node is not installed")


def answered(survey, surveys, folder):
    """Return the responses of so many surveys of 500 people each, made by the client for browsers."""
    some = [
        {"smokes": "yes" if i < TRUTH["smokes", "yes"] * SIZE else "no", "age": "old" if i % 20 < 3 else "young"}
        for i in range(SIZE)
    ]
    random.Random(5).shuffle(some)
    (folder / "survey.json").write_text(survey.to_json())
    (folder / "answers.txt").write_text("\n".join(map(json.dumps, some * surveys)))
    words = [PEOPLE, ROOT / "js" / "src" / "index.js", folder / "survey.json", folder / "answers.txt", folder / "out"]
    subprocess.run([NODE, *map(str, words)], check=True, timeout=600)
    made = (folder / "out").read_bytes()
    length = len(made) // surveys
    return [made[start : start + length] for start in range(0, len(made), length)]


async def estimated(survey, body, folder):
    async with collecting(survey, folder) as http:
        assert (await sent(http, body)).json() == {"stored": SIZE}
        found = (await http.get("/results.json", headers=TOKEN)).json()
    return {(row["question"], row["choice"]): (row["low"], row["high"]) for row in found["estimates"]}


def test_intervals_cover_the_truth_as_often_as_they_say(memory_path):
    """Of 200 surveys, 10^5 reports in all, in make test-all. Shares that are 15 points off are covered too rarely."""
    survey, surveys = small_survey(), cases(4, 200)
    ends = [
        played(estimated(survey, body, memory_path / str(i)))
        for i, body in enumerate(answered(survey, surveys, memory_path))
    ]

    def covered(shift):
        hits = [low <= share + shift <= high for each in ends for (low, high), share in _pairs(each)]
        return sum(hits) / len(hits)

    n = 2 * surveys
    slack = (3 if surveys < 200 else 1) * math.sqrt(0.95 * 0.05 / n)
    assert covered(0) >= 0.95 - max(slack, 3 / n if surveys < 200 else 0)
    if surveys >= 200:
        assert covered(0.15) < 0.9


def _pairs(ends):
    return [(ends[place], share) for place, share in TRUTH.items()]
