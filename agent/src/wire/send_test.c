#include "wire/send.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include <cmocka.h>

#include "base/file_io.h"
#include "neighborwatch/v1/ingest.pb-c.h"
#include "wire/credentials.h"
#include "wire/encode.h"

#define START_NS     1767225600000000000LL
#define PATIENCE_NS  5000000000ULL
#define MAX_REQUESTS 64
#define REQUEST_MAX  (1u << 20)

static const uint8_t boot_id[16] = {1};
static char directory[] = "/tmp/nwagent-send-XXXXXX";

/* What one request said. */
struct seen {
	char path[64], bearer[128], encoding[16];
	uint64_t host_id, lost_batches, first_sequence, last_sequence;
	size_t n_batches;
};

struct rig;
/* Writes the whole answer: status line, headers, body. */
typedef void decide(struct rig *rig, const struct seen *request, char answer[512]);

/* Agent side and a real HTTP server on loopback, on one loop. */
struct rig {
	struct loop *loop;
	struct outbox *outbox;
	struct sender *sender;
	struct sender_options options;
	char url[64];
	int state_dir, listener, connection;
	decide *decide;
	struct seen seen[MAX_REQUESTS];
	size_t n_seen;
	char *received;
	size_t n_received;
	enum sender_notice last_notice;
	unsigned int n_notices[SENDER_DATA_LOST + 1];
	char last_sentence[512];
	bool is_hurry_over;
};

static void answer_with(char answer[512], const char *status, const char *headers, const char *body)
{
	snprintf(answer, 512, "HTTP/1.1 %s\r\nContent-Length: %zu\r\n%sConnection: close\r\n\r\n%s",
		 status, strlen(body), headers, body);
}

static void accept_all(struct rig *rig, const struct seen *request, char answer[512])
{
	(void)rig;
	if (strcmp(request->path, "/api/v1/enroll") == 0)
		answer_with(answer, "201 Created", "",
			    "{\"host_id\":\"42\",\"token\":\"nwh_new\"}");
	else
		answer_with(answer, "204 No Content", "", "");
}

static void header_value(const char *head, const char *name, char *ret, size_t capacity)
{
	const char *at = strcasestr(head, name);

	ret[0] = '\0';
	if (at) {
		at += strlen(name);
		snprintf(ret, capacity, "%.*s", (int)strcspn(at, "\r\n"), at);
	}
}

static void unpack(const char *body, size_t length, struct seen *seen)
{
	static uint8_t plain[8u << 20];
	const size_t n = ZSTD_decompress(plain, sizeof(plain), body, length);
	Neighborwatch__V1__IngestRequest *request;

	assert_false(ZSTD_isError(n));
	request = neighborwatch__v1__ingest_request__unpack(NULL, n, plain);
	assert_non_null(request);
	seen->host_id = request->host_id;
	seen->lost_batches = request->lost_batches;
	seen->n_batches = request->n_batches;
	seen->first_sequence = request->batches[0]->sequence;
	seen->last_sequence = request->batches[request->n_batches - 1]->sequence;
	neighborwatch__v1__ingest_request__free_unpacked(request, NULL);
}

static void close_connection(struct rig *rig)
{
	loop_remove(rig->loop, rig->connection);
	close(rig->connection);
	rig->connection = -1;
}

static void serve(struct rig *rig, const char *body, size_t length)
{
	struct seen *seen = &rig->seen[rig->n_seen++];
	char answer[512];

	assert_true(rig->n_seen < MAX_REQUESTS);
	sscanf(rig->received, "POST %63s", seen->path);
	header_value(rig->received, "Authorization: Bearer ", seen->bearer, sizeof(seen->bearer));
	header_value(rig->received, "Content-Encoding: ", seen->encoding, sizeof(seen->encoding));
	if (strcmp(seen->path, "/api/v1/ingest") == 0)
		unpack(body, length, seen);
	rig->decide(rig, seen, answer);
	assert_int_equal(write(rig->connection, answer, strlen(answer)), strlen(answer));
	close_connection(rig);
}

static void on_request(void *context, uint32_t events)
{
	struct rig *rig = context;
	char length_text[16];
	const char *body;
	ssize_t n;

	(void)events;
	n = read(rig->connection, rig->received + rig->n_received, REQUEST_MAX - rig->n_received);
	if (n <= 0) {
		close_connection(rig);
		return;
	}
	rig->n_received += (size_t)n;
	rig->received[rig->n_received] = '\0';
	body = strstr(rig->received, "\r\n\r\n");
	if (!body)
		return;
	body += 4;
	header_value(rig->received, "Content-Length: ", length_text, sizeof(length_text));
	if (rig->n_received - (size_t)(body - rig->received) >= strtoul(length_text, NULL, 10))
		serve(rig, body, strtoul(length_text, NULL, 10));
}

