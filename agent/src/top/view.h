#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "top/model.h"

/* PURE: what somebody at the keyboard has chosen to see. */
enum top_focus {
	TOP_BOTH,
	TOP_VICTIMS,
	TOP_AGGRESSORS,
	N_TOP_FOCUSES,
};

#define TOP_FILTER_BYTES 64

struct top_view {
	enum top_sort sort;
	enum top_focus focus;
	bool is_paused;
	bool is_short; /* windows of 1 s, not of 10 s */
	bool is_help;
	bool is_typing; /* the filter */
	char filter[TOP_FILTER_BYTES];
};

enum top_key_effect {
	TOP_KEY_NOTHING,
	TOP_KEY_REDRAW,
	TOP_KEY_MEASURE, /* other figures are wanted than those on the screen */
	TOP_KEY_QUIT,
};

/* What was typed, as the terminal sends it; sequences of function keys are skipped. */
enum top_key_effect top_view_keys(struct top_view *self, const char *keys, size_t n);

const char *top_sort_name(enum top_sort sort);
