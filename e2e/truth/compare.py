"""The agent's ledger next to what truly happened in the same seconds. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

PARTS = (
    "self_wait_ns",
    "neighbor_wait_ns",
    "system_wait_ns",
    "throttled_own_wait_ns",
    "throttled_ancestor_wait_ns",
    "idle_gap_wait_ns",
    "unattributed_wait_ns",
)
RULES = ("last_occupant", "end_of_slice", "switch_in", "usage")
IDLE, SYSTEM, UNKNOWN = "(idle)", "(system)", "(unknown)"
THROTTLED = "(throttled)"
LARGEST = 8
# Below this a share is a handful of waits.
SMALLEST_WAIT_NS = 10_000_000
SMALLEST_THROTTLED_NS = 50_000_000
# Two culprits this close are both right.
TIE_RATIO = 0.005
CHECK_RATIO = 0.005
# A span that lies across an edge counts on one side or on both: up to a period each.
THROTTLE_CHECK_RATIO = 0.05

Shares = dict[str, float]


@dataclass(frozen=True, slots=True)
class Victim:
    """One group of the plan, in ns; `blame` by who ran, itself and (idle) included."""

    wait: int
    throttled: int
    unattributed: int
    blame: Shares


@dataclass(frozen=True, slots=True)
class VictimResult:
    name: str
    true: Victim
    agent: Victim
    blame_error_points: float
    external_error_points: float | None
    total_error_ratio: float
    is_top_right: bool | None  # None: nobody else ran while it waited
    rules: dict[str, float | None]  # points; None: the rule sees nothing


@dataclass(frozen=True, slots=True)
class Result:
    victims: list[VictimResult]
    blame_error_points: float
    worst_error_points: float
    total_error_ratio: float
    top_right: int
    top_judged: int
    throttled_charged_ratio: float | None
    throttled_error_ratio: float | None
    unattributed_ratio: float
    innocent_ratio: float | None
    conservation_off_ns: int
    rules: dict[str, float | None]
    agent_external_points: float | None


def points(mine: Mapping[str, float], true: Mapping[str, float]) -> float | None:
    """Half the sum of absolute share differences; None where one side is empty."""
    my_sum, true_sum = sum(mine.values()), sum(true.values())
    if my_sum <= 0 or true_sum <= 0:
        return None
    names = mine.keys() | true.keys()
    apart = (abs(mine.get(n, 0) / my_sum - true.get(n, 0) / true_sum) for n in names)
    return 50 * sum(apart)


def why_discarded(truth: Mapping[str, Any]) -> str | None:
    """A run whose own replay is not what the kernel counted proves nothing."""
    if truth["dropped"]:
        return f"the trace dropped {truth['dropped']} events"
    for name, party in truth["parties"].items():
        expected, off = party["schedstat_ns"], party["check_off_ns"]
        if expected >= SMALLEST_WAIT_NS and off > CHECK_RATIO * expected:
            return f"replay and schedstat of {name} are {off / expected:.2%} apart"
    return None


def why_throttling_is_off(
    truth: Mapping[str, Any], counted_ns: Mapping[str, int], single: Iterable[str]
) -> str | None:
    """cpu.stat counts CPUs and the replay tasks: of a group with one thread they say the same."""
    for name in single:
        counted, found = counted_ns.get(name, 0), truth["parties"][name]["throttled_wait_ns"]
        if abs(found - counted) > max(THROTTLE_CHECK_RATIO * counted, SMALLEST_THROTTLED_NS * 2):
            return f"replay and cpu.stat of {name}: {found / 1e6:.0f} and {counted / 1e6:.0f} ms"
    return None


def true_victim(party: Mapping[str, Any]) -> Victim:
    uncovered = party["unlocated_wait_ns"]
    wait = party["wait_ns"] + uncovered
    return Victim(wait, party["throttled_wait_ns"], uncovered, dict(party["blame_ns"]))


def conservation_off_ns(windows: Iterable[Mapping[str, Any]]) -> int:
    """The most by which the parts of one row miss its wait, or its pairs the parts they make."""
    worst = 0
    for window in windows:
        of_pairs: dict[str, int] = {}
        for pair in window["blame"]:
            of_pairs[pair["victim_id"]] = of_pairs.get(pair["victim_id"], 0) + pair["wait_ns"]
        for row in window["cgroups"]:
            sched = row.get("sched")
            if sched is None:
                continue
            ran = sum(sched[part] for part in PARTS[:3])
            worst = max(worst, abs(sum(sched[part] for part in PARTS) - sched["wait_ns"]))
            worst = max(worst, abs(ran - of_pairs.get(row["container_id"], 0)))
    return worst


def agent_victims(
    windows: Sequence[Mapping[str, Any]], path_of: Mapping[str, str]
) -> dict[str, Victim]:
    """By group name. `path_of`: group name to its cgroup's path."""
    name_of_path = {path: name for name, path in path_of.items()}
    name_of_id = {
        row["container_id"]: name_of_path[row["cgroup_path"]]
        for window in windows
        for row in window["cgroups"]
        if row.get("cgroup_path") in name_of_path
    }
    sums = {name: dict.fromkeys(("wait", "throttled", "unattributed"), 0) for name in path_of}
    blame: dict[str, Shares] = {name: {} for name in path_of}
    for window in windows:
        for row in window["cgroups"]:
            name, sched = name_of_id.get(row["container_id"]), row.get("sched")
            if name is None or sched is None:
                continue
            sums[name]["wait"] += sched["wait_ns"]
            sums[name]["throttled"] += sched["throttled_own_wait_ns"]
            sums[name]["throttled"] += sched["throttled_ancestor_wait_ns"]
            sums[name]["unattributed"] += sched["unattributed_wait_ns"]
            idle = sched["idle_gap_wait_ns"]
            blame[name][IDLE] = blame[name].get(IDLE, 0) + idle
        for pair in window["blame"]:
            victim = name_of_id.get(pair["victim_id"])
            if victim is None:
                continue
            runner = name_of_id.get(pair["aggressor_id"], SYSTEM)
            blame[victim][runner] = blame[victim].get(runner, 0) + pair["wait_ns"]
    return {
        name: Victim(of["wait"], of["throttled"], of["unattributed"], blame[name])
        for name, of in sums.items()
    }


