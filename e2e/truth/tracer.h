#pragma once

/* Loads and attaches the tracer, keeps its events in memory and writes them at the end. */
#include <stddef.h>
#include <stdint.h>

struct tracer;

/* `bytes` is the most that is kept; what comes after counts as dropped. 0 or negative errno. */
int tracer_open(uint32_t ring_bytes, size_t bytes, struct tracer **ret);
/* To be called more often than the ring fills. */
int tracer_drain(struct tracer *self);
/* Detaches, takes what is left and writes the file. */
int tracer_write(struct tracer *self, const char *path, uint64_t agent_pid);
void tracer_close(struct tracer *self);
