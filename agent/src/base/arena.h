#pragma once

#include <stddef.h>

/* Memory that goes all at once. Zeroed. `{0}` is an empty arena. */
struct arena_block;

struct arena {
	struct arena_block *blocks;
};

void *arena_alloc(struct arena *self, size_t n, size_t size); /* NULL: out of memory */
void arena_free(struct arena *self);
