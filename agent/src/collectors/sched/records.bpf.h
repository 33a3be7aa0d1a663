#pragma once

/* Where the scheduler program counts: records, pair cells and what is kept per CPU. */
#include <linux/bpf.h>

#include <bpf/bpf_helpers.h>

#include "collectors/cgroup_slot.h"
#include "collectors/sched/sched_record.h"

const volatile __u32 n_slots = 1; /* a power of two */

/*
 * Plain arrays with a row per CPU and not per-CPU maps: their lookup is inlined on every
 * kernel, another CPU's row can be read, and user space reads them through mmap without a
 * system call or a copy.
 */
#define ROWS_PER_CPU(name, row)                                            \
	struct {                                                           \
		__uint(type, BPF_MAP_TYPE_ARRAY);                          \
		__uint(map_flags, BPF_F_MMAPABLE);                         \
		__uint(max_entries, 1); /* resized to the possible CPUs */ \
		__type(key, __u32);                                        \
		__type(value, row);                                        \
	} name SEC(".maps")

ROWS_PER_CPU(records, struct sched_record);
ROWS_PER_CPU(pairs, struct sched_pair_set);
ROWS_PER_CPU(cpus, struct sched_cpu);

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, SCHED_SPILLED_PAIRS);
	__type(key, __u32);
	__type(value, struct sched_spilled);
} pairs_spilled SEC(".maps");

static __always_inline struct sched_record *record_of(__u32 cpu, __u32 slot)
{
	__u32 index = cpu * n_slots + slot;

	return bpf_map_lookup_elem(&records, &index);
}

static __always_inline void count_in_bucket(struct sched_record *record, __u64 ns, __u32 count)
{
	__u32 bucket = hist_bucket(ns);

	barrier_var(bucket); /* the verifier must see the check that the compiler proves away */
	if (bucket < RUNQ_BUCKETS)
		record->runq[bucket] += count;
}

/* Runners next to each other share a waiter's line. */
static __always_inline struct sched_pair_set *pair_set(__u32 cpu, __u32 waiter, __u32 runner)
{
	__u32 index =
		cpu * SCHED_PAIR_SETS + (waiter * 37 + runner / SCHED_PAIR_WAYS) % SCHED_PAIR_SETS;

	return bpf_map_lookup_elem(&pairs, &index);
}

static __always_inline int spill_pair(__u32 key, __u32 count, __u64 wait_ns)
{
	const struct sched_spilled fresh = {.count = count, .wait_ns = wait_ns};
	struct sched_spilled *spilled;

	/* A second round for the CPU that lost the race to insert. */
	for (int i = 0; i < 2; i++) {
		spilled = bpf_map_lookup_elem(&pairs_spilled, &key);
		if (spilled) {
			__sync_fetch_and_add(&spilled->count, count);
			__sync_fetch_and_add(&spilled->wait_ns, wait_ns);
			return 0;
		}
		if (!bpf_map_update_elem(&pairs_spilled, &key, &fresh, BPF_NOEXIST))
			return 0;
	}
	return -1;
}

/* Not in the cell where it would be looked for first. A global function is verified once. */
__noinline int pair_add_elsewhere(__u32 cpu, __u32 waiter, __u32 runner, __u32 count, __u64 wait_ns)
{
	struct sched_pair_set *set = pair_set(cpu, waiter, runner);
	const __u32 key = sched_pair_key(waiter, runner);
	struct sched_cpu *state;
	__u32 way;

	if (!set)
		return -1;
	for (way = 0; way < SCHED_PAIR_WAYS; way++) {
		if (set->pairs[way].key_count >> SCHED_PAIR_COUNT_BITS == key) {
			set->pairs[way].key_count += count;
			set->pairs[way].wait_ns += wait_ns;
			return 0;
		}
	}
	/* Only now the empty ones: user space clears cells of the dead anywhere in the set. */
	for (__u32 i = 0; i < SCHED_PAIR_WAYS; i++) {
		way = (runner + i) % SCHED_PAIR_WAYS;
		if (set->pairs[way].key_count)
			continue;
		set->pairs[way].wait_ns = wait_ns;
		barrier();
		set->pairs[way].key_count = (__u64)key << SCHED_PAIR_COUNT_BITS | count;
		return 0;
	}
	if (!spill_pair(key, count, wait_ns))
		return 0;
	state = bpf_map_lookup_elem(&cpus, &cpu);
	if (state)
		state->lost_pairs++;
	return -1;
}

static __always_inline int pair_add(__u32 cpu, __u32 waiter, __u32 runner, __u32 count,
				    __u64 wait_ns)
{
	struct sched_pair_set *set = pair_set(cpu, waiter, runner);
	struct sched_pair *pair;

	if (!set)
		return -1;
	pair = &set->pairs[runner % SCHED_PAIR_WAYS];
	if (pair->key_count >> SCHED_PAIR_COUNT_BITS != sched_pair_key(waiter, runner))
		return pair_add_elsewhere(cpu, waiter, runner, count, wait_ns);
	pair->key_count += count;
	pair->wait_ns += wait_ns;
	return 0;
}
