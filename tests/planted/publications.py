"""Bugs of tables that add up: what a person changes, what all of them cost, and what they are made to agree by."""

from planted import Mutant, T

F, FIT, PLAN = T + "marginals.py", T + "fitting.py", T + "planning.py"
TEST, FITTED, FILE = "test_publication.py::", "test_fitting.py::", "test_publishing.py::"
APART = TEST + "TestLoss::test_a_table_is_as_far_apart_as_one_person_can_make_it"
ENGINE = TEST + "test_every_engine_counts_what_plain_python_counts[duckdb]"
SQUARES = FITTED + "test_the_fit_and_its_variance_are_those_of_generalized_least_squares"
WHOLE = FITTED + "test_whole_numbers_add_up_whatever_the_tables"

CATALOGUE = [
    Mutant(
        "a person moves each total by 1 at most, however many cells it has",
        F,
        "d * min(whole.l1, inner * whole.li))",
        "d)",
        APART + "[1]",
    ),
    Mutant(
        "impossible cells count as cells of a total",
        F,
        "cells.possible.astype(np.int64)",
        "np.ones_like(cells.possible, np.int64)",
        APART + "[5]",
    ),
    Mutant(
        "the cells that are not shown are taken for one that moves by 1",
        F,
        "return Sensitivity(d * whole.l0, d * whole.l1, d * whole.l1)  # proof: other",
        "return Sensitivity(d * whole.l0, d * whole.l1, d * whole.li)",
        TEST + "TestLoss::test_cells_that_are_not_shown_may_all_be_one",
    ),
    Mutant(
        "the tables of Gaussian noise cost what the first does",
        F,
        "moves = [(apart.l2_squared, v) for apart, v in zip(aparts, variances, strict=True)]",
        "moves = [(apart.l2_squared, v) for apart, v in zip(aparts, variances, strict=True)][:1]",
        TEST + "TestLoss::test_gaussian_noise_loses_less_than_is_stated_and_not_much[1]",
    ),
    Mutant(
        "what finds private cells is not paid for",
        F,
        "listing = [] if self.listing is None else [self.listing.loss(self._listed(d))]\n        sizes",
        "listing: list[Loss] = []\n        sizes",
        TEST + "TestLoss::test_the_list_of_private_cells_and_the_sizes_are_paid_for",
    ),
    Mutant(
        "values that are not shown count as the first one",
        F,
        "code.get(key[i], len(code))",
        "code.get(key[i], 0)",
        ENGINE,
    ),
    Mutant(
        "a product of keys takes the tails of its first key for all",
        T + "bounding.py",
        "firsts.setdefault(tuple(tail), []).append(one)",
        "firsts.setdefault(tuple(tails[key[0]]), []).append(one)",
        ENGINE,
    ),
    Mutant(
        "the fit weighs by what a table has, not by what is summed",
        FIT,
        "v * prod(self.sizes[i] for i in a if i not in axes)",
        "v * prod(self.sizes[i] for i in axes if i not in a)",
        SQUARES,
    ),
    Mutant(
        "the variance forgets what means take out",
        FIT,
        "kept = prod(1 - 1 / self.sizes[i] for i in part)",
        "kept = 1",
        SQUARES,
    ),
    Mutant(
        "impossible cells are divided among, too",
        FIT,
        "np.where(allowed & (totals > 0)[:, None], np.maximum(lowered, 0), 0)",
        "np.where((totals > 0)[:, None], np.maximum(lowered, 0), 0)",
        WHOLE,
    ),
    Mutant(
        "tables that two of the finest share are not fixed for both",
        FIT,
        "shared |= {_both(one, other) for other in (*self.finest, *shared)}",
        "shared |= {one}",
        WHOLE,
    ),
    Mutant(
        "the interval is around the published number",
        T + "publication.py",
        "np.ceil(self.centres - far), np.floor(self.centres + far)",
        "near - far / 2, near + far / 2",
        TEST + "TestAnswers::test_intervals_hold_as_often_as_they_say[laplace]",
    ),
    Mutant(
        "of private cells the noise has all of delta, and so has the threshold",
        PLAN,
        "delta - part",
        "delta",
        TEST + "TestLoss::test_the_list_of_private_cells_and_the_sizes_are_paid_for",
    ),
    Mutant(
        "a sum of several cells moves by what one person adds to one of them",
        F,
        "inner * whole.li)",
        "whole.li)",
        TEST + "TestLoss::test_sums_are_as_far_apart_as_one_person_can_make_them[1]",
    ),
    Mutant(
        "margins of a sum are taken for steps",
        PLAN,
        "unit = float_up(self.of.unit)",
        "unit = 1.0",
        TEST + "TestSums::test_margins_are_in_the_units_of_the_sum",
    ),
    Mutant(
        "the interval of a sum is one of steps",
        T + "publication.py",
        "low, high = (end * self.unit.numerator / self.unit.denominator for end in ends)",
        "low, high = ends",
        TEST + "TestSums::test_intervals_hold_as_often_as_they_say[laplace]",
    ),
    Mutant(
        "sums that may be negative are published as if they could not",
        PLAN,
        "if of.learns or of.steps[0] < 0:",
        "if of.learns:",
        TEST + "TestSums::test_what_has_no_totals_that_add_up_is_refused",
    ),
    Mutant(
        "a plan with other types is taken for the one that was released",
        T + "publishing.py",
        "sorted(said.types.items()), tables",
        "[], tables",
        FILE + "test_other_types_or_people_are_another_publication_which_is_paid_anew",
    ),
    Mutant(
        "a column that is declared is doubted",
        T + "doubts.py",
        "[name for name in names if name not in types]",
        "names",
        "test_tables_doubts.py::test_a_column_with_numbers_or_a_type_is_not_doubted",
    ),
    Mutant(
        "two who publish a plan at the same moment both pay",
        T + "publishing.py",
        "table=self.title, name=self._digest)",
        "table=self.title)",
        FILE + "test_of_two_processes_at_the_same_moment_one_pays_and_both_have_the_figures",
    ),
    Mutant(
        "figures that another process is drawing are called lost",
        T + "publishing.py",
        "if not _is_drawing(plan):",
        "if plan:",
        FILE + "test_of_two_processes_at_the_same_moment_one_pays_and_both_have_the_figures",
    ),
    Mutant(
        "tables with margins are paid from what others share, too",
        T + "wanted.py",
        'plain = [at for at, each in parts.items() if "margins" not in each]',
        "plain = list(parts)",
        FILE + "test_margins_set_the_epsilon_of_a_publication_and_the_rest_is_divided",
    ),
    Mutant(
        "private groups of a publication are not kept, and so are lost",
        PLAN,
        'return None if None in found else told | {"keys": found}',
        "return None",
        FILE + "test_tables_of_a_publication_add_up_in_their_files_and_come_again_for_nothing",
    ),
    Mutant(
        "two tables of a plan are written into one file",
        T + "wanted.py",
        "if len(set(files)) < len(files) or max(map(len, files)) > _LONGEST:",
        "if max(map(len, files)) > _LONGEST:",
        FILE + "test_a_publication_needs_its_budget_and_files_of_its_own",
    ),
    Mutant(
        "a page is as it was written, whatever its digest says",
        "files.py",
        "if seal and sealed(before) != text:",
        "if seal and not text:",
        "test_cli_disclose.py::test_a_page_whose_figures_were_changed_is_refused",
    ),
    Mutant(
        "any figures are those of a disclosure",
        "disclosure.py",
        'if figures_digest(rows) != self.facts["figures_sha256"]:',
        'if not self.facts["figures_sha256"]:',
        "test_cli_disclose.py::test_figures_are_checked_by_the_digest_of_the_disclosure",
    ),
    Mutant(
        "the books confirm any price, once its receipt's digest is copied",
        "disclosure.py",
        "if self.facts[name] != said:",
        "if not self.facts:",
        "test_disclosure.py::test_the_books_say_what_was_paid_whatever_digest_is_computed_anew[epsilon-0.001]",
    ),
]
