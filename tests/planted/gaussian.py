"""Bugs of the discrete Gaussian sampler."""

from planted import Mutant, S

TEST = "test_gaussian.py::"
STEPS = TEST + "test_steps_enclose_the_curve_and_own_their_share"
WORDS = TEST + "test_every_word_keeps_exactly_the_points_under_the_curve"
CHORD = TEST + "test_the_curve_lies_within_the_slacks_of_each_chord_at_every_point"
ONE = TEST + "test_a_draw_is_kept_where_a_geometric_variable_reaches_a_triangular_number"
BEYOND = TEST + "test_a_draw_beyond_the_blocks_is_kept_in_proportion"
FIT = TEST + "test_arrays_fit_the_law_and_not_one_two_percent_off"

CATALOGUE = [
    Mutant(
        "outcomes that must be looked at own cells",
        S + "tables.py",
        "        self._whole[len(law) - reported :] = [0] * reported  # proof: reported\n",
        "",
        STEPS,
    ),
    Mutant(
        "all but the last outcome that must be looked at own cells",
        S + "blocks.py",
        "reported=len(values) + 1",
        "reported=1",
        STEPS,
    ),
    Mutant(
        "near and far ends swapped",
        S + "blocks.py",
        "self._low = [at[far][0] for _, far in ends]",
        "self._low = [at[near][0] for near, _ in ends]",
        STEPS,
    ),
    Mutant(
        "a sign that negates instead of complementing",
        S + "blocks.py",
        "            values, points = [x ^ -side for x in grid[:-1] for side in (0, 1)], 1",
        "            values, points = [x * (1 - 2 * side) for x in grid[:-1] for side in (0, 1)], 1",
        TEST + "test_blocks_part_the_integers_and_their_points_are_equally_likely",
    ),
    Mutant(
        "fair bits without the sign",
        S + "blocks.py",
        '.view(f"i{width >> 3}") >> width - 1 - self._bits',
        '.view(f"u{width >> 3}") >> width - self._bits',
        TEST + "test_fair_bits_are_the_places_in_a_block_and_the_sign",
    ),
    Mutant(
        "fair bits one short",
        S + "blocks.py",
        "width, count = max(8, 1 << self._bits.bit_length()), len(self._low)",
        "width, count = max(8, 1 << (self._bits - 1).bit_length()), len(self._low)",
        TEST + "test_fair_bits_are_the_places_in_a_block_and_the_sign",
    ),
    Mutant(
        "the chord of the other side",
        S + "blocks.py",
        "left = (1 << self._bits) - (np.abs(out[places]) - self._near[blocks])",
        "left = np.abs(out[places]) - self._near[blocks]",
        WORDS,
    ),
    Mutant(
        "a point at the chord taken without a look",
        S + "blocks.py",
        "height < chord - self._below[blocks]  # proof: under",
        "height < chord",
        WORDS,
    ),
    Mutant(
        "a point above the chord refused without a look",
        S + "blocks.py",
        "(height < chord + self._above[blocks])",
        "(height < chord)",
        WORDS,
    ),
    Mutant(
        "convex and concave swapped",
        S + "blocks.py",
        "bend if far * far * den > num else 0, bend if near * near * den < num else 0",
        "bend if near * near * den < num else 0, bend if far * far * den > num else 0",
        CHORD,
    ),
    Mutant(
        "half of the bend",
        S + "blocks.py",
        "* curvature // (8 * num * num))",
        "* curvature // (16 * num * num))",
        CHORD,
    ),
    Mutant(
        "rounding of the steps forgotten",
        S + "blocks.py",
        "(rounding + side)",
        "side",
        TEST + "test_the_curve_lies_within_the_slacks_of_wide_blocks",
    ),
    Mutant(
        "a comparison that draws its first word anew",
        S + "blocks.py",
        "below_real(share, int(words[i]), self._word, coins, self._word)",
        "bernoulli(share, coins, word=self._word)",
        WORDS,
    ),
    Mutant(
        "one sign beyond the blocks",
        S + "blocks.py",
        "return x ^ -side if kept else None",
        "return x if kept else None",
        BEYOND,
    ),
    Mutant(
        "a draw beyond the blocks kept without a trial",
        S + "blocks.py",
        "return x ^ -side if kept else None",
        "return x ^ -side",
        BEYOND,
    ),
    Mutant(
        "tails a step too light",
        S + "blocks.py",
        "(x + side) ** 2 - excess",
        "(x + 1) ** 2 - excess",
        BEYOND,
    ),
    Mutant(
        "no tails",
        S + "blocks.py",
        "2 * self._rest]",
        "0]",
        STEPS,
    ),
    Mutant(
        "what is not kept stays",
        S + "blocks.py",
        "            out[again] = anew\n",
        "",
        TEST + "test_what_is_not_kept_is_drawn_anew_and_what_is_beyond_is_patched_in",
    ),
    Mutant(
        "places of a second round not traced back",
        S + "blocks.py",
        "            places = again[places]\n",
        "",
        TEST + "test_what_is_not_kept_is_drawn_anew_and_what_is_beyond_is_patched_in",
    ),
    Mutant(
        "places of later chunks counted from zero",
        S + "blocks.py",
        "places[above] + start",
        "places[above]",
        FIT,
    ),
    Mutant(
        "a triangular number too large",
        S + "gaussian.py",
        "(size - m) * (size - m - 1) // 2",
        "(size - m) * (size - m) // 2",
        TEST + "test_a_trial_of_one_draw_keeps_each_integer_in_proportion",
    ),
    Mutant(
        "a lower digit taken for reached",
        S + "gaussian.py",
        "if top > high or (top == high and _reaches(low, 1 << shift, variance, coins, word)):",
        "if top >= high:",
        ONE,
    ),
    Mutant(
        "a lower digit from the other end",
        S + "gaussian.py",
        "expm1((size - low) * one)",
        "expm1(low * one)",
        ONE,
    ),
    Mutant(
        "tables by a private number of draws",
        S + "gaussian.py",
        "build = private_size or n >= _WORTH_TABLES",
        "build = n >= _WORTH_TABLES",
        TEST + "test_what_a_call_leaves_behind_does_not_depend_on_a_private_size",
    ),
]
