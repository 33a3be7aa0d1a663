"""Whether this host can be watched, and how the agent is started on it."""

import os
from collections.abc import Mapping
from pathlib import Path

BTF = Path("/sys/kernel/btf/vmlinux")


def why_not(program: Path, *, btf: Path = BTF, euid: int | None = None) -> str | None:
    """None: the agent can be started. Else what is missing and what to do."""
    if not program.is_file() or not os.access(program, os.X_OK):
        return f"watch this host: {program} is not built. Run `make build`"
    if (os.geteuid() if euid is None else euid) != 0:
        return "watch this host: loading BPF programs needs root. Run `sudo make run`"
    if not btf.exists():
        return (
            f"watch this host: its kernel has no type information ({btf}). "
            "A kernel with CONFIG_DEBUG_INFO_BTF=y is needed"
        )
    return None


def environment(
    base: Mapping[str, str],
    *,
    server_url: str,
    state_dir: Path,
    enrolment_token_file: Path,
    oci_state_dir: str | None,
) -> dict[str, str]:
    """The caller's own NW_AGENT_* settings stay, except where `run` must decide."""
    variables = {
        **base,
        "NW_AGENT_SERVER": server_url,
        "NW_AGENT_STATE_DIR": str(state_dir),
        "NW_AGENT_ENROLL_TOKEN_FILE": str(enrolment_token_file),
    }
    if oci_state_dir is not None:
        variables["NW_AGENT_OCI_STATE_DIR"] = oci_state_dir
    return variables
