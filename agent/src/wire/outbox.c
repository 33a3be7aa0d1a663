#include "wire/outbox.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/file_io.h"
#include "wire/outbox_queue.h"
#include "wire/outbox_state.h"
#include "wire/spool_file.h"

#define BATCH_MAX_BYTES	   (4u << 20) /* what a request may hold, expanded */
#define MAX_REJECTED_FILES 64

struct outbox {
	int state_dir; /* not ours */
	int spool_dir;
	int rejected_dir;
	uint64_t max_bytes;
	struct outbox_state state;
	struct outbox_queue queue;
};

static struct outbox_stream *current_stream(struct outbox *self)
{
	return &self->state.streams[self->state.n_streams - 1];
}

static size_t stream_index(const struct outbox_state *state, const uint8_t id[16])
{
	for (size_t i = 0; i < state->n_streams; i++) {
		if (memcmp(state->streams[i].id, id, 16) == 0)
			return i;
	}
	return SIZE_MAX;
}

/* Also called on every append; what a kill leaves unsaved is found again in the spool. */
static int save(const struct outbox *self, bool is_durable)
{
	return outbox_state_save(self->state_dir, &self->state, is_durable);
}

static void entry_name(const struct outbox *self, const struct outbox_entry *entry,
		       char ret_name[SPOOL_NAME_BYTES])
{
	spool_file_name(self->state.streams[entry->stream].id, entry->sequence, ret_name);
}

/* Takes the oldest away for good: never to be sent. */
static void lose_first(struct outbox *self)
{
	const struct outbox_entry *entry = outbox_queue_first(&self->queue);
	char name[SPOOL_NAME_BYTES];

	entry_name(self, entry, name);
	unlinkat(self->spool_dir, name, 0);
	self->state.streams[entry->stream].lost_batches++;
	self->state.dropped++;
	outbox_queue_pop(&self->queue);
}

static int start_stream(struct outbox *self)
{
	struct outbox_state *state = &self->state;
	struct outbox_stream stream = {.next_sequence = 1};

	/* Eight power cuts without ever reaching the backend: the oldest stream goes. */
	if (state->n_streams == OUTBOX_MAX_STREAMS) {
		while (self->queue.n_entries && outbox_queue_first(&self->queue)->stream == 0)
			lose_first(self);
		memmove(&state->streams[0], &state->streams[1],
			(OUTBOX_MAX_STREAMS - 1) * sizeof(state->streams[0]));
		state->n_streams--;
		outbox_queue_shift_streams(&self->queue);
	}
	if (getrandom(stream.id, sizeof(stream.id), 0) != (ssize_t)sizeof(stream.id))
		return -errno;
	state->streams[state->n_streams++] = stream;
	return 0;
}

/* A stream that only its files remember: the state file was lost. It is older than all. */
static bool adopt_stream(struct outbox_state *state, const uint8_t id[16])
{
	if (state->n_streams == OUTBOX_MAX_STREAMS)
		return false;
	memmove(&state->streams[1], &state->streams[0],
		state->n_streams * sizeof(state->streams[0]));
	state->streams[0] = (struct outbox_stream){.next_sequence = 1};
	memcpy(state->streams[0].id, id, 16);
	state->n_streams++;
	return true;
}

