"""When the agent cannot be started, the reason says what to do."""

from pathlib import Path

import pytest

from neighborwatch.launch import agent
from neighborwatch.settings import local_url


@pytest.fixture
def program(tmp_path: Path) -> Path:
    program = tmp_path / "nwagent"
    program.touch(mode=0o755)
    return program


def test_it_can_be_started_by_root_on_a_kernel_with_types(program: Path) -> None:
    assert agent.why_not(program, btf=program, euid=0) is None


def test_each_missing_thing_is_named(program: Path, tmp_path: Path) -> None:
    absent = tmp_path / "absent"
    assert "make build" in (agent.why_not(absent, btf=program, euid=0) or "")
    assert "sudo make run" in (agent.why_not(program, btf=program, euid=1000) or "")
    assert "CONFIG_DEBUG_INFO_BTF" in (agent.why_not(program, btf=absent, euid=0) or "")


def test_the_agents_own_settings_are_passed_on() -> None:
    variables = agent.environment(
        {"NW_AGENT_LOG_LEVEL": "debug", "NW_AGENT_SERVER": "http://elsewhere"},
        server_url="http://127.0.0.1:8080",
        state_dir=Path("/state"),
        enrolment_token_file=Path("/token"),
        oci_state_dir="/bundles",
    )
    assert variables == {
        "NW_AGENT_LOG_LEVEL": "debug",
        "NW_AGENT_SERVER": "http://127.0.0.1:8080",
        "NW_AGENT_STATE_DIR": "/state",
        "NW_AGENT_ENROLL_TOKEN_FILE": "/token",
        "NW_AGENT_OCI_STATE_DIR": "/bundles",
    }


@pytest.mark.parametrize(
    ("host", "url"),
    [
        ("127.0.0.1", "http://127.0.0.1:80"),
        ("0.0.0.0", "http://127.0.0.1:80"),
        ("::", "http://[::1]:80"),
        ("10.0.0.7", "http://10.0.0.7:80"),
        ("localhost", "http://localhost:80"),
    ],
)
def test_how_this_machine_reaches_the_server(host: str, url: str) -> None:
    assert local_url(host, 80) == url
