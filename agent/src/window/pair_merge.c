#include <errno.h>
#include <stdlib.h>

#include "base/pages.h"
#include "window/window.h"

int pair_merge_init(struct pair_merge *self, size_t cap_pairs)
{
	struct pair_merge made = {.cap_pairs = cap_pairs};
	int r;

	made.pairs = calloc(cap_pairs, sizeof(*made.pairs));
	r = made.pairs ? id_index_init(&made.index, cap_pairs, made.pairs, sizeof(*made.pairs),
				       ID_INDEX_TWO_IDS)
		       : -ENOMEM;
	if (r < 0) {
		pair_merge_free(&made);
		return r;
	}
	*self = made;
	return 0;
}

void pair_merge_free(struct pair_merge *self)
{
	if (!self)
		return;
	free(self->pairs);
	id_index_free(&self->index);
	*self = (struct pair_merge){};
}

void pair_merge_add(struct pair_merge *self, const struct window *window)
{
	if (self->n_windows++ == 0)
		self->started_at_unix_ns = window->started_at_unix_ns;
	self->duration_ns += window->duration_ns;

	for (size_t i = 0; i < window->n_pairs; i++) {
		const struct window_pair *pair = &window->pairs[i];
		size_t at = id_index_find(&self->index, pair->victim_id, pair->aggressor_id);

		if (at != SIZE_MAX) {
			self->pairs[at].preemptions += pair->preemptions;
			self->pairs[at].wait_ns += pair->wait_ns;
			continue;
		}
		if (self->n_pairs == self->cap_pairs) {
			self->dropped++;
			continue;
		}
		at = id_index_put(&self->index, pair->victim_id, pair->aggressor_id,
				  self->n_pairs++);
		self->pairs[at] = *pair;
	}
}

void pair_merge_reset(struct pair_merge *self)
{
	self->started_at_unix_ns = 0;
	self->duration_ns = 0;
	pages_forget(self->pairs, self->n_pairs * sizeof(*self->pairs));
	self->n_pairs = 0;
	self->dropped = 0;
	self->n_windows = 0;
	id_index_forget(&self->index);
}
