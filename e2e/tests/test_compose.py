"""The compose file's text: parsed, wired to what exists, and closed by default."""

import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
SECRETS = {"NW_POSTGRES_PASSWORD": "test", "NW_ENROLL_TOKEN": "test"}


@pytest.fixture(scope="module")
def services() -> dict[str, Any]:
    loaded: dict[str, Any] = yaml.safe_load((ROOT / "docker-compose.yml").read_text())
    services: dict[str, Any] = loaded["services"]
    return services


def test_has_postgres_migrate_backend_and_agent_under_a_profile(services: dict[str, Any]) -> None:
    assert list(services) == ["postgres", "migrate", "backend", "agent"]
    assert services["agent"]["profiles"] == ["agent"]
    assert all("profiles" not in services[name] for name in ("postgres", "migrate", "backend"))


def test_starts_in_order_of_health(services: dict[str, Any]) -> None:
    assert services["migrate"]["depends_on"]["postgres"]["condition"] == "service_healthy"
    assert (
        services["backend"]["depends_on"]["migrate"]["condition"]
        == "service_completed_successfully"
    )
    assert services["agent"]["depends_on"]["backend"]["condition"] == "service_healthy"
    for name in ("postgres", "backend"):
        assert services[name]["healthcheck"]["test"][0] == "CMD"


def test_every_secret_is_required_with_a_reason() -> None:
    text = (ROOT / "docker-compose.yml").read_text()
    uses = re.findall(r"\$\{(NW_[A-Z_]*(?:PASSWORD|TOKEN))(:\?[^}]+)?\}", text)
    assert {name for name, _ in uses} == set(SECRETS)
    assert all(reason for _, reason in uses)


def test_images_come_from_debian_and_their_copies_exist(services: dict[str, Any]) -> None:
    for service in services.values():
        if "build" not in service:
            continue
        build = service["build"]
        context = ROOT / (build if isinstance(build, str) else build["context"])
        dockerfile = (
            context / "Dockerfile" if isinstance(build, str) else ROOT / build["dockerfile"]
        )
        text = dockerfile.read_text()
        assert set(re.findall(r"^FROM (\S+)", text, re.M)) == {"debian:bookworm-slim"}
        for sources in re.findall(r"^COPY (?!--from)(.+) \S+$", text, re.M):
            for source in sources.split():
                assert (context / source).exists(), f"{dockerfile.name} copies {source}"


def test_agent_gets_the_three_capabilities_and_no_more(services: dict[str, Any]) -> None:
    agent = services["agent"]
    assert agent["cap_drop"] == ["ALL"]
    assert agent["cap_add"] == ["BPF", "PERFMON", "DAC_READ_SEARCH"]
    assert "privileged" not in agent
    assert all(mount.endswith(":ro") for mount in agent["volumes"] if mount.startswith("/"))


@pytest.mark.skipif(not shutil.which("docker"), reason="no docker client to ask")
def test_compose_itself_accepts_the_file_and_names_a_missing_secret() -> None:
    if subprocess.run(["docker", "compose", "version"], capture_output=True).returncode:
        pytest.skip("this docker client has no compose plugin")
    config = ["docker", "compose", "--profile", "agent", "config", "--quiet"]
    env = {"PATH": "/usr/bin:/usr/local/bin:/bin", "HOME": "/tmp"}
    whole = subprocess.run(config, cwd=ROOT, env=env | SECRETS, capture_output=True, text=True)
    assert whole.returncode == 0, whole.stderr
    bare = subprocess.run(config, cwd=ROOT, env=env, capture_output=True, text=True)
    assert bare.returncode != 0
    assert "set NW_POSTGRES_PASSWORD in .env" in bare.stderr
