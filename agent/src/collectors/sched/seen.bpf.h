#pragma once

/*
 * What the kernel's books say about a task's wait beyond the stretch that ends now: parts
 * that it waited on other CPUs before it was migrated, and waits whose end raised no event.
 */
#include "collectors/kernel_types.bpf.h"
#include "collectors/sched/records.bpf.h"

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, SCHED_SEEN_CELLS);
	__type(key, __u32);
	__type(value, struct sched_seen);
} last_seen SEC(".maps");

/* What run_delay gained since the task was last seen to get a CPU. */
struct earlier_wait {
	__u64 migrated_ns; /* part of the wait that ends now, on other CPUs */
	__u64 counted_ns;  /* the same, but counted when the task was migrated */
	__u64 unseen_ns;   /* waits that ended without an event */
	__u32 unseen_runs;
};

/*
 * More than this is no missed event but another task's cell: an exec by a thread takes over
 * its leader's pid.
 */
#define UNSEEN_MAX_RUNS 64
#define UNSEEN_MAX_NS	60000000000

/* An odd multiplier permutes; this one spreads neighbouring threads over cache lines. */
static __always_inline __u32 spread_pid(const struct task_struct *task)
{
	return (__u32)task->pid * 2654435761U & ((1U << SCHED_SEEN_PID_BITS) - 1);
}

static __always_inline __u64 seen_tag(__u32 spread)
{
	return (__u64)(spread & ((1U << SCHED_SEEN_TAG_BITS) - 1)) << (64 - SCHED_SEEN_TAG_BITS);
}

static __always_inline bool has_tag(__u64 word, __u64 tag)
{
	return word && (word ^ tag) >> (64 - SCHED_SEEN_TAG_BITS) == 0;
}

static __always_inline struct sched_seen *seen_cell(__u32 spread)
{
	__u32 index = spread >> SCHED_SEEN_TAG_BITS;

	return bpf_map_lookup_elem(&last_seen, &index);
}

static __always_inline __u64 seen_word(__u64 tag, __u64 arrivals, __u64 run_delay)
{
	return tag | (arrivals & SCHED_SEEN_COUNT_MASK) << SCHED_SEEN_COUNT_SHIFT |
	       (run_delay & SCHED_SEEN_DELAY_MASK);
}

static __always_inline __u64 arrivals_in(__u64 word)
{
	return word >> SCHED_SEEN_COUNT_SHIFT & SCHED_SEEN_COUNT_MASK;
}

/*
 * The word after an arrival more. Its fields may overflow into their neighbors, once in 36
 * minutes of waits or 65,536 arrivals: then nothing is known at the next arrival.
 */
static __always_inline __u64 seen_next(__u64 word, __u64 wait_ns)
{
	return word + (1ULL << SCHED_SEEN_COUNT_SHIFT) + wait_ns;
}

/* What the kernel's books would be had nothing happened since the task was last seen. */
static __always_inline __u64 expected_word(const struct task_struct *next)
{
	return seen_word(seen_tag(spread_pid(next)), next->sched_info.pcount,
			 next->sched_info.run_delay);
}

static __always_inline bool is_expected(const struct sched_seen *cell, __u64 word)
{
	return cell->word == word && !cell->counted;
}

/*
 * A dequeue for migration adds the wait so far to run_delay and clears last_queued, so what
 * run_delay gained since is the part waited elsewhere. But if pcount moved on by more than
 * one, the task got a CPU without an event (kernels may keep some tasks out of tracing; a
 * missed event on any), and the gain is that wait, too: so the sum stays what the kernel
 * counts. Nothing is known when another pid took the task's cell meanwhile.
 */
