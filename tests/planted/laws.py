"""Bugs of the choice of noise."""

from planted import Mutant, T

TESTS = "test_tables_laws.py::"
BOOKS = "test_tables_books.py::"

CATALOGUE = [
    Mutant(
        "a law that takes three times as much of what is left",
        T + "laws.py",
        "_TIMES: Final = 2",
        "_TIMES: Final = 3",
        BOOKS + "test_the_law_depends_on_the_currency_of_the_books",
    ),
    Mutant(
        "a law that does not fit",
        T + "laws.py",
        "most = min(_TIMES * least, max(least, Fraction(1)))",
        "most = _TIMES * least",
        BOOKS + "test_a_better_law_that_does_not_fit_is_not_taken",
    ),
    Mutant(
        "the noise of sizes takes nothing of what is left",
        T + "release.py",
        "self.bounding.sensitivity(part.aggregate), share, self.event(1))",
        "self.bounding.sensitivity(part.aggregate), share, Event(()))",
        BOOKS + "test_what_is_said_to_fit_is_what_fits",
    ),
    Mutant(
        "a question is another one when less is left on the books",
        T + "query.py",
        "receipt, usual = self.receipt, replace(self, share=None)",
        "receipt, usual = self.receipt, self",
        BOOKS + "test_a_question_is_the_same_whatever_is_left_on_the_books",
    ),
    Mutant(
        "a kept answer has the noise that would be taken now",
        T + "query.py",
        'replace(usual, laws=tuple(answer.get("laws", ()))).receipt',
        "self.receipt",
        BOOKS + "test_a_question_is_the_same_whatever_is_left_on_the_books",
    ),
    Mutant(
        "what is not reserved is as good as what is",
        "ledger/reservations.py",
        "if any(Counter(event.parts) <= parts for parts in left) else 2)",
        "if left else 2)",
        BOOKS + "test_a_reservation_of_two_laws_is_used_up_the_better_one_first",
    ),
    Mutant(
        "groups are decided by the law with the least error, and not by the one that shows the smallest",
        T + "laws.py",
        "return self.n50 or 0, self.mechanism.noise.deviation",
        "return 0, self.mechanism.noise.deviation",
        TESTS + "test_private_groups_get_the_noise_that_shows_the_smallest",
    ),
    Mutant(
        "the second best law is taken",
        T + "laws.py",
        "return tuple(sorted(found, key=lambda each: each.cost))",
        "return tuple(sorted(found, key=lambda each: each.cost, reverse=True))",
        TESTS + "test_known_groups_get_the_noise_with_the_least_standard_deviation",
    ),
    Mutant(
        "each part may use all of delta",
        T + "release.py",
        "most = own + spare if first else own",
        "most = sum(deltas, Fraction(0))",
        TESTS + "test_parts_use_no_more_of_delta_than_there_is",
    ),
    Mutant(
        "the first part also has the delta that others use",
        T + "release.py",
        "spare += own if part.mechanism.output_measure == _APPROXIMATE.of else 0",
        "spare += own",
        TESTS + "test_parts_use_no_more_of_delta_than_there_is",
    ),
    Mutant(
        "a noise that is named is only a wish",
        T + "query.py",
        "sizes=sizes, noise=noise, share=share)",
        "sizes=sizes, share=share)",
        TESTS + "test_a_named_noise_is_taken_though_it_is_not_the_best",
    ),
    Mutant(
        "the noise of another max_groups is said",
        T + "query.py",
        "found = replace(found, mechanisms=turn.named, laws=turn.laws)",
        "found = replace(found, mechanisms=self.turn.named, laws=self.turn.laws)",
        TESTS + "test_auto_max_groups_charges_the_worst_choice_and_draws_the_best_noise_of_each",
    ),
    Mutant(
        "truncated noise is no candidate",
        T + "laws.py",
        'noise == name or (noise == "auto" and',
        'noise == name or (noise == "auto" and name != "truncated" and',
        TESTS + "test_private_groups_get_the_noise_that_shows_the_smallest",
    ),
    Mutant(
        "truncated noise that is asked for with known keys is silently another",
        T + "laws.py",
        "if not (private or LAWS[noise].add):",
        "if False:",
        TESTS + "test_truncated_noise_is_for_thresholds",
    ),
    Mutant(
        "a promise of truncated noise that is thought to fail more often",
        T + "laws.py",
        "None, _small, fails=True",
        "None, _small, fails=False",
        TESTS + "test_the_promise_of_a_page_fails_no_more_often_than_it_says",
    ),
    Mutant(
        "what other columns tell is left out of the odds after no group appeared",
        T + "receipts.py",
        "return self.epsilon - first + max(first, Fraction(float_up(-log1p(-self.delta))))",
        "return max(self.epsilon, Fraction(float_up(-log1p(-self.delta))))",
        TESTS + "test_the_promise_of_a_page_fails_no_more_often_than_it_says",
    ),
    Mutant(
        "other choices of max_groups are explained with what this one leaves of epsilon",
        T + "query.py",
        "rest = Fraction(1 - (part or 0)) / (1 - (self.left_out or 0))",
        "rest = Fraction(1)",
        TESTS + "test_the_rows_of_other_choices_are_those_of_the_questions_themselves",
    ),
]
