#include "base/resident.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/file_io.h"
#include "base/parse.h"

/* "size resident shared ..." */
static uint64_t file_pages(void)
{
	char text[128];
	const char *at = text;
	uint64_t pages = 0;

	assert_int_equal(file_read_into(AT_FDCWD, "/proc/self/statm", text, sizeof(text), NULL), 0);
	for (int i = 0; i < 3; i++)
		assert_int_equal(parse_u64(at + (i > 0), UINT64_MAX, &at, &pages), 0);
	return pages;
}

static int by_value(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

/* Relocated and read-only afterwards: the only copy is in memory. */
static int (*const relocated[])(const void *, const void *) = {by_value};
static int written = 7;

static void what_was_written_stays_and_the_rest_comes_back(void **state)
{
	const uint64_t before = file_pages();
	int numbers[] = {3, 1, 2};
	char *heap = strdup("kept");

	(void)state;
	written = 8;
	assert_int_equal(resident_trim(), 0);
	assert_true(file_pages() <= before);
	assert_string_equal(heap, "kept");
	assert_int_equal(written, 8);
	qsort(numbers, 3, sizeof(numbers[0]), relocated[0]);
	assert_int_equal(numbers[0], 1);
	assert_int_equal(resident_trim(), 0);
	free(heap);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_was_written_stays_and_the_rest_comes_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
