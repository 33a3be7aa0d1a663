#pragma once

/*
 * What sched.bpf.c counts. All counters only grow and each element has one writer at a time,
 * who holds its CPU's run queue, unless it says otherwise; user space maps them, sums over CPUs and differences.
 */
#include <linux/types.h>

#include "base/hist.h"

#define SCHED_SLOT_BITS 11
#define SCHED_MAX_SLOTS (1 << SCHED_SLOT_BITS)

/* One per (CPU, slot): element `cpu * n_slots + slot`. Whole cache lines, so that CPUs share none. */
struct sched_record {
	__u64 ran_ns;
	__u64 migrated_wait_ns; /* of all waiting: on another CPU's queue before a migration */
	/*
	 * Parts of all waiting, runnable and not running; the rest of it is in the blocks or noted
	 * to go there. There is no sum of its own, which at a read would be ahead of its parts.
	 */
	__u64 own_wait_ns; /* for the cgroup's own tasks; what the block lacks */
	__u64 throttled_own_wait_ns;
	__u64 throttled_ancestor_wait_ns;
	__u64 unattributed_wait_ns;
	__u64 max_wait_ns; /* user space zeroes it: a maximum found just then may be lost */
	__u64 padding;
	/*
	 * Waits by length; their sum is the number of waits. 32 bits halve the memory; they wrap
	 * after hours at the earliest and user space takes differences modulo 2^32.
	 */
	__u32 runq[RUNQ_BUCKETS];
};

_Static_assert(sizeof(struct sched_record) == 448, "seven cache lines, shared with BPF");

/* Slots are handled by eight: so many of their numbers fill a cache line. */
#define SCHED_CHUNK 8

/*
 * What one cgroup did to eight others on this CPU by running, next to each other in slots.
 * They follow the lane; a chain of SCHED_BLOCK_PROBES begins at sched_block_hash().
 */
struct sched_block {
	__u64 wait_ns[SCHED_CHUNK]; /* waited while the runner ran */
	__u32 key;		    /* sched_block_key(); 0 = free, and then all else is 0, too */
	__u32 padding;
	__u32 preemptions[SCHED_CHUNK];	     /* by the runner, low 32 bits */
	__u16 preemptions_high[SCHED_CHUNK]; /* and the next 16 */
	__u64 padding_too;
};

_Static_assert(sizeof(struct sched_block) == 128, "two cache lines, shared with BPF");

#define SCHED_BLOCK_PROBES 8

/* Never 0, also where the idle task runs. */
static inline __u32 sched_block_key(__u32 runner, __u32 chunk)
{
	return 1U << 31 | runner << 16 | chunk;
}

static inline __u32 sched_block_runner(__u32 key)
{
	return key >> 16 & (SCHED_MAX_SLOTS - 1);
}

static inline __u32 sched_block_first_waiter(__u32 key)
{
	return (key & 0xffff) * SCHED_CHUNK;
}

static inline __u32 sched_block_hash(__u32 runner, __u32 chunk)
{
	return runner * 37 + chunk;
}

/*
 * The timeline of a CPU: who ran when. Time is rq clock in ticks of 16 ns: differences are
 * exact, and 32 bits last 68 s, twice the look-back.
 */
#define SCHED_TICK_SHIFT     4
#define SCHED_LOOK_BACK_TICK (30000000000ULL >> SCHED_TICK_SHIFT)

/* The newest runs: begin tick << SCHED_SLOT_BITS | slot. Each ends where the next begins. */
#define SCHED_LOG_ENTRIES 1024

/*
 * Of these the newest are not swept yet (sweep.bpf.h): a wait among them is noted and not
 * charged. So many at least are left, so that nearly every wait is; and so many are swept
 * at once; a read sweeps all, and so may thousands of migrations at once.
 */
#define SCHED_UNSWEPT_RUNS 512
#define SCHED_SWEEP_RUNS   128

/* Eight slots of a CPU, all as of the sweep. */
struct sched_chunk {
	__u32 clocks[SCHED_CHUNK];  /* how long each ran in all, ticks */
	__u16 waiting[SCHED_CHUNK]; /* tasks of each */
	__u32 ran_until;	    /* tick */
	__u16 n_waiting;	    /* sum of the eight */
	__u16 at;		    /* place among the lane's waiting chunks, if any waits */
	__u64 padding;
};

_Static_assert(sizeof(struct sched_chunk) == 64, "a cache line, shared with BPF");

/* A wait that ended and is not charged yet: from the run in whose list it is ... */
struct sched_wait {
	__u64 first_ns; /* ... of which it is charged this, */
	__u32 until;	/* up to this position in the log, low 32 bits */
	__u16 slot;
	__u16 next; /* in the list, 1 + its index; 0 = none */
};

#define SCHED_WAITS 1024 /* a ring, in the order of their ends */

