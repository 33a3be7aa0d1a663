#pragma once

/* The files of a run (nwtruth.c) back into memory. */
#include <stddef.h>
#include <stdint.h>

#include "waits.h"

struct check {
	uint32_t pid;
	unsigned int party;
	uint64_t from_ns, to_ns, run_delay_ns, pcount;
};

struct trace_file {
	const char *mapped;
	size_t length;
	const struct truth_header *header;
};

/* Each says on stderr what is wrong. 0 or negative errno. */
int trace_file_open(const char *path, struct trace_file *ret);
int trace_file_replay(const struct trace_file *self, struct replay *replay);
void trace_file_close(struct trace_file *self);

int parties_read(const char *path, struct parties *ret);
/* An array to be freed. */
int checks_read(const char *path, struct check **ret, size_t *ret_n);
