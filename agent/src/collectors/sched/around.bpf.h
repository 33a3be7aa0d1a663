#pragma once

/*
 * Cuts a wait into runs where not all of it was for a CPU: a quota held the whole queue back
 * somewhere in the middle. Run by run and so only as far back as the log reaches; rare.
 */
#include "collectors/sched/blame.bpf.h"
#include "collectors/sched/throttle.bpf.h"

static long walk_around(__u32 step, void *context)
{
	const struct walk *walk = context;
	struct blame *self = walk->blame;
	const __u64 position = self->position, top = self->top_tick;
	__u64 below, entry, held, ns;

	if (position <= self->oldest)
		return 1;
	entry = walk->log->entries[(position - 1) % SCHED_LOG_ENTRIES];
	below = walk->log->entries[(position - 2) % SCHED_LOG_ENTRIES] >> SCHED_SLOT_BITS;
	if (below < self->from_tick)
		below = self->from_tick;
	held = throttled_between(walk->lane, self->waiter, below << SCHED_TICK_SHIFT,
				 top << SCHED_TICK_SHIFT) >>
	       1;
	ns = (top - below) << SCHED_TICK_SHIFT;
	ns = ns > held ? ns - held : 0;
	if (below == self->from_tick || ns > self->remaining)
		ns = self->remaining;
	if (ns)
		charge(self, entry & (SCHED_MAX_SLOTS - 1), ns);
	self->top_tick = below;
	self->position = position - 1;
	return below == self->from_tick;
}

/*
 * As blame_wait(), but `ns` is what of the wait lies around the spans in which its queue was
 * throttled on that CPU.
 */
__noinline __u64 blame_around(__u64 lane_cpu, __u32 waiter, __u64 from, __u64 ns, __u32 is_told)
{
	__u32 lane = lane_cpu >> 32, cpu = (__u32)lane_cpu;
	const struct sched_cpu *timeline = bpf_map_lookup_elem(&cpus, &lane);
	struct sched_cpu *state = bpf_map_lookup_elem(&cpus, &cpu);
	struct blame *blame = bpf_map_lookup_elem(&blames, &cpu);
	struct walk walk = {
		.blame = blame,
		.log = bpf_map_lookup_elem(&run_logs, &lane),
		.lane = lane,
	};

	if (!timeline || !state || !blame || !walk.log)
		return ns;
	begin_blame(blame, timeline, from);
	blame->cpu = cpu;
	blame->waiter = waiter;
	blame->is_told = is_told;
	blame->remaining = ns;
	LOOP(SCHED_LOG_ENTRIES, walk_around, &walk);
	state->charges += blame->charges;
	return blame->remaining + blame->lost;
}

/* Whether the log goes back that far. */
static __always_inline bool log_reaches(const struct sched_cpu *timeline, __u32 lane, __u64 from)
{
	const struct sched_log *log = bpf_map_lookup_elem(&run_logs, &lane);
	const __u64 position = timeline->position;

	if (!log || position < SCHED_LOG_ENTRIES)
		return log;
	return log->entries[position % SCHED_LOG_ENTRIES] >> SCHED_SLOT_BITS <= from >>
	       SCHED_TICK_SHIFT;
}
