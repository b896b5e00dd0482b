"""Bugs of kept answers."""

from planted import Mutant

KEPT = "test_kept_answers.py::"
CATALOGUE = [
    Mutant(
        "a kept answer for another version, or another source",
        "tables/kept.py",
        "whole = [list(data.version), asked,",
        "whole = [asked,",
        KEPT + "test_another_question_is_paid_for",
    ),
    Mutant(
        "a kept answer for another epsilon that is the same float",
        "tables/kept.py",
        "asked, event.to_dict(), columns,",
        'asked | {"mechanisms": 0}, columns,',
        KEPT + "test_another_question_is_paid_for",
    ),
    Mutant(
        "a kept answer for other known keys",
        "tables/query.py",
        "question(self.table, usual.receipt, usual.event, self.bounding.keys)",
        "question(self.table, usual.receipt, usual.event)",
        KEPT + "test_another_question_is_paid_for",
    ),
    Mutant(
        "a kept answer for another condition of the same name",
        "tables/kept.py",
        "if data.version is None or data.filters:",
        "if data.version is None:",
        KEPT + "test_a_condition_in_python_is_never_free",
    ),
    Mutant(
        "a charge that is taken back while its answer is kept",
        "ledger/books.py",
        'if kind == "void" and _notes(connection, "answer", which):',
        "if False:",
        KEPT + "test_a_charge_whose_answer_is_kept_is_not_taken_back",
    ),
    Mutant(
        "a fresh answer that is the old one",
        "tables/kept.py",
        "asked is None or data.fresh or",
        "asked is None or",
        KEPT + "test_the_same_question_has_the_same_answer_and_costs_nothing",
    ),
    Mutant(
        "an answer beside the books that was changed",
        "ledger/books.py",
        'if text is not None and sha256(text).hexdigest() != note.receipt["sha256"]:',
        "if False:",
        "test_answers_beside.py::test_what_is_changed_beside_the_books_is_refused",
    ),
    Mutant(
        "an answer that is noted and not written beside the books",
        "ledger/sqlite.py",
        '                part.write_text(text, encoding="utf-8", newline="\\n")\n',
        "                pass\n",
        "test_answers_beside.py::test_an_answer_is_had_again_wherever_it_is",
    ),
    Mutant(
        "an answer beside the books that everyone may read",
        "ledger/sqlite.py",
        "                part.chmod(rights)\n",
        "                part.chmod(0o644)\n",
        "test_answers_beside.py::test_who_may_not_read_the_books_reads_no_answer_beside_them",
    ),
    Mutant(
        "a folder of answers that everyone may read",
        "ledger/sqlite.py",
        "place.parent.chmod(rights | (rights & 0o444) >> 2)",
        "place.parent.chmod(0o755)",
        "test_answers_beside.py::test_who_may_not_read_the_books_reads_no_answer_beside_them",
    ),
    Mutant(
        "a suggestion that is paid for and lost with the books",
        "tables/table.py",
        "with suppress(DiscreetError):",
        "if True:",
        "test_paid_answers.py::test_a_suggestion_is_told_though_the_books_are_gone",
    ),
    Mutant(
        "an answer beside the books without a salt",
        "ledger/books.py",
        "{SYSTEM.bits(256):064x}",
        "{0:064x}",
        "test_answers_beside.py::test_books_confirm_no_guess_of_what_was_deleted_beside_them",
    ),
    Mutant(
        "a charge whose answer may have been seen is taken back",
        "ledger/books.py",
        'if kind == "void" and not (unseen or',
        "if False and not (unseen or",
        "test_ledger_void.py::test_what_may_have_been_seen_is_taken_back_only_with_a_confirmation",
    ),
    Mutant(
        "an answer in the books of who wants none",
        "ledger/books.py",
        'if books.answers == "none":',
        "if False:",
        "test_answers_beside.py::test_books_without_answers_keep_none",
    ),
]
