#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * (a, b) -> position in somebody's array, made once for at most `capacity` keys: open
 * addressing, never more than half full, no removal but all at once.
 *
 * The keys stay in the array: each element begins with `a`, then `b` if it has two ids. A cell
 * is only a position, because clearing touches all of them: with the keys inside, the indexes of
 * two snapshots, window and merge were 3 MiB of resident memory on an idle host.
 */
struct id_index {
	uint32_t *cells; /* position + 1; 0 = free */
	size_t mask;
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

/*
 * The position of (a, b), or `next` after having stored it; the caller then writes the element
 * there before it asks again. `b` is 0 where elements have one id.
 */
size_t id_index_put(struct id_index *self, uint64_t a, uint64_t b, size_t next);

/* The position of (a, b), or SIZE_MAX. */
size_t id_index_find(const struct id_index *self, uint64_t a, uint64_t b);
