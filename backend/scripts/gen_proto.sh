#!/usr/bin/env bash
# The backend's side of the wire, generated from the agent's room, which owns the schema.
set -euo pipefail
cd "$(dirname "$0")/../.."
out=backend/src/neighborwatch/ingest/wire
python -m grpc_tools.protoc --proto_path=agent/proto/neighborwatch/v1 \
	--python_out="$out" --pyi_out="$out" ingest.proto
