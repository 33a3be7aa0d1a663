#pragma once

/* Shared by the files of the sender, and by nobody else. */

#include <stdint.h>

#include "wire/backoff.h"
#include "wire/credentials.h"
#include "wire/send.h"
#include "wire/transfer.h"

#define MAX_BATCHES   64 /* in one request */
#define NS_PER_SECOND 1000000000ULL
#define REFUSED_NS    (60 * NS_PER_SECOND) /* somebody has to act: no use in hurrying */

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
	char ingest_url[512], enroll_url[512], live_url[512];

	struct outbox_request request; /* in flight */
	void *body;
	size_t body_length;

	struct transfer *live; /* NULL until it is first asked for */
	void *live_body;
	bool is_live_failing;
};

/* The same sentence is said once, until something else was said. */
void sender_say(struct sender *self, enum sender_notice kind, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Whatever can be done now: enrol or send. Nothing while waiting or in flight. */
void sender_try_next(struct sender *self);
void sender_retry_after(struct sender *self, uint64_t delay_ns);
void sender_retry(struct sender *self);	  /* after the back-off */
void sender_release(struct sender *self); /* what was in flight */

/* zstd; the caller frees. */
int sender_compress(const void *bytes, size_t length, void **ret_body, size_t *ret_length);

/* send_live.c */
void sender_take_wishes(struct sender *self, const struct transfer_answer *answer);
void sender_free_live(struct sender *self);

/* send_enroll.c */
void sender_enroll(struct sender *self);
void sender_on_enroll_answer(struct sender *self, const struct transfer_answer *answer);

/* send_answer.c */
void sender_on_ingest_answer(struct sender *self, const struct transfer_answer *answer);
void sender_on_busy(struct sender *self, const struct transfer_answer *answer, const char *detail);
