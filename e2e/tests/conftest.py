"""What tests stand on that start Postgres, backend and agent apart, to stop each of them."""

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import load
import pytest
from cgroups import Cgroups

from host import OUTPUT, require_kernel
from parts import Parts


@pytest.fixture
def folder(request: pytest.FixtureRequest) -> Iterator[Path]:
    # Not pytest's own: Postgres runs as another user and must get to it.
    name = request.path.stem.removeprefix("test_")
    path = Path(tempfile.mkdtemp(prefix=f"neighborwatch-{name}-"))
    try:
        yield path
    finally:
        logs = OUTPUT / "logs" / name
        logs.mkdir(parents=True, exist_ok=True)
        for log in path.glob("*.log"):
            shutil.copy(log, logs / log.name)
        shutil.rmtree(path)


@pytest.fixture
def cgroups(folder: Path) -> Iterator[Cgroups]:
    require_kernel()
    load.build()
    with Cgroups(folder / "bundles") as made:
        yield made


@pytest.fixture
def parts(folder: Path, cgroups: Cgroups) -> Iterator[Parts]:
    made = Parts(folder)
    try:
        made.start(cgroups.oci_state_dir)
        yield made
    finally:
        made.close()
