#include "wire/send_rig.h"

static void windows_go_out_compressed_with_the_token(void **state)
{
	struct rig *rig = *state;

	save_credentials(rig, rig->url);
	start_server(rig);
	append(rig, 3);
	start_sender(rig);
	run_until(rig, is_empty);
	assert_int_equal(rig->n_seen, 1);
	assert_string_equal(rig->seen[0].path, "/api/v1/ingest");
	assert_string_equal(rig->seen[0].bearer, "nwh_old");
	assert_string_equal(rig->seen[0].encoding, "zstd");
	assert_int_equal(rig->seen[0].host_id, 42);
	assert_int_equal(rig->seen[0].n_batches, 3);
	assert_int_equal(rig->n_notices[SENDER_CONNECTED], 1);
}

static void backlog_goes_many_windows_at_a_time(void **state)
{
	struct rig *rig = *state;

	save_credentials(rig, rig->url);
	start_server(rig);
	append(rig, 70);
	start_sender(rig);
	run_until(rig, is_empty);
	assert_int_equal(rig->n_seen, 2);
	assert_int_equal(rig->seen[0].n_batches, 64);
	assert_int_equal(rig->seen[1].first_sequence, 65);
	assert_int_equal(rig->seen[1].last_sequence, 70);
}

static void new_host_enrols_and_keeps_its_token_private(void **state)
{
	struct rig *rig = *state;
	struct credentials credentials;
	struct stat status;

	rig->options.enroll_token = "nwe_once";
	start_server(rig);
	append(rig, 1);
	start_sender(rig);
	run_until(rig, is_empty);
	assert_int_equal(rig->n_seen, 2);
	assert_string_equal(rig->seen[0].path, "/api/v1/enroll");
	assert_string_equal(rig->seen[0].bearer, "nwe_once");
	assert_string_equal(rig->seen[1].bearer, "nwh_new");
	assert_int_equal(rig->seen[1].host_id, 42);
	assert_int_equal(credentials_load(rig->state_dir, &credentials), 0);
	assert_string_equal(credentials.token, "nwh_new");
	assert_string_equal(credentials.server, rig->url);
	assert_int_equal(fstatat(rig->state_dir, "credentials", &status, 0), 0);
	assert_int_equal(status.st_mode & 0777, 0600);
}

static void refuse_enrolment(struct rig *rig, const struct seen *request, char answer[512])
{
	(void)rig;
	(void)request;
	answer_with(answer, "401 Unauthorized", "", "{\"detail\":\"this token was used\"}");
}

static void refused_enrolment_says_what_to_do_and_keeps_windows(void **state)
{
	struct rig *rig = *state;

	rig->options.enroll_token = "nwe_used";
	rig->decide = refuse_enrolment;
	start_server(rig);
	append(rig, 2);
	start_sender(rig);
	run_until(rig, is_refused);
	assert_non_null(strstr(rig->last_sentence, "this token was used"));
	assert_non_null(strstr(rig->last_sentence, "new enrolment token"));
	assert_int_equal(outbox_stats(rig->outbox).batches, 2);
}

static void host_without_any_token_is_told(void **state)
{
	struct rig *rig = *state;

	start_server(rig);
	append(rig, 1);
	start_sender(rig);
	run_until(rig, is_refused);
	assert_non_null(strstr(rig->last_sentence, "--enroll-token-file"));
	assert_int_equal(rig->n_seen, 0);
}

static void token_is_shown_to_nobody_but_its_server(void **state)
{
	struct rig *rig = *state;

	save_credentials(rig, "https://another.example");
	start_server(rig);
	append(rig, 1);
	start_sender(rig);
	run_until(rig, is_refused);
	assert_int_equal(rig->n_seen, 0);
}

static void refuse_third(struct rig *rig, const struct seen *request, char answer[512])
{
	if (request->first_sequence <= 3 && request->last_sequence >= 3)
		answer_with(answer, "400 Bad Request", "",
			    "{\"detail\":\"batches[0].cgroups: malformed\"}");
	else
		accept_all(rig, request, answer);
}

