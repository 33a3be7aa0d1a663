"""When a host counts as silent."""

from datetime import UTC, datetime, timedelta

from neighborwatch.measures.host_state import HostState, host_state

NOW = datetime(2026, 11, 18, 10, 35, tzinfo=UTC)


def test_two_minutes_without_a_window_make_a_host_stale() -> None:
    assert host_state(NOW - timedelta(seconds=120), NOW) is HostState.LIVE
    assert host_state(NOW - timedelta(seconds=121), NOW) is HostState.STALE


def test_a_host_that_sent_nothing_is_not_stale_but_new() -> None:
    assert host_state(None, NOW) is HostState.NEVER