/* First round: which streams there are. Positions move, so entries come in the second. */
static int scan(struct outbox *self, bool is_second_round)
{
	cleanup(closedirp) DIR *dir = NULL;
	cleanup(close_fdp) int fd = -1;
	const struct dirent *entry;

	fd = openat(self->spool_dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	dir = fd < 0 ? NULL : fdopendir(fd);
	if (!dir)
		return -errno;
	take_fd(&fd);
	while ((entry = readdir(dir))) {
		uint8_t id[16];
		struct outbox_entry found = {0};
		struct stat status;
		size_t at;

		if (strcmp(entry->d_name, "rejected") == 0 || strcmp(entry->d_name, ".") == 0 ||
		    strcmp(entry->d_name, "..") == 0)
			continue;
		if (!spool_file_parse_name(entry->d_name, id, &found.sequence) ||
		    fstatat(self->spool_dir, entry->d_name, &status, AT_SYMLINK_NOFOLLOW) < 0 ||
		    !S_ISREG(status.st_mode)) {
			unlinkat(self->spool_dir, entry->d_name, 0); /* half-written */
			continue;
		}
		at = stream_index(&self->state, id);
		if (at == SIZE_MAX && !is_second_round) {
			if (!adopt_stream(&self->state, id)) {
				unlinkat(self->spool_dir, entry->d_name, 0);
				self->state.dropped++;
			}
			continue;
		}
		if (!is_second_round)
			continue;
		found.stream = (uint32_t)at;
		found.cost = spool_file_cost((size_t)status.st_size);
		if (outbox_queue_push(&self->queue, &found) < 0)
			return -ENOMEM;
	}
	return 0;
}

/* What a kill between writing a batch and saving the state left behind. */
static void catch_up(struct outbox *self)
{
	for (size_t i = 0; i < self->queue.n_entries; i++) {
		const struct outbox_entry *entry = outbox_queue_at(&self->queue, i);
		struct outbox_stream *stream = &self->state.streams[entry->stream];
		cleanup(freep) uint8_t *bytes = NULL;
		char name[SPOOL_NAME_BYTES];
		int64_t started_at;
		size_t length;

		if (entry->sequence < stream->next_sequence)
			continue;
		stream->next_sequence = entry->sequence + 1;
		entry_name(self, entry, name);
		if (spool_file_read(self->spool_dir, name, BATCH_MAX_BYTES, &bytes, &length,
				    &started_at) == 0 &&
		    started_at > self->state.last_started_at_unix_ns)
			self->state.last_started_at_unix_ns = started_at;
	}
}

static int load(struct outbox *self, const uint8_t boot_id[16])
{
	bool is_behind;
	int r;

	r = outbox_state_load(self->state_dir, &self->state);
	if (r < 0 && r != -ENOENT && r != -EINVAL)
		return r;
	/* No state, or one that a power cut may have left behind what was sent. */
	is_behind =
		r < 0 || (!self->state.is_clean && memcmp(self->state.boot_id, boot_id, 16) != 0);
	if (r < 0)
		self->state = (struct outbox_state){0};

	r = scan(self, false);
	if (r == 0)
		r = scan(self, true);
	if (r < 0)
		return r;
	outbox_queue_sort(&self->queue);
	catch_up(self);
	if (is_behind || self->state.n_streams == 0)
		r = start_stream(self);
	if (r < 0)
		return r;
	memcpy(self->state.boot_id, boot_id, 16);
	self->state.is_clean = false;
	return save(self, true);
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
		r = load(self, boot_id);
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
	(void)save(self, true);
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
		lose_first(self);

	/* Whatever becomes of it, this start is used up. */
	self->state.last_started_at_unix_ns = started_at_unix_ns;
	entry_name(self, &entry, name);
	do {
		r = spool_file_write(self->spool_dir, name, started_at_unix_ns, bytes, length);
		/* A full disk: older windows give way to the newer one. */
		if (r == -ENOSPC && self->queue.n_entries)
			lose_first(self);
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
	return save(self, false);
}

void outbox_count_dropped(struct outbox *self)
{
	self->state.dropped++;
}

/* One allocation for the request: room for the head, then as many batches as allowed. */
struct filling {
	struct outbox_request request;
	size_t capacity;
};

static int add_batch(struct filling *filling, const uint8_t *bytes, size_t length)
{
	const size_t needed = REQUEST_HEAD_MAX_BYTES + filling->request.length + length;

	if (needed > filling->capacity) {
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

	entry_name(self, entry, name);
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
			lose_first(self);
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
	const size_t stream = stream_index(&self->state, request->stream_id);
	const struct outbox_entry *entry;

	/* Meanwhile the oldest may have been dropped: so not simply the first n. */
	while ((entry = outbox_queue_first(&self->queue)) && entry->stream == stream &&
	       entry->sequence <= request->last_sequence) {
		char name[SPOOL_NAME_BYTES];

		entry_name(self, entry, name);
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

	if (!entry || entry->stream != stream_index(&self->state, request->stream_id) ||
	    entry->sequence != request->first_sequence)
		return 0; /* dropped in the meantime, and counted there */
	entry_name(self, entry, name);
	if (renameat(self->spool_dir, name, self->rejected_dir, name) < 0)
		unlinkat(self->spool_dir, name, 0);
	/* The backend will see a gap here: it is told that this one never comes. */
	self->state.streams[entry->stream].lost_batches++;
	self->state.rejected++;
	outbox_queue_pop(&self->queue);
	forget_sent_streams(self);
	bound_rejected(self);
	return save(self, false);
}

void outbox_raise_lost(struct outbox *self, const struct outbox_request *request, uint64_t n)
{
	const size_t stream = stream_index(&self->state, request->stream_id);

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
