#include "wire/transfer.h"

#include <curl/curl.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>

#include "base/cleanup.h"

#define CONNECT_TIMEOUT_MS 5000L
#define WHOLE_TIMEOUT_MS   30000L
#define ANSWER_MAX_BYTES   (16 * 1024UL) /* problem documents are small */
#define HEADER_MAX_BYTES   512

struct transfer {
	struct loop *loop;
	struct loop_timer *timer;
	CURLM *multi;
	CURL *easy;
	struct curl_slist *headers; /* of the request in flight */
	transfer_on_done *on_done;
	void *context;
	bool is_busy;
	char error[CURL_ERROR_SIZE];
	char answer[ANSWER_MAX_BYTES + 1];
	size_t answer_length;
};

static size_t on_answer(char *bytes, size_t size, size_t n, void *context)
{
	struct transfer *self = context;
	size_t room = ANSWER_MAX_BYTES - self->answer_length;
	size_t taken = size * n < room ? size * n : room;

	memcpy(self->answer + self->answer_length, bytes, taken);
	self->answer_length += taken;
	return size * n; /* what is too long is read and left alone */
}

static void finish(struct transfer *self, CURLcode code)
{
	struct transfer_answer answer = {
		.body = self->answer, .length = self->answer_length, .content_type = ""};
	const char *content_type = NULL;
	curl_off_t retry_after = 0;

	self->answer[self->answer_length] = '\0';
	if (code == CURLE_OK) {
		curl_easy_getinfo(self->easy, CURLINFO_RESPONSE_CODE, &answer.status);
		curl_easy_getinfo(self->easy, CURLINFO_RETRY_AFTER, &retry_after);
		curl_easy_getinfo(self->easy, CURLINFO_CONTENT_TYPE, &content_type);
		answer.content_type = content_type ? content_type : "";
		answer.retry_after_s = retry_after > 0 ? (uint64_t)retry_after : 0;
	} else {
		answer.error = self->error[0] ? self->error : curl_easy_strerror(code);
	}
	curl_multi_remove_handle(self->multi, self->easy);
	curl_slist_free_all(self->headers);
	self->headers = NULL;
	self->is_busy = false;
	self->on_done(self->context, &answer);
}

static void drive(struct transfer *self, curl_socket_t fd, int events)
{
	const CURLMsg *message;
	int n_running, n_left;

	curl_multi_socket_action(self->multi, fd, events, &n_running);
	while ((message = curl_multi_info_read(self->multi, &n_left))) {
		if (message->msg == CURLMSG_DONE) {
			finish(self, message->data.result);
			return; /* there is only one; the next may have been started by now */
		}
	}
}

struct watch {
	struct transfer *transfer;
	int fd;
};

static void on_socket_ready(void *context, uint32_t events)
{
	const struct watch *watch = context;
	int action = 0;

	if (events & EPOLLIN)
		action |= CURL_CSELECT_IN;
	if (events & EPOLLOUT)
		action |= CURL_CSELECT_OUT;
	if (events & (EPOLLERR | EPOLLHUP))
		action |= CURL_CSELECT_ERR;
	drive(watch->transfer, watch->fd, action);
}

static void unwatch(struct transfer *self, curl_socket_t fd, struct watch *watch)
{
	if (!watch)
		return;
	loop_remove(self->loop, fd);
	curl_multi_assign(self->multi, fd, NULL);
	free(watch);
}

/* curl says what it waits for. -1 makes curl fail the transfer. */
static int on_socket_wish(CURL *easy, curl_socket_t fd, int what, void *context, void *per_socket)
{
	struct transfer *self = context;
	struct watch *watch = per_socket;
	uint32_t events = 0;

	(void)easy;
	if (what == CURL_POLL_REMOVE) {
		unwatch(self, fd, watch);
		return 0;
	}
	if (what & CURL_POLL_IN)
		events |= EPOLLIN;
	if (what & CURL_POLL_OUT)
		events |= EPOLLOUT;
	if (watch)
		return loop_modify(self->loop, fd, events) < 0 ? -1 : 0;

	watch = calloc(1, sizeof(*watch));
	if (!watch)
		return -1;
	watch->transfer = self;
	watch->fd = fd;
	if (loop_add(self->loop, fd, events, on_socket_ready, watch) < 0) {
		free(watch);
		return -1;
	}
	curl_multi_assign(self->multi, fd, watch);
	return 0;
}

static void on_timeout(void *context, uint32_t events)
{
	(void)events;
	drive(context, CURL_SOCKET_TIMEOUT, 0);
}

static int on_timer_wish(CURLM *multi, long timeout_ms, void *context)
{
	struct transfer *self = context;

	(void)multi;
	if (timeout_ms < 0) {
		loop_timer_clear(self->timer);
		return 0;
	}
	return loop_timer_set_after(self->timer, (uint64_t)timeout_ms * 1000000) < 0 ? -1 : 0;
}

/* A directory as openssl-rehash makes it: certificates by the hash of their names. */
static bool is_hashed(const char *path)
{
	cleanup(closedirp) DIR *dir = path ? opendir(path) : NULL;
	const struct dirent *entry;

	while (dir && (entry = readdir(dir))) {
		if (strlen(entry->d_name) == 10 && strcmp(entry->d_name + 8, ".0") == 0)
			return true;
	}
	return false;
}

