"""The referee's own arithmetic: no root, no kernel."""

import subprocess
from pathlib import Path
from typing import Any

import compare
import plans
import pytest

TRUTH = Path(__file__).resolve().parents[1] / "truth"
PATHS = {"victim": "/t/v", "hog": "/t/h", "far": "/t/f"}
MS = 1_000_000


def party(blame: dict[str, int], *, throttled: int = 0, ran: int = 0) -> dict[str, Any]:
    return {
        "wait_ns": sum(blame.values()) + throttled,
        "throttled_wait_ns": throttled,
        "unlocated_wait_ns": 0,
        "ran_ns": ran,
        "schedstat_ns": sum(blame.values()) + throttled,
        "check_off_ns": 0,
        "blame_ns": blame,
        "last_occupant_ns": {},
        "switch_in_ns": {},
        "end_of_slice_ns": {},
        "occupancy_ns": {},
    }


def truth(victim: dict[str, Any]) -> dict[str, Any]:
    others = {name: party({}, ran=1) for name in ("(idle)", "(system)", "(unknown)", "hog", "far")}
    return {"dropped": 0, "parties": {**others, "victim": victim}}


def window(blame: dict[str, int], **parts: int) -> dict[str, Any]:
    of_victim = {**dict.fromkeys(compare.PARTS, 0), **parts}
    of_victim["neighbor_wait_ns"] = sum(blame.values())
    of_victim["wait_ns"] = sum(of_victim.values())
    rows: list[dict[str, Any]] = [
        {"container_id": f"id-{name}", "cgroup_path": path} for name, path in PATHS.items()
    ]
    rows[0]["sched"] = of_victim
    pairs = [
        {"victim_id": "id-victim", "aggressor_id": f"id-{name}", "wait_ns": ns}
        for name, ns in blame.items()
    ]
    return {"cgroups": rows, "blame": pairs}


def judge(
    true: dict[str, Any], told: dict[str, Any], innocent: list[tuple[str, str]] | None = None
) -> compare.Result:
    return compare.judge(truth(true), [told], PATHS, innocent or [])


def test_a_perfect_ledger_has_no_error() -> None:
    true = party({"hog": 80 * MS, "(idle)": 20 * MS})
    result = judge(true, window({"hog": 80 * MS}, idle_gap_wait_ns=20 * MS))
    assert result.blame_error_points == pytest.approx(0)
    assert result.total_error_ratio == 0
    assert (result.top_right, result.top_judged) == (1, 1)
    assert result.conservation_off_ns == 0


def test_uncovered_time_is_error() -> None:
    told = window({"hog": 90 * MS}, unattributed_wait_ns=10 * MS)
    result = judge(party({"hog": 100 * MS}), told)
    assert result.blame_error_points == pytest.approx(10)
    assert result.unattributed_ratio == pytest.approx(0.1)


def test_throttled_time_that_turns_up_at_a_neighbor_is_counted() -> None:
    told = window({"hog": 150 * MS}, throttled_own_wait_ns=50 * MS)
    result = judge(party({"hog": 100 * MS}, throttled=100 * MS), told)
    assert result.throttled_charged_ratio == pytest.approx(0.5)
    assert result.blame_error_points == pytest.approx(25)


def test_an_accused_innocent_and_a_wrong_name_are_found() -> None:
    told = window({"far": 60 * MS, "hog": 40 * MS})
    result = judge(party({"hog": 100 * MS}), told, [("far", "victim")])
    assert result.innocent_ratio == pytest.approx(0.6)
    assert (result.top_right, result.top_judged) == (0, 1)


def test_parts_that_do_not_add_up_are_found() -> None:
    told = window({"hog": 100 * MS})
    told["cgroups"][0]["sched"]["wait_ns"] += 3
    assert compare.conservation_off_ns([told]) == 3


def test_a_run_is_discarded_when_its_replay_is_not_what_the_kernel_counted() -> None:
    of = truth(party({"hog": 100 * MS}))
    assert compare.why_discarded(of) is None
    of["parties"]["victim"]["check_off_ns"] = MS
    assert "victim" in (compare.why_discarded(of) or "")
    assert compare.why_discarded({**of, "dropped": 1}) == "the trace dropped 1 events"


@pytest.mark.parametrize("name", plans.MAKERS)
def test_a_seed_gives_the_same_plan_again(name: str) -> None:
    def text(seed: int) -> str:
        scenario = plans.make(name, seed)
        return plans.render(scenario, seed, base="b", loader="/l", agent=["/a"], seconds=2)

    assert text(3) == text(3)
    assert text(3) != text(4)


def test_the_replay_on_traces_made_by_hand() -> None:
    made = subprocess.run(["make", "-C", str(TRUTH), "test"], capture_output=True, text=True)
    assert made.returncode == 0, made.stdout + made.stderr
