#!/usr/bin/env bash
# Pins what the backend runs on (requirements.lock) and, on top of it, the workshop's tools
# (requirements-dev.lock), with hashes. No index address is written.
set -euo pipefail
cd "$(dirname "$0")/../backend"
compile() {
	../.venv/bin/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes \
		--no-emit-index-url --no-emit-find-links --no-header --no-annotate "$@"
}
compile --output-file requirements.lock requirements.in
compile --constraint requirements.lock --output-file requirements-dev.lock requirements-dev.in
