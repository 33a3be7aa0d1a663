#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "neighborwatch/v1/ingest.pb-c.h"
#include "wire/send_private.h"

#define WIRE_TYPE	"application/x-protobuf"
#define LIVE_TIMEOUT_MS 5000L

/* A proxy's page of 200 is no wish: hence the type. What cannot be read asks for nothing. */
void sender_take_wishes(struct sender *self, const struct transfer_answer *answer)
{
	Neighborwatch__V1__IngestAnswer *wishes;

	if (!self->options.on_live_asked ||
	    strncmp(answer->content_type, WIRE_TYPE, strlen(WIRE_TYPE)) != 0)
		return;
	wishes = neighborwatch__v1__ingest_answer__unpack(NULL, answer->length,
							  (const uint8_t *)answer->body);
	if (!wishes) {
		sender_say(self, SENDER_TROUBLE, "%s answers what is no IngestAnswer",
			   self->options.server);
		return;
	}
	if (wishes->live_seconds)
		self->options.on_live_asked(self->context, wishes->live_seconds);
	neighborwatch__v1__ingest_answer__free_unpacked(wishes, NULL);
}

void sender_free_live(struct sender *self)
{
	transfer_free(self->live);
	free(self->live_body);
}

static void on_live_answer(void *context, const struct transfer_answer *answer)
{
	struct sender *self = context;
	const bool is_failure = answer->error || answer->status / 100 != 2;

	free(self->live_body);
	self->live_body = NULL;
	if (is_failure && !self->is_live_failing && answer->error)
		sender_say(self, SENDER_TROUBLE, "live windows do not reach %s: %s",
			   self->options.server, answer->error);
	else if (is_failure && !self->is_live_failing)
		sender_say(self, SENDER_TROUBLE, "%s does not take live windows (%ld)",
			   self->options.server, answer->status);
	self->is_live_failing = is_failure;
}

static int open_live(struct sender *self)
{
	const struct transfer_options options = {
		.ca_file = self->options.ca_file,
		.user_agent = self->options.user_agent,
		.is_local = self->options.is_local,
		.timeout_ms = LIVE_TIMEOUT_MS,
	};

	return self->live ? 0
			  : transfer_new(self->loop, &options, on_live_answer, self, &self->live);
}

static int make_body(struct sender *self, const struct batch *batch, size_t *ret_length)
{
	cleanup(freep) uint8_t *plain = NULL;
	size_t n;
	int r = live_request_encode(self->credentials.host_id, batch, &plain, &n);

	return r < 0 ? r : sender_compress(plain, n, &self->live_body, ret_length);
}

int sender_send_live(struct sender *self, const struct batch *batch)
{
	struct transfer_request request = {
		.url = self->live_url,
		.bearer = self->credentials.token,
		.content_type = WIRE_TYPE,
		.content_encoding = "zstd",
	};
	int r;

	if (!self->is_enrolled || self->must_enroll || self->is_waiting)
		return -EAGAIN;
	if (self->live && transfer_is_busy(self->live))
		return -EBUSY;
	r = open_live(self);
	if (r == 0)
		r = make_body(self, batch, &request.length);
	if (r < 0)
		return r;
	request.body = self->live_body;
	r = transfer_start(self->live, &request);
	if (r < 0) {
		free(self->live_body);
		self->live_body = NULL;
	}
	return r;
}
