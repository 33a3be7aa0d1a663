#pragma once

/* Shared by the files of the outbox, and by nobody else. */

#include <stdbool.h>

#include "wire/outbox.h"
#include "wire/outbox_queue.h"
#include "wire/outbox_state.h"
#include "wire/spool_file.h"

#define BATCH_MAX_BYTES (4u << 20) /* what a request may hold, expanded */

struct outbox {
	int state_dir; /* not ours */
	int spool_dir;
	int rejected_dir;
	uint64_t max_bytes;
	struct outbox_state state;
	struct outbox_queue queue;
};

/* SIZE_MAX: no such stream. */
size_t outbox_stream_index(const struct outbox_state *state, const uint8_t id[16]);
void outbox_entry_name(const struct outbox *self, const struct outbox_entry *entry,
		       char ret_name[SPOOL_NAME_BYTES]);

/* Takes the oldest away for good: never to be sent. */
void outbox_lose_first(struct outbox *self);

/* What a kill leaves unsaved is found again in the spool. */
int outbox_save(const struct outbox *self, bool is_durable);

/* outbox_load.c: state and spool as the last agent left them. */
int outbox_load(struct outbox *self, const uint8_t boot_id[16]);
