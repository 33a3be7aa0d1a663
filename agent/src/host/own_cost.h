#pragma once

#include <stdint.h>

/* What the agent itself has used, cumulative; resident memory now. */
struct own_cost {
	uint64_t user_ns;
	uint64_t system_ns;
	uint64_t rss_bytes;
};

int own_cost_read(struct own_cost *ret_cost);
