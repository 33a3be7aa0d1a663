#include "wire/encode.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/cleanup.h"
#include "base/file_io.h"
#include "neighborwatch/v1/ingest.pb-c.h"
#include "wire/encode_fixture.h"

#define GOLDEN_DIR	   "../e2e/contract"
#define GOLDEN_FILE	   "batch_golden.pb"
#define GOLDEN_EVENTS_FILE "events_golden.pb"

/* A request of two batches: everything there is, then a window in which little was. */
static size_t golden_request(uint8_t *to, size_t capacity)
{
	struct batch batch = full_batch();
	cleanup(freep) uint8_t *first = NULL;
	cleanup(freep) uint8_t *second = NULL;
	size_t first_length, second_length, n;

	assert_int_equal(batch_encode(&batch, &first, &first_length), 0);
	batch = (struct batch){.sequence = 2, .window = &window};
	memcpy(batch.boot_id, boot_id, sizeof(boot_id));
	window.started_at_unix_ns = START_NS + 10 * (int64_t)SECOND;
	window.n_rows = 2;
	assert_int_equal(batch_encode(&batch, &second, &second_length), 0);

	n = request_head_encode(1, stream_id, 0, to);
	assert_true(n + first_length + second_length < capacity);
	memcpy(to + n, first, first_length);
	memcpy(to + n + first_length, second, second_length);
	return n + first_length + second_length;
}

/* NW_WRITE_GOLDEN=1 writes the file anew. */
static void assert_golden(const char *name, const uint8_t *made, size_t length)
{
	cleanup(close_fdp) int dir = -1;
	cleanup(freep) char *golden = NULL;
	size_t golden_length;

	assert_int_equal(directory_open(AT_FDCWD, GOLDEN_DIR, 0755, &dir), 0);
	if (getenv("NW_WRITE_GOLDEN"))
		assert_int_equal(file_write_atomic(dir, name, made, length, 0644, false), 0);
	assert_int_equal(file_read(dir, name, 8192, &golden, &golden_length), 0);
	assert_int_equal(golden_length, length);
	assert_memory_equal(golden, made, length);
}

static void encoder_produces_the_golden_request(void **state)
{
	uint8_t made[8192];

	(void)state;
	assert_golden(GOLDEN_FILE, made, golden_request(made, sizeof(made)));
}

static void encoder_produces_the_golden_events(void **state)
{
	const struct batch batch = events_batch();
	cleanup(freep) uint8_t *bytes = NULL;
	uint8_t made[1024];
	size_t n = request_head_encode(1, stream_id, 0, made), length;

	(void)state;
	assert_int_equal(batch_encode(&batch, &bytes, &length), 0);
	assert_true(n + length <= sizeof(made));
	memcpy(made + n, bytes, length);
	assert_golden(GOLDEN_EVENTS_FILE, made, n + length);
}

static Neighborwatch__V1__IngestRequest *unpack_golden(void)
{
	uint8_t made[8192];
	const size_t length = golden_request(made, sizeof(made));

	return neighborwatch__v1__ingest_request__unpack(NULL, length, made);
}

static void encoded_batches_append_to_a_request_head(void **state)
{
	Neighborwatch__V1__IngestRequest *request = unpack_golden();

	(void)state;
	assert_non_null(request);
	assert_int_equal(request->host_id, 1);
	assert_int_equal(request->stream_id.len, 16);
	assert_int_equal(request->n_batches, 2);
	assert_int_equal(request->batches[0]->sequence, 1);
	assert_int_equal(request->batches[1]->sequence, 2);
	assert_null(request->batches[1]->blame);
	assert_null(request->batches[1]->facts);
	neighborwatch__v1__ingest_request__free_unpacked(request, NULL);
}

static void only_measured_parts_of_a_row_are_present(void **state)
{
	Neighborwatch__V1__IngestRequest *request = unpack_golden();
	Neighborwatch__V1__Batch *batch = request->batches[0];

	(void)state;
	assert_int_equal(batch->n_cgroups, 4);
	assert_non_null(batch->cgroups[0]->sched);
	assert_non_null(batch->cgroups[0]->cpu_stat);
	assert_int_equal(batch->cgroups[0]->n_quotas, 2);
	assert_non_null(batch->cgroups[2]->sched);
	assert_null(batch->cgroups[2]->cpu_stat);
	assert_null(batch->cgroups[3]->sched);
	assert_non_null(batch->cgroups[3]->cpu_stat);
	neighborwatch__v1__ingest_request__free_unpacked(request, NULL);
}

