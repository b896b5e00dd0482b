"""A census-like table: known and unknown keys, sums, means, and the books of all that was published.

The people are made up. The truth is printed beside the answers, which only an example may do.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np
import pandas as pd

from discreet import BudgetError, Ledger
from discreet.tables import Table

BANDS = ["0-17", "18-39", "40-64", "65+"]


def people(n: int = 50_000) -> pd.DataFrame:
    """Return a row for each person: an age band, a birthplace with a long tail, and an income."""
    rng = np.random.default_rng(7)
    places = np.array([f"place {i:03d}" for i in range(400)])
    return pd.DataFrame(
        {
            "person": np.arange(n),
            "age": rng.choice(BANDS, n, p=[0.2, 0.3, 0.32, 0.18]),
            "birthplace": places[np.minimum(rng.zipf(1.5, n) - 1, 399)],
            "income": np.round(rng.lognormal(10.2, 0.5, n)),
        }
    )


def main() -> None:
    census = people()
    with tempfile.TemporaryDirectory() as folder:
        publish(census, Path(folder))


def publish(census: pd.DataFrame, folder: Path) -> None:
    book = Ledger(folder / "census.db", epsilon=2, delta="2e-6")
    census.to_parquet(folder / "census.parquet")
    table = Table(folder / "census.parquet", person="person", ledger=book)

    print("People by age. The bands are known beforehand: no threshold, no delta.")
    ages = table.group_by("age", keys=BANDS).count_people(epsilon="1/2", max_groups=1)
    truth = census.age.value_counts()
    for row, low, high in zip(ages, *ages.interval("0.95"), strict=True):
        print(f"  {row['age']:6s} {row['people']:7,}   {low:,.0f} to {high:,.0f}   truth {truth[row['age']]:7,}")

    print("\nPeople by birthplace. Which places there are is private: small ones do not appear.")
    places = table.group_by("birthplace").count_people(epsilon="1/2", delta="1e-6", max_groups=1)
    shown = sum(places.columns["people"])
    print(f"  {len(places)} of {census.birthplace.nunique()} places appear, with {shown:,} of {len(census):,} people")

    print("\nMean and total income by age, each income clipped to 0 to 150,000.")
    means = table.group_by("age", keys=BANDS).mean("income", low=0, high=150_000, epsilon="1/2", max_groups=1)
    clipped = census.assign(income=census.income.clip(0, 150_000)).groupby("age").income.mean()
    for row, low, high in zip(means, *means.interval("0.95"), strict=True):
        print(f"  {row['age']:6s} {row['mean']:9,.0f}   {low:,.0f} to {high:,.0f}   truth {clipped[row['age']]:9,.0f}")
    total = table.sum("income", low=0, high=150_000, epsilon="1/2")
    print(f"  total  {total.columns['sum'][0]:,.0f}")

    print("\nThe budget is spent, and the books say no:")
    try:
        table.count_people(epsilon="1/10")
    except BudgetError as error:
        print(f"  BudgetError: {str(error).replace(str(folder), '...')}")
    for entry in book.entries():
        names = ", ".join(each["name"] for each in entry.receipt["aggregates"])
        print(f"  {entry.number}  epsilon {entry.epsilon}  {names}")
    book.close()


if __name__ == "__main__":
    main()
