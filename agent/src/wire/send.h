#pragma once

#include <stdbool.h>

#include "base/loop.h"
#include "wire/outbox.h"

/*
 * Brings the outbox to the backend: one request in flight, on the agent's own loop by
 * curl's multi interface, so that a slow or dead backend never delays a window. No
 * thread of ours; curl resolves names in its own.
 */
struct sender;

struct sender_options {
	const char *server;
	const char *ca_file; /* NULL: the system's */
	const char *enroll_token;
	const char *enroll_token_file;
	const char *agent_version;
	const char *user_agent;
	bool is_local; /* the server is this machine: never ask a proxy */
	const char *machine_id;
	const char *hostname;
	int state_dir; /* holds `credentials`; stays the caller's */
	/* Called with the sender's context when the backend asks for live windows; or NULL. */
	void (*on_live_asked)(void *context, uint32_t seconds);
};

/* What the agent should say once, in words; see sender_on_notice. */
enum sender_notice {
	SENDER_CONNECTED, /* after trouble, or the first time */
	SENDER_ENROLLED,
	SENDER_TROUBLE, /* will be tried again by itself */
	SENDER_REFUSED, /* somebody has to do something */
	SENDER_DATA_LOST,
};

typedef void sender_on_notice(void *context, enum sender_notice notice, const char *sentence);

int sender_new(struct loop *loop, struct outbox *outbox, const struct sender_options *options,
	       sender_on_notice *on_notice, void *context, struct sender **ret);
void sender_free(struct sender *self);

/* Something was appended. Does nothing while a request is in flight or backed off. */
void sender_wake(struct sender *self);

/* For the end: one attempt right now, whatever the back-off says. */
void sender_hurry(struct sender *self, loop_callback *on_done, void *context);

/*
 * One live window: not spooled, not tried again, beside what the outbox sends and never in its
 * way. -EBUSY: the last one is still under way. -EAGAIN: the backend does not know us, or is in
 * trouble.
 */
int sender_send_live(struct sender *self, const struct batch *batch);
