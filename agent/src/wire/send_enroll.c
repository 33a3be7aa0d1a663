#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/file_io.h"
#include "wire/send_private.h"

#define TOKEN_MAX_BYTES 256

static bool is_token(const char *text)
{
	if (*text == '\0')
		return false;
	for (; *text; text++) {
		if ((unsigned char)*text <= ' ' || (unsigned char)*text >= 0x7f)
			return false;
	}
	return true;
}

/* -ENOENT: none is configured. -EINVAL: no token. The caller frees. */
static int read_token(const struct sender_options *options, char **ret_token)
{
	cleanup(freep) char *token = NULL;
	int r;

	if (options->enroll_token) {
		token = strdup(options->enroll_token);
		if (!token)
			return -ENOMEM;
	} else if (options->enroll_token_file) {
		r = file_read(AT_FDCWD, options->enroll_token_file, TOKEN_MAX_BYTES, &token, NULL);
		if (r < 0)
			return r == -ENOENT ? -ENXIO : r;
		token[strcspn(token, "\r\n")] = '\0';
	} else {
		return -ENOENT;
	}
	if (!is_token(token))
		return -EINVAL;
	*ret_token = take_ptr(token);
	return 0;
}

void sender_enroll(struct sender *self)
{
	cleanup(freep) char *token = NULL;
	char *body;
	int r;

	r = read_token(&self->options, &token);
	if (r < 0) {
		if (r == -ENOENT && self->must_enroll)
			sender_say(
				self, SENDER_REFUSED,
				"%s does not accept this host's token any more: enrol again with "
				"--enroll-token-file; windows wait in the spool",
				self->options.server);
		else if (r == -ENOENT)
			sender_say(self, SENDER_REFUSED,
				   "this host is not enrolled at %s: set --enroll-token-file, or "
				   "NW_AGENT_ENROLL_TOKEN; windows wait in the spool",
				   self->options.server);
		else
			sender_say(
				self, SENDER_REFUSED,
				"cannot read an enrolment token from %s: %s; windows wait in the "
				"spool",
				self->options.enroll_token_file ? self->options.enroll_token_file
								: "the settings",
				r == -ENXIO ? "there is no such file" : strerror(-r));
		sender_retry_after(self, REFUSED_NS);
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
		sender_say(self, SENDER_TROUBLE, "cannot ask %s to enrol: %s", self->options.server,
			   strerror(-r));
		sender_retry(self);
	}
}

static void on_enrolled(struct sender *self, const char *body)
{
	int r;

	r = enrolment_parse(body, self->options.server, &self->credentials);
	if (r < 0) {
		sender_say(self, SENDER_TROUBLE, "%s answered the enrolment with something else",
			   self->options.server);
		sender_retry(self);
		return;
	}
	self->is_enrolled = true;
	self->must_enroll = false;
	self->backoff.failures = 0;
	sender_say(self, SENDER_ENROLLED, "enrolled at %s as host %llu", self->options.server,
		   (unsigned long long)self->credentials.host_id);
	r = credentials_save(self->options.state_dir, &self->credentials);
	if (r < 0)
		sender_say(
			self, SENDER_REFUSED,
			"cannot write credentials to the state directory: %s; after a restart this "
			"host must be enrolled again",
			strerror(-r));
	sender_release(self);
	sender_try_next(self);
}

void sender_on_enroll_answer(struct sender *self, const struct transfer_answer *answer)
{
	char detail[256];

	problem_detail(answer->body, detail, sizeof(detail));
	if (answer->status == 201) {
		on_enrolled(self, answer->body);
	} else if (answer->status >= 400 && answer->status < 500 && answer->status != 429) {
		sender_say(self, SENDER_REFUSED,
			   "%s refused to enrol this host (%ld %s): give a new enrolment token; "
			   "windows "
			   "wait in the spool",
			   self->options.server, answer->status, detail);
		sender_retry_after(self, REFUSED_NS);
	} else {
		sender_on_busy(self, answer, detail);
	}
}
