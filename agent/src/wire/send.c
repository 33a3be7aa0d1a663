#include "wire/send.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <zstd.h>

#include "base/cleanup.h"
#include "wire/backoff.h"
#include "wire/enroll.h"
#include "wire/transfer.h"

#define MAX_BATCHES   64	   /* in one request */
#define MAX_BYTES     (900 * 1024) /* before compression, so that 1 MiB is never reached after */
#define ZSTD_LEVEL    1
#define NS_PER_SECOND 1000000000ULL
#define REFUSED_NS    (60 * NS_PER_SECOND) /* somebody has to act: no use in hurrying */
#define MAX_RETRY_AFTER_S 600

enum phase {
	PHASE_IDLE,
	PHASE_ENROLLING,
	PHASE_SENDING,
};

struct sender {
	struct loop *loop;
	struct outbox *outbox;
	struct sender_options options;
	sender_on_notice *on_notice;
	loop_callback *on_done; /* set by sender_hurry */
	void *context, *done_context;

	struct transfer *transfer;
	struct loop_timer *retry_timer;
	struct backoff backoff;
	bool is_waiting; /* for the retry timer */
	enum phase phase;
	size_t batch_limit; /* halved by 413 and 400, doubled by success */
	enum sender_notice last_notice;
	char last_sentence[512];

	bool is_enrolled;
	bool must_enroll; /* the token was refused: try an enrolment token first */
	struct credentials credentials;
	char ingest_url[512], enroll_url[512];

	struct outbox_request request; /* in flight */
	void *body;
	size_t body_length;
};

static void try_next(struct sender *self);

/* The same sentence is said once, until something else was said. */
static void __attribute__((format(printf, 3, 4)))
notice(struct sender *self, enum sender_notice kind, const char *format, ...)
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

static void release_request(struct sender *self)
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

static void retry_after(struct sender *self, uint64_t delay_ns)
{
	release_request(self);
	if (end_hurry(self))
		return;
	self->is_waiting = true;
	if (loop_timer_set_after(self->retry_timer, delay_ns) < 0) {
		self->is_waiting = false;
		notice(self, SENDER_TROUBLE, "cannot set the retry timer: trying with each window");
	}
}

static void retry_with_backoff(struct sender *self)
{
	uint64_t random = 0;

	/* Without entropy the delay is the shortest: still right, only not spread. */
	(void)!getrandom(&random, sizeof(random), GRND_NONBLOCK);
	retry_after(self, backoff_next_ns(&self->backoff, random));
}

static void on_retry(void *context, uint32_t events)
{
	struct sender *self = context;

	(void)events;
	self->is_waiting = false;
	try_next(self);
}

static void start_enrolling(struct sender *self)
{
	cleanup(freep) char *token = NULL;
	char *body;
	int r;

	r = enroll_token_read(&self->options, &token);
	if (r < 0) {
		if (r == -ENOENT && self->must_enroll)
			notice(self, SENDER_REFUSED,
			       "%s does not accept this host's token any more: enrol again with "
			       "--enroll-token-file; windows wait in the spool",
			       self->options.server);
		else if (r == -ENOENT)
			notice(self, SENDER_REFUSED,
			       "this host is not enrolled at %s: set --enroll-token-file, or "
			       "NW_AGENT_ENROLL_TOKEN; windows wait in the spool",
			       self->options.server);
		else
			notice(self, SENDER_REFUSED,
			       "cannot read an enrolment token from %s: %s; windows wait in the "
			       "spool",
			       self->options.enroll_token_file ? self->options.enroll_token_file
							       : "the settings",
			       r == -ENXIO ? "there is no such file" : strerror(-r));
		retry_after(self, REFUSED_NS);
		return;
	}
	r = enrolment_encode(self->options.machine_id, self->options.hostname,
			     self->options.agent_version, &body);
	if (r == 0) {
		const struct transfer_request request = {
			.url = self->enroll_url,
			.bearer = token,
			.content_type = "application/json",
			.body = body,
			.length = strlen(body),
		};

		self->body = body;
		self->phase = PHASE_ENROLLING;
		r = transfer_start(self->transfer, &request);
	}
	if (r < 0) {
		notice(self, SENDER_TROUBLE, "cannot ask %s to enrol: %s", self->options.server,
		       strerror(-r));
		retry_with_backoff(self);
	}
}

static int compress_request(struct sender *self)
{
	struct outbox_request *request = &self->request;
	uint8_t head[REQUEST_HEAD_MAX_BYTES];
	const size_t head_length = request_head_encode(
		self->credentials.host_id, request->stream_id, request->lost_batches, head);
	uint8_t *start = request->buffer + REQUEST_HEAD_MAX_BYTES - head_length;
	const size_t bound = ZSTD_compressBound(head_length + request->length);

	memcpy(start, head, head_length);
	self->body = malloc(bound);
	if (!self->body)
		return -ENOMEM;
	self->body_length =
		ZSTD_compress(self->body, bound, start, head_length + request->length, ZSTD_LEVEL);
	return ZSTD_isError(self->body_length) ? -EIO : 0;
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
		notice(self, SENDER_TROUBLE, "cannot send from the spool: %s", strerror(-r));
		retry_with_backoff(self);
	}
}

static void try_next(struct sender *self)
{
	if (self->is_waiting || transfer_is_busy(self->transfer))
		return;
	if (!self->is_enrolled || self->must_enroll)
		start_enrolling(self);
	else
		start_sending(self);
}

