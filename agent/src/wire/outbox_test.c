#include "wire/outbox.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/cleanup.h"
#include "base/file_io.h"
#include "wire/outbox_private.h"

#define PLENTY	 (64u << 20)
#define START_NS 1767225600000000000LL
#define WINDOW	 10000000000LL

static const uint8_t this_boot[16] = {1};
static const uint8_t next_boot[16] = {2};

static char directory[] = "/tmp/nwagent-outbox-XXXXXX";

static int remove_entry(const char *path, const struct stat *status, int flag, struct FTW *ftw)
{
	(void)status;
	(void)flag;
	return ftw->level > 0 ? remove(path) : 0;
}

/* Each test starts with an empty state directory. */
static int set_up(void **state)
{
	int *fd = malloc(sizeof(*fd));

	nftw(directory, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
	*fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	*state = fd;
	return *fd < 0 ? -1 : 0;
}

static int tear_down(void **state)
{
	int *fd = *state;

	close(*fd);
	free(fd);
	return 0;
}

static struct outbox *open_outbox(void **state, const uint8_t boot_id[16], uint64_t max_bytes)
{
	struct outbox *outbox;

	assert_int_equal(outbox_open(*(int *)*state, max_bytes, boot_id, &outbox), 0);
	return outbox;
}

/* The process goes without a word: descriptors are closed by the kernel, nothing is saved. */
static void kill_agent(struct outbox *outbox)
{
	close(outbox->spool_dir);
	close(outbox->rejected_dir);
	outbox_queue_free(&outbox->queue);
	free(outbox);
}

static void append(struct outbox *outbox, unsigned int n, const char *text)
{
	for (unsigned int i = 0; i < n; i++) {
		const int64_t at = START_NS + (int64_t)outbox_next_sequence(outbox) * WINDOW;

		assert_int_equal(outbox_append(outbox, at, (const uint8_t *)text, strlen(text)), 0);
	}
}

static struct outbox_request peek(struct outbox *outbox, size_t max_batches)
{
	struct outbox_request request;

	assert_int_equal(outbox_peek(outbox, max_batches, PLENTY, &request), 0);
	return request;
}

static void acknowledge(struct outbox *outbox, size_t max_batches)
{
	struct outbox_request request = peek(outbox, max_batches);

	outbox_acknowledge(outbox, &request);
	free(request.buffer);
}

static void spool_path(const struct outbox_request *request, uint64_t sequence, char path[256])
{
	char name[SPOOL_NAME_BYTES];

	spool_file_name(request->stream_id, sequence, name);
	snprintf(path, 256, "%s/spool/%s", directory, name);
}

static void batches_leave_in_the_order_they_came(void **state)
{
	struct outbox *outbox = open_outbox(state, this_boot, PLENTY);
	struct outbox_request request;

	assert_int_equal(outbox_next_sequence(outbox), 1);
	append(outbox, 1, "one");
	append(outbox, 1, "two");
	append(outbox, 1, "three");
	request = peek(outbox, 2);
	assert_int_equal(request.n_batches, 2);
	assert_int_equal(request.first_sequence, 1);
	assert_int_equal(request.last_sequence, 2);
	assert_int_equal(request.length, 6);
	assert_memory_equal(request.buffer + REQUEST_HEAD_MAX_BYTES, "onetwo", 6);
	/* Not yet acknowledged: the same again. */
	free(request.buffer);
	acknowledge(outbox, 2);
	request = peek(outbox, 64);
	assert_int_equal(request.first_sequence, 3);
	assert_int_equal(request.lost_batches, 0);
	outbox_acknowledge(outbox, &request);
	free(request.buffer);
	assert_int_equal(outbox_peek(outbox, 64, PLENTY, &request), -ENOENT);
	assert_int_equal(outbox_stats(outbox).batches, 0);
	assert_int_equal(outbox_stats(outbox).bytes, 0);
	outbox_close(outbox);
}

static void request_keeps_to_its_size_but_takes_at_least_one(void **state)
{
	struct outbox *outbox = open_outbox(state, this_boot, PLENTY);
	struct outbox_request request;

	append(outbox, 5, "0123456789");
	assert_int_equal(outbox_peek(outbox, 64, 25, &request), 0);
	assert_int_equal(request.n_batches, 2);
	free(request.buffer);
	assert_int_equal(outbox_peek(outbox, 64, 3, &request), 0);
	assert_int_equal(request.n_batches, 1);
	free(request.buffer);
	outbox_close(outbox);
}

static void killed_agent_goes_on_where_it_was(void **state)
{
	struct outbox *outbox = open_outbox(state, this_boot, PLENTY);
	struct outbox_request before, after;

	append(outbox, 3, "batch");
	acknowledge(outbox, 1);
	before = peek(outbox, 64);
	kill_agent(outbox);

	outbox = open_outbox(state, this_boot, PLENTY);
	after = peek(outbox, 64);
	assert_memory_equal(after.stream_id, before.stream_id, 16);
	assert_int_equal(after.first_sequence, 2);
	assert_int_equal(after.n_batches, 2);
	assert_int_equal(outbox_next_sequence(outbox), 4);
	assert_int_equal(outbox_last_started_at(outbox), START_NS + 3 * WINDOW);
	free(before.buffer);
	free(after.buffer);
	outbox_close(outbox);
}

static void batch_without_a_window_uses_up_no_start(void **state)
{
	struct outbox *outbox = open_outbox(state, this_boot, PLENTY);
	const uint8_t events[] = "events";

	append(outbox, 2, "window");
	assert_int_equal(outbox_append(outbox, 0, events, sizeof(events)), 0);
	assert_int_equal(outbox_next_sequence(outbox), 4);
	assert_int_equal(outbox_last_started_at(outbox), START_NS + 2 * WINDOW);
	kill_agent(outbox);

	outbox = open_outbox(state, this_boot, PLENTY);
	assert_int_equal(outbox_next_sequence(outbox), 4);
	assert_int_equal(outbox_last_started_at(outbox), START_NS + 2 * WINDOW);
	outbox_close(outbox);
}

static void kill_between_batch_and_state_repeats_no_number_and_no_start(void **state)
{
	const int dir = *(int *)*state;
	struct outbox *outbox = open_outbox(state, this_boot, PLENTY);
	cleanup(freep) char *stale = NULL;
	size_t length;

	append(outbox, 1, "one");
	assert_int_equal(file_read(dir, "stream", 65536, &stale, &length), 0);
	append(outbox, 1, "two");
	kill_agent(outbox);
	/* As if the last save had not come through. */
	assert_int_equal(file_write_atomic(dir, "stream", stale, length, 0600, false), 0);

	outbox = open_outbox(state, this_boot, PLENTY);
	assert_int_equal(outbox_next_sequence(outbox), 3);
	assert_int_equal(outbox_last_started_at(outbox), START_NS + 2 * WINDOW);
	outbox_close(outbox);
}

static void everything_sent_then_killed_does_not_reuse_numbers(void **state)
{
	struct outbox *outbox = open_outbox(state, this_boot, PLENTY);

	append(outbox, 4, "batch");
	acknowledge(outbox, 64);
	kill_agent(outbox);
	outbox = open_outbox(state, this_boot, PLENTY);
	assert_int_equal(outbox_next_sequence(outbox), 5);
	outbox_close(outbox);
}

static void reboot_after_a_clean_end_keeps_the_stream(void **state)
{
	struct outbox *outbox = open_outbox(state, this_boot, PLENTY);
	struct outbox_request before, after;

	append(outbox, 2, "batch");
	before = peek(outbox, 64);
	outbox_close(outbox);
	outbox = open_outbox(state, next_boot, PLENTY);
	after = peek(outbox, 64);
	assert_memory_equal(after.stream_id, before.stream_id, 16);
	assert_int_equal(outbox_next_sequence(outbox), 3);
	free(before.buffer);
	free(after.buffer);
	outbox_close(outbox);
}

static void power_cut_begins_a_stream_and_sends_the_old_one_first(void **state)
{
	struct outbox *outbox = open_outbox(state, this_boot, PLENTY);
	struct outbox_request old, request;

	append(outbox, 2, "old");
	old = peek(outbox, 64);
	kill_agent(outbox);

	outbox = open_outbox(state, next_boot, PLENTY);
	assert_int_equal(outbox_next_sequence(outbox), 1);
	append(outbox, 1, "new");
	request = peek(outbox, 64);
	assert_memory_equal(request.stream_id, old.stream_id, 16);
	assert_int_equal(request.n_batches, 2); /* never two streams in one request */
	outbox_acknowledge(outbox, &request);
	free(request.buffer);
	request = peek(outbox, 64);
	assert_memory_not_equal(request.stream_id, old.stream_id, 16);
	assert_int_equal(request.first_sequence, 1);
	assert_memory_equal(request.buffer + REQUEST_HEAD_MAX_BYTES, "new", 3);
	outbox_acknowledge(outbox, &request);
	free(request.buffer);
	free(old.buffer);
	assert_int_equal(outbox->state.n_streams, 1);
	outbox_close(outbox);
}

static void unreadable_state_begins_a_stream_and_loses_no_batch(void **state)
{
	const int dir = *(int *)*state;
	struct outbox *outbox = open_outbox(state, this_boot, PLENTY);
	struct outbox_request old, request;

	append(outbox, 2, "old");
	old = peek(outbox, 64);
	kill_agent(outbox);
	assert_int_equal(file_write_atomic(dir, "stream", "{\"streams\":", 11, 0600, false), 0);

	outbox = open_outbox(state, this_boot, PLENTY);
	append(outbox, 1, "new");
	request = peek(outbox, 64);
	assert_memory_equal(request.stream_id, old.stream_id, 16);
	assert_int_equal(request.n_batches, 2);
	assert_int_equal(outbox_stats(outbox).batches, 3);
	free(request.buffer);
	free(old.buffer);
	outbox_close(outbox);
}

static void torn_batch_is_counted_as_lost_and_the_rest_goes_on(void **state)
{
	struct outbox *outbox = open_outbox(state, this_boot, PLENTY);
	struct outbox_request request;
	char path[256];

	append(outbox, 3, "a batch of some length");
	request = peek(outbox, 64);
	spool_path(&request, 1, path);
	free(request.buffer);
	assert_int_equal(truncate(path, 40), 0);
	kill_agent(outbox);

	outbox = open_outbox(state, this_boot, PLENTY);
	request = peek(outbox, 64);
	assert_int_equal(request.first_sequence, 2);
	assert_int_equal(request.n_batches, 2);
	assert_int_equal(request.lost_batches, 1);
	assert_int_equal(outbox_stats(outbox).dropped, 1);
	free(request.buffer);
	outbox_close(outbox);
}

static void flipped_bit_is_noticed(void **state)
{
	struct outbox *outbox = open_outbox(state, this_boot, PLENTY);
	struct outbox_request request;
	cleanup(close_fdp) int fd = -1;
	char path[256], last = 'X';

	append(outbox, 2, "0123456789");
	request = peek(outbox, 64);
	spool_path(&request, 2, path);
	free(request.buffer);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	assert_int_equal(pwrite(fd, &last, 1, 32 + 9), 1);
	request = peek(outbox, 64);
	assert_int_equal(request.n_batches, 1); /* goes without it ... */
	outbox_acknowledge(outbox, &request);
	free(request.buffer);
	assert_int_equal(outbox_peek(outbox, 64, PLENTY, &request), -ENOENT);
	assert_int_equal(outbox_stats(outbox).dropped, 1); /* ... and it is counted */
	outbox_close(outbox);
}

static void half_written_files_are_swept_up(void **state)
{
	struct outbox *outbox = open_outbox(state, this_boot, PLENTY);
	const int spool = outbox->spool_dir;
	struct stat status;

	assert_int_equal(file_write_atomic(spool, "stray", "x", 1, 0600, false), 0);
	assert_int_equal(renameat(spool, "stray", spool, ".half.batch.new"), 0);
	kill_agent(outbox);
	outbox = open_outbox(state, this_boot, PLENTY);
	assert_int_equal(fstatat(outbox->spool_dir, ".half.batch.new", &status, 0), -1);
	assert_int_equal(fstatat(outbox->spool_dir, "rejected", &status, 0), 0);
	outbox_close(outbox);
}

static void full_spool_drops_the_oldest_and_counts_them(void **state)
{
	/* Every small batch takes a block of 4 KiB: five fit. */
	struct outbox *outbox = open_outbox(state, this_boot, 5 * 4096UL);
	struct outbox_request request;

	append(outbox, 8, "batch");
	assert_int_equal(outbox_stats(outbox).batches, 5);
	assert_int_equal(outbox_stats(outbox).bytes, 5 * 4096UL);
	assert_int_equal(outbox_stats(outbox).dropped, 3);
	request = peek(outbox, 64);
	assert_int_equal(request.first_sequence, 4);
	assert_int_equal(request.lost_batches, 3);
	free(request.buffer);
	outbox_close(outbox);
}

static void acknowledgement_spares_what_came_after_the_request(void **state)
{
	struct outbox *outbox = open_outbox(state, this_boot, 5 * 4096UL);
	struct outbox_request request;

	append(outbox, 4, "batch");
	request = peek(outbox, 3);  /* 1, 2 and 3 are under way ... */
	append(outbox, 3, "batch"); /* ... when 1 and 2 are dropped */
	outbox_acknowledge(outbox, &request);
	free(request.buffer);
	request = peek(outbox, 64);
	assert_int_equal(request.first_sequence, 4);
	assert_int_equal(request.n_batches, 4);
	free(request.buffer);
	outbox_close(outbox);
}

static void rejected_batch_is_kept_apart_and_counted_as_lost(void **state)
{
	struct outbox *outbox = open_outbox(state, this_boot, PLENTY);
	struct outbox_request request;
	char name[SPOOL_NAME_BYTES];
	struct stat status;

	append(outbox, 2, "batch");
	request = peek(outbox, 1);
	spool_file_name(request.stream_id, 1, name);
	assert_int_equal(outbox_reject_first(outbox, &request), 0);
	free(request.buffer);
	assert_int_equal(fstatat(outbox->rejected_dir, name, &status, 0), 0);
	assert_int_equal(outbox_stats(outbox).rejected, 1);
	request = peek(outbox, 64);
	assert_int_equal(request.first_sequence, 2);
	assert_int_equal(request.lost_batches, 1);
	free(request.buffer);
	kill_agent(outbox);
	outbox = open_outbox(state, this_boot, PLENTY);
	assert_int_equal(outbox_stats(outbox).rejected, 1);
	outbox_close(outbox);
}

static void rejected_batches_are_bounded(void **state)
{
	struct outbox *outbox = open_outbox(state, this_boot, PLENTY);
	struct outbox_request request;
	char first[SPOOL_NAME_BYTES], last[SPOOL_NAME_BYTES];
	struct stat status;

	append(outbox, 70, "batch");
	for (int i = 0; i < 70; i++) {
		request = peek(outbox, 1);
		assert_int_equal(outbox_reject_first(outbox, &request), 0);
		spool_file_name(request.stream_id, 6, first);
		spool_file_name(request.stream_id, 70, last);
		free(request.buffer);
	}
	assert_int_equal(fstatat(outbox->rejected_dir, first, &status, 0), -1);
	assert_int_equal(fstatat(outbox->rejected_dir, last, &status, 0), 0);
	assert_int_equal(outbox_stats(outbox).rejected, 70);
	outbox_close(outbox);
}

static void gap_raises_the_count_of_lost(void **state)
{
	struct outbox *outbox = open_outbox(state, this_boot, PLENTY);
	struct outbox_request request;

	append(outbox, 1, "batch");
	request = peek(outbox, 1);
	outbox_raise_lost(outbox, &request, 7);
	free(request.buffer);
	request = peek(outbox, 1);
	assert_int_equal(request.lost_batches, 7);
	free(request.buffer);
	outbox_close(outbox);
}

static void unwritable_spool_costs_the_window_not_a_number(void **state)
{
	struct outbox *outbox = open_outbox(state, this_boot, PLENTY);
	const int spool = outbox->spool_dir;

	/* A directory that is gone refuses new files, for root, too. */
	outbox->spool_dir = open("/proc/self/fdinfo", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	assert_true(outbox_append(outbox, START_NS, (const uint8_t *)"x", 1) < 0);
	close(outbox->spool_dir);
	outbox->spool_dir = spool;
	assert_int_equal(outbox_stats(outbox).dropped, 1);
	assert_int_equal(outbox_next_sequence(outbox), 1);
	append(outbox, 1, "batch");
	outbox_close(outbox);
}

static int make_directory(void **state)
{
	(void)state;
	return mkdtemp(directory) ? 0 : -1;
}

static int remove_directory(void **state)
{
	(void)state;
	nftw(directory, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
	return rmdir(directory);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		TEST(batches_leave_in_the_order_they_came),
		TEST(request_keeps_to_its_size_but_takes_at_least_one),
		TEST(killed_agent_goes_on_where_it_was),
		TEST(batch_without_a_window_uses_up_no_start),
		TEST(kill_between_batch_and_state_repeats_no_number_and_no_start),
		TEST(everything_sent_then_killed_does_not_reuse_numbers),
		TEST(reboot_after_a_clean_end_keeps_the_stream),
		TEST(power_cut_begins_a_stream_and_sends_the_old_one_first),
		TEST(unreadable_state_begins_a_stream_and_loses_no_batch),
		TEST(torn_batch_is_counted_as_lost_and_the_rest_goes_on),
		TEST(flipped_bit_is_noticed),
		TEST(half_written_files_are_swept_up),
		TEST(full_spool_drops_the_oldest_and_counts_them),
		TEST(acknowledgement_spares_what_came_after_the_request),
		TEST(rejected_batch_is_kept_apart_and_counted_as_lost),
		TEST(rejected_batches_are_bounded),
		TEST(gap_raises_the_count_of_lost),
		TEST(unwritable_spool_costs_the_window_not_a_number),
	};

	return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
