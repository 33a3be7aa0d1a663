#include "collectors/collector.h"

extern const struct collector sched_collector;
extern const struct collector throttle_collector;

const struct collector *const collectors[] = {
	&sched_collector,
	&throttle_collector,
	NULL,
};
