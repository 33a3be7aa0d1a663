#pragma once

/* What the tests of the sender share: the agent's side and a real HTTP server on loopback. */
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
#include "wire/send.h"

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
	int64_t started_at_unix_ns; /* of a live window */
};

struct rig;

struct peer {
	struct rig *rig;
	int fd; /* -1: free */
	char *received;
	size_t n_received;
};

#define MAX_PEERS 4

/* Writes the whole answer: status line, headers, body; nothing: the peer waits for ever. */
typedef void decide(struct rig *rig, const struct seen *request, char answer[512]);

/* Agent side and a real HTTP server on loopback, on one loop. */
struct rig {
	struct loop *loop;
	struct outbox *outbox;
	struct sender *sender;
	struct sender_options options;
	char url[64];
	int state_dir, listener;
	struct peer peers[MAX_PEERS];
	decide *decide;
	struct seen seen[MAX_REQUESTS];
	size_t n_seen;
	uint32_t live_asked; /* seconds, all wishes added up */
	enum sender_notice last_notice;
	unsigned int n_notices[SENDER_DATA_LOST + 1];
	char last_sentence[512];
	bool is_hurry_over;
};

static inline void answer_with(char answer[512], const char *status, const char *headers,
			       const char *body)
{
	snprintf(answer, 512, "HTTP/1.1 %s\r\nContent-Length: %zu\r\n%sConnection: close\r\n\r\n%s",
		 status, strlen(body), headers, body);
}

static inline void accept_all(struct rig *rig, const struct seen *request, char answer[512])
{
	(void)rig;
	if (strcmp(request->path, "/api/v1/enroll") == 0)
		answer_with(answer, "201 Created", "",
			    "{\"host_id\":\"42\",\"token\":\"nwh_new\"}");
	else
		answer_with(answer, "204 No Content", "", "");
}

static inline void header_value(const char *head, const char *name, char *ret, size_t capacity)
{
	const char *at = strcasestr(head, name);

	ret[0] = '\0';
	if (at) {
		at += strlen(name);
		snprintf(ret, capacity, "%.*s", (int)strcspn(at, "\r\n"), at);
	}
}

static inline void unpack(const char *body, size_t length, struct seen *seen)
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

static inline void unpack_live(const char *body, size_t length, struct seen *seen)
{
	static uint8_t plain[8u << 20];
	const size_t n = ZSTD_decompress(plain, sizeof(plain), body, length);
	Neighborwatch__V1__LiveRequest *request;

	assert_false(ZSTD_isError(n));
	request = neighborwatch__v1__live_request__unpack(NULL, n, plain);
	assert_non_null(request);
	seen->host_id = request->host_id;
	seen->n_batches = request->n_windows;
	seen->first_sequence = request->windows[0]->sequence;
	seen->started_at_unix_ns = request->windows[0]->started_at_unix_ns;
	neighborwatch__v1__live_request__free_unpacked(request, NULL);
}

static inline void close_peer(struct peer *peer)
{
	loop_remove(peer->rig->loop, peer->fd);
	close(peer->fd);
	peer->fd = -1;
}

static inline void serve(struct peer *peer, const char *body, size_t length)
{
	struct rig *rig = peer->rig;
	struct seen *seen = &rig->seen[rig->n_seen++];
	char answer[512] = "";

	assert_true(rig->n_seen < MAX_REQUESTS);
	sscanf(peer->received, "POST %63s", seen->path);
	header_value(peer->received, "Authorization: Bearer ", seen->bearer, sizeof(seen->bearer));
	header_value(peer->received, "Content-Encoding: ", seen->encoding, sizeof(seen->encoding));
	if (strcmp(seen->path, "/api/v1/ingest") == 0)
		unpack(body, length, seen);
	if (strcmp(seen->path, "/api/v1/ingest/live") == 0)
		unpack_live(body, length, seen);
	rig->decide(rig, seen, answer);
	if (!answer[0]) {
		loop_remove(rig->loop, peer->fd); /* stays open */
		return;
	}
	assert_int_equal(write(peer->fd, answer, strlen(answer)), strlen(answer));
	close_peer(peer);
}

