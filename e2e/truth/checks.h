#pragma once

/* The kernel's own figures of every thread of the loads, read twice: what the replay must give. */
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define CHECKS_MAX_THREADS 4096

struct check_thread {
	uint32_t pid; /* of the thread */
	size_t group;
	/* CLOCK_MONOTONIC right after the file was read, and its second figure; [1]: at the end. */
	uint64_t read_at_ns[2], run_delay_ns[2], pcount[2];
};

struct checks {
	struct check_thread threads[CHECKS_MAX_THREADS];
	size_t n;
};

/* Of the process that has been started for `group`. */
int checks_begin(struct checks *self, pid_t process, size_t group);
/* Of all of them; threads that have ended are left out. */
int checks_end(struct checks *self);
int checks_write(const struct checks *self, const char *path);
