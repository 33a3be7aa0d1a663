#include "top/view.h"

#include <string.h>

#define ESCAPE	  '\x1b'
#define BACKSPACE '\x7f'
#define CTRL_H	  '\b'
#define CTRL_U	  '\x15'
#define CTRL_L	  '\f'

const char *top_sort_name(enum top_sort sort)
{
	static const char *const names[N_TOP_SORTS] = {"harm", "neighbor", "throttled", "self",
						       "p99",  "demand",   "name"};

	return names[sort];
}

static void erase_character(char *filter)
{
	size_t n = strlen(filter);

	while (n > 0) {
		n--;
		if (((unsigned char)filter[n] & 0xc0) != 0x80)
			break; /* the character's first byte */
	}
	filter[n] = '\0';
}

static enum top_key_effect type(struct top_view *self, char key)
{
	const size_t n = strlen(self->filter);

	switch (key) {
	case ESCAPE:
		self->filter[0] = '\0';
		self->is_typing = false;
		break;
	case '\r':
	case '\n':
		self->is_typing = false;
		break;
	case BACKSPACE:
	case CTRL_H:
		erase_character(self->filter);
		break;
	case CTRL_U:
		self->filter[0] = '\0';
		break;
	default:
		if ((unsigned char)key < ' ' || n + 1 == TOP_FILTER_BYTES)
			return TOP_KEY_NOTHING;
		self->filter[n] = key;
		self->filter[n + 1] = '\0';
	}
	return TOP_KEY_REDRAW;
}

static enum top_key_effect press(struct top_view *self, char key)
{
	if (self->is_typing)
		return type(self, key);
	switch (key) {
	case 'q':
		return TOP_KEY_QUIT;
	case 's':
		self->sort = (self->sort + 1) % N_TOP_SORTS;
		break;
	case 'S':
		self->sort = (self->sort + N_TOP_SORTS - 1) % N_TOP_SORTS;
		break;
	case 'v':
		self->focus = (self->focus + 1) % N_TOP_FOCUSES;
		break;
	case 'p':
	case ' ':
		self->is_paused = !self->is_paused;
		return self->is_paused ? TOP_KEY_REDRAW : TOP_KEY_MEASURE;
	case '1':
		self->is_short = !self->is_short;
		return self->is_paused ? TOP_KEY_REDRAW : TOP_KEY_MEASURE;
	case '/':
		self->is_typing = true;
		self->is_help = false;
		break;
	case '?':
	case 'h':
		self->is_help = !self->is_help;
		break;
	case ESCAPE:
		self->is_help = false;
		self->filter[0] = '\0';
		break;
	case CTRL_L:
		break;
	default:
		return TOP_KEY_NOTHING;
	}
	return TOP_KEY_REDRAW;
}

/* Bytes of a function key's sequence at `keys`, 0 if a key of its own is there. */
static size_t sequence_length(const char *keys, size_t n)
{
	size_t at = 2;

	if (n < 2 || keys[0] != ESCAPE || (keys[1] != '[' && keys[1] != 'O'))
		return 0;
	while (at < n && (unsigned char)keys[at] >= 0x20 && (unsigned char)keys[at] < 0x40)
		at++;
	return at < n ? at + 1 : n;
}

enum top_key_effect top_view_keys(struct top_view *self, const char *keys, size_t n)
{
	enum top_key_effect most = TOP_KEY_NOTHING;

	for (size_t at = 0; at < n && most != TOP_KEY_QUIT;) {
		const size_t skipped = sequence_length(keys + at, n - at);
		enum top_key_effect effect = TOP_KEY_NOTHING;

		if (skipped == 0)
			effect = press(self, keys[at]);
		if (effect > most)
			most = effect;
		at += skipped ? skipped : 1;
	}
	return most;
}
