"""A child that dies again and again is started with a growing pause."""

import subprocess
import sys
import time

import pytest

from neighborwatch.launch.child import spawn
from neighborwatch.launch.supervised import Supervised


def dying(code: int) -> Supervised:
    return Supervised("child", lambda: spawn([sys.executable, "-c", f"raise SystemExit({code})"]))


def death_of(child: Supervised) -> str:
    assert child.process is not None
    child.process.wait()
    news = child.look()
    assert news is not None
    return news


def test_pauses_double_up_to_half_a_minute(monkeypatch: pytest.MonkeyPatch) -> None:
    child = dying(3)
    pauses = []
    for _ in range(7):
        child.launch()
        assert "ended with 3; starting it again" in death_of(child)
        pauses.append(child.pause_seconds)
    assert pauses == [1, 2, 4, 8, 16, 30, 30]


def test_a_child_that_had_recovered_starts_from_the_first_pause() -> None:
    child = dying(0)
    for lived_seconds in (0, 0, 61):
        child.launch()
        child.started_at -= lived_seconds
        death_of(child)
    assert child.pause_seconds == 1


def test_it_waits_for_its_pause_before_it_starts_again() -> None:
    child = dying(0)
    child.launch()
    death_of(child)
    assert child.look() is None
    child.start_again_at = time.monotonic()
    assert child.look() == "child started again"
    child.stop()


def test_a_final_code_ends_the_tries() -> None:
    child = dying(2)
    child.final_codes = frozenset({2})
    child.launch()
    assert death_of(child) == "child ended with 2 and stays down"
    assert child.look() is None


def test_one_that_ignores_the_request_is_killed() -> None:
    program = "import signal, time; signal.signal(15, signal.SIG_IGN); print(); time.sleep(60)"

    def start() -> "subprocess.Popen[bytes]":
        return spawn([sys.executable, "-c", program])

    child = Supervised("child", start, stop_seconds=0.2)
    child.launch()
    process = child.process
    assert process is not None
    time.sleep(0.5)
    child.stop()
    assert process.poll() == -9
