"""How right the wait ledger is: the accuracy card (e2e/truth), the worst scenario each."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import bench
from bench import BenchError, Row

CARD = bench.ROOT / "e2e" / "truth" / "card.py"
RESULT = bench.ROOT / ".data" / "truth" / "card.json"
RUNS = 40
SECONDS = 4
MISSED = 1  # the card's exit code when a limit is missed: the rows say so themselves

# Figure of the card, unit, and by which of the card's limits.
FIGURES = {
    "blame_error_points": ("points", "blame_error_points"),
    "total_error_ratio": ("ratio", "total_error_ratio"),
    "top_aggressor_ratio": ("ratio", "top_aggressor_ratio"),
    "throttled_charged_ratio": ("ratio", "throttled_charged_ratio"),
    "unattributed_ratio": ("ratio", "unattributed_ratio"),
    "unattributed_overload_ratio": ("ratio", "unattributed_ratio"),
    "innocent_ratio": ("ratio", "innocent_ratio"),
}


def ids() -> list[str]:
    return [f"ledger.{name}" for name in FIGURES]


def run(prefix: str) -> list[Row]:
    """Always all of them: they are one run."""
    command = [sys.executable, str(CARD), "--runs", str(RUNS), "--seconds", str(SECONDS)]
    RESULT.unlink(missing_ok=True)
    ended = subprocess.run(command)
    if ended.returncode not in (0, MISSED) or not RESULT.exists():
        raise BenchError(f"the accuracy card ended with {ended.returncode}")
    return rows_of(json.loads(RESULT.read_text()))


def rows_of(card: dict[str, Any]) -> list[Row]:
    if card["failures"]:
        raise BenchError(f"the accuracy card: {card['failures'][0]}")
    rows = []
    for name, (unit, limit_name) in FIGURES.items():
        value = card["figures"][name]
        if value is None:
            raise BenchError(f"the accuracy card has no {name}")
        runs = [run[limit_name] for run in card["trials"] if run.get(limit_name) is not None]
        rows.append(
            Row(
                f"ledger.{name}",
                round(value, 6),
                unit,
                card["limits"][limit_name],
                round(bench.spread_of(runs), 6),
                card["runs"],
                "at_least" if name == "top_aggressor_ratio" else "at_most",
            )
        )
    return rows
