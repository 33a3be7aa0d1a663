#include "tasks.h"

#include <stdio.h>
#include <stdlib.h>

static struct task_state *cell_of(struct tasks *self, uint32_t pid)
{
	size_t at = (size_t)(pid * 2654435761U) & (self->capacity - 1);

	while (self->cells[at].pid != 0 && self->cells[at].pid != pid)
		at = (at + 1) & (self->capacity - 1);
	return &self->cells[at];
}

static void enlarge(struct tasks *self)
{
	const struct tasks old = *self;

	self->capacity = old.capacity ? old.capacity * 2 : 4096;
	self->cells = calloc(self->capacity, sizeof(*self->cells));
	if (!self->cells) {
		fputs("replay: out of memory\n", stderr);
		exit(1);
	}
	for (size_t i = 0; i < old.capacity; i++)
		if (old.cells[i].pid != 0)
			*cell_of(self, old.cells[i].pid) = old.cells[i];
	free(old.cells);
}

struct task_state *tasks_find(struct tasks *self, uint32_t pid)
{
	struct task_state *cell;

	if (2 * (self->n + 1) > self->capacity)
		enlarge(self);
	cell = cell_of(self, pid);
	if (cell->pid == 0) {
		cell->pid = pid;
		self->n++;
	}
	return cell;
}

void tasks_free(struct tasks *self)
{
	free(self->cells);
}