static void only_the_malformed_window_is_set_aside(void **state)
{
	struct rig *rig = *state;

	save_credentials(rig, rig->url);
	rig->decide = refuse_third;
	start_server(rig);
	append(rig, 8);
	start_sender(rig);
	run_until(rig, is_empty);
	assert_int_equal(outbox_stats(rig->outbox).rejected, 1);
	assert_int_equal(outbox_stats(rig->outbox).dropped, 0);
	assert_int_equal(rig->n_notices[SENDER_DATA_LOST], 1);
	/* The backend is told of the gap that this leaves. */
	assert_int_equal(rig->seen[rig->n_seen - 1].last_sequence, 8);
	assert_int_equal(rig->seen[rig->n_seen - 1].lost_batches, 1);
}

static void refuse_more_than_two(struct rig *rig, const struct seen *request, char answer[512])
{
	if (request->n_batches > 2)
		answer_with(answer, "413 Content Too Large", "", "{}");
	else
		accept_all(rig, request, answer);
}

static void too_large_request_is_halved(void **state)
{
	struct rig *rig = *state;

	save_credentials(rig, rig->url);
	rig->decide = refuse_more_than_two;
	start_server(rig);
	append(rig, 9);
	start_sender(rig);
	run_until(rig, is_empty);
	assert_int_equal(rig->seen[0].n_batches, 9);
	assert_int_equal(rig->seen[1].n_batches, 4);
	assert_int_equal(rig->seen[2].n_batches, 2);
	assert_int_equal(outbox_stats(rig->outbox).rejected, 0);
}

static void miss_five(struct rig *rig, const struct seen *request, char answer[512])
{
	if (request->lost_batches < 5)
		answer_with(answer, "409 Conflict", "", "{\"expected_sequence\":1}");
	else
		accept_all(rig, request, answer);
}

static void gap_is_declared_and_the_rest_is_sent(void **state)
{
	struct rig *rig = *state;
	struct outbox_request request;

	save_credentials(rig, rig->url);
	rig->decide = miss_five;
	start_server(rig);
	append(rig, 7);
	assert_int_equal(outbox_peek(rig->outbox, 5, 1 << 20, &request), 0);
	outbox_acknowledge(rig->outbox, &request); /* by a backend that forgot them since */
	free(request.buffer);
	start_sender(rig);
	run_until(rig, is_empty);
	assert_int_equal(rig->n_seen, 2);
	assert_int_equal(rig->seen[1].first_sequence, 6);
	assert_int_equal(rig->seen[1].lost_batches, 5);
	assert_int_equal(rig->n_notices[SENDER_DATA_LOST], 1);
}

static void busy_once(struct rig *rig, const struct seen *request, char answer[512])
{
	if (rig->n_seen == 1)
		answer_with(answer, "503 Service Unavailable", "Retry-After: 1\r\n",
			    "{\"detail\":\"the database is away\"}");
	else
		accept_all(rig, request, answer);
}

static void busy_backend_is_left_alone_as_long_as_it_says(void **state)
{
	struct rig *rig = *state;
	const uint64_t started = clock_ns(CLOCK_MONOTONIC);

	save_credentials(rig, rig->url);
	rig->decide = busy_once;
	start_server(rig);
	append(rig, 1);
	start_sender(rig);
	run_until(rig, is_in_trouble);
	assert_non_null(strstr(rig->last_sentence, "the database is away"));
	sender_wake(rig->sender); /* a new window does not shorten it */
	run_until(rig, is_empty);
	assert_true(clock_ns(CLOCK_MONOTONIC) - started >= 1000000000);
	assert_int_equal(rig->n_seen, 2);
}

