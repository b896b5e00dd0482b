"""Bugs of the books' page and of the project's file."""

from planted import Mutant, T

CATALOGUE = [
    Mutant(
        "what was taken back is taken from who took it back",
        "pages/timeline.py",
        'asked[entry["receipt"]["entry"] if entry["kind"] == "void" else entry["number"]]',
        'asked[entry["number"]]',
        "test_timeline.py::TestSpending::test_what_is_taken_back_is_taken_back_from_who_had_asked",
    ),
    Mutant(
        "other books than those that the table is bound to",
        "cli/project.py",
        '{"ledger": given["ledger"] or said.ledger} if "ledger" in given',
        '{"ledger": given["ledger"]} if "ledger" in given',
        "test_tables_project.py::TestCommandLine::test_a_bound_table_is_charged_to_its_books",
    ),
    Mutant(
        "a pattern leads around the books",
        T + "project.py",
        "if asked & said and not _is_url(source):",
        "if False:",
        "test_tables_project.py::TestCommandLine::test_a_pattern_does_not_lead_around_the_books",
    ),
    Mutant(
        "a link leads around the books",
        T + "project.py",
        "for way in (place.absolute(), place.resolve())",
        "for way in (place.absolute(),)",
        "test_tables_project.py::TestCommandLine::test_the_file_beside_the_data_counts_wherever_one_asks_from",
    ),
    Mutant(
        "a table in another case is on no books",
        T + "project.py",
        "self.table.casefold() == table.casefold()",
        "self.table == table",
        "test_project_sources.py::TestBoundHoweverWritten::test_a_database_is_its_file",
    ),
    Mutant(
        "a URL with options is on no books",
        T + "project.py",
        "for each in _files(source)}",
        "for each in _files(source) if not _is_url(source)}",
        "test_project_sources.py::TestBoundHoweverWritten::test_a_database_is_its_file",
    ),
    Mutant(
        "a password in the digest of a kept question",
        "tables/kept.py",
        "without_secrets(text) if place is None",
        "text if place is None",
        "test_project_sources.py::TestSecrets::test_a_source_is_known_again_without_its_secrets",
    ),
    Mutant(
        "a password is shown as a part of a query",
        "urls.py",
        "if not is_secret(pair[0])]",
        "]",
        "test_project_sources.py::TestSecrets::test_a_source_is_known_again_without_its_secrets",
    ),
]
