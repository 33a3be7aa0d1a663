#pragma once

/*
 * Cuts a wait into the runs that it waited for and charges each to (waiter, runner). What
 * is charged and what is not adds up to the wait, to the ns, whatever the clocks say.
 */
#include "collectors/sched/checkpoints.bpf.h"

#define RUNS_PER_STEP 4 /* several a call: calls are what costs */
#define MAX_STEPS     (SCHED_LOG_ENTRIES / RUNS_PER_STEP)
#define ROUNDING_NS   (2 * ((1 << SCHED_TICK_SHIFT) - 1))
#define FRACTION_BITS 24
#define FINE_BRACKET  8 /* checkpoints this many times nearer to each other than the wait is long */

/*
 * What changes on the way. In a map and not on the stack: there the verifier would follow
 * every number through every step, and never end.
 */
struct blame {
	__u64 from_tick;
	__u64 top_tick;	 /* what lies after is charged already */
	__u64 position;	 /* of the log entry that ends at or after top_tick, plus one */
	__u64 oldest;	 /* position where the log's walk must end */
	__u64 remaining; /* ns */
	__u32 cpu;	 /* whose cells are charged */
	__u32 waiter;
	__u32 chunk;	 /* next one of the recency list */
	__u32 now, span; /* ticks: only chunks that ran within the span before now count */
	__u32 fraction;	 /* of older..newer, in FRACTION_BITS */
	__u32 charges;
	__u32 padding[3];
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1); /* resized to the possible CPUs */
	__type(key, __u32);
	__type(value, struct blame);
} blames SEC(".maps");

struct walk {
	struct blame *blame;
	const struct sched_log *log;
	const struct sched_link *links;
	const __u32 *clocks, *newer, *older;
};

/*
 * Charges at most `remaining` and returns what it charged; what found no cell remains. A
 * global function for the verifier's sake.
 */
__noinline __u64 charge_at_most(__u32 cpu, __u32 waiter, __u32 runner, __u64 ns, __u64 remaining)
{
	if (ns > remaining)
		ns = remaining;
	return ns - charge_run(cpu, waiter, runner, ns);
}

static __always_inline void charge(struct blame *self, __u32 runner, __u64 ns)
{
	self->charges++;
	self->remaining -= charge_at_most(self->cpu, self->waiter, runner, ns, self->remaining);
}

/* One run; true when it was the last that counts. */
static __always_inline bool charge_newest_run(struct blame *self, const struct sched_log *log)
{
	const __u64 position = self->position;
	__u64 entry, below;

	if (position <= self->oldest)
		return true;
	entry = log->entries[(position - 1) % SCHED_LOG_ENTRIES];
	below = log->entries[(position - 2) % SCHED_LOG_ENTRIES] >> SCHED_SLOT_BITS;
	if (below <= self->from_tick) {
		/* The last one takes the ns that ticks leave over, too. */
		charge(self, entry & (SCHED_MAX_SLOTS - 1),
		       ((self->top_tick - self->from_tick) << SCHED_TICK_SHIFT) + ROUNDING_NS);
		return true;
	}
	charge(self, entry & (SCHED_MAX_SLOTS - 1), (self->top_tick - below) << SCHED_TICK_SHIFT);
	self->top_tick = below;
	self->position = position - 1;
	return false;
}

static long walk_log(__u32 step, void *context)
{
	const struct walk *walk = context;

#pragma unroll
	for (int i = 0; i < RUNS_PER_STEP; i++)
		if (charge_newest_run(walk->blame, walk->log))
			return 1;
	return 0;
}

/*
 * What eight slots ran since the newer checkpoint, and their part of older..newer. No
 * branches: most of those eight will have run.
 */
static long walk_chunks(__u32 step, void *context)
{
	const struct walk *walk = context;
	struct blame *self = walk->blame;
	const __u32 chunk = self->chunk & (n_slots / SCHED_CHUNK - 1);
	const struct sched_link *link = &walk->links[chunk];
	const __u32 *clocks = &walk->clocks[chunk * SCHED_CHUNK];
	const __u32 *newer = &walk->newer[chunk * SCHED_CHUNK];
	const __u32 *older = &walk->older[chunk * SCHED_CHUNK];
	const __u64 fraction = self->fraction;
	struct sched_block *block;
	__u64 sum = 0;

	if (self->now - link->ran_until >= self->span)
		return 1;
	self->chunk = link->next;
	block = block_of(self->cpu, self->waiter, chunk);
	if (!block)
		return 0; /* it stays in `remaining` */
#pragma unroll
	for (int i = 0; i < SCHED_CHUNK; i++) {
		__u64 ns = clocks[i] - newer[i];

		ns += (newer[i] - older[i]) * fraction >> FRACTION_BITS;
		ns <<= SCHED_TICK_SHIFT;
		block->wait_ns[i] += ns;
		sum += ns;
	}
	self->charges += SCHED_CHUNK;
	self->remaining -= sum;
	return 0;
}

static __always_inline const __u32 *clocks_at(__u32 lane, __u32 checkpoint)
{
	__u32 index = lane * SCHED_CHECKPOINTS + checkpoint;

	return checkpoint < SCHED_CHECKPOINTS ? bpf_map_lookup_elem(&clock_copies, &index) : NULL;
}

