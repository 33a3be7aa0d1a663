#include "window/id_index.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int id_index_init(struct id_index *self, size_t capacity, const void *elements,
		  size_t element_bytes, enum id_index_key key)
{
	size_t n_cells = 16;
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
		.mask = n_cells - 1,
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
}

static bool is_key(const struct id_index *self, size_t position, uint64_t a, uint64_t b)
{
	uint64_t ids[2] = {};

	memcpy(ids, self->elements + position * self->element_bytes,
	       self->has_b ? sizeof(ids) : sizeof(ids[0]));
	return ids[0] == a && ids[1] == b;
}

static uint32_t *cell_of(const struct id_index *self, uint64_t a, uint64_t b)
{
	/* Inode numbers are dense and hashes are not: the multiply spreads both. */
	uint64_t hash = (a ^ (b * UINT64_C(0x9e3779b97f4a7c15))) * UINT64_C(0xff51afd7ed558ccd);
	size_t at = (size_t)(hash >> 32) & self->mask;

	while (self->cells[at] != 0 && !is_key(self, self->cells[at] - 1, a, b))
		at = (at + 1) & self->mask;
	return &self->cells[at];
}

size_t id_index_put(struct id_index *self, uint64_t a, uint64_t b, size_t next)
{
	uint32_t *cell = cell_of(self, a, b);

	if (*cell == 0)
		*cell = (uint32_t)next + 1;
	return *cell - 1;
}

size_t id_index_find(const struct id_index *self, uint64_t a, uint64_t b)
{
	const uint32_t cell = *cell_of(self, a, b);

	return cell == 0 ? SIZE_MAX : cell - 1;
}
