#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/loop.h"

/* One HTTP POST at a time on the agent's loop, by curl's multi interface. */
struct transfer;

struct transfer_answer {
	const char *error; /* NULL: there is a status; else why there is none */
	long status;
	uint64_t retry_after_s; /* 0: not said */
	const char *body;	/* NUL-terminated, cut to what we want to read */
	size_t length;
	const char *content_type; /* "": not said */
};

typedef void transfer_on_done(void *context, const struct transfer_answer *answer);

struct transfer_options {
	const char *ca_file;	/* NULL: the system's */
	const char *user_agent; /* copied by curl */
	bool is_local;		/* never by a proxy */
	long timeout_ms;	/* for the whole request; 0: 30 s */
};

/* `on_done` may start the next transfer. */
int transfer_new(struct loop *loop, const struct transfer_options *options,
		 transfer_on_done *on_done, void *context, struct transfer **ret);
void transfer_free(struct transfer *self);
bool transfer_is_busy(const struct transfer *self);

struct transfer_request {
	const char *url;
	const char *bearer; /* token */
	const char *content_type;
	const char *content_encoding; /* NULL: none */
	const void *body;	      /* must stay until on_done */
	size_t length;
};

int transfer_start(struct transfer *self, const struct transfer_request *request);
