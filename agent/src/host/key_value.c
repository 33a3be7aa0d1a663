#include "host/key_value.h"

#include <stdio.h>
#include <string.h>

static size_t skip_blanks(const char *text)
{
	return strspn(text, " \t");
}

bool key_value_find(const char *text, const char *key, char separator, char *ret_value,
		    size_t capacity)
{
	const size_t key_length = strlen(key);

	for (const char *line = text; *line; line += strcspn(line, "\n"), line += *line == '\n') {
		const char *value = line + key_length;
		size_t length;

		if (strncmp(line, key, key_length) != 0)
			continue;
		value += skip_blanks(value);
		if (*value != separator)
			continue;
		value++;
		value += skip_blanks(value);
		length = strcspn(value, "\n");
		if (length >= 2 && value[0] == '"' && value[length - 1] == '"') {
			value++;
			length -= 2;
		}
		snprintf(ret_value, capacity, "%.*s", (int)length, value);
		return true;
	}
	return false;
}
