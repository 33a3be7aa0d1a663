"""The agent as built, on Debian's stock kernels under qemu: the same tests, pure cgroup v2.

An emulated machine says nothing about speed; what is counted must be right all the same.
NW_KERNELS=arm64 builds for that instead and boots Debian's kernel for it; nothing else runs it.
"""

import os
import re
from dataclasses import dataclass
from pathlib import Path

import pytest

from kernels import matrix
from kernels.ledger import SCENARIOS, Ledger, guest_plans
from kernels.package import ARM64_KERNELS, KERNELS, Kernel, KernelError

CHOSEN = ARM64_KERNELS if os.environ.get("NW_KERNELS") == "arm64" else KERNELS
BOOT_SECONDS = 600
# The referee may discard a run; then it is run again.
ROUNDS = 3


@dataclass(frozen=True, slots=True)
class Visit:
    outcome: matrix.Outcome
    ledger: Ledger


def visit(kernel: Kernel, programs: matrix.Programs, folder: Path) -> Visit:
    ledger = Ledger(without=dict.fromkeys(SCENARIOS, "not run"))
    first: matrix.Outcome | None = None
    for seed in range(1, ROUNDS + 1):
        names = list(ledger.without)
        outcome = matrix.run(
            kernel,
            programs,
            folder / f"{kernel.name}-{seed}",
            guest_plans(names, seed),
            seconds=BOOT_SECONDS,
            with_tests=first is None,
        )
        first = first or outcome
        ledger.judge(outcome.plans, names, seed)
        if not ledger.without:
            break
    assert first is not None
    return Visit(first, ledger)


@pytest.fixture(scope="module")
def visits(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Visit | KernelError]:
    try:
        for kernel in CHOSEN:
            kernel.image()
            matrix.require_tools(kernel.architecture)
    except KernelError as error:
        if os.environ.get("NW_REQUIRE_BPF") == "1":
            pytest.fail(f"NW_REQUIRE_BPF=1, but: {error}", pytrace=False)
        pytest.skip(str(error))
    programs = matrix.build(CHOSEN[0].architecture)
    folder = tmp_path_factory.mktemp("kernels")
    return matrix.run_all(lambda kernel: visit(kernel, programs, folder), CHOSEN)


@pytest.fixture(params=[kernel.name for kernel in CHOSEN])
def visited(request: pytest.FixtureRequest, visits: dict[str, Visit | KernelError]) -> Visit:
    found = visits[request.param]
    if isinstance(found, KernelError):
        pytest.fail(str(found), pytrace=False)
    return found


def test_every_kernel_test_passes(visited: Visit) -> None:
    outcome, said = visited.outcome, visited.outcome.report
    assert said.release.startswith(f"{outcome.kernel.name.split()[0]}.")
    assert "Oops" not in outcome.console
    assert "BUG:" not in outcome.console
    tests = {step.name: step for step in said.named("test")}  # the last run of each
    for step in tests.values():
        assert step.status == 0, f"{step.name} on {said.release}:\n{step.text}"
        assert step.count("SKIPPED") == 0, f"{step.name} on {said.release}:\n{step.text}"
    passed = sum(step.count("OK") for step in tests.values())
    repeated = len(said.named("test")) - len(tests)
    assert passed >= 15
    print(
        f"kernel {said.release}: {passed} kernel tests in {len(tests)} programs passed, "
        f"{repeated} of them at a second run; booted, tested and off in {outcome.seconds:.0f} s"
    )


def test_the_agent_says_that_it_can_measure_there(visited: Visit) -> None:
    (check,) = visited.outcome.report.named("check")
    assert check.status == 0, check.text
    attached = re.search(r"^ok +collector sched +(.+)$", check.text, re.MULTILINE)
    assert attached is not None, check.text
    print(f"kernel {visited.outcome.report.release}: {attached[1]}")


def test_the_ledger_holds_the_limits_of_the_card(visited: Visit) -> None:
    ledger = visited.ledger
    assert not ledger.without
    assert set(ledger.rows) == set(SCENARIOS)
    assert not ledger.missed()
    print(f"kernel {visited.outcome.report.release}: {ledger.sentence()}")
