"""What the person at the terminal reads. Nothing else in the backend prints."""

import sys
from contextlib import suppress
from typing import TextIO


def say(text: str = "") -> None:
    _write(sys.stdout, text)


def complain(text: str) -> None:
    _write(sys.stderr, f"neighborwatch: {text}")


def _write(stream: TextIO, text: str) -> None:
    # The terminal may be gone (closed window, cut ssh). Stopping everything in order matters more
    # than the message, and there is nowhere left to report this to.
    with suppress(OSError):
        print(text, file=stream, flush=True)
