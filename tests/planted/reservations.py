"""Bugs of reservations."""

from planted import Mutant

RULES = "test_reserved_rules.py::"
CATALOGUE = [
    Mutant(
        "a release that is handed out twice",
        "ledger/books.py",
        "return plan.releases - _made(connection, number)  # proof: rest",
        "return plan.releases  # proof: rest",
        "test_reservations.py::TestWhatIsHandedOut::test_each_release_is_made_once",
    ),
    Mutant(
        "a release by its cost, not by its event",
        "ledger/books.py",
        "if not left[released]:  # proof: left",
        "if released.epsilon not in {event.epsilon for event in left}:  # proof: left",
        "test_reservations.py::TestWhatIsHandedOut::test_a_release_beside_the_plan_is_refused",
    ),
    Mutant(
        "a reservation that is freed after it was used",
        "ledger/books.py",
        'if kind == "void" and _made(connection, which):',
        "if False:",
        "test_reservations.py::TestWhatIsHandedOut::test_a_reservation_is_taken_back_only_while_nothing_is_released",
    ),
    Mutant(
        "a release that is paid for again",
        "ledger/entries.py",
        'free = event is None or row.kind == "release"',
        "free = event is None",
        "test_reservations.py::TestWhatIsHandedOut::test_each_release_is_made_once",
    ),
    Mutant(
        "a joint cost that nobody computes anew",
        "ledger/reservations.py",
        "self.losses.delta(event.epsilon) <= event.delta  # proof: worth",
        "event.delta > 0  # proof: worth",
        "test_reservations.py::TestBooks::test_verify_computes_the_joint_cost_anew",
    ),
    Mutant(
        "a plan that costs more than its releases one by one",
        "ledger/reservations.py",
        "return min(events, key=",
        "return max(events, key=",
        "test_reservations.py::TestWhatIsCharged::test_a_plan_never_takes_more_than_its_releases_one_by_one",
    ),
    Mutant(
        "a release that waits for the next period",
        "ledger/books.py",
        "if limits.spell is not None and limits.is_over(number):  # proof: over",
        "if limits.spell is not None and mark.limits.is_over(number):  # proof: over",
        RULES + "TestPeriods::test_a_reserved_release_is_made_in_its_own_period_or_never",
    ),
    Mutant(
        "a late release that nobody notices",
        "ledger/books.py",
        "if about >= entry.number or mark.limits.is_over(about):  # proof: waited",
        "if about >= entry.number:  # proof: waited",
        RULES + "TestPeriods::test_a_release_that_waited_for_the_next_period_is_damage",
    ),
    Mutant(
        "a reserved release that anybody makes",
        "ledger/books.py",
        "            limits.check_who(asker)\n            if limits.spell",
        "            if limits.spell",
        RULES + "TestAnalysts::test_a_reserved_release_says_who_asks",
    ),
    Mutant(
        "a plan that does not know who asks",
        "ledger/limits.py",
        "return max([of_all, *(rule.share(state, event, budget) for rule, state, budget in self._rules_for(who))])",
        "return of_all",
        RULES + "TestAnalysts::test_a_plan_that_is_cheap_for_the_whole_is_charged_as_fits_who_asks",
    ),
    Mutant(
        "a plan of any shape",
        "ledger/reservations.py",
        "if not possible or plan.to_dict() != told:",
        "if not possible:",
        RULES + "TestReceipts::test_a_plan_that_no_ledger_wrote_is_damage",
    ),
    Mutant(
        "a plan that keeps a password",
        "cli/plans.py",
        "command.make_context(name, [*words]).params",
        "command.make_context(name, words).params",
        "test_cli_plans.py::test_a_plan_keeps_and_shows_no_password",
    ),
    Mutant(
        "a row of data that is shown as a plan's mistake",
        "cli/plans.py",
        '        need = "words"\n',
        "        need = question\n",
        "test_cli_plans.py::test_a_row_of_data_in_the_place_of_a_plan_is_not_shown",
    ),
    Mutant(
        "a month's budget that is called the whole",
        "ledger/limits.py",
        "return tuple(least) if len(lefts) > 1 else ()",
        "return ()",
        "test_whose_left.py::test_an_answer_says_whose_what_is_left_is",
    ),
]
