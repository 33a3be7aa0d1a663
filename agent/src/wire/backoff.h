#pragma once

#include <stdint.h>

/*
 * PURE: exponential back-off with full jitter: a fleet that lost its backend does not
 * come back all at once. `random` is any 64 random bits.
 */
struct backoff {
	unsigned int failures; /* in a row */
};

uint64_t backoff_next_ns(struct backoff *self, uint64_t random);
