#include "wire/json_build.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/cleanup.h"
#include "wire/utf8.h"

/* Counters stay far below 2^63 within a window; ids have 63 bits. */
json_t *json_count(uint64_t value)
{
	return json_integer((json_int_t)value);
}

json_t *json_text(const char *from)
{
	cleanup(freep) char *copy = strdup(from ? from : "");

	if (!copy)
		return NULL;
	utf8_repair(copy);
	return json_string(copy);
}

json_t *json_id(uint64_t container_id)
{
	return json_sprintf("%016llx", (unsigned long long)container_id);
}

json_t *json_instant(int64_t unix_ns)
{
	const time_t seconds = (time_t)(unix_ns / 1000000000);
	struct tm parts;
	char text[32];

	gmtime_r(&seconds, &parts);
	strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &parts);
	return json_string(text);
}

/* jansson's setters steal the value and refuse NULL: -1 then means out of memory. */
int json_put(json_t *object, const char *key, json_t *value)
{
	return json_object_set_new(object, key, value);
}

int json_put_number(json_t *object, const char *key, uint64_t value)
{
	return json_put(object, key, json_count(value));
}

int json_put_name(json_t *to, const char *key, uint64_t container_id,
		  const struct json_names *names)
{
	struct batch_identity identity;

	if (!names->find(names->context, container_id, &identity))
		return json_put(to, key, json_id(container_id));
	return json_put(to, key, json_text(identity.name));
}

json_t *json_whole(json_t *value, int r)
{
	if (r == 0)
		return value;
	json_decref(value);
	return NULL;
}
