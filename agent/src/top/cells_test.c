#include "top/cells.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "top/paint.h"

/* What the whole text comes out as. */
static void show(const char *text, bool is_ascii, char ret_shown[256])
{
	size_t n = 0;

	while (*text) {
		const struct cell cell = cell_next(text, is_ascii);

		assert_true(cell.taken > 0);
		assert_true(n + cell.n_bytes < 256);
		memcpy(ret_shown + n, cell.bytes, cell.n_bytes);
		n += cell.n_bytes;
		text += cell.taken;
	}
	ret_shown[n] = '\0';
}

static void names_are_shown_as_they_are(void **state)
{
	char shown[256];

	(void)state;
	show("checkout-api-x2kfm", false, shown);
	assert_string_equal(shown, "checkout-api-x2kfm");
	show("Käse/größe", false, shown);
	assert_string_equal(shown, "Käse/größe");
	assert_int_equal(cells_width("Käse", false), 4);
	assert_int_equal(cells_width("日本", false), 4);
	assert_int_equal(cells_width("한글", false), 4);
	assert_int_equal(cells_width("🚀", false), 2);
	assert_int_equal(cells_width("e\u0301", false), 1);
}

/* Nothing that a terminal obeys, and nothing that hides or turns text. */
static void what_a_terminal_would_obey_is_escaped(void **state)
{
	static const struct {
		const char *name, *shown;
	} hostile[] = {
		{"\x1b[2J\x1b]0;owned\x07", "\\x1b[2J\\x1b]0;owned\\x07"},
		{"a\nb\rc\td\be\x7f", "a\\x0ab\\x0dc\\x09d\\x08e\\x7f"},
		{"\xc2\x9b"
		 "31m",
		 "\\u{9b}31m"}, /* CSI in one character */
		{"\x9b"
		 "31m",
		 "\\x9b31m"}, /* and in one byte */
		{"\u202e"
		 "txt.exe",
		 "\\u{202e}txt.exe"},
		{"a\u200bb\ufeff", "a\\u{200b}b\\u{feff}"},
		{"\u2028", "\\u{2028}"},
		{"\xff\xfe", "\\xff\\xfe"},
		{"\xc0\xaf", "\\xc0\\xaf"},	     /* overlong */
		{"\xed\xa0\x80", "\\xed\\xa0\\x80"}, /* surrogate */
		{"\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80"},
		{"\xe2\x82", "\\xe2\\x82"},	    /* cut off */
		{"\xf3\xa0\x81\x81", "\\u{e0041}"}, /* a tag */
	};
	char shown[256];

	(void)state;
	for (size_t i = 0; i < sizeof(hostile) / sizeof(hostile[0]); i++) {
		show(hostile[i].name, false, shown);
		assert_string_equal(shown, hostile[i].shown);
		assert_int_equal(cells_width(hostile[i].name, false), strlen(hostile[i].shown));
	}
}

static void no_byte_gets_through_that_could_be_obeyed(void **state)
{
	unsigned int seed = 1;

	(void)state;
	for (unsigned int round = 0; round < 20000; round++) {
		char name[17], shown[256];

		for (size_t i = 0; i < 16; i++) {
			seed = seed * 1103515245 + 12345;
			name[i] = (char)(seed >> 16);
		}
		name[16] = '\0';
		show(name, round % 2, shown);
		for (const unsigned char *c = (unsigned char *)shown; *c; c++) {
			assert_true(*c >= ' ' && *c != 0x7f);
			/* C1 as a character is C2 80..9F */
			assert_false(c[0] == 0xc2 && c[1] >= 0x80 && c[1] < 0xa0);
			if (round % 2)
				assert_true(*c < 0x80);
		}
	}
}

static void without_utf8_all_else_is_escaped(void **state)
{
	char shown[256];

	(void)state;
	show("Käse", true, shown);
	assert_string_equal(shown, "K\\u{e4}se");
}

static void field_keeps_its_width_whatever_the_name(void **state)
{
	static const char *const names[] = {"",
					    "short",
					    "日本語日本語日本語",
					    "a日本語日本語日本語",
					    "\x1b[2J\x1b[2J\x1b[2J",
					    "Käse-Käse-Käse-Käse"};
	struct paint paint = {.columns = 40, .lines = 100};

	(void)state;
	paint.palette.depth = COLOR_PLAIN;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		paint_start(&paint);
		paint_field(&paint, STYLE_PLAIN, i % 2 ? ALIGN_LEFT : ALIGN_RIGHT, 12, names[i]);
		assert_int_equal(paint.column, 12);
		paint.bytes[paint.n_bytes] = '\0'; /* there is room: it grows by 4,096 */
		assert_int_equal(cells_width(paint.bytes, false), 12);
	}
	paint_free(&paint);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_are_shown_as_they_are),
		cmocka_unit_test(what_a_terminal_would_obey_is_escaped),
		cmocka_unit_test(no_byte_gets_through_that_could_be_obeyed),
		cmocka_unit_test(without_utf8_all_else_is_escaped),
		cmocka_unit_test(field_keeps_its_width_whatever_the_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
