#!/usr/bin/env bash
# Pins backend/requirements-dev.in with hashes. No index address is written.
set -euo pipefail
cd "$(dirname "$0")/.."
.venv/bin/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes \
	--no-emit-index-url --no-emit-find-links --no-header --no-annotate \
	--output-file backend/requirements.lock backend/requirements-dev.in "$@"
