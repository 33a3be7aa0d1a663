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

/* With a size that user space sets before load, as it depends on the number of slots. */
#define VECTORS(name, flags)                       \
	struct {                                   \
		__uint(type, BPF_MAP_TYPE_ARRAY);  \
		__uint(map_flags, flags);          \
		__uint(max_entries, 1);            \
		__uint(key_size, sizeof(__u32));   \
		__uint(value_size, sizeof(__u64)); \
	} name SEC(".maps")

VECTORS(lanes, BPF_F_MMAPABLE); /* per CPU: struct sched_lane and n_blocks struct sched_block */

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

static __always_inline struct sched_block *block_at(struct sched_lane *lane, __u32 hash)
{
	return (struct sched_block *)(lane + 1) + (hash & (n_blocks - 1));
}

/*
 * A block that is not where it would be looked for first, made if there is none. A global
 * function: the verifier looks at it once and not on every path to it. -1 = no room.
 */
__noinline int block_elsewhere(__u32 cpu, __u32 runner, __u32 chunk)
{
	const __u32 key = sched_block_key(runner, chunk), hash = sched_block_hash(runner, chunk);
	struct sched_lane *lane = lane_of(cpu);
	__u32 empty = SCHED_BLOCK_PROBES;
	struct sched_block *block;

	if (!lane)
		return -1;

	/* To the end: user space clears those of the dead anywhere in the chain. */
	for (__u32 i = 0; i < SCHED_BLOCK_PROBES; i++) {
		block = block_at(lane, hash + i);
		if (block->key == key)
			return (int)((hash + i) & 0xffffff);
		if (!block->key)
			empty = i;
	}
	if (empty < SCHED_BLOCK_PROBES) {
		block_at(lane, hash + empty)->key = key;
		return (int)((hash + empty) & 0xffffff);
	}
	lane->state.lost_pairs++;
	return -1;
}

static __always_inline struct sched_block *block_of(struct sched_lane *lane, __u32 cpu,
						    __u32 runner, __u32 chunk)
{
	struct sched_block *block = block_at(lane, sched_block_hash(runner, chunk));
	int hash;

	if (block->key == sched_block_key(runner, chunk))
		return block;
	hash = block_elsewhere(cpu, runner, chunk);
	return hash < 0 ? NULL : block_at(lane, (__u32)hash);
}

static __always_inline void count_preemption(struct sched_lane *lane, __u32 cpu, __u32 prev_slot,
					     __u32 next_slot)
{
	struct sched_block *block = block_of(lane, cpu, next_slot, prev_slot / SCHED_CHUNK);
	const __u32 at = prev_slot % SCHED_CHUNK;

	if (block && !++block->preemptions[at])
		block->preemptions_high[at]++;
}

/* Returns what found no cell. */
static __always_inline __u64 charge_run(struct sched_lane *lane, __u32 cpu, __u32 waiter,
					__u32 runner, __u64 ns)
{
	struct sched_block *block = block_of(lane, cpu, runner, waiter / SCHED_CHUNK);

	if (!block)
		return ns;
	block->wait_ns[waiter % SCHED_CHUNK] += ns;
	return 0;
}
