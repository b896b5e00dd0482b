"""Chrome's randomized trigger rate: what it is worth as epsilon, and how to see through it in the mean.

Chrome says of a page's timing whether its confidence in it is "low" or "high". With the probability that it states as
`randomizedTriggerRate` it gives one of the two at random. Counting what is reported would be wrong by a lot.
"""

from __future__ import annotations

import numpy as np

from discreet.survey import Question, from_trigger_rate


def main() -> None:
    print("What a rate is worth: the loss of one report, as epsilon, and how often it is true")
    for rate in ("1/100", "1/10", "1/4", "1/2", "9/10"):
        m = from_trigger_rate(rate)
        print(f"  rate {rate:6s} epsilon {m.privacy_map(1):6.3f}   true {float(m.prob):6.1%}")

    rate, loads, low = "1/2", 50_000, 0.08
    m = from_trigger_rate(rate, ["low", "high"])
    question = Question("confidence", ["low", "high"])
    truth = np.where(np.random.default_rng(5).random(loads) < low, "low", "high")
    reported = m.release_many(truth)  # What browsers do, and all that a site ever sees.

    box = question.collector(m)
    box.add_many(reported)
    share = box.estimate(confidence="0.95")["low"]
    print(f"\n{loads:,} page loads, at a rate of {rate}; {np.mean(truth == 'low'):.1%} of them are of low confidence:")
    print(f"  counted as reported {np.mean(reported == 'low'):6.1%}")
    print(f"  estimated           {share.share:6.1%}, between {share.low:.1%} and {share.high:.1%} (95 %)")
    plan = question.plan(epsilon=m.privacy_map(1), margin="0.01")
    print(f"  for one point either way, {plan.people:,} page loads would do")


if __name__ == "__main__":
    main()
