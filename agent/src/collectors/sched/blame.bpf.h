#pragma once

/*
 * Cuts a wait into the runs that it waited for and charges each to (waiter, runner). What
 * is charged and what is not adds up to the wait, to the ns, whatever the clocks say.
 */
#include "collectors/sched/timeline.bpf.h"

#define NEAR_RUNS     12 /* as far back the log is walked from its end */
#define EXACT_RUNS    64 /* as far back from a checkpoint; more are interpolated */
#define ROUNDING_NS   (2 * ((1 << SCHED_TICK_SHIFT) - 1))
#define FRACTION_BITS 24
#define RUNS_PER_STEP 4 /* several a call: calls are what costs */
#define MAX_STEPS     (SCHED_LOG_ENTRIES / RUNS_PER_STEP)
#define NO_CHECKPOINT 0xff

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
	__u32 slot;	 /* next one of the recency list */
	__u32 now, span; /* ticks: only slots that ran within the span before now count */
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
 * global function, because the verifier looks at these once and not on every path to it.
 */
__noinline __u64 charge_pair(__u32 cpu, __u32 waiter, __u32 runner, __u64 ns, __u64 remaining)
{
	if (ns > remaining)
		ns = remaining;
	return pair_add(cpu, waiter, runner, 0, ns) ? 0 : ns;
}

static __always_inline void charge(struct blame *self, __u32 runner, __u64 ticks, __u32 more_ns)
{
	self->charges++;
	self->remaining -= charge_pair(self->cpu, self->waiter, runner,
				       (ticks << SCHED_TICK_SHIFT) + more_ns, self->remaining);
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
		charge(self, entry & (SCHED_MAX_SLOTS - 1), self->top_tick - self->from_tick,
		       ROUNDING_NS);
		return true;
	}
	charge(self, entry & (SCHED_MAX_SLOTS - 1), self->top_tick - below, 0);
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

/* What the slot ran since the newer checkpoint, and its part of older..newer. */
static __always_inline bool charge_newest_slot(struct blame *self, const struct walk *walk)
{
	const __u32 slot = self->slot & (n_slots - 1);
	const struct sched_link *link = &walk->links[slot];
	__u64 ticks;

	if (self->now - link->ran_until >= self->span)
		return true;
	ticks = walk->clocks[slot] - walk->newer[slot];
	ticks += (__u64)(walk->newer[slot] - walk->older[slot]) * self->fraction >> FRACTION_BITS;
	if (ticks)
		charge(self, slot, ticks, 0);
	self->slot = link->next;
	return false;
}

static long walk_slots(__u32 step, void *context)
{
	const struct walk *walk = context;

#pragma unroll
	for (int i = 0; i < RUNS_PER_STEP; i++)
		if (charge_newest_slot(walk->blame, walk))
			return 1;
	return 0;
}

/* The checkpoints around an instant. */
struct bracket {
	__u64 tick;
	__u64 newer_tick, older_tick;
	__u32 newer, older; /* NO_CHECKPOINT = none */
	__u32 level;
	__u32 padding[5];
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1); /* resized to the possible CPUs */
	__type(key, __u32);
	__type(value, struct bracket);
} brackets SEC(".maps");

struct search {
	const struct sched_checkpoints *taken;
	struct bracket *bracket;
};

static __always_inline void consider(const struct search *self, __u64 boundary)
{
	const __u32 index = checkpoint_index(boundary, boundary_level(boundary));
	struct bracket *bracket = self->bracket;
	const struct sched_checkpoint *checkpoint;

	checkpoint = &self->taken->at[index & (SCHED_CHECKPOINTS - 1)];
	if (checkpoint->boundary != boundary)
		return;
	if (checkpoint->tick >= bracket->tick) {
		if (checkpoint->tick < bracket->newer_tick) {
			bracket->newer = index;
			bracket->newer_tick = checkpoint->tick;
		}
	} else if (checkpoint->tick > bracket->older_tick) {
		bracket->older = index;
		bracket->older_tick = checkpoint->tick;
	}
}

static long search_level(__u32 step, void *context)
{
	const struct search *self = context;
	struct bracket *bracket = self->bracket;
	const __u32 level = bracket->level & (2 * SCHED_LEVELS - 1);
	const __u64 boundary = bracket->tick >> SCHED_QUANTUM_SHIFT >> level << level;

	consider(self, boundary - (1ULL << level));
	consider(self, boundary);
	consider(self, boundary + (1ULL << level));
	bracket->level++;
	return bracket->newer != NO_CHECKPOINT && bracket->older != NO_CHECKPOINT;
}

