"""Bugs of reservations."""

from planted import Mutant

CATALOGUE = [
    Mutant(
        "a release that is handed out twice",
        "ledger/books.py",
        "return plan.releases - made  # proof: rest",
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
        'if kind == "void" and _notes(connection, "release", which):',
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
]
