#!/usr/bin/env bash
# FUZZ_FLAGS adds options of libFuzzer.
# Runs each target of a fuzzing program for some seconds and sums up.
#   tests/fuzz/run.sh PROGRAM SECONDS OUTPUT [TARGET]
# The corpus grows in OUTPUT/corpus and is used again; a finding is left in OUTPUT/found: fix it, then
# move the file to tests/fuzz/found/<target>/, where every `make test` replays it.
set -uo pipefail
program=$1 seconds=$2 output=$3 only=${4:-}
here=$(dirname "$0")
summary=$output/summary.txt
mkdir -p "$output/found"
[ -n "$only" ] || : >"$summary"
failed=()

figure() { sed -nE "s/^stat::$2:[[:space:]]*([0-9]+)/\1/p" "$1" | tail -n1; }
last_progress() { grep -E '^#[0-9]+' "$1" | tail -n1; }
word_after() { sed -nE "s/.* $1 ([0-9]+).*/\1/p" <<<"$2"; }

for seeds in "$here"/seeds/*/; do
	target=$(basename "$seeds")
	[ -z "$only" ] || [ "$only" = "$target" ] || continue
	corpus=$output/corpus/$target log=$output/$target.log
	mkdir -p "$corpus"
	inputs=("$corpus" "$seeds")
	[ ! -d "$here/found/$target" ] || inputs+=("$here/found/$target")
	FUZZ_TARGET=$target ASAN_OPTIONS=detect_leaks=1 \
		"$program" -max_total_time="$seconds" -max_len=4096 -timeout=10 -rss_limit_mb=2048 \
		${FUZZ_FLAGS:-} -print_final_stats=1 -dict="$here/dictionaries/$target.dict" \
		-artifact_prefix="$output/found/$target-" "${inputs[@]}" >"$log" 2>&1 &
	pid=$!
	for ((waited = 0; ; waited += 2)); do
		sleep 2
		kill -0 $pid 2>/dev/null || break
		((waited % 60 == 58)) && printf 'fuzz: %-10s %s\n' "$target" "$(last_progress "$log")"
	done
	wait $pid
	status=$?
	findings=0
	[ $status -eq 0 ] || { findings=1; failed+=("$target"); tail -n 40 "$log"; }
	progress=$(last_progress "$log")
	printf 'fuzz: %-10s %4d s  %12s executions  %6s edges  %6s features  %d findings\n' "$target" "$seconds" \
		"$(figure "$log" number_of_executed_units)" "$(word_after cov: "$progress")" \
		"$(word_after ft: "$progress")" $findings | tee -a "$summary"
done
[ ${#failed[@]} -eq 0 ] || { echo "fuzz: findings in: ${failed[*]} (inputs in $output/found)"; exit 1; }
