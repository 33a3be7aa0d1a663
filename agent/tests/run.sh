#!/usr/bin/env bash
# Runs test programs one after the other: quiet when green, everything when red, one closing line.
#   tests/run.sh NAME PROGRAM...
set -uo pipefail
ring=$1
shift
programs=0 tests=0 skipped=0 failed=()
log=$(mktemp)
trap 'rm -f "$log"' EXIT
for program in "$@"; do
	programs=$((programs + 1))
	"$program" >"$log" 2>&1
	status=$?
	tests=$((tests + $(grep -cE '^\[ +RUN +\]' "$log")))
	skipped=$((skipped + $(grep -cE '^\[ +SKIPPED +\] [^0-9]' "$log")))
	if [ $status -ne 0 ]; then
		failed+=("${program##*/}")
		cat "$log"
	else
		# A skip says what is missing; it is never silent.
		grep -E '^skip: ' "$log"
	fi
done
printf 'agent %s tests: %d in %d programs, %d skipped, %d programs failed\n' \
	"$ring" "$tests" "$programs" "$skipped" "${#failed[@]}"
if [ ${#failed[@]} -ne 0 ]; then
	printf 'failed: %s\n' "${failed[*]}"
	exit 1
fi
if [ "$skipped" -ne 0 ] && [ "${NW_REQUIRE_BPF:-0}" = 1 ] && [ "$ring" = root ]; then
	echo "NW_REQUIRE_BPF=1: a skipped kernel test counts as failed"
	exit 1
fi
