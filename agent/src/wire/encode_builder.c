#include "wire/encode_builder.h"

#include <string.h>

#include "wire/utf8.h"

void *builder_alloc(struct builder *self, size_t n, size_t size)
{
	void *memory = arena_alloc(&self->arena, n, size);

	if (!memory)
		self->is_out_of_memory = true;
	return memory;
}

char *builder_text(struct builder *self, const char *from)
{
	char *copy;

	if (!from || from[0] == '\0')
		return (char *)protobuf_c_empty_string;
	copy = builder_alloc(self, strlen(from) + 1, 1);
	if (!copy)
		return (char *)protobuf_c_empty_string;
	memcpy(copy, from, strlen(from) + 1);
	utf8_repair(copy);
	return copy;
}

void *builder_messages(struct builder *self, size_t *n, const void *initial, size_t size)
{
	char *bodies = builder_alloc(self, *n, size);
	void **pointers = builder_alloc(self, *n, sizeof(void *));

	if (!bodies || !pointers)
		*n = 0;
	for (size_t i = 0; i < *n; i++) {
		pointers[i] = bodies + i * size;
		memcpy(pointers[i], initial, size);
	}
	return pointers;
}
