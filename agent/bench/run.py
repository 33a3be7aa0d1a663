#!/usr/bin/env python3
"""The agent's benchmarks: what it costs, and how right it is.

bench/run.py [PREFIX]      runs the benchmarks whose id begins with PREFIX
"""

from __future__ import annotations

import os
import signal
import sys
from types import ModuleType

import bench
import footprint
import ledger
import switches
from bench import BenchError, Row

PARTS: tuple[ModuleType, ...] = (switches, footprint, ledger)


def _print_row(row: Row) -> None:
    text = f"{row.id:<36} {row.value:10.4f} {row.unit:<7}"
    if row.limit is not None:
        text += f" limit {row.limit:<6} {'pass' if row.is_pass else 'FAIL'}"
    print(f"{text}  spread {row.spread:.4f}, {row.runs} runs")


def main(prefix: str) -> int:
    wanted = [part for part in PARTS if any(name.startswith(prefix) for name in part.ids())]
    if not wanted:
        print(f"bench: no benchmark of the agent begins with {prefix!r}")
        return 0
    if os.geteuid() != 0:
        raise BenchError("needs root: it loads BPF programs and makes cgroups")
    rows: list[Row] = []
    for part in wanted:
        found: list[Row] = part.run(prefix)
        bench.save(found)  # a later part may fail; what was measured stays
        rows += found
    print()
    for row in rows:
        _print_row(row)
    return 0 if all(row.is_pass for row in rows) else 1


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    try:
        sys.exit(main(sys.argv[1] if len(sys.argv) > 1 else ""))
    except BenchError as error:
        sys.exit(f"bench: {error}")
    except KeyboardInterrupt:
        sys.exit(130)
