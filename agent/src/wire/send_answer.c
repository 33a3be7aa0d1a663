#include <stdio.h>

#include "wire/send_private.h"

#define MAX_RETRY_AFTER_S 600

static void on_stored(struct sender *self)
{
	outbox_acknowledge(self->outbox, &self->request);
	sender_release(self);
	self->backoff.failures = 0;
	if (self->batch_limit < MAX_BATCHES)
		self->batch_limit *= 2;
	sender_say(self, SENDER_CONNECTED, "%s takes our windows", self->options.server);
	sender_try_next(self);
}

/* 400, 413: one batch of several may be the cause. Halving finds it, and only it goes. */
static void on_unacceptable(struct sender *self, long status, const char *detail)
{
	if (self->request.n_batches > 1) {
		self->batch_limit = self->request.n_batches / 2;
	} else {
		const int r = outbox_reject_first(self->outbox, &self->request);

		sender_say(
			self, SENDER_DATA_LOST,
			"%s refused window %llu for good (%ld %s); it is kept in spool/rejected%s",
			self->options.server, (unsigned long long)self->request.first_sequence,
			status, detail, r < 0 ? ", but the spool could not be saved" : "");
	}
	sender_release(self);
	sender_try_next(self);
}

static void on_gap(struct sender *self, const char *body)
{
	uint64_t expected;

	if (problem_number(body, "expected_sequence", &expected) < 0 ||
	    expected >= self->request.first_sequence) {
		sender_say(self, SENDER_TROUBLE, "%s says 409 without a usable expected_sequence",
			   self->options.server);
		sender_retry(self);
		return;
	}
	outbox_raise_lost(self->outbox, &self->request, self->request.first_sequence - expected);
	sender_say(self, SENDER_DATA_LOST, "%s misses %llu windows before %llu, and so do we: lost",
		   self->options.server,
		   (unsigned long long)(self->request.first_sequence - expected),
		   (unsigned long long)self->request.first_sequence);
	sender_release(self);
	sender_try_next(self);
}

/* An enrolment token at hand may be newer than the token that was refused. */
static void on_unauthorized(struct sender *self, long status, const char *detail)
{
	if (self->options.enroll_token || self->options.enroll_token_file) {
		if (!self->must_enroll) {
			self->must_enroll = true;
			sender_release(self);
			sender_try_next(self);
			return;
		}
	}
	sender_say(self, SENDER_REFUSED,
		   "%s does not accept this host's token (%ld %s): enrol again with "
		   "--enroll-token-file; windows wait in the spool",
		   self->options.server, status, detail);
	sender_retry_after(self, REFUSED_NS);
}

void sender_on_busy(struct sender *self, const struct transfer_answer *answer, const char *detail)
{
	const uint64_t seconds = answer->retry_after_s < MAX_RETRY_AFTER_S ? answer->retry_after_s
									   : MAX_RETRY_AFTER_S;

	sender_say(self, SENDER_TROUBLE,
		   "%s cannot take windows now (%ld %s); they wait in the spool",
		   self->options.server, answer->status, detail);
	if (seconds)
		sender_retry_after(self, seconds * NS_PER_SECOND);
	else
		sender_retry(self);
}

void sender_on_ingest_answer(struct sender *self, const struct transfer_answer *answer)
{
	char detail[256];

	problem_detail(answer->body, detail, sizeof(detail));
	switch (answer->status) {
	case 200:
		sender_take_wishes(self, answer);
		on_stored(self);
		return;
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
		sender_on_busy(self, answer, detail);
	}
}
