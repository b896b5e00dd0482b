"""What an explanation says in words: of the part that pays for the bias, of laws that do not fit, and of digits."""

import pandas as pd

from discreet import Ledger
from discreet.tables import People, Sum, Table

ROWS = pd.DataFrame({"id": range(9), "city": ["Rome"] * 9, "age": [7.5] * 9})


def test_what_pays_for_the_bias_is_an_epsilon():
    said = Table(ROWS, person="id").group_by("city").explain(People(), epsilon=2, delta="1e-6", max_groups=3)
    assert any("A part of epsilon, 0.1, pays for" in note for note in said.notes)


def test_no_law_is_said_to_fit_where_none_does():
    for whole, words in (("0.5", "because none of the laws fits ("), (9, ", of the laws that fit and take at most")):
        table = Table(ROWS, person="id", ledger=Ledger.in_memory(epsilon=whole, delta="1e-6", accountant="plain"))
        said = table.group_by("city").explain(People(), epsilon=1, delta="1e-7", max_groups=3)
        assert words in str(said)


def test_a_bound_on_noise_has_the_digits_that_make_sense():
    for high, bound in (("1200.33", "±3,596"), ("1.33", "±3.99")):
        said = str(Table(ROWS, person="id").explain(Sum("age", 0, high), epsilon=1))
        assert bound in said.split()
