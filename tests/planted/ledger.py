"""Bugs of the ledger."""

from planted import Mutant

POSTGRES = "test_postgres.py::"

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
        "a look at the books before the lock",
        "ledger/postgres.py",
        '                _do(connection, "LOCK TABLE budget IN EXCLUSIVE MODE")  # proof: locked\n',
        "",
        POSTGRES + "TestCommits::test_who_waits_too_long_is_told_and_charged_nothing",
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
]
