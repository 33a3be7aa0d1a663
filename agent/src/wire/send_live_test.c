#include "wire/send_rig.h"

#define SECOND 1000000000LL

static void ask_for_30(struct rig *rig, const struct seen *request, char answer[512])
{
	(void)rig;
	(void)request;
	answer_with(answer, "200 OK", "Content-Type: application/x-protobuf\r\n", "\x08\x1e");
}

static void wish_of_a_200_is_told_and_the_windows_are_stored(void **state)
{
	struct rig *rig = *state;

	save_credentials(rig, rig->url);
	rig->decide = ask_for_30;
	start_server(rig);
	append(rig, 2);
	start_sender(rig);
	run_until(rig, is_empty);
	assert_int_equal(rig->live_asked, 30);
	assert_int_equal(rig->last_notice, SENDER_CONNECTED);
}

static void answer_page_of_a_proxy(struct rig *rig, const struct seen *request, char answer[512])
{
	(void)rig;
	(void)request;
	answer_with(answer, "200 OK", "Content-Type: text/html\r\n", "\x08\x1e");
}

static void answer_of_another_type_asks_for_nothing(void **state)
{
	struct rig *rig = *state;

	save_credentials(rig, rig->url);
	rig->decide = answer_page_of_a_proxy;
	start_server(rig);
	append(rig, 1);
	start_sender(rig);
	run_until(rig, is_empty);
	assert_int_equal(rig->live_asked, 0);
}

static void answer_nonsense(struct rig *rig, const struct seen *request, char answer[512])
{
	(void)rig;
	(void)request;
	answer_with(answer, "200 OK", "Content-Type: application/x-protobuf\r\n", "\xff\xff\xff");
}

static void answer_that_cannot_be_read_loses_nothing(void **state)
{
	struct rig *rig = *state;

	save_credentials(rig, rig->url);
	rig->decide = answer_nonsense;
	start_server(rig);
	append(rig, 1);
	start_sender(rig);
	run_until(rig, is_empty);
	assert_int_equal(rig->live_asked, 0);
	assert_int_equal(rig->n_notices[SENDER_TROUBLE], 1);
}

static int send_live(struct rig *rig)
{
	const struct window window = {
		.started_at_unix_ns = START_NS + SECOND,
		.duration_ns = SECOND,
	};
	const struct batch batch = {.window = &window};

	return sender_send_live(rig->sender, &batch);
}

static bool is_seen(const struct rig *rig)
{
	return rig->n_seen > 0;
}

static void live_window_goes_to_its_own_address(void **state)
{
	struct rig *rig = *state;

	save_credentials(rig, rig->url);
	start_server(rig);
	start_sender(rig);
	assert_int_equal(send_live(rig), 0);
	run_until(rig, is_seen);
	assert_string_equal(rig->seen[0].path, "/api/v1/ingest/live");
	assert_string_equal(rig->seen[0].bearer, "nwh_old");
	assert_string_equal(rig->seen[0].encoding, "zstd");
	assert_int_equal(rig->seen[0].host_id, 42);
	assert_int_equal(rig->seen[0].n_batches, 1);
	assert_int_equal(rig->seen[0].first_sequence, 0);
	assert_int_equal(rig->seen[0].started_at_unix_ns, START_NS + SECOND);
	assert_int_equal(outbox_stats(rig->outbox).batches, 0);
}

static void let_live_hang(struct rig *rig, const struct seen *request, char answer[512])
{
	if (strcmp(request->path, "/api/v1/ingest/live") != 0)
		accept_all(rig, request, answer);
}

static void one_live_window_at_a_time_and_none_delays_the_others(void **state)
{
	struct rig *rig = *state;

	save_credentials(rig, rig->url);
	rig->decide = let_live_hang;
	start_server(rig);
	start_sender(rig);
	assert_int_equal(send_live(rig), 0);
	run_until(rig, is_seen);
	assert_int_equal(send_live(rig), -EBUSY);
	append(rig, 2);
	sender_wake(rig->sender);
	run_until(rig, is_empty);
	assert_int_equal(rig->n_seen, 2);
	assert_string_equal(rig->seen[1].path, "/api/v1/ingest");
}

static void refuse_live(struct rig *rig, const struct seen *request, char answer[512])
{
	(void)rig;
	(void)request;
	answer_with(answer, "404 Not Found", "", "");
}

static void refused_live_window_is_said_once_and_not_repeated(void **state)
{
	struct rig *rig = *state;

	save_credentials(rig, rig->url);
	rig->decide = refuse_live;
	start_server(rig);
	start_sender(rig);
	assert_int_equal(send_live(rig), 0);
	for (int answered = 0; answered < 2;) {
		const int r = send_live(rig);

		assert_true(r == 0 || r == -EBUSY);
		answered += r == 0;
		assert_int_equal(loop_run(rig->loop, clock_ns(CLOCK_MONOTONIC) + 5000000), 0);
	}
	assert_int_equal(rig->n_notices[SENDER_TROUBLE], 1);
}

static void host_that_is_not_enrolled_sends_none(void **state)
{
	struct rig *rig = *state;

	start_server(rig);
	start_sender(rig);
	assert_int_equal(send_live(rig), -EAGAIN);
	assert_int_equal(rig->n_seen, 0);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		TEST(wish_of_a_200_is_told_and_the_windows_are_stored),
		TEST(answer_of_another_type_asks_for_nothing),
		TEST(answer_that_cannot_be_read_loses_nothing),
		TEST(live_window_goes_to_its_own_address),
		TEST(one_live_window_at_a_time_and_none_delays_the_others),
		TEST(refused_live_window_is_said_once_and_not_repeated),
		TEST(host_that_is_not_enrolled_sends_none),
	};

	return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