static inline void on_request(void *context, uint32_t events)
{
	struct peer *peer = context;
	char length_text[16];
	const char *body;
	ssize_t n;

	(void)events;
	n = read(peer->fd, peer->received + peer->n_received, REQUEST_MAX - peer->n_received);
	if (n <= 0) {
		close_peer(peer);
		return;
	}
	peer->n_received += (size_t)n;
	peer->received[peer->n_received] = '\0';
	body = strstr(peer->received, "\r\n\r\n");
	if (!body)
		return;
	body += 4;
	header_value(peer->received, "Content-Length: ", length_text, sizeof(length_text));
	if (peer->n_received - (size_t)(body - peer->received) >= strtoul(length_text, NULL, 10))
		serve(peer, body, strtoul(length_text, NULL, 10));
}

static inline void on_connection(void *context, uint32_t events)
{
	struct rig *rig = context;
	struct peer *peer = rig->peers;

	(void)events;
	while (peer->fd >= 0)
		peer++;
	assert_true(peer < rig->peers + MAX_PEERS);
	peer->fd = accept4(rig->listener, NULL, NULL, SOCK_CLOEXEC);
	peer->n_received = 0;
	assert_int_equal(loop_add(rig->loop, peer->fd, EPOLLIN, on_request, peer), 0);
}

static inline void start_server(struct rig *rig)
{
	assert_int_equal(listen(rig->listener, 8), 0);
	assert_int_equal(loop_add(rig->loop, rig->listener, EPOLLIN, on_connection, rig), 0);
}

static inline void on_notice(void *context, enum sender_notice notice, const char *sentence)
{
	struct rig *rig = context;

	rig->last_notice = notice;
	rig->n_notices[notice]++;
	snprintf(rig->last_sentence, sizeof(rig->last_sentence), "%s", sentence);
}

static inline void on_live_asked(void *context, uint32_t seconds)
{
	struct rig *rig = context;

	rig->live_asked += seconds;
}

static inline void save_credentials(struct rig *rig, const char *server)
{
	struct credentials credentials = {.host_id = 42, .token = "nwh_old"};

	snprintf(credentials.server, sizeof(credentials.server), "%s", server);
	assert_int_equal(credentials_save(rig->state_dir, &credentials), 0);
}

static inline void append(struct rig *rig, unsigned int n)
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

static inline void start_sender(struct rig *rig)
{
	assert_int_equal(
		sender_new(rig->loop, rig->outbox, &rig->options, on_notice, rig, &rig->sender), 0);
	sender_wake(rig->sender);
}

static inline bool is_empty(const struct rig *rig)
{
	return outbox_stats(rig->outbox).batches == 0;
}

static inline bool is_refused(const struct rig *rig)
{
	return rig->n_notices[SENDER_REFUSED] > 0;
}

static inline bool is_in_trouble(const struct rig *rig)
{
	return rig->n_notices[SENDER_TROUBLE] > 0;
}

static inline void run_until(struct rig *rig, bool (*is_reached)(const struct rig *rig))
{
	const uint64_t deadline = clock_ns(CLOCK_MONOTONIC) + PATIENCE_NS;

	while (!is_reached(rig)) {
		assert_int_equal(loop_run(rig->loop, clock_ns(CLOCK_MONOTONIC) + 5000000), 0);
		if (clock_ns(CLOCK_MONOTONIC) > deadline)
			fail_msg("not reached; last: %s", rig->last_sentence);
	}
}

static inline int remove_entry(const char *path, const struct stat *status, int flag,
			       struct FTW *ftw)
{
	(void)status;
	(void)flag;
	return ftw->level > 0 ? remove(path) : 0;
}

static inline int set_up(void **state)
{
	struct rig *rig = calloc(1, sizeof(*rig));
	struct sockaddr_in address = {.sin_family = AF_INET};
	socklen_t length = sizeof(address);

	nftw(directory, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
	address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	for (size_t i = 0; i < MAX_PEERS; i++)
		rig->peers[i] = (struct peer){rig, -1, malloc(REQUEST_MAX + 1), 0};
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
		.on_live_asked = on_live_asked,
	};
	*state = rig;
	return 0;
}

static inline int tear_down(void **state)
{
	struct rig *rig = *state;

	sender_free(rig->sender);
	outbox_close(rig->outbox);
	for (size_t i = 0; i < MAX_PEERS; i++) {
		if (rig->peers[i].fd >= 0)
			close(rig->peers[i].fd);
		free(rig->peers[i].received);
	}
	close(rig->listener);
	close(rig->state_dir);
	loop_free(rig->loop);
	free(rig);
	return 0;
}

static inline int make_directory(void **state)
{
	(void)state;
	return mkdtemp(directory) ? 0 : -1;
}

static inline int remove_directory(void **state)
{
	(void)state;
	nftw(directory, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
	return rmdir(directory);
}