static void histogram_is_sparse(void **state)
{
	Neighborwatch__V1__IngestRequest *request = unpack_golden();
	const Neighborwatch__V1__SchedWindow *sched = request->batches[0]->cgroups[0]->sched;

	(void)state;
	assert_int_equal(sched->n_runq_bucket, 4);
	assert_int_equal(sched->n_runq_count, 4);
	assert_int_equal(sched->runq_bucket[3], 95);
	assert_int_equal(sched->runq_count[0] + sched->runq_count[1] + sched->runq_count[2] +
				 sched->runq_count[3],
			 sched->wait_count);
	neighborwatch__v1__ingest_request__free_unpacked(request, NULL);
}

static void unthrottled_histogram_is_told_only_where_it_differs(void **state)
{
	Neighborwatch__V1__IngestRequest *request = unpack_golden();
	const Neighborwatch__V1__SchedWindow *sched = request->batches[0]->cgroups[0]->sched;
	uint64_t count = 0;

	(void)state;
	assert_int_equal(sched->n_runq_unthrottled_bucket, 4);
	for (size_t i = 0; i < sched->n_runq_unthrottled_count; i++)
		count += sched->runq_unthrottled_count[i];
	assert_int_equal(count, sched->wait_count);
	assert_int_equal(request->batches[0]->cgroups[1]->sched->n_runq_unthrottled_bucket, 0);
	neighborwatch__v1__ingest_request__free_unpacked(request, NULL);
}

static void parts_of_the_golden_waits_add_up(void **state)
{
	Neighborwatch__V1__IngestRequest *request = unpack_golden();
	const Neighborwatch__V1__Batch *batch = request->batches[0];

	(void)state;
	for (size_t i = 0; i < batch->n_cgroups; i++) {
		const Neighborwatch__V1__SchedWindow *sched = batch->cgroups[i]->sched;
		uint64_t of_pairs = 0;

		if (!sched)
			continue;
		assert_int_equal(sched->self_wait_ns + sched->neighbor_wait_ns +
					 sched->system_wait_ns + sched->throttled_own_wait_ns +
					 sched->throttled_ancestor_wait_ns +
					 sched->idle_gap_wait_ns + sched->unattributed_wait_ns,
				 sched->wait_ns);
		for (size_t p = 0; p < batch->blame->n_pairs; p++)
			if (batch->blame->pairs[p]->victim_id == batch->cgroups[i]->container_id)
				of_pairs += batch->blame->pairs[p]->wait_ns;
		assert_int_equal(of_pairs, sched->self_wait_ns + sched->neighbor_wait_ns +
						   sched->system_wait_ns);
	}
	neighborwatch__v1__ingest_request__free_unpacked(request, NULL);
}

static void an_event_says_who_ran_meanwhile(void **state)
{
	Neighborwatch__V1__IngestRequest *request = unpack_golden();
	const Neighborwatch__V1__Event *event = request->batches[0]->events[0];

	(void)state;
	assert_int_equal(request->batches[0]->n_events, 2);
	assert_int_equal(event->n_shares, 5);
	assert_int_equal(event->shares[0]->who_case,
			 NEIGHBORWATCH__V1__EVENT_SHARE__WHO_CONTAINER_ID);
	assert_int_equal(event->shares[0]->container_id, HOG);
	assert_int_equal(event->shares[1]->who_case,
			 NEIGHBORWATCH__V1__EVENT_SHARE__WHO_UNATTRIBUTED);
	assert_int_equal(event->shares[4]->who_case, NEIGHBORWATCH__V1__EVENT_SHARE__WHO_IDLE);
	assert_int_equal(request->batches[0]->event_loss->queue_full, 2);
	assert_null(request->batches[1]->event_loss);
	neighborwatch__v1__ingest_request__free_unpacked(request, NULL);
}

