"""Bugs of coins, reals and samplers."""

from planted import Mutant, S

CATALOGUE = [
    Mutant(
        "entropy buffered across a fork",
        "coins.py",
        'return int.from_bytes(os.urandom((n + 7) >> 3), "big") >> (-n & 7)',
        "_pool.extend(os.urandom(1 << 16)) if len(_pool) < 4096 else None\n"
        "            taken = bytes(_pool.pop() for _ in range((n + 7) >> 3))\n"
        '            return int.from_bytes(taken, "big") >> (-n & 7)',
        "test_catalogue.py::test_forked_children_draw_different_coins",
    ),
    Mutant(
        "zero counted twice in the two-sided geometric",
        S + "one.py",
        "shift: Number = -log1p(expm1(-1 / scale) / 2) if two_sided else Fraction(0)",
        "shift: Number = Fraction(0)",
        "test_catalogue.py::test_the_two_sided_law_has_one_zero",
    ),
    Mutant(
        "zero counted twice in the table of signs",
        S + "many.py",
        "return 1 / (1 + q), q / (1 + q)",
        "return Fraction(1, 2), Fraction(1, 2)",
        "test_catalogue.py::test_the_two_sided_law_has_one_zero",
    ),
    Mutant(
        "modulo instead of rejection",
        S + "one.py",
        "low, high = prefix * n >> bits, prefix * n + n - 1 >> bits",
        "low = high = prefix % n",
        "test_samplers.py::test_below_takes_each_script_to_the_floor_of_n_u",
    ),
    Mutant(
        "the rejection step is skipped",
        S + "many.py",
        "if again.size:",
        "if False:",
        "test_samplers.py::test_below_arrays_count_equal_for_every_n_to_512",
    ),
    Mutant(
        "ceil for floor",
        "reals.py",
        "unique = ball.floor().unique_fmpz()",
        "unique = ball.ceil().unique_fmpz()",
        "test_catalogue.py::test_the_two_sided_law_has_one_zero",
    ),
    Mutant(
        "rounded to nearest instead of upward",
        "reals.py",
        "        return _decide(x, 64, _round_up)",
        "        return float(x.enclosure(200)[0])",
        "test_catalogue.py::test_losses_are_rounded_upward",
    ),
    Mutant(
        "the input wrapped before noise",
        S + "many.py",
        "if edges[0] >= -(1 << 63) and edges[1] < 1 << 63:",
        "if True:",
        "test_mechanisms.py::TestIntegerLaplace::test_vectors_and_many_never_wrap",
    ),
    Mutant(
        "a tie decided without more words",
        S + "one.py",
        "if gap >= d or gap <= 0:",
        "if True:",
        "test_samplers.py::test_bernoulli_has_exactly_its_law_for_all_fractions_to_64ths",
    ),
    Mutant(
        "a tie of a table decided without more words",
        S + "tables.py",
        "for i in np.flatnonzero(ties):",
        "for i in []:",
        "test_samplers.py::test_tables_tell_a_tie_from_a_decision",
    ),
]
