#pragma once

/*
 * The raw trace: what the tracer writes and the replay reads. Nothing here is derived; every
 * figure is a field of the kernel's at the instant of the event.
 */
#include <linux/types.h>

enum truth_event_kind {
	TRUTH_SWITCH = 1,
	TRUTH_WAKEUP = 2, /* sched_wakeup and sched_wakeup_new */
	TRUTH_MIGRATE = 3,
};

enum truth_task_flags {
	TRUTH_ON_RQ = 1u << 0,		 /* on_rq is 1 */
	TRUTH_MIGRATING = 1u << 1,	 /* on_rq is 2 */
	TRUTH_SCHED_DELAYED = 1u << 2,	 /* blocked, and still on the queue (6.12 and later) */
	TRUTH_TASK_THROTTLED = 1u << 3,	 /* task_struct.throttled (6.18) */
	TRUTH_GROUP_THROTTLED = 1u << 4, /* cfs_rq.throttle_count > 0 */
	TRUTH_BY_TASK = 1u << 5, /* this kernel throttles by task: the flag above it exists */
	TRUTH_FAIR = 1u << 6,	 /* prio of the fair classes: quotas apply */
};

struct truth_task {
	__u32 pid;
	__u32 flags;
	__u64 cgroup_id; /* kernfs id in the cpu controller's hierarchy; 0 for an autogroup */
	__u64 run_delay;
	__u64 last_queued;
	__u64 last_arrival;
	__u64 pcount;
	__u64 throttled_ns;    /* what its cfs_rq was throttled so far: ended spans */
	__u64 throttled_since; /* rq clock; 0 while it is not */
	/* Before 6.18, in rq clock: when the newest span began, whether it has ended or not. */
	__u64 throttled_begun;
};

/* A switch has both tasks; the others have only `task`, and end before `next`. */
struct truth_event {
	__u64 clock; /* of the run queue: sched_clock */
	__u64 monotonic_ns;
	__u32 cpu; /* whose run queue */
	__u32 kind;
	struct truth_task task; /* prev of a switch */
	struct truth_task next;
};

#define TRUTH_SHORT_EVENT_BYTES (sizeof(struct truth_event) - sizeof(struct truth_task))

_Static_assert(sizeof(struct truth_task) == 72, "on disk");
_Static_assert(sizeof(struct truth_event) == 168, "on disk");

#define TRUTH_MAGIC   0x4857545255544832ULL
#define TRUTH_VERSION 2

/* The file: this, then the events back to back in the order in which they were reserved. */
struct truth_header {
	__u64 magic;
	__u32 version;
	__u32 cpus;
	__u64 realtime_minus_monotonic_ns;
	__u64 events_bytes;
	__u64 dropped; /* events that found no room: such a trace proves nothing */
	__u64 agent_pid;
};
