"""The catalogue of bugs that this field has known, each injected into our code; every one must be caught.

`python tests/mutants.py` copies the sources, plants one bug at a time, runs the tests that should notice, and prints a
table. A bug that no longer fits the code, or that no test notices, is an error.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
M, S, T = "mechanisms/", "samplers/", "tables/"


@dataclass(frozen=True)
class Mutant:
    """A bug: what it is called, where it goes, what it replaces, and which tests should notice."""

    name: str
    file: str
    old: str
    new: str
    tests: str


CATALOGUE = [
    Mutant(
        "a lie may equal the truth",
        M + "randomized_response.py",
        "values[place if honest else (place + 1 + choice) % t]",
        "values[place if honest else (place + choice) % t]",
        "test_mechanisms.py::TestRandomizedResponse::test_every_script_of_coins_gives_the_law",
    ),
    Mutant(
        "the loop misses the last bit",
        M + "rappor.py",
        "np.asarray(x, np.bool_) ^ self._flips(self.length, coins)",
        "np.asarray(x, np.bool_) ^ np.append(self._flips(self.length - 1, coins), False)",
        "test_mechanisms.py::TestRappor::test_every_bit_is_flipped_by_a_coin_of_its_own",
    ),
    Mutant(
        ">= for > in the threshold",
        M + "laplace_threshold.py",
        "noisy > self.threshold if",
        "noisy >= self.threshold if",
        "test_mechanisms.py::TestLaplaceThreshold::test_a_value_at_the_threshold_is_not_released",
    ),
    Mutant(
        "a continuous tail for discrete noise",
        M + "laplace_threshold.py",
        "return exp(-(t + 1) / s) / (1 + exp(-1 / s))",
        "return exp(-t / s) / 2",
        "test_mechanisms.py::TestLaplaceThreshold::test_delta_is_the_greatest_over_all_packings",
    ),
    Mutant(
        "the tail's exponent is rounded down",
        M + "laplace_threshold.py",
        "return exp(-(t + 1) / s) / (1 + exp(-1 / s))",
        "return exp(Fraction(-int((t + 1) / s) - 1)) / (1 + exp(-1 / s))",
        "test_mechanisms.py::TestLaplaceThreshold::test_delta_is_the_greatest_over_all_packings",
    ),
    Mutant(
        "vectors of variable length",
        "domains.py",
        "member = x.dtype == np.bool_ and x.shape == (self.length,)",
        "member = x.dtype == np.bool_ and x.ndim == 1",
        "test_catalogue.py::test_a_vector_of_another_length_is_refused",
    ),
    Mutant(
        "1/t compared as floats",
        M + "randomized_response.py",
        "if not Fraction(1, t) <= p <= 1:",
        "if not 1 / t <= float(p) <= 1:",
        "test_mechanisms.py::TestRandomizedResponse::test_the_float_below_one_third_is_refused_and_told_why",
    ),
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
        "delta floored by cancellation",
        M + "laplace_threshold.py",
        "else -expm1(-surprise)",
        "else Fraction(1) - Fraction(float_up(exp(-surprise)))",
        "test_mechanisms.py::TestLaplaceThreshold::test_delta_is_right_down_to_the_least_float",
    ),
    Mutant(
        "(t - 1) forgotten",
        M + "randomized_response.py",
        "ln(p * (t - 1) / (1 - p))",
        "ln(p / (1 - p))",
        "test_mechanisms.py::TestFiniteLaws::test_the_map_is_the_least_float_that_bounds_the_real_loss",
    ),
    Mutant(
        "m for 2m",
        M + "rappor.py",
        "* min(2 * self.max_weight, self.length)  # proof: map",
        "* min(self.max_weight, self.length)  # proof: map",
        "test_mechanisms.py::TestFiniteLaws::test_the_map_is_the_least_float_that_bounds_the_real_loss",
    ),
    Mutant(
        "l0 forgotten",
        M + "laplace_threshold.py",
        "keys = {l0, -(-l1 // li)}  # proof",
        "l0 = 1\n    l1 = min(l1, li)\n    keys = {l0, -(-l1 // li)}  # proof",
        "test_mechanisms.py::TestLaplaceThreshold::test_delta_is_the_greatest_over_all_packings",
    ),
    Mutant(
        "li forgotten",
        M + "laplace_threshold.py",
        "-log1p(-_tail(s, threshold - c)) * count",
        "-log1p(-_tail(s, threshold)) * count",
        "test_mechanisms.py::TestLaplaceThreshold::test_delta_is_the_greatest_over_all_packings",
    ),
    Mutant(
        "the weight is not enforced",
        "domains.py",
        "return member and int(np.count_nonzero(x)) <= self.max_weight",
        "return member",
        "test_catalogue.py::test_an_overweight_vector_is_refused",
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
        "a distance rounded up",
        "metrics.py",
        "return _whole_distance(distance.numerator // distance.denominator, name)",
        "return _whole_distance(-(-distance.numerator // distance.denominator), name)",
        "test_mechanisms.py::TestIntegerLaplace::test_the_map_is_the_least_float_above_the_quotient",
    ),
    Mutant(
        "rounded to nearest instead of upward",
        "reals.py",
        "        return _decide(x, 64, _round_up)",
        "        return float(x.enclosure(200)[0])",
        "test_catalogue.py::test_losses_are_rounded_upward",
    ),
    Mutant(
        "1 - p rounded the wrong way",
        M + "randomized_response_bool.py",
        "ln(self.prob / (1 - self.prob))  # proof: map",
        "ln(self.prob / Fraction(1.0 - float(self.prob)))",
        "test_catalogue.py::test_the_complement_is_exact",
    ),
    Mutant(
        "the scale truncated to an integer",
        M + "integer_laplace.py",
        's = exact(scale, "scale")',
        's = Fraction(int(exact(scale, "scale")))',
        "test_mechanisms.py::TestIntegerLaplace::test_the_map_is_the_least_float_above_the_quotient",
    ),
    Mutant(
        "the input wrapped before noise",
        S + "many.py",
        "if edges[0] >= -(1 << 63) and edges[1] < 1 << 63:",
        "if True:",
        "test_mechanisms.py::TestIntegerLaplace::test_vectors_and_many_never_wrap",
    ),
    Mutant(
        "a foreign answer echoed",
        M + "randomized_response.py",
        "return values[choice]  # proof: foreign",
        "return x",
        "test_mechanisms.py::TestRandomizedResponse::test_every_script_of_coins_gives_the_law",
    ),
    Mutant(
        "a foreign answer raises",
        "domains.py",
        "            if _kind(x) not in self._kinds:\n                return -1\n",
        "            if _kind(x) not in self._kinds:\n                raise KeyError(x)\n",
        "test_mechanisms.py::TestRandomizedResponse::test_arrays_take_each_offset_to_its_category",
    ),
    Mutant(
        "keys released in the order of the input",
        M + "laplace_threshold.py",
        "return {key: out[key] for key in ordered(out, coins)}",
        "return out",
        "test_mechanisms.py::TestLaplaceThreshold::test_keys_with_an_order_come_out_sorted",
    ),
    Mutant(
        "f/2 underflows",
        M + "rappor.py",
        "bernoulli_many(self.f / 2, n, coins",
        "bernoulli_many(Fraction(float(self.f) / 2), n, coins",
        "test_catalogue.py::test_half_of_the_least_float_is_not_zero",
    ),
    Mutant(
        "NaN passes a range check",
        "exact.py",
        "        except (ValueError, OverflowError):\n            raise",
        "        except (ValueError, OverflowError):\n            return Fraction(1)\n            raise",
        "test_catalogue.py::test_nan_is_no_parameter",
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
    Mutant(
        "d for d - 1 in the rest of a truthful set",
        M + "subset_selection.py",
        "            others[0] = place  # proof: exchange",
        "            others[d:d], d = [place], d + 1",
        "test_survey_mechanisms.py::TestSubsetSelection::test_every_outcome_of_the_draws_gives_exactly_the_law",
    ),
    Mutant(
        "d for d - 1 in the table of truthful sets",
        M + "subset_selection.py",
        "((1, d - 1, p), (0, d, 1 - p))",
        "((1, d, p), (0, d, 1 - p))",
        "test_survey_mechanisms.py::TestSubsetSelection::"
        "test_the_table_has_the_law_of_the_mechanism_where_the_truth_is_first",
    ),
    Mutant(
        "a tie of keys decided without new ones",
        M + "subset_selection.py",
        "full = np.count_nonzero(sets, axis=1) == d",
        "full = np.count_nonzero(sets, axis=1) <= d",
        "test_survey_mechanisms.py::TestSubsetSelection::test_every_array_of_keys_gives_equally_many_of_each_set",
    ),
    Mutant(
        "the support of the others over k, not k - 1",
        M + "subset_selection.py",
        "return p, (p * (d - 1) + (1 - p) * d) / (k - 1)",
        "return p, (p * (d - 1) + (1 - p) * d) / k",
        "test_survey_mechanisms.py::TestSubsetSelection::test_support_is_what_the_law_says",
    ),
    Mutant(
        "the zeros' factor (1 - q) / (1 - p) forgotten",
        M + "optimized_unary.py",
        "ln(one * other if self.length > 1",
        "ln(one if self.length > 1",
        "test_survey_mechanisms.py::TestOptimizedUnary::test_the_map_is_the_least_float_that_bounds_every_pair",
    ),
    Mutant(
        "p and q of the instantaneous response exchanged",
        M + "longitudinal_rappor.py",
        "        zeros = bernoulli_many(self.p, self.length, coins)\n"
        "        return np.where(np.asarray(memo, np.bool_), bernoulli_many(self.q, self.length, coins), zeros)",
        "        zeros = bernoulli_many(self.q, self.length, coins)\n"
        "        return np.where(np.asarray(memo, np.bool_), bernoulli_many(self.p, self.length, coins), zeros)",
        "test_survey_mechanisms.py::TestLongitudinalRappor::test_every_outcome_of_the_coins_gives_the_law",
    ),
    Mutant(
        "reports from one memory counted as reports from many",
        M + "longitudinal_rappor.py",
        "maximum(ones, zeros) * (2 * m - bits)  # proof: map",
        "maximum(ones, zeros) * (2 * m - bits) if r < 2 else self.loss_of(1) * r",
        "test_survey_mechanisms.py::TestLongitudinalRappor::"
        "test_the_loss_of_several_reports_is_exactly_that_of_their_joint_law",
    ),
    Mutant(
        "a person counts in one group more than the map says",
        T + "plan.py",
        "t.r < self.max_groups)  # proof: first",
        "t.r <= self.max_groups)  # proof: first",
        "test_tables_plan.py::test_each_engine_gives_the_reference_aggregates[duckdb]",
    ),
    Mutant(
        "max_groups forgotten in the map",
        T + "plan.py",
        "groups = self.max_groups if self.by else 1",
        "groups = 1",
        "test_tables_plan.py::test_one_person_changes_no_more_than_the_map_says_and_somewhere_as_much",
    ),
    Mutant(
        "a person's rows not bounded",
        T + "plan.py",
        "each.n.clip(upper=high).sum()",
        "each.n.sum()",
        "test_tables_plan.py::test_each_engine_gives_the_reference_aggregates[duckdb]",
    ),
    Mutant(
        "values clipped, and a person's sum not",
        T + "plan.py",
        "each.s.clip(low, high).sum()",
        "each.s.sum()",
        "test_tables_plan.py::test_each_engine_gives_the_reference_aggregates[duckdb]",
    ),
    Mutant(
        "a number that depends on everyone's groups mixed with the person",
        T + "order.py",
        "* (rows.y1 + self.b) % P + rows.y2\n",
        "* (rows.y1 + self.b) % P + rows.id\n",
        "test_tables_plan.py::test_a_new_group_does_not_move_the_groups_of_others",
    ),
    Mutant(
        "a salt that everyone knows",
        T + "plan.py",
        "SYSTEM.words(4).tobytes() if",
        "bytes(32) if",
        "test_tables_plan.py::test_a_salt_changes_who_keeps_what_and_a_fresh_one_is_drawn_each_time",
    ),
    Mutant(
        "only the head count is charged",
        T + "table.py",
        "for _, chain in self.parts:",
        "for _, chain in self.parts[:1]:",
        "test_tables.py::test_the_charge_is_what_the_noise_that_is_drawn_costs",
    ),
    Mutant(
        "noise before the books",
        T + "table.py",
        "        receipt = self.receipt()\n        if ledger is not None:",
        "        receipt = self.receipt()\n        self._answer(exact_values, receipt)\n        if ledger is not None:",
        "test_tables.py::test_the_engine_answers_then_the_books_then_the_noise",
    ),
    Mutant(
        "a charge that is checked without itself",
        "ledger/books.py",
        "if not after.spent.within(self._budget):",
        "if not mark.spent.within(self._budget):",
        "test_ledger.py::TestRefusals::test_both_parts_of_the_budget_count",
    ),
    Mutant(
        "books that the disk may not have yet",
        "ledger/store.py",
        '"synchronous = EXTRA"',
        '"synchronous = NORMAL"',
        "test_ledger.py::TestFiles::test_a_commit_is_durable",
    ),
]


def planted(mutant: Mutant, where: Path) -> Path:
    """Copy the sources to a folder and plant a bug in them."""
    shutil.copytree(ROOT / "src", where, dirs_exist_ok=True)
    path = where / "discreet" / mutant.file
    text = path.read_text()
    if text.count(mutant.old) != 1:
        raise SystemExit(f"{mutant.name}: {mutant.file} has {text.count(mutant.old)} places for this bug, not 1")
    path.write_text(
        text.replace(mutant.old, mutant.new) + ("\n_pool: Any = bytearray()\n" if "_pool" in mutant.new else "")
    )
    return where


def caught(mutant: Mutant) -> tuple[bool, float]:
    """Whether the tests fail on a bug, and how long that takes."""
    with tempfile.TemporaryDirectory() as folder:
        environment = os.environ | {"PYTHONPATH": str(planted(mutant, Path(folder))), "PYTHONDONTWRITEBYTECODE": "1"}
        start = time.perf_counter()
        command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", f"tests/{mutant.tests}"]
        run = subprocess.run(
            command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=300, check=False
        )
        # Exit code 1 is a failing test; any other means that the tests did not run.
        if run.returncode not in (0, 1):
            raise SystemExit(f"{mutant.name}: the tests did not run\n{run.stdout[-2000:]}{run.stderr[-2000:]}")
        return run.returncode == 1, time.perf_counter() - start


def main() -> int:
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        results = list(pool.map(caught, CATALOGUE))
    width = max(len(mutant.name) for mutant in CATALOGUE)
    for mutant, (found, seconds) in zip(CATALOGUE, results, strict=True):
        verdict = "caught" if found else "SURVIVED"
        print(f"{mutant.name:{width}}  {verdict}  {seconds:5.1f} s  {mutant.tests.split('::')[-1]}")
    missed = sum(not found for found, _ in results)
    print(f"\n{len(CATALOGUE) - missed} passed, {missed} failed")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
