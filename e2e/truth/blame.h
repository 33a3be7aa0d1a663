#pragma once

/* What truly happened between two instants, per party. */
#include "waits.h"

struct ledger {
	uint64_t wait_ns; /* of waits that end in the span, and of migrated parts that do */
	uint64_t migrated_wait_ns;
	uint64_t throttled_wait_ns;
	uint64_t unlocated_wait_ns; /* not in wait_ns */
	uint64_t ran_ns;
	uint64_t waits;
	uint64_t blame_ns[MAX_PARTIES]; /* who ran meanwhile; without the throttled part */

	/* What published rules would say. */
	uint64_t last_occupant_ns[MAX_PARTIES];
	uint64_t switch_in_ns[MAX_PARTIES]; /* prev at switch-in, stamped on wakeups only */
	uint64_t end_of_slice_ns[MAX_PARTIES];
	uint64_t occupancy_ns
		[MAX_PARTIES]; /* the truth in that rule's own terms: per CPU, not per task */
};

/* `ret` has MAX_PARTIES elements. Ends are CLOCK_MONOTONIC; (from, to]. */
void blame_between(const struct replay *replay, uint64_t from_ns, uint64_t to_ns,
		   struct ledger *ret);

/* The located wait of one thread, by the same rule. */
uint64_t blame_wait_of(const struct replay *replay, uint32_t pid, uint64_t from_ns, uint64_t to_ns);
