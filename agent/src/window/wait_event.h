#pragma once

#include <stddef.h>
#include <stdint.h>

/* Numbers as in the wire's EventKind. */
enum wait_event_kind {
	WAIT_EVENT_NOISY_NEIGHBOR = 1, /* one wait of at least WAIT_EVENT_NEIGHBOR_NS */
	WAIT_EVENT_THROTTLING = 2,     /* one throttled span of at least WAIT_EVENT_THROTTLED_NS */
};

#define WAIT_EVENT_NEIGHBOR_NS	UINT64_C(10000000)
#define WAIT_EVENT_THROTTLED_NS UINT64_C(20000000)

/* Numbers as in the wire's QuotaLevel. */
enum quota_level {
	QUOTA_LEVEL_NONE = 0,
	QUOTA_LEVEL_OWN = 1,
	QUOTA_LEVEL_ANCESTOR = 2,
};

/* Who ran meanwhile. cgroup_id 0: see `who`. */
enum wait_share_who {
	WAIT_SHARE_CGROUP,
	WAIT_SHARE_IDLE,
	WAIT_SHARE_UNATTRIBUTED, /* not known, or the small ones beyond the list */
};

struct wait_share {
	enum wait_share_who who;
	uint64_t cgroup_id;
	uint64_t ns;
};

#define WAIT_EVENT_SHARES 8

/* One long wait, told by the kernel when it ended. */
struct wait_event {
	enum wait_event_kind kind;
	uint64_t ended_at_ns; /* CLOCK_MONOTONIC */
	uint64_t duration_ns; /* without the throttled part; of the throttled span */
	uint64_t cgroup_id;   /* who waited */
	uint32_t cpu;
	uint32_t pid;
	char comm[16]; /* ends with a NUL */
	enum quota_level quota_level;
	uint64_t skipped; /* like events of this cgroup that the rate limit swallowed before it */
	struct wait_share shares[WAIT_EVENT_SHARES]; /* longest first */
	size_t n_shares;
};
