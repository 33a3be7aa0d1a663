#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The file `stream` in the state directory: what must outlive the agent besides the
 * batches themselves.
 */
#define OUTBOX_MAX_STREAMS 8 /* the current one, and old ones that are not yet sent */

struct outbox_stream {
	uint8_t id[16];
	uint64_t next_sequence;
	uint64_t lost_batches;
};

struct outbox_state {
	uint8_t boot_id[16]; /* of the agent that wrote this last */
	bool is_clean;	     /* that agent ended by itself */
	int64_t last_started_at_unix_ns;
	uint64_t dropped;
	uint64_t rejected;
	struct outbox_stream streams[OUTBOX_MAX_STREAMS]; /* oldest first, the current one last */
	size_t n_streams;
};

/* -ENOENT: no such file. -EINVAL: not to be understood. */
int outbox_state_load(int state_dir, struct outbox_state *ret_state);
int outbox_state_save(int state_dir, const struct outbox_state *state, bool is_durable);

/* PURE halves of the two. */
int outbox_state_parse(const char *text, size_t length, struct outbox_state *ret_state);
