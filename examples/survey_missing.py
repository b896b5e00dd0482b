"""A survey in which many do not answer: that somebody is silent is private too, and must not bias the rest."""

from __future__ import annotations

import numpy as np
import pandas as pd

from discreet.survey import Question, Survey

PEOPLE = 30_000


def people() -> pd.DataFrame:
    """Return answers of which many are missing: those who drink more say less."""
    rng = np.random.default_rng(3)
    drinks = rng.choice(["never", "weekly", "daily"], PEOPLE, p=[0.35, 0.45, 0.20])
    silent = rng.random(PEOPLE) < np.select([drinks == "never", drinks == "weekly"], [0.02, 0.10], 0.45)
    smokes = np.where(rng.random(PEOPLE) < np.where(drinks == "daily", 0.4, 0.15), "yes", "no")
    return pd.DataFrame({"drinks": np.where(silent, None, drinks), "smokes": smokes})


def main() -> None:
    answers = people()
    survey = Survey(
        [Question("drinks", ["never", "weekly", "daily"], missing="no answer"), Question("smokes", ["no", "yes"])],
        epsilon=2,
    )
    loss = survey.privacy_map(1)
    print(f"{PEOPLE:,} people answer two questions; what one person's reports tell together: epsilon {loss:.3g}")
    noisy = survey.perturb(answers)
    same = np.mean(noisy["drinks"] == answers["drinks"].fillna("no answer"))
    print(f"{1 - same:.0%} of the reported drinking habits are not the true ones. The estimates:\n")
    estimates = survey.estimate(noisy)
    truth = {name: answers[name].fillna("no answer").value_counts(normalize=True) for name in answers}
    for name, estimate in estimates.items():
        print(f"  {name:10s}  truth  estimate  95 % interval")
        for choice, share in estimate.items():
            known = truth[name].get(choice, 0)
            print(f"  {choice:10s} {known:6.3f}  {share.share:8.3f}  {share.low:.3f} to {share.high:.3f}")
        print()
    table = survey.crosstab(noisy, "drinks", "smokes")
    print("Smokers among those who ... (from the cross-tabulation of noisy answers)")
    for choice in estimates["drinks"]:
        yes, no = (table[choice, smokes].share for smokes in ("yes", "no"))
        group = answers["drinks"].fillna("no answer") == choice
        print(f"  {choice:10s} {yes / (yes + no):6.1%}   truth {np.mean(answers['smokes'][group] == 'yes'):6.1%}")
    print("\nThose who do not answer smoke more than most. Leave them out, and there seem to be fewer smokers.")


if __name__ == "__main__":
    main()
