#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "window/id_index.h"

#define N 3000

struct element {
	uint64_t a, b, payload;
};

/* Keys that differ in either half, so that neither alone tells them apart. */
static struct element element_of(size_t i)
{
	return (struct element){i % 61, i / 61 * 4096, i};
}

static void every_key_is_found_while_the_index_grows(void **state)
{
	static struct element elements[N];
	struct id_index index;

	(void)state;
	assert_int_equal(id_index_init(&index, N, elements, sizeof(elements[0]), ID_INDEX_TWO_IDS),
			 0);
	for (size_t round = 0; round < 3; round++) {
		for (size_t i = 0; i < N; i++) {
			const struct element next = element_of(i);

			assert_int_equal(id_index_find(&index, next.a, next.b), SIZE_MAX);
			assert_int_equal(id_index_put(&index, next.a, next.b, i), i);
			elements[i] = next;
			assert_int_equal(id_index_put(&index, next.a, next.b, i + 1), i);
		}
		for (size_t i = 0; i < N; i++)
			assert_int_equal(id_index_find(&index, element_of(i).a, element_of(i).b),
					 i);
		if (round == 0)
			id_index_clear(&index);
		else
			id_index_forget(&index);
		assert_int_equal(id_index_find(&index, 0, 0), SIZE_MAX);
	}
	id_index_free(&index);
}

static void few_keys_use_few_cells(void **state)
{
	static uint64_t ids[N];
	struct id_index index;

	(void)state;
	assert_int_equal(id_index_init(&index, N, ids, sizeof(ids[0]), ID_INDEX_ONE_ID), 0);
	for (size_t i = 0; i < 100; i++) {
		(void)id_index_put(&index, i * 7, 0, i);
		ids[i] = i * 7;
	}
	assert_true(index.mask < 256);
	assert_int_equal(id_index_find(&index, 693, 0), 99);
	assert_int_equal(id_index_find(&index, 694, 0), SIZE_MAX);
	id_index_free(&index);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_key_is_found_while_the_index_grows),
		cmocka_unit_test(few_keys_use_few_cells),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