static void events_without_a_window_carry_nothing_of_one(void **state)
{
	const struct batch batch = events_batch();
	cleanup(freep) uint8_t *bytes = NULL;
	Neighborwatch__V1__IngestRequest *request;
	const Neighborwatch__V1__Batch *told;
	size_t length;

	(void)state;
	assert_int_equal(batch_encode(&batch, &bytes, &length), 0);
	request = neighborwatch__v1__ingest_request__unpack(NULL, length, bytes);
	told = request->batches[0];
	assert_int_equal(told->started_at_unix_ns, batch.sent_at_unix_ns);
	assert_int_equal(told->duration_ns, 0);
	assert_int_equal(told->n_events, 2);
	assert_int_equal(told->n_identities, 4);
	assert_null(told->host);
	assert_null(told->cost);
	assert_int_equal(told->n_cgroups + told->n_collectors, 0);
	neighborwatch__v1__ingest_request__free_unpacked(request, NULL);
}

static void a_live_request_has_the_window_and_its_own_pairs(void **state)
{
	struct batch batch = full_batch();
	cleanup(freep) uint8_t *bytes = NULL;
	Neighborwatch__V1__LiveRequest *request;
	const Neighborwatch__V1__Batch *live;
	size_t length;

	(void)state;
	batch.blame = NULL;
	assert_int_equal(live_request_encode(7, &batch, &bytes, &length), 0);
	request = neighborwatch__v1__live_request__unpack(NULL, length, bytes);
	assert_non_null(request);
	assert_int_equal(request->host_id, 7);
	assert_int_equal(request->n_windows, 1);
	live = request->windows[0];
	assert_int_equal(live->sequence, 0);
	assert_int_equal(live->n_cgroups, 4);
	assert_int_equal(live->n_identities, 4);
	assert_int_equal(live->blame->n_pairs, N_PAIRS);
	assert_int_equal(live->blame->started_at_unix_ns, START_NS);
	assert_non_null(live->cost);
	assert_null(live->facts);
	assert_int_equal(live->n_collectors + live->n_events, 0);
	neighborwatch__v1__live_request__free_unpacked(request, NULL);
}

static void text_that_is_not_utf8_is_repaired(void **state)
{
	struct batch_identity identity = {
		.container_id = 1, .name = "caf\xc3\xa9 \xff\xc3", .cgroup_path = "/\xed\xa0\x80"};
	struct batch batch = {
		.sequence = 1, .window = &window, .identities = &identity, .n_identities = 1};
	cleanup(freep) uint8_t *bytes = NULL;
	Neighborwatch__V1__IngestRequest *request;
	size_t length;

	(void)state;
	fill_window();
	assert_int_equal(batch_encode(&batch, &bytes, &length), 0);
	request = neighborwatch__v1__ingest_request__unpack(NULL, length, bytes);
	assert_string_equal(request->batches[0]->identities[0]->name, "caf\xc3\xa9 ??");
	assert_string_equal(request->batches[0]->identities[0]->cgroup_path, "/???");
	neighborwatch__v1__ingest_request__free_unpacked(request, NULL);
}

static void empty_window_still_carries_the_host(void **state)
{
	const struct window empty = {.started_at_unix_ns = START_NS, .duration_ns = 1};
	struct batch batch = {.sequence = 9, .window = &empty};
	cleanup(freep) uint8_t *bytes = NULL;
	Neighborwatch__V1__IngestRequest *request;
	size_t length;

	(void)state;
	assert_int_equal(batch_encode(&batch, &bytes, &length), 0);
	request = neighborwatch__v1__ingest_request__unpack(NULL, length, bytes);
	assert_non_null(request->batches[0]->host);
	assert_int_equal(request->batches[0]->n_cgroups, 0);
	neighborwatch__v1__ingest_request__free_unpacked(request, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(encoder_produces_the_golden_request),
		cmocka_unit_test(encoder_produces_the_golden_events),
		cmocka_unit_test(encoded_batches_append_to_a_request_head),
		cmocka_unit_test(only_measured_parts_of_a_row_are_present),
		cmocka_unit_test(histogram_is_sparse),
		cmocka_unit_test(unthrottled_histogram_is_told_only_where_it_differs),
		cmocka_unit_test(parts_of_the_golden_waits_add_up),
		cmocka_unit_test(an_event_says_who_ran_meanwhile),
		cmocka_unit_test(events_without_a_window_carry_nothing_of_one),
		cmocka_unit_test(a_live_request_has_the_window_and_its_own_pairs),
		cmocka_unit_test(text_that_is_not_utf8_is_repaired),
		cmocka_unit_test(empty_window_still_carries_the_host),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
