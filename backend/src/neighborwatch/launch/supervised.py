"""One child: started, watched, started again with a growing pause, stopped."""

import os
import signal
import subprocess
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass

_FIRST_PAUSE_SECONDS = 1.0
_LONGEST_PAUSE_SECONDS = 30.0
# A child that lived this long has recovered: its next death starts from the first pause.
_HEALTHY_SECONDS = 60.0


@dataclass(slots=True)
class Supervised:
    name: str
    start: Callable[[], "subprocess.Popen[bytes]"]
    stop_signal: signal.Signals = signal.SIGTERM
    stop_seconds: float = 15.0
    # The group gets the signal too: for programs that have children of their own.
    signals_group: bool = False
    restarts: bool = True
    # Exit codes after which another try cannot help.
    final_codes: frozenset[int] = frozenset()
    process: "subprocess.Popen[bytes] | None" = None
    started_at: float = 0.0
    pause_seconds: float = 0.0
    start_again_at: float | None = None

    def launch(self) -> None:
        self.process = self.start()
        self.started_at = time.monotonic()
        self.start_again_at = None

    def look(self) -> str | None:
        """Notices a death, starts again when its time has come; returns what there is to say."""
        if self.process is not None:
            code = self.process.poll()
            if code is None:
                return None
            return self._died(code)
        if self.start_again_at is not None and time.monotonic() >= self.start_again_at:
            self.launch()
            return f"{self.name} started again"
        return None

    def _died(self, code: int) -> str:
        lived_seconds = time.monotonic() - self.started_at
        self.process = None
        how = f"was killed by {signal.Signals(-code).name}" if code < 0 else f"ended with {code}"
        if not self.restarts or code in self.final_codes:
            return f"{self.name} {how} and stays down"
        if lived_seconds >= _HEALTHY_SECONDS or self.pause_seconds == 0:
            self.pause_seconds = _FIRST_PAUSE_SECONDS
        else:
            self.pause_seconds = min(2 * self.pause_seconds, _LONGEST_PAUSE_SECONDS)
        self.start_again_at = time.monotonic() + self.pause_seconds
        return f"{self.name} {how}; starting it again in {self.pause_seconds:.0f} s"

    def stop(self) -> None:
        """Asks, waits, then forces."""
        self.start_again_at = None
        process, self.process = self.process, None
        if process is None:
            return
        if process.poll() is None:
            self._signal(process, self.stop_signal)
            try:
                process.wait(self.stop_seconds)
            except subprocess.TimeoutExpired:
                self._signal(process, signal.SIGKILL)
                process.wait()
        if self.signals_group:
            _kill_group(process.pid, signal.SIGKILL)  # what it left behind

    def _signal(self, process: "subprocess.Popen[bytes]", number: signal.Signals) -> None:
        if self.signals_group:
            _kill_group(process.pid, number)
        else:
            process.send_signal(number)


def _kill_group(pid: int, number: signal.Signals) -> None:
    # Gone already is what was wanted.
    with suppress(ProcessLookupError):
        os.killpg(pid, number)
