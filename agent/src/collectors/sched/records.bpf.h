#pragma once

/* Where the scheduler program counts: records, cells of pairs and what is kept per CPU. */
#include <linux/bpf.h>

#include <bpf/bpf_helpers.h>

#include "collectors/cgroup.bpf.h"
#include "collectors/sched/sched_record.h"

const volatile __u32 n_slots = SCHED_CHUNK; /* a power of two */
const volatile __u32 n_blocks = 1;	    /* per CPU, a power of two */

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
ROWS_PER_CPU(blocks, struct sched_block);

/* With a size that user space sets before load, as it depends on the number of slots. */
#define VECTORS(name, flags)                       \
	struct {                                   \
		__uint(type, BPF_MAP_TYPE_ARRAY);  \
		__uint(map_flags, flags);          \
		__uint(max_entries, 1);            \
		__uint(key_size, sizeof(__u32));   \
		__uint(value_size, sizeof(__u64)); \
	} name SEC(".maps")

VECTORS(lanes, BPF_F_MMAPABLE); /* per CPU: struct sched_lane and its chunks */

static __always_inline struct sched_lane *lane_of(__u32 cpu)
{
	return bpf_map_lookup_elem(&lanes, &cpu);
}

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

static __always_inline struct sched_block *block_at(__u32 cpu, __u32 hash)
{
	__u32 index = cpu * n_blocks + (hash & (n_blocks - 1));

	return bpf_map_lookup_elem(&blocks, &index);
}

/*
 * A block that is not where it would be looked for first, made if there is none. A global
 * function: the verifier looks at it once and not on every path to it. -1 = no room.
 */
__noinline int block_elsewhere(__u32 cpu, __u32 waiter, __u32 chunk)
{
	const __u32 key = sched_block_key(waiter, chunk), hash = sched_block_hash(waiter, chunk);
	__u32 empty = SCHED_BLOCK_PROBES;
	struct sched_block *block;
	struct sched_lane *lane;

	/* To the end: user space clears those of the dead anywhere in the chain. */
	for (__u32 i = 0; i < SCHED_BLOCK_PROBES; i++) {
		block = block_at(cpu, hash + i);
		if (block && block->key == key)
			return (int)((hash + i) & 0xffffff);
		if (block && !block->key)
			empty = i;
	}
	block = block_at(cpu, hash + empty);
	if (block && empty < SCHED_BLOCK_PROBES) {
		block->key = key;
		return (int)((hash + empty) & 0xffffff);
	}
	lane = lane_of(cpu);
	if (lane)
		lane->state.lost_pairs++;
	return -1;
}

static __always_inline struct sched_block *block_of(__u32 cpu, __u32 waiter, __u32 chunk)
{
	struct sched_block *block = block_at(cpu, sched_block_hash(waiter, chunk));
	int hash;

	if (block && block->key == sched_block_key(waiter, chunk))
		return block;
	hash = block_elsewhere(cpu, waiter, chunk);
	return hash < 0 ? NULL : block_at(cpu, (__u32)hash);
}

static __always_inline void count_preemption(__u32 cpu, __u32 prev_slot, __u32 next_slot)
{
	struct sched_block *block = block_of(cpu, prev_slot, next_slot / SCHED_CHUNK);
	const __u32 at = next_slot % SCHED_CHUNK;

	if (block && !++block->preemptions[at])
		block->preemptions_high[at]++;
}

/* Returns what found no cell. */
static __always_inline __u64 charge_run(__u32 cpu, __u32 waiter, __u32 runner, __u64 ns)
{
	struct sched_block *block = block_of(cpu, waiter, runner / SCHED_CHUNK);

	if (!block)
		return ns;
	block->wait_ns[runner % SCHED_CHUNK] += ns;
	return 0;
}
