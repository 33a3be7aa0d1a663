#pragma once

/* Who ran on one CPU, without gaps from the first switch on. */
#include <stddef.h>
#include <stdint.h>

#include "parties.h"

struct segment {
	uint64_t start, end; /* rq clock */
	unsigned int party;
	uint32_t pid;
};

struct timeline {
	struct segment *segments;
	size_t n, capacity;
	/* Who came in last and still runs. */
	uint32_t pid;
	unsigned int party;
	uint64_t since;
	int is_started;
};

void timeline_add(struct timeline *self, uint64_t end, unsigned int party, uint32_t pid);
/* Adds the time of [from, to) to whoever ran; what is outside of the record to PARTY_UNKNOWN. */
void timeline_charge(const struct timeline *self, uint64_t from, uint64_t to,
		     uint64_t charged[MAX_PARTIES]);