static __always_inline struct earlier_wait
look_back(const struct task_struct *next, struct sched_seen *cell, __u64 wait_ns, __u64 now)
{
	const __u64 run_delay = next->sched_info.run_delay, pcount = next->sched_info.pcount;
	const __u64 tag = seen_tag(spread_pid(next)), before = cell->word;
	struct earlier_wait earlier = {};
	__u64 gained;
	__u32 unseen;

	if (cell->counted) {
		if (has_tag(before, tag) && has_tag(cell->counted, tag))
			earlier.counted_ns = cell->counted & SCHED_SEEN_DELAY_MASK;
		cell->counted = 0;
	}
	if (!has_tag(before, tag)) {
		if (pcount == 0) /* never ran: all of it since fork */
			earlier.migrated_ns = run_delay;
		return earlier;
	}
	gained = (run_delay - before) & SCHED_SEEN_DELAY_MASK;
	unseen = (pcount - arrivals_in(before)) & SCHED_SEEN_COUNT_MASK;
	if (unseen == 0) {
		if (pcount == 0 || gained + wait_ns <= now - next->sched_info.last_arrival)
			earlier.migrated_ns = gained;
	} else if (pcount == 0) { /* of another task that had this pid */
		earlier.migrated_ns = run_delay;
		earlier.counted_ns = 0;
	} else if (unseen <= UNSEEN_MAX_RUNS && gained <= UNSEEN_MAX_NS) {
		earlier.unseen_ns = gained;
		earlier.unseen_runs = unseen;
	}
	return earlier;
}

/*
 * The same for a task that got this CPU without an event and leaves it now: what it waited
 * until it came; 0 where that cannot be told. What of that wait lay before a migration and
 * is counted already comes by `ret_counted_ns`.
 */
static __always_inline __u64 wait_until_unseen(const struct task_struct *prev,
					       __u64 *ret_counted_ns)
{
	const __u64 run_delay = prev->sched_info.run_delay, pcount = prev->sched_info.pcount;
	const __u32 spread = spread_pid(prev);
	const __u64 tag = seen_tag(spread);
	struct sched_seen *cell = seen_cell(spread);
	__u64 before, gained;

	*ret_counted_ns = 0;
	if (!cell)
		return 0;
	before = cell->word;
	if (has_tag(before, tag) && arrivals_in(before) == ((pcount - 1) & SCHED_SEEN_COUNT_MASK)) {
		gained = (run_delay - before) & SCHED_SEEN_DELAY_MASK;
		if (has_tag(cell->counted, tag))
			*ret_counted_ns = cell->counted & SCHED_SEEN_DELAY_MASK;
	} else if (pcount == 1) { /* its first run */
		gained = run_delay;
	} else {
		return 0;
	}
	if (!gained || gained > UNSEEN_MAX_NS) /* then it is left to its next arrival */
		return 0;
	cell->word = seen_word(tag, pcount, run_delay);
	cell->counted = 0;
	return gained;
}

/* The same for a task that is migrated while it waits; its wait's end will not count it again. */
static __always_inline __u64 wait_until_migration(const struct task_struct *task)
{
	const __u64 run_delay = task->sched_info.run_delay, pcount = task->sched_info.pcount;
	const __u32 spread = spread_pid(task);
	const __u64 tag = seen_tag(spread);
	struct sched_seen *cell = seen_cell(spread);
	__u64 gained, counted = 0;

	if (!cell)
		return 0;
	if (has_tag(cell->word, tag) &&
	    arrivals_in(cell->word) == (pcount & SCHED_SEEN_COUNT_MASK)) {
		gained = (run_delay - cell->word) & SCHED_SEEN_DELAY_MASK;
		if (has_tag(cell->counted, tag))
			counted = cell->counted & SCHED_SEEN_DELAY_MASK;
	} else if (pcount == 0) {
		gained = run_delay;
	} else {
		return 0;
	}
	if (gained > UNSEEN_MAX_NS)
		return 0;
	cell->word = seen_word(tag, pcount, run_delay);
	cell->counted = tag | ((counted + gained) & SCHED_SEEN_DELAY_MASK);
	return gained;
}
