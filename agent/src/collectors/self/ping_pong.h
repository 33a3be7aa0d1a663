#pragma once

#include <stdint.h>

/*
 * Two short-lived threads that wake each other on one CPU: a context switch every two
 * microseconds or so, and nothing else. Blocks the caller that long; only for the start.
 */

/* For `duration_ns`; how many switches there were. */
int ping_pong_run(uint64_t duration_ns, uint64_t *ret_n_switches);

/*
 * CPU time of one switch with all that hangs on it: the best of several short runs, because
 * whatever comes between only makes it longer.
 */
int ping_pong_switch_ns(uint64_t duration_ns, double *ret_ns);
