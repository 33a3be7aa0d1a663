#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * PURE: texts as a terminal shows them. Names come from cgroup paths and runtimes' files: anybody
 * who may make a container chooses them, so nothing that a terminal obeys may pass.
 */

/* One step through a text: what to print for it and how many columns that takes. */
struct cell {
	char bytes[12]; /* printable UTF-8, or an escape such as \x1b or \u{202e} */
	size_t n_bytes;
	size_t width; /* 0: joins the cell before */
	size_t taken; /* bytes of the text */
};

/*
 * The next cell of a text that is not at its end. Control characters, marks that turn the
 * direction of writing, invisible ones and bytes that are no UTF-8 come out as escapes; with
 * `is_ascii` everything beyond ASCII does.
 */
struct cell cell_next(const char *text, bool is_ascii);

/* Columns of the whole text as cell_next prints it. */
size_t cells_width(const char *text, bool is_ascii);
