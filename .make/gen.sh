#!/usr/bin/env bash
# Everything generated that is checked in. The agent's side of the wire is made in its build.
set -euo pipefail
cd "$(dirname "$0")/.."
backend/scripts/gen_proto.sh
neighborwatch openapi >frontend/openapi.json.new
mv frontend/openapi.json.new frontend/openapi.json
(cd frontend && npm run --silent gen)
