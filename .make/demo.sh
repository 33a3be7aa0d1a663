#!/usr/bin/env bash
# neighborwatch run, with the demo's workloads as a companion process.
set -euo pipefail
cd "$(dirname "$0")/.."
bundles=$PWD/.data/demo/bundles
exec neighborwatch run --oci-state-dir "$bundles" \
	--with "$PWD/.venv/bin/python $PWD/e2e/scenarios/demo.py --oci-state-dir $bundles"