static void refuse_token(struct rig *rig, const struct seen *request, char answer[512])
{
	if (strcmp(request->bearer, "nwh_old") == 0)
		answer_with(answer, "401 Unauthorized", "", "{\"detail\":\"revoked\"}");
	else
		accept_all(rig, request, answer);
}

static void revoked_token_is_said_once_and_nothing_is_lost(void **state)
{
	struct rig *rig = *state;

	save_credentials(rig, rig->url);
	rig->decide = refuse_token;
	start_server(rig);
	append(rig, 2);
	start_sender(rig);
	run_until(rig, is_refused);
	sender_wake(rig->sender);
	sender_wake(rig->sender);
	assert_int_equal(rig->n_notices[SENDER_REFUSED], 1);
	assert_int_equal(rig->n_seen, 1);
	assert_int_equal(outbox_stats(rig->outbox).batches, 2);
}

static void revoked_token_is_replaced_if_an_enrolment_token_is_there(void **state)
{
	struct rig *rig = *state;

	save_credentials(rig, rig->url);
	rig->options.enroll_token = "nwe_once";
	rig->decide = refuse_token;
	start_server(rig);
	append(rig, 2);
	start_sender(rig);
	run_until(rig, is_empty);
	assert_int_equal(rig->n_seen, 3);
	assert_string_equal(rig->seen[1].path, "/api/v1/enroll");
	assert_string_equal(rig->seen[2].bearer, "nwh_new");
}

static void windows_wait_until_the_backend_comes_back(void **state)
{
	struct rig *rig = *state;

	save_credentials(rig, rig->url);
	append(rig, 2);
	start_sender(rig); /* nobody listens */
	run_until(rig, is_in_trouble);
	assert_int_equal(outbox_stats(rig->outbox).batches, 2);
	start_server(rig);
	run_until(rig, is_empty);
	assert_int_equal(rig->last_notice, SENDER_CONNECTED);
	assert_int_equal(outbox_stats(rig->outbox).dropped, 0);
}

static void on_hurry_over(void *context, uint32_t events)
{
	struct rig *rig = context;

	(void)events;
	rig->is_hurry_over = true;
	loop_stop(rig->loop);
}

static bool is_hurry_over(const struct rig *rig)
{
	return rig->is_hurry_over;
}

static void last_attempt_ends_at_once_when_it_fails(void **state)
{
	struct rig *rig = *state;

	save_credentials(rig, rig->url);
	append(rig, 2);
	start_sender(rig);
	run_until(rig, is_in_trouble);
	sender_hurry(rig->sender, on_hurry_over, rig);
	run_until(rig, is_hurry_over);
	assert_int_equal(outbox_stats(rig->outbox).batches, 2);
}

static void last_attempt_sends_what_there_is(void **state)
{
	struct rig *rig = *state;

	save_credentials(rig, rig->url);
	start_server(rig);
	append(rig, 70);
	start_sender(rig);
	sender_hurry(rig->sender, on_hurry_over, rig);
	run_until(rig, is_hurry_over);
	assert_true(is_empty(rig));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		TEST(windows_go_out_compressed_with_the_token),
		TEST(backlog_goes_many_windows_at_a_time),
		TEST(new_host_enrols_and_keeps_its_token_private),
		TEST(refused_enrolment_says_what_to_do_and_keeps_windows),
		TEST(host_without_any_token_is_told),
		TEST(token_is_shown_to_nobody_but_its_server),
		TEST(only_the_malformed_window_is_set_aside),
		TEST(too_large_request_is_halved),
		TEST(gap_is_declared_and_the_rest_is_sent),
		TEST(busy_backend_is_left_alone_as_long_as_it_says),
		TEST(revoked_token_is_said_once_and_nothing_is_lost),
		TEST(revoked_token_is_replaced_if_an_enrolment_token_is_there),
		TEST(windows_wait_until_the_backend_comes_back),
		TEST(last_attempt_ends_at_once_when_it_fails),
		TEST(last_attempt_sends_what_there_is),
	};

	return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
