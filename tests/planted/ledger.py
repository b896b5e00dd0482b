"""Bugs of the ledger."""

from planted import Mutant

POSTGRES, LIMITS = "test_postgres.py::", "test_limits.py::"

CATALOGUE = [
    Mutant(
        "a charge that is checked without itself",
        "ledger/books.py",
        "self._accountant.exceeds(self._accountant.after(mark.state, event), self._budget)",
        "self._accountant.exceeds(mark.state, self._budget)",
        "test_ledger.py::TestRefusals::test_both_parts_of_the_budget_count",
    ),
    Mutant(
        "books that the disk may not have yet",
        "ledger/sqlite.py",
        '"synchronous = EXTRA"',
        '"synchronous = NORMAL"',
        "test_ledger.py::TestFiles::test_a_commit_is_durable",
    ),
    Mutant(
        "a charge made again where the server did not answer",
        "ledger/postgres.py",
        "            if self.is_busy(error):\n                raise\n"
        "            self.refuse_commit(error)  # proof: unsure",
        "            raise psycopg.errors.SerializationFailure(str(error)) from None",
        POSTGRES + "TestCommits::test_a_commit_without_an_answer_may_stand_and_is_not_done_again",
    ),
    Mutant(
        "a commit that the server's disk may not have yet",
        "ledger/postgres.py",
        "current_setting('synchronous_commit') = 'off'",
        "current_setting('synchronous_commit') = 'never'",
        POSTGRES + "TestServers::test_a_role_that_does_not_wait_for_the_disk_does_here",
    ),
    Mutant(
        "a password in every message",
        "ledger/postgres.py",
        'netloc=user.partition(":")[0] + sign + hosts',
        "netloc=user + sign + hosts",
        POSTGRES + "TestPlaces::test_no_one_is_shown_a_password",
    ),
    Mutant(
        "a table that may be truncated",
        "ledger/postgres.py",
        '"TRUNCATE", table) for table in TABLES)',
        '"TRUNCATE", table) for table in ["budget"])',
        POSTGRES + "TestUnderfoot::test_the_past_cannot_be_truncated",
    ),
    Mutant(
        "a limit that is asked before the books are locked",
        "ledger/books.py",
        "            self._require(mark, released, made, asker, floats)  # proof: before",
        "            self._require(self._mark or mark, released, made, asker, floats)",
        LIMITS + "TestAnalysts::test_what_others_have_just_spent_counts",
    ),
    Mutant(
        "an analyst's limit that nobody asks for",
        "ledger/limits.py",
        "if analyst is not None and not cost.within(analyst.left):  # proof: analyst",
        "if analyst is not None and not analyst.spent.within(analyst.limit):",
        LIMITS + "TestAnalysts::test_each_spends_at_most_the_limit_inside_the_whole",
    ),
    Mutant(
        "a limit below what was spent",
        "ledger/books.py",
        "            if known is not None and not known.spent.within(limit):",
        "            if known is not None and known.spent.epsilon > limit.epsilon:",
        LIMITS + "TestAnalysts::test_limits_are_set_and_changed_on_the_record",
    ),
    Mutant(
        "a charge taken back from who takes it back",
        "ledger/limits.py",
        'self.analysts.get(charge.who or ""), self.analysts\n',
        'self.analysts.get(entry.who or ""), self.analysts\n',
        LIMITS + "TestAnalysts::test_what_is_taken_back_is_taken_back_from_who_had_asked",
    ),
    Mutant(
        "a clock that goes back into a new month",
        "ledger/limits.py",
        "if index <= self.index:  # proof: forward",
        "if index == self.index:",
        LIMITS + "TestPeriods::test_a_clock_that_goes_back_fills_nothing_again",
    ),
    Mutant(
        "an old charge that fills this month",
        "ledger/limits.py",
        "if charge.event is None or charge.number < self.first:  # proof: own",
        "if charge.event is None:",
        LIMITS + "TestPeriods::test_only_charges_of_this_period_come_back_to_it",
    ),
    Mutant(
        "a new month that fills the whole",
        "ledger/books.py",
        "if not self._accountant.exceeds(self._accountant.after(mark.state, event), self._budget):  # proof: fits",
        "if limits.spell != mark.limits.spell or not self._accountant.exceeds("
        "self._accountant.after(mark.state, event), self._budget):",
        LIMITS + "TestPeriods::test_a_period_ends_and_the_whole_never_refills",
    ),
    Mutant(
        "a checkpoint that forgets the month",
        "ledger/limits.py",
        "spell = replace(spell, index=index, first=first, state=tuple(map(read_in_full, sums)))",
        "spell = replace(spell, index=index, first=first)",
        LIMITS + "TestPeriods::test_long_books_know_their_period",
    ),
    Mutant(
        "a period's numbers that nobody checks",
        "ledger/books.py",
        "every = [(self._accountant, self._budget), *rules]",
        "every = [(self._accountant, self._budget)]",
        LIMITS + "TestPeriods::test_the_numbers_of_a_period_are_computed_anew",
    ),
]
