#include "base/arena.h"

#include <stdint.h>
#include <stdlib.h>

#define BLOCK_BYTES (64 * 1024UL)
#define ALIGNMENT   16UL

struct arena_block {
	struct arena_block *next;
	size_t used, capacity;
	_Alignas(ALIGNMENT) unsigned char bytes[];
};

static struct arena_block *add_block(struct arena *self, size_t bytes)
{
	const size_t capacity = bytes > BLOCK_BYTES ? bytes : BLOCK_BYTES;
	struct arena_block *block = calloc(1, sizeof(*block) + capacity);

	if (!block)
		return NULL;
	block->capacity = capacity;
	block->next = self->blocks;
	self->blocks = block;
	return block;
}

void *arena_alloc(struct arena *self, size_t n, size_t size)
{
	struct arena_block *block = self->blocks;
	size_t bytes;

	if (size && n > (SIZE_MAX - BLOCK_BYTES) / size)
		return NULL;
	bytes = (n * size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
	if (!block || block->capacity - block->used < bytes)
		block = add_block(self, bytes);
	if (!block)
		return NULL;
	block->used += bytes;
	return block->bytes + block->used - bytes;
}

void arena_free(struct arena *self)
{
	while (self->blocks) {
		struct arena_block *next = self->blocks->next;

		free(self->blocks);
		self->blocks = next;
	}
}
