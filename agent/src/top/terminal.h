#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <termios.h>

/*
 * The terminal as a screen of ours: keys one by one and without an echo, the alternate screen.
 * What was there before comes back with terminal_leave, and also if we crash.
 */
struct terminal {
	int in, out;
	struct termios before;
	bool is_entered;
};

int terminal_enter(struct terminal *self, int in, int out);
void terminal_leave(struct terminal *self);

/* 80 x 24 where the terminal does not know. */
void terminal_size(int out, size_t *ret_columns, size_t *ret_lines);

/* All of it, also into a pipe that is slow to take it. */
int terminal_write(int out, const char *bytes, size_t n);
