"""What agents say of themselves."""

from datetime import timedelta
from typing import Any

import pytest

from fleet import BASE, NOW, Fleet, Reader

STATUS: dict[str, Any] = {
    "duration_ns": 10_000_000_000,
    "context_switches": 50_000,
    "cpus_online": 2,
    "collectors": [
        {
            "name": "sched",
            "status": "ok",
            "reason": None,
            "lost": 0,
            "map_bytes": 1 << 20,
            "maps": [{"name": "pairs", "used": 30, "capacity": 120, "failed_inserts": 2}],
        },
        # As stored by a backend from before maps were told.
        {"name": "throttle", "status": "degraded", "reason": "no cpu controller", "lost": 3},
    ],
    "event_loss": {"ring_full": 1, "queue_full": 2, "rate_limited": 30},
    "cost": {
        "user_ns": 30_000_000,
        "system_ns": 20_000_000,
        "rss_bytes": 9_000_000,
        "spool_batches": 2,
        "spool_bytes": 4096,
        "spool_dropped": 1,
        "rejected_batches": 0,
        "programs": [
            {"name": "sched_switch", "run_count": 50_000, "run_ns": 12_000_000},
            {"name": "idle", "run_count": 0, "run_ns": 0},
        ],
        "method": "estimated",
        "budget_ppm": 5000,
        "spent_ppm": 3100,
        "governor_level": 1,
        "governor_reason": "no events",
    },
}


def test_an_agent_with_collectors_and_cost(fleet: Fleet, reader: Reader) -> None:
    host_id = fleet.host("h1", agent_version="0.1.0")
    fleet.cursor(host_id, status=STATUS, clock_skew_ms=-250, lost_batches=4)

    answer = reader.get("/agents")

    assert answer["items"] == [
        {
            "host_id": str(host_id),
            "host_name": "h1",
            "state": "live",
            "version": "0.1.0",
            "last_seen_at": NOW.isoformat().replace("+00:00", "Z"),
            "window_at": BASE.isoformat().replace("+00:00", "Z"),
            "clock_skew_seconds": -0.25,
            "lost_batches": 4,
            "sequence": 60,
            "collectors": [
                {
                    **STATUS["collectors"][0],
                    "maps": [
                        {
                            "name": "pairs",
                            "used": 30,
                            "capacity": 120,
                            "used_ratio": 0.25,
                            "failed_inserts": 2,
                        }
                    ],
                },
                {**STATUS["collectors"][1], "map_bytes": None, "maps": []},
            ],
            "cost": {
                "method": "estimated",
                "bpf_ns_per_switch": 240.0,
                "bpf_ns_per_run": 240.0,
                "bpf_runs_per_second": 5000.0,
                "bpf_cpu_ratio": pytest.approx(0.0006),  # 12 ms of 2 CPUs x 10 s
                "programs": [
                    {
                        "name": "sched_switch",
                        "runs_per_second": 5000.0,
                        "ns_per_run": 240.0,
                        "cpu_ratio": pytest.approx(0.0006),
                    },
                    {"name": "idle", "runs_per_second": 0.0, "ns_per_run": None, "cpu_ratio": None},
                ],
                "spent_ratio": pytest.approx(0.0031),
                "budget_ratio": pytest.approx(0.005),
                "governor_level": 1,
                "governor_reason": "no events",
                "context_switches_per_second": 5000.0,
                "cpu_ratio": pytest.approx(0.005),
                "rss_bytes": 9_000_000,
                "spool_batches": 2,
                "spool_bytes": 4096,
                "spool_dropped": 1,
                "rejected_batches": 0,
            },
            "event_loss": {"ring_full": 1, "queue_full": 2, "rate_limited": 30},
        }
    ]


def test_statistics_that_are_off_are_unknown_and_not_free(fleet: Fleet, reader: Reader) -> None:
    off = {**STATUS, "context_switches": None}
    off["cost"] = {**STATUS["cost"], "programs": [{"name": "s", "run_count": 0, "run_ns": 0}]}
    fleet.cursor(fleet.host(), status=off)

    cost = reader.get("/agents")["items"][0]["cost"]
    assert cost["bpf_ns_per_switch"] is None
    assert cost["context_switches_per_second"] is None
    assert cost["cpu_ratio"] == pytest.approx(0.005)


def test_an_enrolled_host_that_never_sent_anything_is_listed(fleet: Fleet, reader: Reader) -> None:
    fleet.host("new")
    agent = reader.get("/agents")["items"][0]
    assert agent["state"] == "never"
    assert agent["collectors"] == []
    for field in ("last_seen_at", "window_at", "clock_skew_seconds", "lost_batches", "cost"):
        assert agent[field] is None


def test_the_longest_silent_agent_can_be_sorted_first(fleet: Fleet, reader: Reader) -> None:
    for name, minutes in (("a", 1), ("b", 30), ("c", 5)):
        fleet.cursor(fleet.host(name), received_at=NOW - timedelta(minutes=minutes))
    fleet.host("d")
    names = [a["host_name"] for a in reader.get("/agents", sort="last_seen_at")["items"]]
    assert names == ["b", "c", "a", "d"]
    paged = reader.get("/agents", sort="last_seen_at", limit=2)
    after = reader.get("/agents", cursor=paged["next_cursor"])
    assert [a["host_name"] for a in after["items"]] == ["a", "d"]
