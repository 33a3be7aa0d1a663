#pragma once

#include <stdint.h>

/*
 * Who this host is to the backend: the file `credentials` in the state directory, mode
 * 0600, JSON {host_id, token, server}.
 */
struct credentials {
	uint64_t host_id;
	char token[128];
	char server[256]; /* whom the token is for: it is shown to nobody else */
};

/* -ENOENT: not enrolled yet. -EINVAL: the file cannot be understood. */
int credentials_load(int state_dir, struct credentials *ret);
int credentials_save(int state_dir, const struct credentials *credentials);

/* PURE: the body of POST /api/v1/enroll, and its answer. The caller frees. */
int enrolment_encode(const char *machine_id, const char *hostname, const char *agent_version,
		     char **ret_body);
int enrolment_parse(const char *text, const char *server, struct credentials *ret);

/* A problem document's `detail` (or title), for a sentence; "" if there is none. */
void problem_detail(const char *text, char *ret, unsigned int capacity);

/* The number in a problem document's extra field. -EINVAL: not there. */
int problem_number(const char *text, const char *key, uint64_t *ret);
