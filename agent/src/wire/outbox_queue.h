#pragma once

#include <stddef.h>
#include <stdint.h>

/* The batches that wait, oldest first, in memory: their bytes are on disk. */
struct outbox_entry {
	uint32_t stream; /* position in the state's streams */
	uint64_t sequence;
	uint64_t cost; /* bytes of disk */
};

struct outbox_queue {
	struct outbox_entry *entries;
	size_t first, n_entries, capacity;
	uint64_t cost; /* of all entries */
};

int outbox_queue_push(struct outbox_queue *self, const struct outbox_entry *entry);
void outbox_queue_pop(struct outbox_queue *self);
const struct outbox_entry *outbox_queue_first(const struct outbox_queue *self); /* NULL: empty */
const struct outbox_entry *outbox_queue_at(const struct outbox_queue *self, size_t at);
void outbox_queue_sort(struct outbox_queue *self); /* by stream, then sequence */

/* Stream 0 is gone: all others move down by one. */
void outbox_queue_shift_streams(struct outbox_queue *self);
void outbox_queue_free(struct outbox_queue *self);
