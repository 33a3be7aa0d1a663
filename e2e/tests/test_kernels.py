"""The agent as built, on Debian's stock kernels under qemu: the same tests, pure cgroup v2.

An emulated machine says nothing about speed; what is counted must be right all the same.
"""

import os
import re

import pytest

from kernels import matrix
from kernels.package import KERNELS, KernelError

BOOT_SECONDS = 600


def unavailable(reason: str) -> None:
    if os.environ.get("NW_REQUIRE_BPF") == "1":
        pytest.fail(f"NW_REQUIRE_BPF=1, but: {reason}", pytrace=False)
    pytest.skip(reason)


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory: pytest.TempPathFactory) -> dict[str, matrix.Outcome | KernelError]:
    matrix.build()
    folder = tmp_path_factory.mktemp("kernels")
    try:
        return matrix.run(folder, {}, seconds=BOOT_SECONDS)
    except KernelError as error:
        unavailable(str(error))
        raise


@pytest.fixture(params=[kernel.name for kernel in KERNELS])
def outcome(
    request: pytest.FixtureRequest, outcomes: dict[str, matrix.Outcome | KernelError]
) -> matrix.Outcome:
    found = outcomes[request.param]
    if isinstance(found, KernelError):
        pytest.fail(str(found), pytrace=False)
    return found


def test_every_kernel_test_passes(outcome: matrix.Outcome) -> None:
    said = outcome.report
    assert said.release.startswith(f"{outcome.kernel.name}.")
    assert said.is_whole, f"the guest stopped early:\n{outcome.console[-2000:]}"
    assert "Oops" not in outcome.console
    assert "BUG:" not in outcome.console
    tests = said.named("test")
    for step in tests:
        assert step.status == 0, f"{step.name} on {said.release}:\n{step.text}"
        assert step.count("SKIPPED") == 0, f"{step.name} on {said.release}:\n{step.text}"
    passed = sum(step.count("OK") for step in tests)
    assert passed >= 15
    slowest = max(tests, key=lambda step: step.seconds)
    print(
        f"kernel {said.release}: {passed} kernel tests in {len(tests)} programs passed, "
        f"booted and done in {outcome.seconds:.0f} s (longest: {slowest.name}, {slowest.seconds} s)"
    )


def test_the_agent_says_that_it_can_measure_there(outcome: matrix.Outcome) -> None:
    (check,) = outcome.report.named("check")
    assert check.status == 0, check.text
    attached = re.search(r"^ok +collector sched +(.+)$", check.text, re.MULTILINE)
    assert attached is not None, check.text
    print(f"kernel {outcome.report.release}: {attached[1]}")
