#include "wire/send.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <zstd.h>

#include "base/cleanup.h"
#include "wire/send_private.h"

#define MAX_BYTES  (900 * 1024UL) /* before compression, so that 1 MiB is never reached after */
#define ZSTD_LEVEL 1

void sender_say(struct sender *self, enum sender_notice kind, const char *format, ...)
{
	char sentence[sizeof(self->last_sentence)];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(sentence, sizeof(sentence), format, arguments);
	va_end(arguments);
	if (kind == self->last_notice && strcmp(sentence, self->last_sentence) == 0)
		return;
	self->last_notice = kind;
	memcpy(self->last_sentence, sentence, sizeof(sentence));
	self->on_notice(self->context, kind, sentence);
}

void sender_release(struct sender *self)
{
	free(self->body);
	free(self->request.buffer);
	self->body = NULL;
	self->request = (struct outbox_request){0};
	self->phase = PHASE_IDLE;
}

/* For sender_hurry: whether this is the moment to stop trying. */
static bool end_hurry(struct sender *self)
{
	if (!self->on_done)
		return false;
	self->on_done(self->done_context, 0);
	return true;
}

void sender_retry_after(struct sender *self, uint64_t delay_ns)
{
	sender_release(self);
	if (end_hurry(self))
		return;
	self->is_waiting = true;
	if (loop_timer_set_after(self->retry_timer, delay_ns) < 0) {
		self->is_waiting = false;
		sender_say(self, SENDER_TROUBLE,
			   "cannot set the retry timer: trying with each window");
	}
}

void sender_retry(struct sender *self)
{
	uint64_t random = 0;

	/* Without entropy the delay is the shortest: still right, only not spread. */
	(void)!getrandom(&random, sizeof(random), GRND_NONBLOCK);
	sender_retry_after(self, backoff_next_ns(&self->backoff, random));
}

static void on_retry(void *context, uint32_t events)
{
	struct sender *self = context;

	(void)events;
	self->is_waiting = false;
	sender_try_next(self);
}

int sender_compress(const void *bytes, size_t length, void **ret_body, size_t *ret_length)
{
	const size_t bound = ZSTD_compressBound(length);
	cleanup(freep) void *body = malloc(bound);
	size_t n;

	if (!body)
		return -ENOMEM;
	n = ZSTD_compress(body, bound, bytes, length, ZSTD_LEVEL);
	if (ZSTD_isError(n))
		return -EIO;
	*ret_body = take_ptr(body);
	*ret_length = n;
	return 0;
}

static int compress_request(struct sender *self)
{
	struct outbox_request *request = &self->request;
	uint8_t head[REQUEST_HEAD_MAX_BYTES];
	const size_t head_length = request_head_encode(
		self->credentials.host_id, request->stream_id, request->lost_batches, head);
	uint8_t *start = request->buffer + REQUEST_HEAD_MAX_BYTES - head_length;

	memcpy(start, head, head_length);
	return sender_compress(start, head_length + request->length, &self->body,
			       &self->body_length);
}

static void start_sending(struct sender *self)
{
	struct transfer_request request = {
		.url = self->ingest_url,
		.bearer = self->credentials.token,
		.content_type = "application/x-protobuf",
		.content_encoding = "zstd",
	};
	int r;

	r = outbox_peek(self->outbox, self->batch_limit, MAX_BYTES, &self->request);
	if (r == -ENOENT) {
		end_hurry(self);
		return;
	}
	self->phase = PHASE_SENDING;
	if (r == 0)
		r = compress_request(self);
	if (r == 0) {
		request.body = self->body;
		request.length = self->body_length;
		r = transfer_start(self->transfer, &request);
	}
	if (r < 0) {
		sender_say(self, SENDER_TROUBLE, "cannot send from the spool: %s", strerror(-r));
		sender_retry(self);
	}
}

void sender_try_next(struct sender *self)
{
	if (self->is_waiting || transfer_is_busy(self->transfer))
		return;
	if (!self->is_enrolled || self->must_enroll)
		sender_enroll(self);
	else
		start_sending(self);
}

static void on_answer(void *context, const struct transfer_answer *answer)
{
	struct sender *self = context;

	if (answer->error) {
		sender_say(self, SENDER_TROUBLE, "cannot reach %s: %s; windows wait in the spool",
			   self->options.server, answer->error);
		sender_retry(self);
	} else if (self->phase == PHASE_ENROLLING) {
		sender_on_enroll_answer(self, answer);
	} else {
		sender_on_ingest_answer(self, answer);
	}
}

static int load_credentials(struct sender *self)
{
	int r = credentials_load(self->options.state_dir, &self->credentials);

	/* A token is shown to the server that gave it and to nobody else. */
	if (r == 0 && strcmp(self->credentials.server, self->options.server) == 0)
		self->is_enrolled = true;
	return r == -ENOENT || r == -EINVAL ? 0 : r;
}

static int make_urls(struct sender *self)
{
	const char *server = self->options.server;
	size_t length = strlen(server);

	while (length > 0 && server[length - 1] == '/')
		length--;
	if (length > 256)
		return -ENAMETOOLONG;
	snprintf(self->ingest_url, sizeof(self->ingest_url), "%.*s/api/v1/ingest", (int)length,
		 server);
	snprintf(self->live_url, sizeof(self->live_url), "%.*s/api/v1/ingest/live", (int)length,
		 server);
	snprintf(self->enroll_url, sizeof(self->enroll_url), "%.*s/api/v1/enroll", (int)length,
		 server);
	return 0;
}

int sender_new(struct loop *loop, struct outbox *outbox, const struct sender_options *options,
	       sender_on_notice *on_notice, void *context, struct sender **ret)
{
	const struct transfer_options transfer = {
		.ca_file = options->ca_file,
		.user_agent = options->user_agent,
		.is_local = options->is_local,
	};
	struct sender *self = calloc(1, sizeof(*self));
	int r;

	if (!self)
		return -ENOMEM;
	self->loop = loop;
	self->outbox = outbox;
	self->options = *options;
	self->on_notice = on_notice;
	self->context = context;
	self->batch_limit = MAX_BATCHES;
	r = make_urls(self);
	if (r == 0)
		r = load_credentials(self);
	if (r == 0)
		r = loop_timer_new(loop, CLOCK_MONOTONIC, on_retry, self, &self->retry_timer);
	if (r == 0)
		r = transfer_new(loop, &transfer, on_answer, self, &self->transfer);
	if (r < 0) {
		sender_free(self);
		return r;
	}
	*ret = self;
	return 0;
}

void sender_free(struct sender *self)
{
	if (!self)
		return;
	transfer_free(self->transfer);
	sender_free_live(self);
	loop_timer_free(self->retry_timer);
	sender_release(self);
	free(self);
}

void sender_wake(struct sender *self)
{
	sender_try_next(self);
}

void sender_hurry(struct sender *self, loop_callback *on_done, void *context)
{
	self->on_done = on_done;
	self->done_context = context;
	loop_timer_clear(self->retry_timer);
	self->is_waiting = false;
	sender_try_next(self);
}
