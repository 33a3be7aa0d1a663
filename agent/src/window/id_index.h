#pragma once

#include <stddef.h>
#include <stdint.h>

/*
 * (a, b) -> position in somebody's array, made once for at most `capacity` keys: open
 * addressing, never more than half full, no removal but all at once.
 */
struct id_index {
	struct id_index_cell {
		uint64_t a, b;
		uint32_t position_plus_1; /* 0 = free */
	} *cells;
	size_t mask;
};

int id_index_init(struct id_index *self, size_t capacity);
void id_index_free(struct id_index *self);
void id_index_clear(struct id_index *self);

/* The position of (a, b), or `next` after having stored it. */
size_t id_index_put(struct id_index *self, uint64_t a, uint64_t b, size_t next);

/* The position of (a, b), or SIZE_MAX. */
size_t id_index_find(const struct id_index *self, uint64_t a, uint64_t b);
