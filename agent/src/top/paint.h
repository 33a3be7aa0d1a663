#pragma once

#include <stddef.h>

#include "top/cells.h"
#include "top/palette.h"

/*
 * PURE: one frame as text, line by line, never wider than the terminal. What does not fit a
 * field ends in an ellipsis; what does not fit the line is left out.
 */
struct paint {
	struct palette palette;
	bool is_ascii;
	bool is_screen; /* a terminal's screen, overwritten in place; else lines for a file */
	size_t columns, lines;
	size_t column, line; /* where we are */
	enum style style;
	char *bytes;
	size_t n_bytes, capacity;
	bool is_out_of_memory;
};

enum align {
	ALIGN_LEFT,
	ALIGN_RIGHT,
};

void paint_start(struct paint *self);
void paint_text(struct paint *self, enum style style, const char *text);
/* The same with printf's format. Only for our own words: names go through paint_text. */
void paint_format(struct paint *self, enum style style, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/* Exactly `width` columns. */
void paint_field(struct paint *self, enum style style, enum align align, size_t width,
		 const char *text);
void paint_spaces(struct paint *self, enum style style, size_t n);
void paint_bar(struct paint *self, enum style style, const char *ascii, const char *block,
	       size_t n);
/* The rest of the line is empty. Lines below the screen's last one are dropped. */
void paint_end_line(struct paint *self);
/* The frame is over; what an earlier one left below is wiped. */
void paint_finish(struct paint *self);
void paint_free(struct paint *self);