/*
 * Checkpoints are copies of the CPU's run clocks. One is taken after every sweep and the
 * newest of these are kept, in a ring.
 *
 * Older ones get sparser. Time is cut into quanta of 262 us; the checkpoint after a boundary
 * belongs to the level that its boundary's number is divisible by (2^level, not
 * 2^(level+1)), and a level keeps its newest few: a density always in proportion to age,
 * and nothing is ever moved.
 */
#define SCHED_RECENT	     16
#define SCHED_QUANTUM_SHIFT  14 /* ticks */
#define SCHED_LEVELS	     16 /* the coarsest boundaries are 8.6 s apart: four reach 34 s */
#define SCHED_LEVEL_BITS     2
#define SCHED_LEVELLED	     (SCHED_LEVELS << SCHED_LEVEL_BITS)
#define SCHED_LEVELLED_RUNS  32	       /* log entries between two of them, */
#define SCHED_LEVELLED_TICKS (1 << 18) /* or this time (4 ms) and two entries */
#define SCHED_CHECKPOINTS    (SCHED_RECENT + SCHED_LEVELLED) /* per CPU, in this order, */

#define SCHED_AT_BEGIN SCHED_CHECKPOINTS /* and the clocks before anything ran */

struct sched_checkpoint {
	__u64 boundary; /* number of the quantum; 0 = empty */
	__u64 tick;	/* when it was taken: the first switch after the boundary */
	__u64 position; /* in the log */
};

/* One per CPU, written by who holds its run queue; `is_busy` is for the one who does not. */
struct sched_cpu {
	/* Of every switch: */
	__u64 runs;		 /* of the program */
	__u64 running_queue;	 /* address of the cfs_rq of running_slot; 0 = look it up */
	__u64 logged_until;	 /* rq clock at the timeline's end */
	__u64 newest_began_tick; /* of the timeline's last run */
	__u32 newest;		 /* and its slot */
	__u32 running_slot;	 /* who came in at the last switch that we saw */
	__u64 position;		 /* entries ever written to the log */
	__u64 noted_position; /* at the last note or read: a run from then on is an entry of its own */
	__u64 n_waits;	      /* ever noted */

	/* When a wait is noted: */
	__u64 swept_position; /* first entry that is not swept */
	__u64 swept_tick;     /* its begin */
	__u64 n_swept_waits;  /* of the noted, in order */
	__u64 began_tick;     /* of the timeline: what lies before is nobody's */
	__u64 charges;	      /* pieces that waits were cut into */
	__u64 n_recent;	      /* checkpoints ever in the ring */
	__u32 n_waiting;      /* chunks in the list of those with waiting tasks */
	__u32 used_chunks;    /* from the first: those that ever ran here */

	/* Seldom: */
	__u64 levelled_tick; /* of the newest checkpoint with a level */
	__u64 levelled_position;
	__u64 lost_pairs;     /* preemptions and pieces of waits that found no cell */
	__u64 overflow_runs;  /* switches-in counted in SLOT_OVERFLOW */
	__u64 migrations;     /* runs of the hook on migrations that counted a wait */
	__u64 events_lost;    /* no room in the ring */
	__u64 events_limited; /* swallowed by the limits */
	__u64 is_busy;	      /* somebody else's wait is noted here, or a read sweeps */
	__u64 padding;
};

_Static_assert(sizeof(struct sched_cpu) == 192, "three cache lines, shared with BPF");

/*
 * A cgroup has one cfs_rq a CPU, and its tasks point to it: where they lead, by address. As
 * addresses are given out again, all of it is forgotten when cgroups come or go.
 */
struct sched_queue {
	__u64 address;
	__u32 slot;
	__u32 generation; /* of the cgroups */
};

#define SCHED_QUEUE_BITS 6

/* What changes while a wait is cut into pieces, or the log is swept. */
struct sched_walk {
	__u64 position;	 /* of the log's entry, plus one */
	__u64 top_tick;	 /* what lies after is charged already */
	__u64 remaining; /* ns, not charged yet */
	__u64 lost;	 /* ns that found no cell */
	__u64 newer_tick, older_tick;
	__u32 newer, older;   /* the bracket: checkpoints around an instant */
	__u64 older_position; /* in the log */
	__u32 level;	      /* next one of the search for a bracket */
	__u32 chunk;	      /* of the eight that are charged */
	__u32 runner;	      /* of the run that is swept */
	__u32 wait;	      /* next one of its list */
	__u64 run_ns;	      /* its length */
	__u64 address;	      /* on its way to be a number */
	__u64 padding[4];
};

_Static_assert(sizeof(struct sched_walk) == 128, "two cache lines");

/*
 * All of a CPU's timeline and charges in one place, so that it is looked up once; its blocks
 * follow.
 */
