#include "wire/backoff.h"

#define FIRST_NS   1000000000ULL
#define LONGEST_NS 60000000000ULL

uint64_t backoff_next_ns(struct backoff *self, uint64_t random)
{
	uint64_t limit_ns = LONGEST_NS;

	if (self->failures < 6)
		limit_ns = FIRST_NS << self->failures;
	if (limit_ns > LONGEST_NS)
		limit_ns = LONGEST_NS;
	self->failures++;
	return random % limit_ns + 1;
}
