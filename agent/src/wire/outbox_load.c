#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "wire/outbox_private.h"

static int start_stream(struct outbox *self)
{
	struct outbox_state *state = &self->state;
	struct outbox_stream stream = {.next_sequence = 1};

	/* Eight power cuts without ever reaching the backend: the oldest stream goes. */
	if (state->n_streams == OUTBOX_MAX_STREAMS) {
		while (self->queue.n_entries && outbox_queue_first(&self->queue)->stream == 0)
			outbox_lose_first(self);
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
		at = outbox_stream_index(&self->state, id);
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
		found.cost = spool_file_cost_on_disk((uint64_t)status.st_size);
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
		outbox_entry_name(self, entry, name);
		if (spool_file_read(self->spool_dir, name, BATCH_MAX_BYTES, &bytes, &length,
				    &started_at) == 0 &&
		    started_at > self->state.last_started_at_unix_ns)
			self->state.last_started_at_unix_ns = started_at;
	}
}

int outbox_load(struct outbox *self, const uint8_t boot_id[16])
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
	return outbox_save(self, true);
}
