"""An OCI bundle's config.json as containerd's CRI plugin writes it: where the agent finds names."""

import json
import os
import shutil
from dataclasses import dataclass
from pathlib import Path

# Ours, so that a bundle left by a killed run is known as such.
OWNER_ANNOTATION = "neighborwatch.demo.owner"


@dataclass(frozen=True, slots=True)
class ContainerNames:
    container: str
    image: str
    pod: str
    namespace: str
    pod_uid: str


def write_bundle(state_dir: Path, runtime_id: str, names: ContainerNames, *, owner: str) -> Path:
    """Before the cgroup is made: the agent looks for the name when it sees the cgroup."""
    bundle = state_dir / runtime_id
    bundle.mkdir(parents=True, mode=0o700)
    config = {
        "ociVersion": "1.1.0",
        "hostname": names.pod,
        "annotations": {
            "io.kubernetes.cri.container-type": "container",
            "io.kubernetes.cri.container-name": names.container,
            "io.kubernetes.cri.image-name": names.image,
            "io.kubernetes.cri.sandbox-name": names.pod,
            "io.kubernetes.cri.sandbox-namespace": names.namespace,
            "io.kubernetes.cri.sandbox-uid": names.pod_uid,
            OWNER_ANNOTATION: owner,
        },
    }
    fresh = bundle / "config.json.new"
    fresh.write_text(json.dumps(config, indent=1))
    os.replace(fresh, bundle / "config.json")
    return bundle


def bundle_owner(bundle: Path) -> str | None:
    """Who made it; None when it is not one of ours."""
    try:
        config = json.loads((bundle / "config.json").read_text())
        owner = config["annotations"][OWNER_ANNOTATION]
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return owner if isinstance(owner, str) else None


def remove_bundle(bundle: Path) -> None:
    shutil.rmtree(bundle, ignore_errors=not bundle.exists())
