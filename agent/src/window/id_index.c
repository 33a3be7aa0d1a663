#include "window/id_index.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int id_index_init(struct id_index *self, size_t capacity)
{
	size_t n_cells = 16;

	if (capacity > UINT32_MAX / 4)
		return -E2BIG;
	while (n_cells < capacity * 2)
		n_cells *= 2;
	self->cells = calloc(n_cells, sizeof(*self->cells));
	if (!self->cells)
		return -ENOMEM;
	self->mask = n_cells - 1;
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

static struct id_index_cell *cell_of(const struct id_index *self, uint64_t a, uint64_t b)
{
	/* Inode numbers are dense and hashes are not: the multiply spreads both. */
	uint64_t hash = (a ^ (b * UINT64_C(0x9e3779b97f4a7c15))) * UINT64_C(0xff51afd7ed558ccd);
	size_t at = (size_t)(hash >> 32) & self->mask;

	while (self->cells[at].position_plus_1 != 0) {
		if (self->cells[at].a == a && self->cells[at].b == b)
			break;
		at = (at + 1) & self->mask;
	}
	return &self->cells[at];
}

size_t id_index_put(struct id_index *self, uint64_t a, uint64_t b, size_t next)
{
	struct id_index_cell *cell = cell_of(self, a, b);

	if (cell->position_plus_1 == 0)
		*cell = (struct id_index_cell){
			.a = a, .b = b, .position_plus_1 = (uint32_t)next + 1};
	return cell->position_plus_1 - 1;
}

size_t id_index_find(const struct id_index *self, uint64_t a, uint64_t b)
{
	const struct id_index_cell *cell = cell_of(self, a, b);

	return cell->position_plus_1 == 0 ? SIZE_MAX : cell->position_plus_1 - 1;
}
