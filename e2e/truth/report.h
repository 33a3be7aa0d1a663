#pragma once

/* The result as JSON. */
#include <stdio.h>

#include "blame.h"
#include "trace_file.h"

/* Of one party: the sum over its threads that were checked. */
struct check_sum {
	uint64_t kernel_ns, replay_ns, off_ns; /* off: sum of the threads' distances */
};

struct report {
	const struct truth_header *header;
	const struct replay *replay;
	const struct ledger *ledgers;	 /* MAX_PARTIES */
	const struct check_sum *checked; /* MAX_PARTIES */
	uint64_t from_ns, to_ns;	 /* the edges as used, CLOCK_MONOTONIC */
	uint64_t late_ns;		 /* how much later than asked the later edge was */
};

void report_write(const struct report *self, FILE *to);
