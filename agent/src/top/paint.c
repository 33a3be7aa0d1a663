#include "top/paint.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void add(struct paint *self, const char *bytes, size_t n)
{
	if (n == 0 || self->line >= self->lines)
		return;
	if (self->n_bytes + n > self->capacity) {
		const size_t capacity = 2 * (self->n_bytes + n) + 4096;
		char *larger = realloc(self->bytes, capacity);

		if (!larger) {
			self->is_out_of_memory = true;
			return;
		}
		self->bytes = larger;
		self->capacity = capacity;
	}
	memcpy(self->bytes + self->n_bytes, bytes, n);
	self->n_bytes += n;
}

static void set_style(struct paint *self, enum style style)
{
	char sequence[PALETTE_BYTES];

	if (self->style == style)
		return;
	self->style = style;
	palette_sequence(&self->palette, style, sequence);
	add(self, sequence, strlen(sequence));
}

void paint_start(struct paint *self)
{
	self->n_bytes = 0;
	self->column = 0;
	self->line = 0;
	self->style = STYLE_PLAIN;
	self->is_out_of_memory = false;
	if (self->is_screen)
		add(self, "\x1b[0m\x1b[H", 7);
}

/* As much of the text as goes into `width` columns; returns the columns used. */
static size_t put(struct paint *self, const char *text, size_t width)
{
	const char *const ellipsis = self->is_ascii ? "~" : "…";
	const bool is_cut = cells_width(text, self->is_ascii) > width;
	const size_t room = is_cut && width > 0 ? width - 1 : width;
	size_t used = 0;

	while (*text) {
		const struct cell cell = cell_next(text, self->is_ascii);

		if (used + cell.width > room)
			break;
		add(self, cell.bytes, cell.n_bytes);
		used += cell.width;
		text += cell.taken;
	}
	if (is_cut && width > 0) {
		add(self, ellipsis, strlen(ellipsis));
		used++;
	}
	self->column += used;
	return used;
}

static size_t room_left(const struct paint *self)
{
	return self->columns > self->column ? self->columns - self->column : 0;
}

void paint_text(struct paint *self, enum style style, const char *text)
{
	if (room_left(self) == 0)
		return;
	set_style(self, style);
	put(self, text, room_left(self));
}

void paint_format(struct paint *self, enum style style, const char *format, ...)
{
	char text[512];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	paint_text(self, style, text);
}

void paint_spaces(struct paint *self, enum style style, size_t n)
{
	const size_t room = room_left(self);

	if (n > room)
		n = room;
	if (n > 0)
		set_style(self, style);
	self->column += n;
	for (; n > 0; n--)
		add(self, " ", 1);
}

void paint_field(struct paint *self, enum style style, enum align align, size_t width,
		 const char *text)
{
	const size_t wanted = cells_width(text, self->is_ascii);
	size_t used;

	if (width > room_left(self))
		width = room_left(self);
	if (width == 0)
		return;
	if (align == ALIGN_RIGHT && wanted < width) {
		paint_spaces(self, style, width - wanted);
		width = wanted;
	}
	set_style(self, style);
	used = put(self, text, width);
	paint_spaces(self, style, width - used);
}

void paint_bar(struct paint *self, enum style style, const char *ascii, const char *block, size_t n)
{
	const char *mark = self->is_ascii ? ascii : block;
	const size_t room = room_left(self);

	if (n > room)
		n = room;
	if (n > 0)
		set_style(self, style);
	self->column += n;
	for (; n > 0; n--)
		add(self, mark, strlen(mark));
}

void paint_end_line(struct paint *self)
{
	set_style(self, STYLE_PLAIN);
	/* No newline after the screen's last line: it would scroll. */
	/* After a full line the cursor still stands on its last column: that one must stay. */
	if (self->is_screen && self->column < self->columns)
		add(self, "\x1b[K", 3);
	if (!self->is_screen || self->line + 1 < self->lines)
		add(self, "\n", 1);
	self->line++;
	self->column = 0;
}

void paint_finish(struct paint *self)
{
	const size_t line = self->line;

	self->line = 0; /* this goes out whatever was dropped */
	if (self->is_screen && line < self->lines)
		add(self, "\x1b[J", 3);
	self->line = line;
}

void paint_free(struct paint *self)
{
	free(self->bytes);
	self->bytes = NULL;
	self->n_bytes = 0;
	self->capacity = 0;
}
