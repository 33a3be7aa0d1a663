#pragma once

/*
 * Cuts a wait into the runs that it waited for and charges each to (waiter, runner). What
 * is charged and what is not adds up to the wait, to the ns, whatever the clocks say.
 */
#include "collectors/sched/checkpoints.bpf.h"
#include "collectors/sched/events.bpf.h"

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
	__u64 remaining; /* ns, not charged yet */
	__u64 lost;	 /* ns that found no cell */
	__u32 cpu;	 /* whose cells are charged */
	__u32 waiter;
	__u32 chunk;	 /* next one of the recency list */
	__u32 now, span; /* ticks: only chunks that ran within the span before now count */
	__u32 fraction;	 /* of older..newer, in FRACTION_BITS */
	__u32 charges;
	__u32 is_told; /* its shares go into an event, too */
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
	__u32 lane;
};

/* A run, where its block is not where it would be looked for first: what found no cell. */
__noinline __u64 charge_elsewhere(__u32 cpu, __u32 waiter, __u32 runner, __u64 ns)
{
	return charge_run(cpu, waiter, runner, ns);
}

static __always_inline void charge(struct blame *self, __u32 runner, __u64 ns)
{
	const __u32 chunk = runner / SCHED_CHUNK, waiter = self->waiter;
	struct sched_block *block = block_at(self->cpu, sched_block_hash(waiter, chunk));

	self->charges++;
	self->remaining -= ns;
	if (self->is_told)
		add_share(self->cpu, runner, ns);
	if (block && block->key == sched_block_key(waiter, chunk))
		block->wait_ns[runner % SCHED_CHUNK] += ns;
	else
		self->lost += charge_elsewhere(self->cpu, waiter, runner, ns);
}

/* One run a call; whole ticks, the last of them takes what these leave over. */
static long walk_log(__u32 step, void *context)
{
	const struct walk *walk = context;
	struct blame *self = walk->blame;
	const __u64 position = self->position;
	__u64 entry, below;

	if (position <= self->oldest)
		return 1;
	entry = walk->log->entries[(position - 1) % SCHED_LOG_ENTRIES];
	below = walk->log->entries[(position - 2) % SCHED_LOG_ENTRIES] >> SCHED_SLOT_BITS;
	if (below <= self->from_tick) {
		charge(self, entry & (SCHED_MAX_SLOTS - 1), self->remaining);
		return 1;
	}
	charge(self, entry & (SCHED_MAX_SLOTS - 1), (self->top_tick - below) << SCHED_TICK_SHIFT);
	self->top_tick = below;
	self->position = position - 1;
	return 0;
}

/* The first of the next eight slots of the recency list, if these ran in the span. */
static __always_inline bool next_chunk(const struct walk *walk, __u32 *ret_first)
{
	struct blame *self = walk->blame;
	const __u32 chunk = self->chunk & (n_slots / SCHED_CHUNK - 1);
	const struct sched_link *link = &walk->links[chunk];

	if (self->now - link->ran_until >= self->span)
		return false;
	self->chunk = link->next;
	self->charges += SCHED_CHUNK;
	*ret_first = chunk * SCHED_CHUNK;
	return true;
}

/*
 * What they ran since the newer checkpoint. No branches: most of the eight will have run.
 * No sum: all of it is what the clock of the wall ran.
 */
static long walk_chunks(__u32 step, void *context)
{
	const struct walk *walk = context;
	struct blame *self = walk->blame;
	struct sched_block *block;
	__u32 first;

	if (!next_chunk(walk, &first))
		return 1;
	if (self->is_told)
		for (int i = 0; i < SCHED_CHUNK; i++)
			add_share(self->cpu, first + i,
				  (__u64)(walk->clocks[first + i] - walk->newer[first + i])
					  << SCHED_TICK_SHIFT);
	block = block_of(self->cpu, self->waiter, first / SCHED_CHUNK);
	if (!block) {
		for (int i = 0; i < SCHED_CHUNK; i++)
			self->lost += (__u64)(walk->clocks[first + i] - walk->newer[first + i])
				      << SCHED_TICK_SHIFT;
		return 0;
	}
#pragma unroll
	for (int i = 0; i < SCHED_CHUNK; i++)
		block->wait_ns[i] += (__u64)(walk->clocks[first + i] - walk->newer[first + i])
				     << SCHED_TICK_SHIFT;
	return 0;
}

/* And their part of what was run between older and newer; what has no cell remains. */
static long walk_chunks_between(__u32 step, void *context)
{
	const struct walk *walk = context;
	struct blame *self = walk->blame;
	const __u64 fraction = self->fraction;
	struct sched_block *block;
	__u64 sum = 0;
	__u32 first;

	if (!next_chunk(walk, &first))
		return 1;
	block = block_of(self->cpu, self->waiter, first / SCHED_CHUNK);
	if (!block)
		return 0;
#pragma unroll
	for (int i = 0; i < SCHED_CHUNK; i++) {
		__u64 ns = (walk->newer[first + i] - walk->older[first + i]) * fraction >>
			   FRACTION_BITS;

		ns += walk->clocks[first + i] - walk->newer[first + i];
		ns <<= SCHED_TICK_SHIFT;
		if (self->is_told)
			add_share(self->cpu, first + i, ns);
		block->wait_ns[i] += ns;
		sum += ns;
	}
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
	__u64 width;

	walk->newer = clocks_at(lane, newer_index);
	if (!walk->newer || newer_index >= SCHED_CHECKPOINTS)
		return;
	newer = &taken->at[newer_index];
	self->span = (__u32)(self->top_tick - newer->tick);
	if (older_index < SCHED_CHECKPOINTS) {
		older = &taken->at[older_index];
		width = newer->tick - older->tick;
		if (width <= (self->top_tick - self->from_tick) / FINE_BRACKET ||
		    (older->position <= self->oldest + 1 && width <= SCHED_LOOK_BACK_TICK)) {
			walk->older = clocks_at(lane, older_index);
			if (!walk->older || !width)
				return;
			self->span += (__u32)width;
			self->fraction =
				(__u32)(((newer->tick - self->from_tick) << FRACTION_BITS) / width);
			LOOP(n_slots / SCHED_CHUNK, walk_chunks_between, walk);
			return;
		}
	}
	LOOP(n_slots / SCHED_CHUNK, walk_chunks, walk);
	self->remaining -= (self->top_tick - newer->tick) << SCHED_TICK_SHIFT;
	self->top_tick = newer->tick;
	self->position = newer->position;
	LOOP(SCHED_LOG_ENTRIES, walk_log, walk);
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
	self->lost = 0;
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
	LOOP(SCHED_LOG_ENTRIES, walk_log, walk);
}

/*
 * Charges `ns` that a task of `waiter` waited on a CPU, the lane, from rq clock `from` up to
 * the end of its timeline; the cells are those of this CPU, the lower half of `lane_cpu`, for
 * there may be no more than five arguments. Returns how much of it is nobody's.
 */
__noinline __u64 blame_wait(__u64 lane_cpu, __u32 waiter, __u64 from, __u64 ns, __u32 is_told)
{
	__u32 lane = lane_cpu >> 32, cpu = (__u32)lane_cpu;
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
	blame->is_told = is_told;
	blame->remaining = ns - before;
	walk_back(&walk, timeline, lane, cpu);
	state->charges += blame->charges;
	return before + blame->remaining + blame->lost;
}
