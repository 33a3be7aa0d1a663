#include "wire/outbox_queue.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int outbox_queue_push(struct outbox_queue *self, const struct outbox_entry *entry)
{
	if (self->first + self->n_entries == self->capacity) {
		/* Popping leaves room at the front: use it before asking for more. */
		if (self->first > self->n_entries) {
			memmove(self->entries, self->entries + self->first,
				self->n_entries * sizeof(self->entries[0]));
			self->first = 0;
		} else {
			const size_t capacity = self->capacity ? 2 * self->capacity : 64;
			struct outbox_entry *larger =
				realloc(self->entries, capacity * sizeof(self->entries[0]));

			if (!larger)
				return -ENOMEM;
			self->entries = larger;
			self->capacity = capacity;
		}
	}
	self->entries[self->first + self->n_entries++] = *entry;
	self->cost += entry->cost;
	return 0;
}

void outbox_queue_pop(struct outbox_queue *self)
{
	self->cost -= self->entries[self->first].cost;
	self->first++;
	self->n_entries--;
}

const struct outbox_entry *outbox_queue_at(const struct outbox_queue *self, size_t at)
{
	return at < self->n_entries ? &self->entries[self->first + at] : NULL;
}

const struct outbox_entry *outbox_queue_first(const struct outbox_queue *self)
{
	return outbox_queue_at(self, 0);
}

static int compare(const void *a, const void *b)
{
	const struct outbox_entry *left = a, *right = b;

	if (left->stream != right->stream)
		return left->stream < right->stream ? -1 : 1;
	return (left->sequence > right->sequence) - (left->sequence < right->sequence);
}

void outbox_queue_sort(struct outbox_queue *self)
{
	if (self->n_entries)
		qsort(self->entries + self->first, self->n_entries, sizeof(self->entries[0]),
		      compare);
}

void outbox_queue_shift_streams(struct outbox_queue *self)
{
	for (size_t i = 0; i < self->n_entries; i++)
		self->entries[self->first + i].stream--;
}

void outbox_queue_free(struct outbox_queue *self)
{
	free(self->entries);
	*self = (struct outbox_queue){0};
}
