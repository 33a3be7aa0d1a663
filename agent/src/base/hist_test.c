#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hist.h"

/* The contract that the backend checks too. Rewritten with NW_WRITE_CONTRACT=1. */
#define VECTOR_PATH "../e2e/contract/histogram_vector.json"

static uint64_t lower_ns(uint32_t bucket)
{
	return bucket == 0 ? 0 : hist_upper_ns(bucket - 1);
}

static void every_bucket_holds_its_own_bounds(void **state)
{
	(void)state;
	for (uint32_t bucket = 0; bucket < RUNQ_BUCKETS; bucket++) {
		assert_int_equal(hist_bucket(lower_ns(bucket)), bucket);
		assert_int_equal(hist_bucket(hist_upper_ns(bucket) - 1), bucket);
	}
}

static void buckets_are_a_quarter_of_their_octave(void **state)
{
	(void)state;
	for (uint32_t bucket = 1; bucket < RUNQ_BUCKETS; bucket++) {
		const uint64_t width = hist_upper_ns(bucket) - lower_ns(bucket);

		assert_int_equal(width * 4, UINT64_C(1024) << (bucket / 4));
	}
}

static void both_ends_are_open(void **state)
{
	(void)state;
	assert_int_equal(hist_bucket(0), 0);
	assert_int_equal(hist_bucket(1023), 0);
	assert_int_equal(hist_bucket(1279), 0);
	assert_int_equal(hist_bucket(1280), 1);
	assert_int_equal(hist_upper_ns(RUNQ_BUCKETS - 1), UINT64_C(1) << 34);
	assert_int_equal(hist_bucket(UINT64_C(1) << 34), RUNQ_BUCKETS - 1);
	assert_int_equal(hist_bucket(UINT64_MAX), RUNQ_BUCKETS - 1);
}

static void a_longer_wait_is_never_in_a_lower_bucket(void **state)
{
	uint32_t last = 0;

	(void)state;
	for (uint64_t ns = 1; ns < UINT64_C(1) << 36; ns += 1 + ns / 1009) {
		const uint32_t bucket = hist_bucket(ns);

		assert_true(bucket >= last && bucket < RUNQ_BUCKETS);
		assert_true(bucket == RUNQ_BUCKETS - 1 || ns < hist_upper_ns(bucket));
		assert_true(ns >= lower_ns(bucket));
		last = bucket;
	}
	assert_int_equal(last, RUNQ_BUCKETS - 1);
}

static void add_case(FILE *out, uint64_t ns)
{
	fprintf(out, "%s    {\"ns\": %llu, \"bucket\": %u}", ns == 0 ? "" : ",\n",
		(unsigned long long)ns, hist_bucket(ns));
}

static char *make_vector(void)
{
	static const uint64_t extra_ns[] = {
		1000, 1500, 83000, 1000000, 10000000, 131000000, 16777216000, UINT64_C(1) << 35,
	};
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	assert_non_null(out);
	fprintf(out, "{\n  \"unit\": \"ns\",\n  \"upper_bounds\": [");
	for (uint32_t bucket = 0; bucket < RUNQ_BUCKETS; bucket++)
		fprintf(out, "%s%llu", bucket == 0 ? "" : ", ",
			(unsigned long long)hist_upper_ns(bucket));
	fprintf(out, "],\n  \"cases\": [\n");
	add_case(out, 0);
	add_case(out, 1);
	for (uint32_t bucket = 0; bucket < RUNQ_BUCKETS; bucket++) {
		add_case(out, hist_upper_ns(bucket) - 1);
		add_case(out, hist_upper_ns(bucket));
	}
	for (size_t i = 0; i < sizeof(extra_ns) / sizeof(extra_ns[0]); i++)
		add_case(out, extra_ns[i]);
	fprintf(out, "\n  ]\n}\n");
	assert_int_equal(fclose(out), 0);
	return text;
}

static FILE *open_vector(const char *mode)
{
	FILE *file = fopen(VECTOR_PATH, mode);

	if (!file) {
		print_error("%s: run this test in agent/, with NW_WRITE_CONTRACT=1 to make it\n",
			    VECTOR_PATH);
		abort();
	}
	return file;
}

static void the_contract_file_says_the_same(void **state)
{
	char *want = make_vector();
	char *have = calloc(1, strlen(want) + 2);
	FILE *file;

	(void)state;
	assert_non_null(have);
	if (getenv("NW_WRITE_CONTRACT")) {
		file = open_vector("w");
		assert_true(fputs(want, file) >= 0);
		assert_int_equal(fclose(file), 0);
	}
	file = open_vector("r");
	(void)fread(have, 1, strlen(want) + 1, file);
	fclose(file);
	if (strcmp(want, have) != 0)
		fail_msg("%s differs from base/hist.h", VECTOR_PATH);
	free(have);
	free(want);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_bucket_holds_its_own_bounds),
		cmocka_unit_test(buckets_are_a_quarter_of_their_octave),
		cmocka_unit_test(both_ends_are_open),
		cmocka_unit_test(a_longer_wait_is_never_in_a_lower_bucket),
		cmocka_unit_test(the_contract_file_says_the_same),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
