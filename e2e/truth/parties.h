#pragma once

/* Who can wait or run: the plan's groups, everything else together, and nobody. */
#include <stddef.h>
#include <stdint.h>

enum {
	PARTY_IDLE,
	PARTY_SYSTEM,  /* every cgroup that is not of the plan */
	PARTY_UNKNOWN, /* the trace does not say */
	PARTY_FIRST,   /* the plan's groups, in its order */
};

#define MAX_PARTIES (PARTY_FIRST + 64)

struct parties {
	uint64_t ids[MAX_PARTIES];
	char names[MAX_PARTIES][64];
	size_t n; /* PARTY_FIRST and up */
};

/* Of a task; pid 0 is idle. */
static inline unsigned int party_of(const struct parties *self, uint32_t pid, uint64_t cgroup_id)
{
	if (pid == 0)
		return PARTY_IDLE;
	for (size_t i = PARTY_FIRST; i < self->n; i++)
		if (self->ids[i] == cgroup_id)
			return (unsigned int)i;
	return PARTY_SYSTEM;
}
