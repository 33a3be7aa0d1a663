#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "config.h"

enum setting_type {
	SETTING_TEXT,
	SETTING_DIRS, /* each named directory goes before the built-in ones */
	SETTING_BOOL,
	SETTING_NUMBER,
	SETTING_BYTES,
	SETTING_DURATION,
	SETTING_PERCENT,
	SETTING_LEVEL,
	SETTING_CHOICE, /* one of the words of `allowed`; the member is their enum */
};

struct setting {
	const char
		*key; /* file: key, environment: NW_AGENT_KEY, command line: --key with hyphens */
	enum setting_type type;
	size_t offset;
	const char *fallback; /* NULL: unset */
	uint64_t min, max;    /* of numbers */
	const char *allowed;  /* for the error text and the help */
	const char *help;
	bool is_secret; /* not on the command line */
};

/* Every setting, in the order of the help. A NULL key starts a group, named by `help`. */
extern const struct setting config_settings[];
extern const size_t n_config_settings;

const struct setting *config_setting_find(const char *key);

/* Reads `value` into the setting's member. -EINVAL, -ERANGE, -ENOMEM. */
int config_setting_assign(const struct setting *setting, struct config *config, const char *value);
