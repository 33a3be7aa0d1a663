#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * (a, b) -> position in somebody's array, made once for at most `capacity` keys: open
 * addressing, never more than half full, no removal but all at once.
 *
 * The keys stay in the array: each element begins with `a`, then `b` if it has two ids. A cell
 * is only a position, and only as many cells are used as the most keys so far needed, because
 * clearing touches all of these: as one table of whole keys, the indexes of two snapshots, window
 * and merge were 3 MiB of resident memory on an idle host.
 */
struct id_index {
	uint32_t *cells; /* position + 1; 0 = free */
	size_t mask;	 /* of the cells in use */
	size_t max_mask;
	size_t n; /* keys */
	const unsigned char *elements;
	size_t element_bytes;
	bool has_b;
};

enum id_index_key { ID_INDEX_ONE_ID, ID_INDEX_TWO_IDS };

/* `elements` is the array, which may not move. */
int id_index_init(struct id_index *self, size_t capacity, const void *elements,
		  size_t element_bytes, enum id_index_key key);
void id_index_free(struct id_index *self);
void id_index_clear(struct id_index *self);

/* Cleared, and as small as at first: its cells are not resident any more. */
void id_index_forget(struct id_index *self);

/*
 * The position of (a, b), or `next` after having stored it; the caller then writes the element
 * there before it asks again. Positions are given out from 0 on, without holes. `b` is 0 where
 * elements have one id.
 */
size_t id_index_put(struct id_index *self, uint64_t a, uint64_t b, size_t next);

/* The position of (a, b), or SIZE_MAX. */
size_t id_index_find(const struct id_index *self, uint64_t a, uint64_t b);
