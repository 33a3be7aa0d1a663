#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "wire/outbox_private.h"

/* One allocation for the request: room for the head, then as many batches as allowed. */
struct filling {
	struct outbox_request request;
	size_t capacity;
};

static int add_batch(struct filling *filling, const uint8_t *bytes, size_t length)
{
	const size_t needed = REQUEST_HEAD_MAX_BYTES + filling->request.length + length;

	if (!filling->request.buffer || needed > filling->capacity) {
		uint8_t *larger = realloc(filling->request.buffer, needed * 2);

		if (!larger)
			return -ENOMEM;
		filling->request.buffer = larger;
		filling->capacity = needed * 2;
	}
	memcpy(filling->request.buffer + REQUEST_HEAD_MAX_BYTES + filling->request.length, bytes,
	       length);
	filling->request.length += length;
	filling->request.n_batches++;
	return 0;
}

/* 1: added. 0: does not go into this request any more. -EBADMSG: damaged. */
static int take_entry(struct outbox *self, const struct outbox_entry *entry, size_t max_bytes,
		      struct filling *filling)
{
	cleanup(freep) uint8_t *bytes = NULL;
	char name[SPOOL_NAME_BYTES];
	size_t length;
	int r;

	outbox_entry_name(self, entry, name);
	r = spool_file_read(self->spool_dir, name, BATCH_MAX_BYTES, &bytes, &length, NULL);
	if (r < 0)
		return r == -ENOENT ? -EBADMSG : r;
	if (filling->request.n_batches && filling->request.length + length > max_bytes)
		return 0;
	r = add_batch(filling, bytes, length);
	return r < 0 ? r : 1;
}

int outbox_peek(struct outbox *self, size_t max_batches, size_t max_bytes,
		struct outbox_request *ret_request)
{
	struct filling filling = {0};
	const struct outbox_entry *entry;
	size_t at = 0;
	int r = 0;

	while (filling.request.n_batches < max_batches &&
	       (entry = outbox_queue_at(&self->queue, at))) {
		if (at > 0 && entry->stream != outbox_queue_first(&self->queue)->stream)
			break;
		r = take_entry(self, entry, max_bytes, &filling);
		if (r == -EBADMSG && at == 0) {
			outbox_lose_first(self);
			continue;
		}
		if (r <= 0)
			break; /* a damaged one comes first next time, and goes then */
		filling.request.last_sequence = entry->sequence;
		at++;
	}
	if (filling.request.n_batches == 0) {
		free(filling.request.buffer);
		return r < 0 && r != -EBADMSG ? r : -ENOENT;
	}
	entry = outbox_queue_first(&self->queue);
	filling.request.first_sequence = entry->sequence;
	filling.request.lost_batches = self->state.streams[entry->stream].lost_batches;
	memcpy(filling.request.stream_id, self->state.streams[entry->stream].id, 16);
	*ret_request = filling.request;
	return 0;
}