/*
 * The system's certificates in one file are read whole for each connection and stay in memory:
 * 144 of them are 0.8 MiB. In their directory only the one that is needed is read.
 */
static void trust_system(CURL *easy)
{
	const curl_version_info_data *curl = curl_version_info(CURLVERSION_NOW);

	if (curl->age >= CURLVERSION_SEVENTH && is_hashed(curl->capath))
		curl_easy_setopt(easy, CURLOPT_CAINFO, NULL);
}

static void set_up_easy(struct transfer *self, const struct transfer_options *options)
{
	CURL *easy = self->easy;

	curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
	curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
	curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS, CONNECT_TIMEOUT_MS);
	curl_easy_setopt(easy, CURLOPT_TIMEOUT_MS,
			 options->timeout_ms ? options->timeout_ms : WHOLE_TIMEOUT_MS);
	curl_easy_setopt(easy, CURLOPT_POST, 1L);
	curl_easy_setopt(easy, CURLOPT_USERAGENT, options->user_agent);
	curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, self->error);
	curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, on_answer);
	curl_easy_setopt(easy, CURLOPT_WRITEDATA, self);
	if (options->ca_file)
		curl_easy_setopt(easy, CURLOPT_CAINFO, options->ca_file);
	else
		trust_system(easy);
	if (options->is_local)
		curl_easy_setopt(easy, CURLOPT_PROXY, "");
}

int transfer_new(struct loop *loop, const struct transfer_options *options,
		 transfer_on_done *on_done, void *context, struct transfer **ret)
{
	struct transfer *self = calloc(1, sizeof(*self));
	int r;

	if (!self)
		return -ENOMEM;
	self->loop = loop;
	self->on_done = on_done;
	self->context = context;
	r = loop_timer_new(loop, CLOCK_MONOTONIC, on_timeout, self, &self->timer);
	if (r == 0 && curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK)
		r = -EIO;
	if (r < 0) {
		loop_timer_free(self->timer);
		free(self);
		return r;
	}
	self->multi = curl_multi_init();
	self->easy = curl_easy_init();
	if (!self->multi || !self->easy) {
		transfer_free(self);
		return -ENOMEM;
	}
	set_up_easy(self, options);
	curl_multi_setopt(self->multi, CURLMOPT_SOCKETFUNCTION, on_socket_wish);
	curl_multi_setopt(self->multi, CURLMOPT_SOCKETDATA, self);
	curl_multi_setopt(self->multi, CURLMOPT_TIMERFUNCTION, on_timer_wish);
	curl_multi_setopt(self->multi, CURLMOPT_TIMERDATA, self);
	*ret = self;
	return 0;
}

void transfer_free(struct transfer *self)
{
	if (!self)
		return;
	if (self->is_busy)
		curl_multi_remove_handle(self->multi, self->easy);
	curl_easy_cleanup(self->easy);
	curl_multi_cleanup(self->multi);
	curl_slist_free_all(self->headers);
	curl_global_cleanup();
	loop_timer_free(self->timer);
	free(self);
}

bool transfer_is_busy(const struct transfer *self)
{
	return self->is_busy;
}

static int add_header(struct transfer *self, const char *name, const char *value)
{
	char line[HEADER_MAX_BYTES];
	struct curl_slist *longer;

	if ((size_t)snprintf(line, sizeof(line), "%s: %s", name, value) >= sizeof(line))
		return -ENAMETOOLONG;
	longer = curl_slist_append(self->headers, line);
	if (!longer)
		return -ENOMEM;
	self->headers = longer;
	return 0;
}

static int add_headers(struct transfer *self, const struct transfer_request *request)
{
	char bearer[HEADER_MAX_BYTES];
	int r;

	if ((size_t)snprintf(bearer, sizeof(bearer), "Bearer %s", request->bearer) >=
	    sizeof(bearer))
		return -ENAMETOOLONG;
	r = add_header(self, "Authorization", bearer);
	if (r == 0)
		r = add_header(self, "Content-Type", request->content_type);
	if (r == 0 && request->content_encoding)
		r = add_header(self, "Content-Encoding", request->content_encoding);
	if (r == 0)
		r = add_header(self, "Expect", ""); /* taken out: no round trip before the body */
	return r;
}

int transfer_start(struct transfer *self, const struct transfer_request *request)
{
	int r;

	if (self->is_busy)
		return -EBUSY;
	r = add_headers(self, request);
	if (r < 0) {
		curl_slist_free_all(self->headers);
		self->headers = NULL;
		return r;
	}
	self->error[0] = '\0';
	self->answer_length = 0;
	curl_easy_setopt(self->easy, CURLOPT_URL, request->url);
	curl_easy_setopt(self->easy, CURLOPT_HTTPHEADER, self->headers);
	curl_easy_setopt(self->easy, CURLOPT_POSTFIELDS, request->body);
	curl_easy_setopt(self->easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)request->length);
	if (curl_multi_add_handle(self->multi, self->easy) != CURLM_OK) {
		curl_slist_free_all(self->headers);
		self->headers = NULL;
		return -EIO;
	}
	self->is_busy = true;
	return 0;
}
