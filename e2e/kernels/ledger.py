"""The referee's core scenarios, run in a guest, judged here by the referee's own card."""

import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "truth"))

import card
import plans
import trial

SCENARIOS = plans.CORE
# An emulated CPU is slow and its two take turns: longer than on a real one, with the same limits.
JUDGED_SECONDS = 5


@dataclass(slots=True)
class Ledger:
    """What came of each scenario; a discarded one can be run again with another seed."""

    rows: dict[str, card.Row] = field(default_factory=dict)
    without: dict[str, str] = field(default_factory=dict)  # why there is no row
    discards: list[str] = field(default_factory=list)

    def judge(self, folder: Path, names: Iterable[str], seed: int) -> None:
        for name in names:
            try:
                judged = trial.judge(
                    plans.make(name, seed), seed, folder / name, seconds=JUDGED_SECONDS
                )
            except (trial.TrialError, OSError, ValueError) as error:
                self.without[name] = str(error)
            else:
                if judged.result is not None:
                    self.rows[name] = card.row_of(name, [judged.result])
                    self.without.pop(name, None)
                    continue
                self.without[name] = f"{name}, seed {seed}: {judged.discarded}"
            self.discards.append(self.without[name])

    def missed(self) -> dict[str, list[str]]:
        """By scenario: each must hold the card's limits by itself."""
        found = {name: card.missed(card.figures_of([row])) for name, row in self.rows.items()}
        return {name: reasons for name, reasons in found.items() if reasons}

    def sentence(self) -> str:
        rows = self.rows.values()
        return (
            f"blame error at most {max(row.blame_error_points for row in rows):.2f} points, "
            f"total {max(row.total_error_ratio for row in rows):.3%}, "
            f"unattributed {max(row.unattributed_ratio for row in rows):.3%} "
            f"in {len(self.rows)} scenarios ({len(self.discards)} discarded)"
        )


def guest_plans(names: Iterable[str], seed: int) -> Mapping[str, str]:
    return {
        name: plans.render(
            plans.make(name, seed),
            seed,
            base=f"nwtruth-{name}",
            loader="/nw/load",
            agent=["/build/nwagent", *trial.AGENT_FLAGS],
            seconds=JUDGED_SECONDS,
        )
        for name in names
    }
