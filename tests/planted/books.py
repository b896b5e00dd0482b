"""Bugs of events, accountants, checkpoints and older formats."""

from planted import Mutant

CHECKPOINTS, FORMATS, EVENTS = "test_checkpoints.py::", "test_formats.py::", "test_events.py::"
READ = CHECKPOINTS + "TestTampering::test_what_is_read_when_books_are_opened_is_checked"

CATALOGUE = [
    Mutant(
        "a checkpoint taken at its word",
        "ledger/formats.py",
        "if mark.seal != seal or number != self.count - self.count % STEP:  # proof: seal",
        "if number != self.count - self.count % STEP:",
        READ,
    ),
    Mutant(
        "a seal without the budget",
        "ledger/entries.py",
        "return chained(self.genesis, self.number, self.digest, self.state_text)  # proof: sealed",
        'return chained("", self.number, self.digest, self.state_text)',
        READ,
    ),
    Mutant(
        "a seal without the sum",
        "ledger/entries.py",
        "return chained(self.genesis, self.number, self.digest, self.state_text)  # proof: sealed",
        "return chained(self.genesis, self.number, self.digest)",
        READ,
    ),
    Mutant(
        "an old checkpoint that is good enough",
        "ledger/formats.py",
        "if mark.seal != seal or number != self.count - self.count % STEP:  # proof: seal",
        "if mark.seal != seal:",
        CHECKPOINTS + "TestTampering::test_the_checkpoint_of_an_older_copy_is_noticed",
    ),
    Mutant(
        "a checkpoint whose entry may be gone",
        "ledger/formats.py",
        "        if self.digest_at(connection, number) != digest:  # proof: anchor\n            refuse(DAMAGED)\n",
        "",
        READ,
    ),
    Mutant(
        "a sum that nobody compares",
        "ledger/books.py",
        "if mark.number == checkpoint.number and mark != checkpoint:  # proof: passed",
        "if mark.number == checkpoint.number and mark.digest != checkpoint.digest:",
        CHECKPOINTS + "TestTampering::test_a_checkpoint_with_a_right_seal_and_a_wrong_sum_is_found_by_verify",
    ),
    Mutant(
        "books that are read from the start",
        "ledger/books.py",
        "        mark = since or checkpoint\n",
        "        mark = books.start\n",
        CHECKPOINTS + "TestWork::test_the_work_does_not_grow_with_the_books",
    ),
    Mutant(
        "a note that looks at all of the books",
        "ledger/books.py",
        "WHERE about = ? AND kind = ?",
        "WHERE about IS ? AND kind = ?",
        CHECKPOINTS + "TestWork::test_the_work_does_not_grow_with_the_books",
    ),
    Mutant(
        "a charge that a note does not check",
        "ledger/books.py",
        "if before is None or chained(before, *row) != found[-1]:",
        "if before is None:",
        CHECKPOINTS + "TestTampering::test_verify_finds_the_rest",
    ),
    Mutant(
        "a note that adds what it takes back",
        "ledger/entries.py",
        'cost = {name: -x if row.kind == "void" else x for',
        "cost = {name: x for",
        CHECKPOINTS + "TestWork::test_long_books_are_the_same_books",
    ),
    Mutant(
        "a migration without a record",
        "ledger/older.py",
        "    enter(connection, mark, row, Plain())\n\n\ndef check_origin",
        "\n\ndef check_origin",
        FORMATS + "TestMigration::test_an_old_file_is_moved_when_it_is_opened_and_keeps_everything",
    ),
    Mutant(
        "an old chain that is not followed",
        "ledger/older.py",
        "if digest != found or fields[0] != len(rows) + 1:",
        "if fields[0] != len(rows) + 1:",
        FORMATS + "TestDamage::test_a_damaged_old_file_is_refused_and_not_moved",
    ),
    Mutant(
        "an old digest that is not compared",
        "ledger/older.py",
        '    if digest != note.receipt["digest"]:  # proof: origin\n        refuse(DAMAGED)\n',
        "",
        FORMATS + "TestDamage::test_moved_books_that_no_longer_have_their_old_digest_are_damage",
    ),
    Mutant(
        "moved books that are not verified",
        "ledger/books.py",
        "                self._verified(connection)  # proof: moved\n",
        "",
        FORMATS + "TestDamage::test_entries_that_no_ledger_wrote_are_damage",
    ),
    Mutant(
        "a newer file taken for a damaged one",
        "ledger/sqlite.py",
        "if version > FORMAT:",
        "if version > FORMAT + 1:",
        FORMATS + "TestMigration::test_a_newer_file_is_refused_in_so_many_words",
    ),
    Mutant(
        "a sum that stops where Python stops printing",
        "ledger/entries.py",
        "json.dumps([in_full(x) for x in self.state])",
        "json.dumps([str(x) for x in self.state])",
        CHECKPOINTS + "TestWork::test_sums_may_be_longer_than_what_python_prints",
    ),
    Mutant(
        "a move counted once",
        "events.py",
        "sum((epsilon * count for epsilon, count in self.moves), Fraction(0))",
        "sum((epsilon for epsilon, _ in self.moves), Fraction(0))",
        CHECKPOINTS + "TestEvents::test_an_event_is_charged_and_kept_whole",
    ),
    Mutant(
        "an event of the first part alone",
        "composition.py",
        "for part in measurement.event(d_in).parts))",
        "for part in measurement.event(d_in).parts)[:1])",
        EVENTS + "TestMechanisms::test_a_composition_has_the_parts_of_all",
    ),
    Mutant(
        "a real rounded to the nearest",
        "events.py",
        "    if isinstance(bound, Real):\n        return float_up(bound)\n",
        "    if isinstance(bound, Real):\n        return float(sum(bound.enclosure(200)) / 2)\n",
        EVENTS + "TestMechanisms::test_plain_addition_of_an_event_is_the_loss_of_the_mechanism",
    ),
    Mutant(
        "deltas that are not added",
        "accounting/plain.py",
        "return event.epsilon, event.delta",
        "return event.epsilon, min(event.delta, 0)",
        EVENTS + "TestPlain::test_it_adds_and_compares_part_by_part",
    ),
    Mutant(
        "whoever is logged in, on the books",
        "ledger/books.py",
        'asker = checked_text(who, "who")\n\n        def write(connection: Connection) -> tuple[Mark, Entry]:\n'
        "            mark, _ = self._follow(connection, self._mark)\n            self._require",
        'asker = checked_text(who or os.environ.get("USER", "root"), "who")\n\n'
        "        def write(connection: Connection) -> tuple[Mark, Entry]:\n"
        "            mark, _ = self._follow(connection, self._mark)\n            self._require",
        CHECKPOINTS + "TestWho::test_who_asked_is_on_the_books_only_if_it_is_given",
    ),
]