static __always_inline bool is_in_log(const struct blame *self,
				      const struct sched_checkpoint *checkpoint)
{
	return checkpoint->position > self->oldest + 1;
}

/*
 * Who ran since a checkpoint is in the difference of two clocks, however long ago. The rest
 * down to the wait's begin is a part of what was run between two checkpoints, where these
 * are close enough, and else in the log, if that reaches.
 */
static __always_inline void charge_by_checkpoints(struct walk *walk, __u32 lane,
						  const struct sched_checkpoints *taken,
						  const struct bracket *bracket)
{
	const __u32 newer_index = bracket->newer, older_index = bracket->older;
	const struct sched_checkpoint *newer, *older;
	struct blame *self = walk->blame;
	bool interpolates = false;

	walk->newer = clocks_at(lane, newer_index);
	if (!walk->newer || newer_index >= SCHED_CHECKPOINTS)
		return;
	newer = &taken->at[newer_index];
	walk->older = clocks_at(lane, older_index);
	self->span = (__u32)(self->top_tick - newer->tick);
	if (walk->older && older_index < SCHED_CHECKPOINTS) {
		const __u64 wait = self->top_tick - self->from_tick;
		__u64 width;

		older = &taken->at[older_index];
		width = newer->tick - older->tick;
		interpolates = width <= wait / FINE_BRACKET ||
			       (!is_in_log(self, older) && width <= SCHED_LOOK_BACK_TICK);
		if (interpolates && width) {
			self->span = (__u32)(self->top_tick - older->tick);
			self->fraction =
				(__u32)(((newer->tick - self->from_tick) << FRACTION_BITS) / width);
		}
	} else {
		walk->older = walk->newer;
	}
	bpf_loop(n_slots / SCHED_CHUNK, walk_chunks, walk, 0);
	if (interpolates)
		return;
	self->top_tick = newer->tick;
	self->position = newer->position;
	bpf_loop(MAX_STEPS, walk_log, walk, 0);
}

static __always_inline void begin_blame(struct blame *self, const struct sched_cpu *timeline,
					__u64 from)
{
	/* Rounded up, so that whole ticks never exceed the wait. */
	__u64 from_tick = (from + (1 << SCHED_TICK_SHIFT) - 1) >> SCHED_TICK_SHIFT;

	self->top_tick = timeline->logged_until >> SCHED_TICK_SHIFT;
	self->now = (__u32)self->top_tick;
	self->position = timeline->position;
	self->oldest = 1;
	if (self->position >= SCHED_LOG_ENTRIES)
		self->oldest = self->position - SCHED_LOG_ENTRIES + 1;
	self->chunk = timeline->newest_chunk;
	self->fraction = 0;
	self->charges = 0;
	if (from_tick < timeline->began_tick)
		from_tick = timeline->began_tick;
	if (from_tick + SCHED_LOOK_BACK_TICK < self->top_tick)
		from_tick = self->top_tick - SCHED_LOOK_BACK_TICK;
	self->from_tick = from_tick;
}

static __always_inline void walk_back(struct walk *walk, const struct sched_cpu *timeline,
				      __u32 lane, __u32 cpu)
{
	const struct sched_checkpoints *taken = bpf_map_lookup_elem(&checkpoints, &lane);
	struct bracket *bracket = bpf_map_lookup_elem(&brackets, &cpu);

	if (!taken || !bracket)
		return;
	if (walk->blame->from_tick < timeline->recent_tick) {
		find_bracket(bracket, timeline, lane, cpu, walk->blame->from_tick);
		if (bracket->newer != NO_CHECKPOINT) {
			charge_by_checkpoints(walk, lane, taken, bracket);
			return;
		}
	}
	bpf_loop(MAX_STEPS, walk_log, walk, 0);
}

/*
 * Charges `ns` that a task of `waiter` waited on CPU `lane` from rq clock `from` up to the
 * end of its timeline. Returns how much of it is nobody's.
 */
__noinline __u64 blame_wait(__u32 lane, __u32 cpu, __u32 waiter, __u64 from, __u64 ns)
{
	const struct sched_cpu *timeline = bpf_map_lookup_elem(&cpus, &lane);
	struct sched_cpu *state = bpf_map_lookup_elem(&cpus, &cpu);
	struct blame *blame = bpf_map_lookup_elem(&blames, &cpu);
	struct walk walk = {
		.blame = blame,
		.log = bpf_map_lookup_elem(&run_logs, &lane),
		.links = bpf_map_lookup_elem(&run_links, &lane),
		.clocks = bpf_map_lookup_elem(&run_clocks, &lane),
	};
	__u64 before = 0;

	if (!timeline || !state || !blame || !walk.log || !walk.links || !walk.clocks)
		return ns;
	begin_blame(blame, timeline, from);
	if (blame->from_tick << SCHED_TICK_SHIFT >= from + (1 << SCHED_TICK_SHIFT))
		before = (blame->from_tick << SCHED_TICK_SHIFT) - from;
	if (before > ns)
		before = ns;
	blame->cpu = cpu;
	blame->waiter = waiter;
	blame->remaining = ns - before;
	walk_back(&walk, timeline, lane, cpu);
	state->charges += blame->charges;
	return before + blame->remaining;
}
