#pragma once

/* Shared by the files of the encoder, and by nobody else. */

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "neighborwatch/v1/ingest.pb-c.h"
#include "wire/batch.h"

/*
 * Builds a message tree in an arena. Running out of memory is remembered and asked
 * once at the end; until then everything points to valid, if empty, memory.
 */
struct builder {
	struct arena arena;
	bool is_out_of_memory;
};

/* Zeroed. NULL: out of memory. */
void *builder_alloc(struct builder *self, size_t n, size_t size);

/* A copy that is valid UTF-8; the empty text for NULL. */
char *builder_text(struct builder *self, const char *from);

/*
 * `n` messages that start as `initial`, and the pointers to them that protobuf-c wants.
 * NULL when out of memory: then *n is 0.
 */
void *builder_messages(struct builder *self, size_t *n, const void *initial, size_t size);

/* encode_rows.c */
void encode_rows(struct builder *self, const struct window *window, Neighborwatch__V1__Batch *to);

/* encode_parts.c */
void encode_blame(struct builder *self, const struct pair_merge *blame,
		  Neighborwatch__V1__Batch *to);
void encode_collectors(struct builder *self, const struct batch *batch,
		       Neighborwatch__V1__Batch *to);
void encode_cost(struct builder *self, const struct batch_cost *from, Neighborwatch__V1__Batch *to);

/* encode_events.c */
void encode_events(struct builder *self, const struct batch *batch, Neighborwatch__V1__Batch *to);
