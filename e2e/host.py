"""What this host must offer for tests on the real kernel, and where the built things are."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
OUTPUT = Path(__file__).parent / "output"
NWAGENT = ROOT / "agent" / "build" / "nwagent"
DASHBOARD = ROOT / "frontend" / "dist" / "index.html"
NEIGHBORWATCH = (sys.executable, "-m", "neighborwatch.cli")


def why_not() -> str | None:
    """None: the kernel can be measured here. Else why it cannot, as the agent itself says."""
    if os.geteuid() != 0:
        return "needs root: cgroups and BPF"
    if not NWAGENT.exists():
        return f"{NWAGENT} is not built: make build"
    command = [str(NWAGENT), "check", "--state-dir", "/tmp"]
    checked = subprocess.run(command, capture_output=True, text=True)
    if checked.returncode == 0:
        return None
    missing = [line for line in checked.stdout.splitlines() if line.startswith("missing")]
    return "; ".join(missing) or checked.stderr.strip() or "nwagent check failed"


def require_kernel() -> None:
    """Skips with the reason; fails instead where NW_REQUIRE_BPF=1 says that it must run."""
    reason = why_not()
    if reason is None:
        return
    if os.environ.get("NW_REQUIRE_BPF") == "1":
        pytest.fail(f"NW_REQUIRE_BPF=1, but: {reason}", pytrace=False)
    pytest.skip(reason)
