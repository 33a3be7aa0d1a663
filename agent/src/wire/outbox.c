#include "wire/outbox.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/file_io.h"
#include "wire/outbox_private.h"

#define MAX_REJECTED_FILES 64

size_t outbox_stream_index(const struct outbox_state *state, const uint8_t id[16])
{
	for (size_t i = 0; i < state->n_streams; i++) {
		if (memcmp(state->streams[i].id, id, 16) == 0)
			return i;
	}
	return SIZE_MAX;
}

void outbox_entry_name(const struct outbox *self, const struct outbox_entry *entry,
		       char ret_name[SPOOL_NAME_BYTES])
{
	spool_file_name(self->state.streams[entry->stream].id, entry->sequence, ret_name);
}

void outbox_lose_first(struct outbox *self)
{
	const struct outbox_entry *entry = outbox_queue_first(&self->queue);
	char name[SPOOL_NAME_BYTES];

	outbox_entry_name(self, entry, name);
	unlinkat(self->spool_dir, name, 0);
	self->state.streams[entry->stream].lost_batches++;
	self->state.dropped++;
	outbox_queue_pop(&self->queue);
}

int outbox_save(const struct outbox *self, bool is_durable)
{
	return outbox_state_save(self->state_dir, &self->state, is_durable);
}

static struct outbox_stream *current_stream(struct outbox *self)
{
	return &self->state.streams[self->state.n_streams - 1];
}

int outbox_open(int state_dir, uint64_t max_bytes, const uint8_t boot_id[16], struct outbox **ret)
{
	struct outbox *self = calloc(1, sizeof(*self));
	int r;

	if (!self)
		return -ENOMEM;
	self->state_dir = state_dir;
	self->max_bytes = max_bytes;
	self->rejected_dir = -1;
	r = directory_open(state_dir, "spool", 0700, &self->spool_dir);
	if (r < 0) {
		free(self);
		return r;
	}
	r = directory_open(self->spool_dir, "rejected", 0700, &self->rejected_dir);
	if (r == 0)
		r = outbox_load(self, boot_id);
	if (r < 0) {
		close_fdp(&self->spool_dir);
		close_fdp(&self->rejected_dir);
		outbox_queue_free(&self->queue);
		free(self);
		return r;
	}
	*ret = self;
	return 0;
}

void outbox_close(struct outbox *self)
{
	if (!self)
		return;
	/* If this cannot be written, the next start takes the end for a crash: still right. */
	self->state.is_clean = true;
	(void)outbox_save(self, true);
	close_fdp(&self->spool_dir);
	close_fdp(&self->rejected_dir);
	outbox_queue_free(&self->queue);
	free(self);
}

uint64_t outbox_next_sequence(const struct outbox *self)
{
	return self->state.streams[self->state.n_streams - 1].next_sequence;
}

int64_t outbox_last_started_at(const struct outbox *self)
{
	return self->state.last_started_at_unix_ns;
}

int outbox_append(struct outbox *self, int64_t started_at_unix_ns, const uint8_t *bytes,
		  size_t length)
{
	struct outbox_entry entry = {
		.stream = (uint32_t)(self->state.n_streams - 1),
		.sequence = outbox_next_sequence(self),
		.cost = spool_file_cost(length),
	};
	char name[SPOOL_NAME_BYTES];
	int r;

	while (self->queue.n_entries && self->queue.cost + entry.cost > self->max_bytes)
		outbox_lose_first(self);

	/* Whatever becomes of it, this start is used up. */
	if (started_at_unix_ns)
		self->state.last_started_at_unix_ns = started_at_unix_ns;
	outbox_entry_name(self, &entry, name);
	do {
		r = spool_file_write(self->spool_dir, name, started_at_unix_ns, bytes, length);
		/* A full disk: older windows give way to the newer one. */
		if (r == -ENOSPC && self->queue.n_entries)
			outbox_lose_first(self);
		else
			break;
	} while (true);
	if (r == 0)
		r = outbox_queue_push(&self->queue, &entry);
	if (r < 0) {
		self->state.dropped++;
		return r;
	}
	current_stream(self)->next_sequence++;
	return outbox_save(self, false);
}

void outbox_count_dropped(struct outbox *self)
{
	self->state.dropped++;
}

/* Once the last batch of an old stream is gone, the stream is. */
static void forget_sent_streams(struct outbox *self)
{
	const struct outbox_entry *first = outbox_queue_first(&self->queue);
	size_t oldest = first ? first->stream : self->state.n_streams - 1;

	for (; oldest > 0; oldest--) {
		memmove(&self->state.streams[0], &self->state.streams[1],
			(self->state.n_streams - 1) * sizeof(self->state.streams[0]));
		self->state.n_streams--;
		outbox_queue_shift_streams(&self->queue);
	}
}

void outbox_acknowledge(struct outbox *self, const struct outbox_request *request)
{
	const size_t stream = outbox_stream_index(&self->state, request->stream_id);
	const struct outbox_entry *entry;

	/* Meanwhile the oldest may have been dropped: so not simply the first n. */
	while ((entry = outbox_queue_first(&self->queue)) && entry->stream == stream &&
	       entry->sequence <= request->last_sequence) {
		char name[SPOOL_NAME_BYTES];

		outbox_entry_name(self, entry, name);
		unlinkat(self->spool_dir, name, 0);
		outbox_queue_pop(&self->queue);
	}
	forget_sent_streams(self);
}

static int compare_names(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

static int is_batch(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

static void bound_rejected(const struct outbox *self)
{
	struct dirent **entries = NULL;
	const int n = scandirat(self->rejected_dir, ".", &entries, is_batch, compare_names);

	for (int i = 0; i < n; i++) {
		if (i + MAX_REJECTED_FILES < n)
			unlinkat(self->rejected_dir, entries[i]->d_name, 0);
		free(entries[i]);
	}
	free(entries);
}

int outbox_reject_first(struct outbox *self, const struct outbox_request *request)
{
	const struct outbox_entry *entry = outbox_queue_first(&self->queue);
	char name[SPOOL_NAME_BYTES];

	if (!entry || entry->stream != outbox_stream_index(&self->state, request->stream_id) ||
	    entry->sequence != request->first_sequence)
		return 0; /* dropped in the meantime, and counted there */
	outbox_entry_name(self, entry, name);
	if (renameat(self->spool_dir, name, self->rejected_dir, name) < 0)
		unlinkat(self->spool_dir, name, 0);
	/* The backend will see a gap here: it is told that this one never comes. */
	self->state.streams[entry->stream].lost_batches++;
	self->state.rejected++;
	outbox_queue_pop(&self->queue);
	forget_sent_streams(self);
	bound_rejected(self);
	return outbox_save(self, false);
}

void outbox_raise_lost(struct outbox *self, const struct outbox_request *request, uint64_t n)
{
	const size_t stream = outbox_stream_index(&self->state, request->stream_id);

	if (stream != SIZE_MAX)
		self->state.streams[stream].lost_batches += n;
}

struct outbox_stats outbox_stats(const struct outbox *self)
{
	return (struct outbox_stats){
		.batches = self->queue.n_entries,
		.bytes = self->queue.cost,
		.dropped = self->state.dropped,
		.rejected = self->state.rejected,
	};
}