/*
 * The youngest checkpoint before the instant and the oldest after it. Boundaries of a level
 * are all still there up to an age of about that many quanta.
 */
__noinline int find_bracket(__u32 lane, __u32 cpu, __u64 tick, __u64 now_tick)
{
	struct search search = {
		.taken = bpf_map_lookup_elem(&checkpoints, &lane),
		.bracket = bpf_map_lookup_elem(&brackets, &cpu),
	};
	const __u32 bit = highest_bit((now_tick - tick) >> SCHED_QUANTUM_SHIFT);

	if (!search.taken || !search.bracket)
		return 0;
	search.bracket->tick = tick;
	search.bracket->newer_tick = ~0ULL;
	search.bracket->older_tick = 0;
	search.bracket->newer = NO_CHECKPOINT;
	search.bracket->older = NO_CHECKPOINT;
	search.bracket->level = bit > SCHED_LEVEL_BITS + 1 ? bit - SCHED_LEVEL_BITS - 1 : 0;
	bpf_loop(SCHED_LEVELS, search_level, &search, 0);
	return 0;
}

static __always_inline const struct sched_checkpoint *
checkpoint_at(const struct sched_checkpoints *taken, __u32 index)
{
	return &taken->at[index & (SCHED_CHECKPOINTS - 1)];
}

static __always_inline const __u32 *clocks_at(__u32 cpu, __u32 checkpoint)
{
	__u32 index = cpu * SCHED_CHECKPOINTS + (checkpoint & (SCHED_CHECKPOINTS - 1));

	return bpf_map_lookup_elem(&checkpoint_clocks, &index);
}

/*
 * Who ran since a checkpoint is in the difference of two clocks, however long ago. The rest
 * down to the wait's begin is in the log if that reaches, and else a part of what was run
 * between two checkpoints.
 */
static __always_inline void charge_by_checkpoints(struct walk *walk, __u32 lane)
{
	struct blame *self = walk->blame;
	const struct sched_checkpoints *taken = bpf_map_lookup_elem(&checkpoints, &lane);
	__u32 cpu = self->cpu;
	const struct bracket *bracket = bpf_map_lookup_elem(&brackets, &cpu);
	const struct sched_checkpoint *newer, *older;
	bool has_older, is_exact;

	if (!taken || !bracket)
		return;
	find_bracket(lane, cpu, self->from_tick, self->top_tick);
	if (bracket->newer == NO_CHECKPOINT) {
		bpf_loop(MAX_STEPS, walk_log, walk, 0);
		return;
	}
	has_older = bracket->older != NO_CHECKPOINT;
	newer = checkpoint_at(taken, bracket->newer);
	older = checkpoint_at(taken, bracket->older);
	walk->newer = clocks_at(lane, bracket->newer);
	walk->older = clocks_at(lane, bracket->older);
	if (!walk->newer || !walk->older)
		return;
	is_exact = newer->position > self->oldest + EXACT_RUNS &&
		   (!has_older || newer->position - older->position <= EXACT_RUNS);
	self->span = (__u32)(self->top_tick - newer->tick);
	if (!is_exact && has_older && older->tick < newer->tick &&
	    newer->tick - older->tick <= SCHED_LOOK_BACK_TICK) {
		self->span = (__u32)(self->top_tick - older->tick);
		self->fraction = (__u32)(((newer->tick - self->from_tick) << FRACTION_BITS) /
					 (newer->tick - older->tick));
	}
	bpf_loop(n_slots / RUNS_PER_STEP, walk_slots, walk, 0);
	if (!is_exact)
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
	self->slot = timeline->newest;
	self->fraction = 0;
	self->charges = 0;
	if (from_tick < timeline->began_tick)
		from_tick = timeline->began_tick;
	if (from_tick + SCHED_LOOK_BACK_TICK < self->top_tick)
		from_tick = self->top_tick - SCHED_LOOK_BACK_TICK;
	self->from_tick = from_tick;
}

static __always_inline bool is_near(const struct blame *self, const struct sched_log *log)
{
	const __u64 entry = log->entries[(self->position - NEAR_RUNS - 1) % SCHED_LOG_ENTRIES];

	return self->position > NEAR_RUNS + 1 && entry >> SCHED_SLOT_BITS <= self->from_tick;
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
	if (blame->from_tick >= timeline->checkpoint_tick || is_near(blame, walk.log))
		bpf_loop(MAX_STEPS, walk_log, &walk, 0);
	else
		charge_by_checkpoints(&walk, lane);
	state->charges += blame->charges;
	return before + blame->remaining;
}
