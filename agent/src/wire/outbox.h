#pragma once

#include <stddef.h>
#include <stdint.h>

#include "wire/encode.h"

/*
 * Batches on disk until the backend has acknowledged them: first in, first out,
 * bounded, the oldest dropped first and counted.
 *
 * One file per batch. It is written beside its name and renamed, without fsync: the
 * page cache survives a kill -9, and only a power cut can tear a file, which its
 * checksum then tells. Nothing of the outbox waits for the disk in a window's time.
 *
 * A stream is a numbering that starts at 1. It goes on over restarts; after a power
 * cut, when the last numbers on disk may be behind what was sent, a new stream begins
 * and what is left of the old one is sent first.
 */
struct outbox;

struct outbox_stats {
	uint64_t batches; /* waiting */
	uint64_t bytes;	  /* disk space they take */
	uint64_t dropped; /* since the stream began: spool full, damaged, or never written */
	uint64_t rejected;
};

/* `state_dir` stays the caller's. Sweeps up what a killed agent left half-written. */
int outbox_open(int state_dir, uint64_t max_bytes, const uint8_t boot_id[16], struct outbox **ret);

/* Also marks the end as clean, durably. */
void outbox_close(struct outbox *self);

uint64_t outbox_next_sequence(const struct outbox *self);

/* Start of the newest window ever appended: no other may start there again. 0: none. */
int64_t outbox_last_started_at(const struct outbox *self);

/*
 * Takes a batch that carries outbox_next_sequence(). On an error it is counted as dropped.
 * `started_at_unix_ns` is 0 for a batch without a window: no start is used up by it.
 */
int outbox_append(struct outbox *self, int64_t started_at_unix_ns, const uint8_t *bytes,
		  size_t length);

/* A window that was measured and could not even be encoded. */
void outbox_count_dropped(struct outbox *self);

struct outbox_request {
	uint8_t stream_id[16];
	uint64_t lost_batches;
	uint64_t first_sequence, last_sequence;
	size_t n_batches;
	/* REQUEST_HEAD_MAX_BYTES of room, then the batches, `length` bytes of them. */
	uint8_t *buffer;
	size_t length;
};

/*
 * The oldest batches of one stream, at least one, as far as both limits allow.
 * -ENOENT: nothing to send. The caller frees `buffer`.
 */
int outbox_peek(struct outbox *self, size_t max_batches, size_t max_bytes,
		struct outbox_request *ret_request);

/* The backend has stored all of the request. */
void outbox_acknowledge(struct outbox *self, const struct outbox_request *request);

/* The backend will never take this one: it goes to spool/rejected, which holds the last 64. */
int outbox_reject_first(struct outbox *self, const struct outbox_request *request);

/* The backend missed `n` batches that are not here: they count as lost from now on. */
void outbox_raise_lost(struct outbox *self, const struct outbox_request *request, uint64_t n);

struct outbox_stats outbox_stats(const struct outbox *self);
