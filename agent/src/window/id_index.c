#include "window/id_index.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/pages.h"

#define FIRST_MASK 63

int id_index_init(struct id_index *self, size_t capacity, const void *elements,
		  size_t element_bytes, enum id_index_key key)
{
	size_t n_cells = FIRST_MASK + 1;
	uint32_t *cells;

	if (capacity > UINT32_MAX / 4)
		return -E2BIG;
	while (n_cells < capacity * 2)
		n_cells *= 2;
	cells = calloc(n_cells, sizeof(*cells));
	if (!cells)
		return -ENOMEM;
	*self = (struct id_index){
		.cells = cells,
		.mask = FIRST_MASK,
		.max_mask = n_cells - 1,
		.elements = elements,
		.element_bytes = element_bytes,
		.has_b = key == ID_INDEX_TWO_IDS,
	};
	return 0;
}

void id_index_free(struct id_index *self)
{
	free(self->cells);
	*self = (struct id_index){};
}

void id_index_clear(struct id_index *self)
{
	memset(self->cells, 0, (self->mask + 1) * sizeof(*self->cells));
	self->n = 0;
}

void id_index_forget(struct id_index *self)
{
	pages_forget(self->cells, (self->mask + 1) * sizeof(*self->cells));
	self->mask = FIRST_MASK;
	id_index_clear(self);
}

struct key {
	uint64_t a, b;
};

static struct key key_at(const struct id_index *self, size_t position)
{
	struct key key = {};

	memcpy(&key, self->elements + position * self->element_bytes,
	       self->has_b ? sizeof(key) : sizeof(key.a));
	return key;
}

static bool is_key(const struct id_index *self, size_t position, uint64_t a, uint64_t b)
{
	const struct key key = key_at(self, position);

	return key.a == a && key.b == b;
}

/* Inode numbers are dense and hashes are not: the multiply spreads both. */
static size_t home_of(const struct id_index *self, uint64_t a, uint64_t b)
{
	const uint64_t hash =
		(a ^ (b * UINT64_C(0x9e3779b97f4a7c15))) * UINT64_C(0xff51afd7ed558ccd);

	return (size_t)(hash >> 32) & self->mask;
}

static uint32_t *cell_of(const struct id_index *self, uint64_t a, uint64_t b)
{
	size_t at = home_of(self, a, b);

	while (self->cells[at] != 0 && !is_key(self, self->cells[at] - 1, a, b))
		at = (at + 1) & self->mask;
	return &self->cells[at];
}

static void grow(struct id_index *self)
{
	self->mask = self->mask * 2 + 1;
	memset(self->cells, 0, (self->mask + 1) * sizeof(*self->cells));
	for (size_t i = 0; i < self->n; i++) {
		const struct key key = key_at(self, i);

		*cell_of(self, key.a, key.b) = (uint32_t)i + 1;
	}
}

size_t id_index_put(struct id_index *self, uint64_t a, uint64_t b, size_t next)
{
	uint32_t *cell = cell_of(self, a, b);

	if (*cell != 0)
		return *cell - 1;
	if (self->n * 2 > self->mask && self->mask < self->max_mask) {
		grow(self);
		cell = cell_of(self, a, b);
	}
	*cell = (uint32_t)next + 1;
	self->n++;
	return next;
}

size_t id_index_find(const struct id_index *self, uint64_t a, uint64_t b)
{
	const uint32_t cell = *cell_of(self, a, b);

	return cell == 0 ? SIZE_MAX : cell - 1;
}
