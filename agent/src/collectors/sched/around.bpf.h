#pragma once

/*
 * Cuts a wait into runs where not all of it was for a CPU: a quota held the whole queue back
 * somewhere in the middle. Run by run and so only as far back as the log reaches; rare.
 */
#include "collectors/sched/blame.bpf.h"
#include "collectors/sched/throttle.bpf.h"

static long walk_around(__u32 step, void *context)
{
	const struct blame *self = context;
	struct sched_walk *walk = &self->lane->walk;
	const __u64 entry = log_entry(self->lane, walk->position - 1);
	const __u64 top = walk->top_tick;
	__u64 began = began_tick(entry), held, ns;

	if (began < self->from_tick)
		began = self->from_tick;
	held = throttled_between(self->cpu, self->waiter, began << SCHED_TICK_SHIFT,
				 top << SCHED_TICK_SHIFT) >>
	       1;
	ns = (top - began) << SCHED_TICK_SHIFT;
	ns = ns > held ? ns - held : 0;
	if (began == self->from_tick || ns > walk->remaining)
		ns = walk->remaining;
	walk->remaining -= ns;
	if (ns)
		walk->lost += charge_run(self->lane, self->cpu, self->waiter, runner_of(entry), ns);
	walk->top_tick = began;
	walk->position--;
	return began == self->from_tick;
}

/*
 * As blame_wait(), but `ns` is what of the wait lies around the spans in which its queue was
 * throttled on that CPU.
 */
__noinline __u64 blame_around(__u32 cpu, __u32 waiter, __u64 from, __u64 ns)
{
	struct blame blame = {.lane = lane_of(cpu), .cpu = cpu, .waiter = waiter};

	if (!blame.lane)
		return ns;
	blame.lane->walk.position = blame.lane->state.position;
	blame.lane->walk.top_tick = end_tick(&blame.lane->state);
	blame.from_tick = tick_in(&blame.lane->state, from);
	if (blame.from_tick << SCHED_TICK_SHIFT >= from + (1 << SCHED_TICK_SHIFT))
		return ns; /* it began before the timeline, or too long ago */
	blame.lane->walk.remaining = ns;
	blame.lane->walk.lost = 0;
	blame.lane->state.charges += LOOP(SCHED_LOG_ENTRIES, walk_around, &blame);
	return blame.lane->walk.remaining + blame.lane->walk.lost;
}

/* Whether the log goes back that far. */
static __always_inline bool log_reaches(const struct sched_lane *lane, __u64 from)
{
	const __u64 position = lane->state.position;

	return position < SCHED_LOG_ENTRIES ||
	       began_tick(log_entry(lane, position)) <= from >> SCHED_TICK_SHIFT;
}
