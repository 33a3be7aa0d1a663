"""Slows down guessing: too many wrong secrets from one caller are refused for a while.

In memory and per process: the secrets are 256 random bits, so this keeps logs and CPU quiet
rather than being what makes guessing hopeless.
"""

import time
from collections import OrderedDict, deque
from collections.abc import Callable
from threading import Lock

_WINDOW_SECONDS = 60.0
# Beyond this those that failed longest ago are forgotten.
_MAX_CALLERS = 10_000


class FailureLimit:
    def __init__(self, max_per_minute: int, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._max = max_per_minute
        self._clock = clock
        self._failures: OrderedDict[str, deque[float]] = OrderedDict()
        self._lock = Lock()

    def record(self, caller: str) -> None:
        with self._lock:
            failures = self._failures.setdefault(caller, deque(maxlen=self._max))
            failures.append(self._clock())
            self._failures.move_to_end(caller)
            if len(self._failures) > _MAX_CALLERS:
                self._failures.popitem(last=False)

    def retry_after_seconds(self, caller: str) -> int | None:
        """None: go on. Else how long to wait."""
        with self._lock:
            failures = self._failures.get(caller)
            if failures is None or len(failures) < self._max:
                return None
            remaining = failures[0] + _WINDOW_SECONDS - self._clock()
        return None if remaining <= 0 else int(remaining) + 1
