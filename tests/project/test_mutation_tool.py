"""The tool behind `make mutation` comes to its end, whatever a changed test does."""

import os
import subprocess
import sys
import time

import pytest
from tiers import each

pytest.importorskip("resource")  # Which Windows has not.
from mutation import child


def sleeps():
    time.sleep(1000)


def catches():
    while True:
        try:
            time.sleep(1000)
        except BaseException:
            continue


def spins():
    while True:
        pass


def leaves_somebody_behind():
    """A process that outlives the child and holds its pipe open."""
    if os.fork() == 0:
        time.sleep(1000)
    return "said"


def leaves_a_session_behind():
    subprocess.Popen([sys.executable, "-c", "import time; time.sleep(20)"], start_new_session=True, close_fds=False)
    return "said"


def stops():
    os.kill(os.getpid(), 19)


@pytest.mark.parametrize("work", each([sleeps, catches, spins, stops], 2))
def test_what_does_not_end_is_ended(work):
    begin = time.monotonic()
    assert child(work, 2, 1) == ("timeout", "")
    assert time.monotonic() - begin < 30


@pytest.mark.parametrize("work", [leaves_somebody_behind, leaves_a_session_behind])
def test_what_is_left_behind_is_not_waited_for(work):
    begin = time.monotonic()
    assert child(work, 15, 5) == ("killed", "said")
    assert time.monotonic() - begin < 14


def test_what_is_said_is_heard_whole():
    assert child(lambda: "x" * 10**7, 60, 30) == ("killed", "x" * 10**7)
    assert child(lambda: "", 60, 30) == ("survived", "")
    assert child(lambda: os._exit(0), 60, 30) == ("broken", "")
    assert child(lambda: 1 / 0, 60, 30) == ("broken", "")
