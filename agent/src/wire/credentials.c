#include "wire/credentials.h"

#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/file_io.h"
#include "base/parse.h"
#include "wire/utf8.h"

#define FILE_NAME      "credentials"
#define FILE_MAX_BYTES 4096

static void json_putp(json_t **json)
{
	json_decref(*json);
}

static int copy_text(const json_t *object, const char *key, char *ret, size_t capacity)
{
	const char *text = json_string_value(json_object_get(object, key));

	if (!text || text[0] == '\0' || strlen(text) >= capacity)
		return -EINVAL;
	/* It becomes a header: no line may be smuggled in. */
	for (const char *c = text; *c; c++) {
		if ((unsigned char)*c <= ' ' || *c == 0x7f)
			return -EINVAL;
	}
	memcpy(ret, text, strlen(text) + 1);
	return 0;
}

static int get_host_id(const json_t *object, uint64_t *ret)
{
	const char *text = json_string_value(json_object_get(object, "host_id"));

	return text ? parse_u64(text, INT64_MAX, NULL, ret) : -EINVAL;
}

int enrolment_parse(const char *text, const char *server, struct credentials *ret)
{
	cleanup(json_putp) json_t *root = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
	struct credentials credentials = {0};
	int r;

	r = get_host_id(root, &credentials.host_id);
	if (r == 0)
		r = copy_text(root, "token", credentials.token, sizeof(credentials.token));
	if (r < 0)
		return r;
	if (strlen(server) >= sizeof(credentials.server))
		return -ENAMETOOLONG;
	memcpy(credentials.server, server, strlen(server) + 1);
	*ret = credentials;
	return 0;
}

int credentials_load(int state_dir, struct credentials *ret)
{
	cleanup(freep) char *text = NULL;
	cleanup(json_putp) json_t *root = NULL;
	const char *server;
	int r;

	r = file_read(state_dir, FILE_NAME, FILE_MAX_BYTES, &text, NULL);
	if (r < 0)
		return r;
	root = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
	server = json_string_value(json_object_get(root, "server"));
	return server ? enrolment_parse(text, server, ret) : -EINVAL;
}

int credentials_save(int state_dir, const struct credentials *credentials)
{
	cleanup(freep) char *text = NULL;
	cleanup(json_putp) json_t *root = json_object();
	char host_id[24];
	int r = 0;

	snprintf(host_id, sizeof(host_id), "%llu", (unsigned long long)credentials->host_id);
	r |= json_object_set_new(root, "host_id", json_string(host_id));
	r |= json_object_set_new(root, "token", json_string(credentials->token));
	r |= json_object_set_new(root, "server", json_string(credentials->server));
	text = r == 0 ? json_dumps(root, JSON_COMPACT) : NULL;
	if (!text)
		return -ENOMEM;
	return file_write_atomic(state_dir, FILE_NAME, text, strlen(text), 0600, true);
}

int enrolment_encode(const char *machine_id, const char *hostname, const char *agent_version,
		     char **ret_body)
{
	cleanup(json_putp) json_t *root = json_object();
	cleanup(freep) char *name = strdup(hostname);
	char *body;
	int r = 0;

	if (!name)
		return -ENOMEM;
	utf8_repair(name);
	r |= json_object_set_new(root, "machine_id", json_string(machine_id));
	r |= json_object_set_new(root, "hostname", json_string(name));
	r |= json_object_set_new(root, "agent_version", json_string(agent_version));
	body = r == 0 ? json_dumps(root, JSON_COMPACT) : NULL;
	if (!body)
		return -ENOMEM;
	*ret_body = body;
	return 0;
}

void problem_detail(const char *text, char *ret, unsigned int capacity)
{
	cleanup(json_putp) json_t *root = json_loads(text, 0, NULL);
	const char *detail = json_string_value(json_object_get(root, "detail"));

	if (!detail)
		detail = json_string_value(json_object_get(root, "title"));
	snprintf(ret, capacity, "%s", detail ? detail : "");
}

int problem_number(const char *text, const char *key, uint64_t *ret)
{
	cleanup(json_putp) json_t *root = json_loads(text, 0, NULL);
	const json_t *field = json_object_get(root, key);

	if (!json_is_integer(field) || json_integer_value(field) < 0)
		return -EINVAL;
	*ret = (uint64_t)json_integer_value(field);
	return 0;
}
