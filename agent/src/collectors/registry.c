#include "collectors/collector.h"

extern const struct collector lifecycle_collector;
extern const struct collector sched_collector;
extern const struct collector throttle_collector;

const struct collector *const collectors[] = {
	&lifecycle_collector, /* first: the others ask who is alive */
	&sched_collector,
	&throttle_collector,
	NULL,
};