static void on_connection(void *context, uint32_t events)
{
	struct rig *rig = context;

	(void)events;
	rig->connection = accept4(rig->listener, NULL, NULL, SOCK_CLOEXEC);
	rig->n_received = 0;
	assert_int_equal(loop_add(rig->loop, rig->connection, EPOLLIN, on_request, rig), 0);
}

static void start_server(struct rig *rig)
{
	assert_int_equal(listen(rig->listener, 8), 0);
	assert_int_equal(loop_add(rig->loop, rig->listener, EPOLLIN, on_connection, rig), 0);
}

static void on_notice(void *context, enum sender_notice notice, const char *sentence)
{
	struct rig *rig = context;

	rig->last_notice = notice;
	rig->n_notices[notice]++;
	snprintf(rig->last_sentence, sizeof(rig->last_sentence), "%s", sentence);
}

static void save_credentials(struct rig *rig, const char *server)
{
	struct credentials credentials = {.host_id = 42, .token = "nwh_old"};

	snprintf(credentials.server, sizeof(credentials.server), "%s", server);
	assert_int_equal(credentials_save(rig->state_dir, &credentials), 0);
}

static void append(struct rig *rig, unsigned int n)
{
	for (unsigned int i = 0; i < n; i++) {
		const uint64_t sequence = outbox_next_sequence(rig->outbox);
		const struct window window = {
			.started_at_unix_ns = START_NS + (int64_t)sequence * 10000000000,
			.duration_ns = 10000000000,
		};
		const struct batch batch = {.sequence = sequence, .window = &window};
		uint8_t *bytes;
		size_t length;

		assert_int_equal(batch_encode(&batch, &bytes, &length), 0);
		assert_int_equal(
			outbox_append(rig->outbox, window.started_at_unix_ns, bytes, length), 0);
		free(bytes);
	}
}

static void start_sender(struct rig *rig)
{
	assert_int_equal(
		sender_new(rig->loop, rig->outbox, &rig->options, on_notice, rig, &rig->sender), 0);
	sender_wake(rig->sender);
}

static bool is_empty(const struct rig *rig)
{
	return outbox_stats(rig->outbox).batches == 0;
}

static bool is_refused(const struct rig *rig)
{
	return rig->n_notices[SENDER_REFUSED] > 0;
}

static bool is_in_trouble(const struct rig *rig)
{
	return rig->n_notices[SENDER_TROUBLE] > 0;
}

static void run_until(struct rig *rig, bool (*is_reached)(const struct rig *rig))
{
	const uint64_t deadline = clock_ns(CLOCK_MONOTONIC) + PATIENCE_NS;

	while (!is_reached(rig)) {
		assert_int_equal(loop_run(rig->loop, clock_ns(CLOCK_MONOTONIC) + 5000000), 0);
		if (clock_ns(CLOCK_MONOTONIC) > deadline)
			fail_msg("not reached; last: %s", rig->last_sentence);
	}
}

static int remove_entry(const char *path, const struct stat *status, int flag, struct FTW *ftw)
{
	(void)status;
	(void)flag;
	return ftw->level > 0 ? remove(path) : 0;
}

static int set_up(void **state)
{
	struct rig *rig = calloc(1, sizeof(*rig));
	struct sockaddr_in address = {.sin_family = AF_INET};
	socklen_t length = sizeof(address);

	nftw(directory, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
	address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	rig->received = malloc(REQUEST_MAX + 1);
	rig->connection = -1;
	rig->decide = accept_all;
	rig->state_dir = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	rig->listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (rig->state_dir < 0 || rig->listener < 0 ||
	    bind(rig->listener, (struct sockaddr *)&address, sizeof(address)) < 0 ||
	    getsockname(rig->listener, (struct sockaddr *)&address, &length) < 0 ||
	    loop_new(&rig->loop) < 0 ||
	    outbox_open(rig->state_dir, 64u << 20, boot_id, &rig->outbox) < 0)
		return -1;
	snprintf(rig->url, sizeof(rig->url), "http://127.0.0.1:%u", ntohs(address.sin_port));
	rig->options = (struct sender_options){
		.server = rig->url,
		.agent_version = "0.1.0",
		.user_agent = "nwagent/test",
		.is_local = true,
		.machine_id = "0123456789abcdef0123456789abcdef",
		.hostname = "node-17",
		.state_dir = rig->state_dir,
	};
	*state = rig;
	return 0;
}

static int tear_down(void **state)
{
	struct rig *rig = *state;

	sender_free(rig->sender);
	outbox_close(rig->outbox);
	if (rig->connection >= 0)
		close(rig->connection);
	close(rig->listener);
	close(rig->state_dir);
	loop_free(rig->loop);
	free(rig->received);
	free(rig);
	return 0;
}

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