static void on_stored(struct sender *self)
{
	outbox_acknowledge(self->outbox, &self->request);
	release_request(self);
	self->backoff.failures = 0;
	if (self->batch_limit < MAX_BATCHES)
		self->batch_limit *= 2;
	notice(self, SENDER_CONNECTED, "%s takes our windows", self->options.server);
	try_next(self);
}

/* 400, 413: one batch of several may be the cause. Halving finds it, and only it goes. */
static void on_unacceptable(struct sender *self, long status, const char *detail)
{
	if (self->request.n_batches > 1) {
		self->batch_limit = self->request.n_batches / 2;
	} else {
		const int r = outbox_reject_first(self->outbox, &self->request);

		notice(self, SENDER_DATA_LOST,
		       "%s refused window %llu for good (%ld %s); it is kept in spool/rejected%s",
		       self->options.server, (unsigned long long)self->request.first_sequence,
		       status, detail, r < 0 ? ", but the spool could not be saved" : "");
	}
	release_request(self);
	try_next(self);
}

static void on_gap(struct sender *self, const char *body)
{
	uint64_t expected;

	if (problem_number(body, "expected_sequence", &expected) < 0 ||
	    expected >= self->request.first_sequence) {
		notice(self, SENDER_TROUBLE, "%s says 409 without a usable expected_sequence",
		       self->options.server);
		retry_with_backoff(self);
		return;
	}
	outbox_raise_lost(self->outbox, &self->request, self->request.first_sequence - expected);
	notice(self, SENDER_DATA_LOST, "%s misses %llu windows before %llu, and so do we: lost",
	       self->options.server, (unsigned long long)(self->request.first_sequence - expected),
	       (unsigned long long)self->request.first_sequence);
	release_request(self);
	try_next(self);
}

/* An enrolment token at hand may be newer than the token that was refused. */
static void on_unauthorized(struct sender *self, long status, const char *detail)
{
	if (self->options.enroll_token || self->options.enroll_token_file) {
		if (!self->must_enroll) {
			self->must_enroll = true;
			release_request(self);
			try_next(self);
			return;
		}
	}
	notice(self, SENDER_REFUSED,
	       "%s does not accept this host's token (%ld %s): enrol again with "
	       "--enroll-token-file; windows wait in the spool",
	       self->options.server, status, detail);
	retry_after(self, REFUSED_NS);
}

static void on_busy(struct sender *self, const struct transfer_answer *answer, const char *detail)
{
	const uint64_t seconds = answer->retry_after_s < MAX_RETRY_AFTER_S ? answer->retry_after_s
									   : MAX_RETRY_AFTER_S;

	notice(self, SENDER_TROUBLE, "%s cannot take windows now (%ld %s); they wait in the spool",
	       self->options.server, answer->status, detail);
	if (seconds)
		retry_after(self, seconds * NS_PER_SECOND);
	else
		retry_with_backoff(self);
}

static void on_ingest_answer(struct sender *self, const struct transfer_answer *answer)
{
	char detail[256];

	problem_detail(answer->body, detail, sizeof(detail));
	switch (answer->status) {
	case 200:
	case 204:
		on_stored(self);
		return;
	case 400:
	case 413:
		on_unacceptable(self, answer->status, detail);
		return;
	case 401:
	case 403:
		on_unauthorized(self, answer->status, detail);
		return;
	case 409:
		on_gap(self, answer->body);
		return;
	default:
		on_busy(self, answer, detail);
	}
}

static void on_enrolled(struct sender *self, const char *body)
{
	int r;

	r = enrolment_parse(body, self->options.server, &self->credentials);
	if (r < 0) {
		notice(self, SENDER_TROUBLE, "%s answered the enrolment with something else",
		       self->options.server);
		retry_with_backoff(self);
		return;
	}
	self->is_enrolled = true;
	self->must_enroll = false;
	self->backoff.failures = 0;
	notice(self, SENDER_ENROLLED, "enrolled at %s as host %llu", self->options.server,
	       (unsigned long long)self->credentials.host_id);
	r = credentials_save(self->options.state_dir, &self->credentials);
	if (r < 0)
		notice(self, SENDER_REFUSED,
		       "cannot write credentials to the state directory: %s; after a restart this "
		       "host must be enrolled again",
		       strerror(-r));
	release_request(self);
	try_next(self);
}

static void on_enroll_answer(struct sender *self, const struct transfer_answer *answer)
{
	char detail[256];

	problem_detail(answer->body, detail, sizeof(detail));
	if (answer->status == 201) {
		on_enrolled(self, answer->body);
	} else if (answer->status >= 400 && answer->status < 500 && answer->status != 429) {
		notice(self, SENDER_REFUSED,
		       "%s refused to enrol this host (%ld %s): give a new enrolment token; "
		       "windows "
		       "wait in the spool",
		       self->options.server, answer->status, detail);
		retry_after(self, REFUSED_NS);
	} else {
		on_busy(self, answer, detail);
	}
}

static void on_answer(void *context, const struct transfer_answer *answer)
{
	struct sender *self = context;

	if (answer->error) {
		notice(self, SENDER_TROUBLE, "cannot reach %s: %s; windows wait in the spool",
		       self->options.server, answer->error);
		retry_with_backoff(self);
	} else if (self->phase == PHASE_ENROLLING) {
		on_enroll_answer(self, answer);
	} else {
		on_ingest_answer(self, answer);
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
	loop_timer_free(self->retry_timer);
	release_request(self);
	free(self);
}

void sender_wake(struct sender *self)
{
	try_next(self);
}

void sender_hurry(struct sender *self, loop_callback *on_done, void *context)
{
	self->on_done = on_done;
	self->done_context = context;
	loop_timer_clear(self->retry_timer);
	self->is_waiting = false;
	try_next(self);
}