def _external(shares: Mapping[str, float], victim: str) -> Shares:
    return {n: v for n, v in shares.items() if n not in (victim, IDLE, UNKNOWN) and v > 0}


def _blame_error(true: Victim, agent: Victim) -> float:
    """With and without the throttled part, whichever is worse: neither may hide in the other."""

    def vector(victim: Victim, throttled: int) -> Shares:
        known = {n: v for n, v in victim.blame.items() if n != UNKNOWN}
        uncovered = victim.unattributed + victim.blame.get(UNKNOWN, 0)
        return {**known, UNKNOWN: uncovered, THROTTLED: throttled}

    errors = (
        points(vector(agent, agent.throttled), vector(true, true.throttled)),
        points(vector(agent, 0), vector(true, 0)),
    )
    return max((100.0 if error is None else error) for error in errors)


def _top_is_right(true: Shares, agent: Shares, wait: int) -> bool | None:
    if not true or sum(true.values()) < 0.01 * wait:
        return None
    if not agent:
        return False
    chosen = max(agent, key=lambda n: agent[n])
    return true.get(chosen, 0) >= max(true.values()) - TIE_RATIO * wait


def _rules(name: str, truth: Mapping[str, Any]) -> dict[str, float | None]:
    """Among the others only, and in each rule's own terms: the kindest reading."""
    party = truth["parties"][name]
    exact = _external(party["blame_ns"], name)
    usage = {n: p["ran_ns"] for n, p in truth["parties"].items()}
    return {
        "last_occupant": points(_external(party["last_occupant_ns"], name), exact),
        "end_of_slice": points(
            _external(party["end_of_slice_ns"], name), _external(party["occupancy_ns"], name)
        ),
        "switch_in": points(_external(party["switch_in_ns"], name), exact),
        "usage": points(_external(usage, name), exact),
    }


def judge_victim(name: str, truth: Mapping[str, Any], agent: Victim) -> VictimResult:
    true = true_victim(truth["parties"][name])
    mine, exact = _external(agent.blame, name), _external(true.blame, name)
    return VictimResult(
        name,
        true,
        agent,
        _blame_error(true, agent),
        points(mine, exact),
        abs(agent.wait - true.wait) / true.wait,
        _top_is_right(exact, mine, true.wait),
        _rules(name, truth),
    )


def _weighted(victims: Sequence[VictimResult], values: Sequence[float | None]) -> float | None:
    known = [(v.true.wait, x) for v, x in zip(victims, values, strict=True) if x is not None]
    weight = sum(w for w, _ in known)
    return sum(w * x for w, x in known) / weight if weight else None


def _throttled_charged(victims: Sequence[VictimResult]) -> tuple[float | None, float | None]:
    """What is missing from the throttled part and turns up at others'; and the part's own error."""
    total = charged = off = 0.0
    for victim in victims:
        true, agent = victim.true, victim.agent
        if true.throttled < SMALLEST_THROTTLED_NS:
            continue
        more = sum(_external(agent.blame, victim.name).values())
        more -= sum(_external(true.blame, victim.name).values())
        total += true.throttled
        charged += max(0, min(more, true.throttled - agent.throttled))
        off += abs(agent.throttled - true.throttled)
    return (charged / total, off / total) if total else (None, None)


def _innocent(victims: Sequence[VictimResult], innocent: Sequence[tuple[str, str]]) -> float | None:
    """The largest share of one's wait that went to somebody who never ran there."""
    by_name = {victim.name: victim for victim in victims}
    shares = [
        by_name[victim].agent.blame.get(who, 0) / by_name[victim].true.wait
        for who, victim in innocent
        if victim in by_name
    ]
    return max(shares, default=None)


def judge(
    truth: Mapping[str, Any],
    windows: Sequence[Mapping[str, Any]],
    path_of: Mapping[str, str],
    innocent: Sequence[tuple[str, str]],
) -> Result:
    agents = agent_victims(windows, path_of)
    names = [n for n in path_of if true_victim(truth["parties"][n]).wait >= SMALLEST_WAIT_NS]
    names.sort(key=lambda n: -true_victim(truth["parties"][n]).wait)
    every = [judge_victim(name, truth, agents[name]) for name in names]
    victims = every[:LARGEST]
    if not victims:
        raise ValueError("nobody waited")
    charged, throttled_off = _throttled_charged(every)
    wait = sum(v.agent.wait for v in every)
    tops = [v.is_top_right for v in victims if v.is_top_right is not None]
    error = _weighted(victims, [v.blame_error_points for v in victims])
    total_true = sum(v.true.wait for v in every)
    assert error is not None  # every victim has one
    return Result(
        victims,
        error,
        max(v.blame_error_points for v in victims),
        sum(abs(v.agent.wait - v.true.wait) for v in every) / total_true,
        sum(tops),
        len(tops),
        charged,
        throttled_off,
        sum(v.agent.unattributed for v in every) / wait if wait else 1.0,
        _innocent(every, innocent),
        conservation_off_ns(windows),
        {rule: _weighted(victims, [v.rules[rule] for v in victims]) for rule in RULES},
        _weighted(victims, [v.external_error_points for v in victims]),
    )