struct sched_lane {
	struct sched_cpu state;
	struct sched_walk walk;
	struct sched_queue queues[1 << SCHED_QUEUE_BITS]; /* by hash of the address */
	__u64 log[SCHED_LOG_ENTRIES];
	__u16 begins[SCHED_LOG_ENTRIES]; /* first of the waits that begin with it, as `next` */
	struct sched_wait waits[SCHED_WAITS];
	__u16 waiting[SCHED_MAX_SLOTS / SCHED_CHUNK]; /* chunks with waiting tasks */
	__u64 recent_ticks[SCHED_RECENT];
	__u64 recent_positions[SCHED_RECENT];
	struct sched_checkpoint levelled[SCHED_LEVELLED];
	struct sched_chunk chunks[SCHED_MAX_SLOTS / SCHED_CHUNK];
};

_Static_assert(sizeof(struct sched_lane) % 64 == 0, "whole cache lines");

/* What goes through the ring when a single wait was long. */
#define SCHED_EVENT_RING_BYTES (1 << 17)
#define SCHED_EVENT_SPACING_NS 1000000000 /* per slot and kind */
#define SCHED_EVENTS_AT_ONCE   64	  /* of all, in such a time */
#define SCHED_EVENT_SHARES     64	  /* cells for runners; a power of two, */
#define SCHED_EVENT_PROBES     4	  /* of which these are looked at */
#define SCHED_EVENT_LOOK_BACK  16	  /* runs */
#define SCHED_EVENT_OTHERS_NS  1000000	  /* a kernel thread's microseconds make no neighbor */

#define SCHED_EVENT_NOISY_NEIGHBOR 1 /* as enum wait_event_kind */
#define SCHED_EVENT_THROTTLING	   2
#define SCHED_NEIGHBOR_NS	   10000000 /* as WAIT_EVENT_*_NS */
#define SCHED_THROTTLED_NS	   20000000

struct sched_event {
	__u64 ended_at_ns; /* CLOCK_MONOTONIC */
	__u64 duration_ns;
	__u64 cgroup_id;
	__u64 skipped;
	__u32 kind;
	__u32 cpu;
	__u32 pid;
	__u32 slot;
	__u32 is_own_quota;
	__u32 padding;
	char comm[16];
	__u64 others_ns; /* of the wait, while somebody else ran */
	struct {
		__u64 ns; /* 0 = free */
		__u32 slot;
		__u32 padding;
	} shares[SCHED_EVENT_SHARES]; /* from `slot % SCHED_EVENT_SHARES` on */
};

struct sched_event_limit {
	__u64 sent_at_ns[2]; /* by kind */
	__u64 skipped[2];    /* since then */
};

struct sched_event_budget {
	__u64 since_ns;
	__u64 n_sent;
};

/* What the program leaves out, at each level more. */
enum sched_level {
	SCHED_LEVEL_ALL,
	SCHED_LEVEL_NO_EVENTS,
	SCHED_LEVEL_NO_SHORT_WALKS, /* short waits for several runs are nobody's */
	SCHED_LEVEL_NO_MIGRATIONS,
	SCHED_LEVEL_NO_BLAME,
};

#define SCHED_SHORT_WAIT_NS 100000

#define SCHED_THROTTLED_SPANS 4

/* One per (CPU, slot), as sched_record: when a quota held its tasks back on this CPU. */
struct sched_throttle {
	__u64 total;	  /* the kernel's account of it when last looked at, ns */
	__u64 open_since; /* rq clock; 0 = the span has ended */
	__u32 open_is_own;
	__u32 n_spans; /* ever; the newest are kept */
	struct {
		__u64 begin, end; /* rq clock */
	} spans[SCHED_THROTTLED_SPANS];
	__u32 is_own[SCHED_THROTTLED_SPANS]; /* by the cgroup's own quota, not by one above */
	__u64 pelt_total;		     /* as `total`, by the PELT clock */
	__u64 throttled_out;		     /* switch-outs because a quota ran out */
	__u64 padding;
};

_Static_assert(sizeof(struct sched_throttle) == 128, "two cache lines, shared with BPF");

/*
 * One per slot, for all CPUs: what must be added, modulo 2^32, to the waits by length to get
 * the waits by length without their throttled part. Written after the record, read before.
 */
struct sched_shift {
	__u32 runq[RUNQ_BUCKETS];
};

/*
 * What a task had when it was last seen to get a CPU or to be migrated, in one word so that
 * another CPU never reads half of it: tag << 57 | pcount << 41 | run_delay. The cell is
 * chosen by 15 bits of a permutation of the 22 that a pid has (PID_MAX_LIMIT); the tag is
 * the other 7. Who shares a cell loses parts waited before a migration, and nothing else.
 */
struct sched_seen {
	__u64 word;    /* 0 = empty */
	__u64 counted; /* tag << 57 | part of the wait at hand that is counted already; 0 = none */
};

#define SCHED_SEEN_CELLS       32768
#define SCHED_SEEN_PID_BITS    22
#define SCHED_SEEN_TAG_BITS    7
#define SCHED_SEEN_COUNT_SHIFT 41
#define SCHED_SEEN_COUNT_MASK  0xffff
#define SCHED_SEEN_DELAY_MASK  ((1ULL << 41) - 1) /* 36 minutes */
