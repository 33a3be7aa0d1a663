#!/usr/bin/env bash
# Every static check. Runs them all, then fails if one failed: one round shows everything.
set -uo pipefail
cd "$(dirname "$0")/.."
failed=()
step() {
	local name=$1 started=$SECONDS
	shift
	if "$@" >.data/check.log 2>&1; then
		printf 'check: %-28s ok   %3d s\n' "$name" $((SECONDS - started))
	else
		printf 'check: %-28s FAILED\n' "$name"
		sed 's/^/    /' .data/check.log
		failed+=("$name")
	fi
}
inside() { (cd "$1" && shift && "$@"); }

# What is generated must be what its source gives: compare before and after, then put it back.
generated="frontend/openapi.json frontend/src/api.gen.ts $(git ls-files 'backend/src/*_pb2.py' 'backend/src/*_pb2.pyi')"
generated_fresh() {
	local keep status=0 file
	keep=$(mktemp -d)
	for file in $generated; do mkdir -p "$keep/$(dirname "$file")" && cp "$file" "$keep/$file"; done
	.make/gen.sh || status=1
	for file in $generated; do
		cmp -s "$file" "$keep/$file" || { echo "$file is stale: run make gen"; status=1; }
		cp "$keep/$file" "$file"
	done
	rm -rf "$keep"
	return $status
}
no_local_addresses() {
	! git grep -nE 'registry\.npmjs|files\.pythonhosted|pypi\.org/simple|"resolved":' -- '*.lock' '*lock.json' '.npmrc'
}

mkdir -p .data
step "ruff format" inside backend ruff format --check . ../migrations ../e2e ../agent/bench
step "ruff" inside backend ruff check . ../migrations ../e2e ../agent/bench
step "mypy" inside backend mypy
step "import layers" inside backend lint-imports
step "agent (clang-format, tidy)" make -C agent check
step "referee (clang-format, tidy)" make -C e2e/truth check
step "frontend (biome, tsc)" inside frontend npm run --silent check
step "e2e (biome, tsc)" inside e2e npm run --silent check
step "generated files" generated_fresh
step "lock files" no_local_addresses
[ ${#failed[@]} -eq 0 ] || { echo "check: failed: ${failed[*]}"; exit 1; }
