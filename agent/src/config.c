#include "config.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/file_io.h"
#include "base/parse.h"
#include "config_check.h"
#include "config_settings.h"

#define FILE_MAX_BYTES	   (64 * 1024UL)
#define TOP_MAX_FRAMES	   1000000
#define ENVIRONMENT_PREFIX "NW_AGENT_"

static int __attribute__((format(printf, 2, 3))) refuse(struct config_error *error,
							const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(error->message, sizeof(error->message), format, arguments);
	va_end(arguments);
	return -EINVAL;
}

/* `where` names file and line, variable or flag; it stands first in every complaint. */
static int apply(const struct setting *setting, struct config *config, const char *where,
		 const char *value, struct config_error *error)
{
	int r = config_setting_assign(setting, config, value);

	if (r == -ENOMEM)
		return refuse(error, "%s: out of memory", where);
	if (r < 0)
		return refuse(error, "%s: %s cannot be '%s' (allowed: %s)", where, setting->key,
			      setting->is_secret ? "***" : value, setting->allowed);
	return 0;
}

static int apply_defaults(struct config *config, struct config_error *error)
{
	for (size_t i = 0; i < n_config_settings; i++) {
		int r;

		if (!config_settings[i].key || !config_settings[i].fallback)
			continue;
		r = apply(&config_settings[i], config, "default", config_settings[i].fallback,
			  error);
		if (r < 0)
			return r;
	}
	return 0;
}

static char *trim(char *text)
{
	char *end;

	while (isspace((unsigned char)*text))
		text++;
	end = text + strlen(text);
	while (end > text && isspace((unsigned char)end[-1]))
		*--end = '\0';
	return text;
}

static int apply_line(struct config *config, const char *where, char *line,
		      struct config_error *error)
{
	const struct setting *setting;
	char *key = trim(line), *equals;

	if (*key == '\0' || *key == '#')
		return 0;
	equals = strchr(key, '=');
	if (!equals)
		return refuse(error, "%s: expected 'key = value', found '%s'", where, key);
	*equals = '\0';
	key = trim(key);
	setting = config_setting_find(key);
	if (!setting)
		return refuse(error, "%s: unknown key '%s' (nwagent --help lists all)", where, key);
	return apply(setting, config, where, trim(equals + 1), error);
}

static int apply_file(struct config *config, const char *path, bool is_named,
		      struct config_error *error)
{
	cleanup(freep) char *text = NULL;
	char *rest, *line;
	size_t length;
	int r;

	r = file_read(AT_FDCWD, path, FILE_MAX_BYTES, &text, &length);
	if (r == -ENOENT && !is_named)
		return 0;
	if (r < 0)
		return refuse(error, "%s: cannot read the configuration: %s", path, strerror(-r));
	if (strlen(text) != length)
		return refuse(error, "%s: not a text file", path);

	rest = text;
	for (unsigned int number = 1; (line = strsep(&rest, "\n")); number++) {
		char where[300];

		snprintf(where, sizeof(where), "%s:%u", path, number);
		r = apply_line(config, where, line, error);
		if (r < 0)
			return r;
	}
	return 0;
}

static int apply_environment(struct config *config, char *const environment[],
			     struct config_error *error)
{
	const size_t prefix = strlen(ENVIRONMENT_PREFIX);

	for (; *environment; environment++) {
		const char *equals = strchr(*environment, '=');
		const struct setting *setting;
		char name[64], key[64];
		size_t length;
		int r;

		if (strncmp(*environment, ENVIRONMENT_PREFIX, prefix) != 0 || !equals)
			continue;
		length = (size_t)(equals - *environment);
		snprintf(name, sizeof(name), "%.*s", (int)length, *environment);
		if (strcmp(name, ENVIRONMENT_PREFIX "CONFIG") == 0)
			continue;
		for (size_t i = 0; i == 0 || key[i - 1]; i++)
			key[i] = (char)tolower((unsigned char)name[prefix + i]);
		setting = length < sizeof(name) ? config_setting_find(key) : NULL;
		if (!setting)
			return refuse(error, "%s: unknown setting (nwagent --help lists all)",
				      name);
		/* Compose and unit files pass unset variables on as empty ones. */
		if (equals[1] == '\0')
			continue;
		r = apply(setting, config, name, equals + 1, error);
		if (r < 0)
			return r;
	}
	return 0;
}

/* "--spool-max-bytes" -> "spool_max_bytes" */
static void key_of_flag(const char *flag, size_t length, char ret_key[64])
{
	size_t n = 0;

	for (size_t i = 2; i < length && n < 63; i++)
		ret_key[n++] = flag[i] == '-' ? '_' : flag[i];
	ret_key[n] = '\0';
}

/* A flag with its value, "--key value" or "--key=value"; *at is left on the last word used. */
static int apply_flag(int argc, char *const argv[], int *at, struct config *config,
		      struct config_error *error)
{
	const char *word = argv[*at], *value = strchr(word, '=');
	const size_t length = value ? (size_t)(value - word) : strlen(word);
	const struct setting *setting;
	char where[80], key[64];

	snprintf(where, sizeof(where), "%.*s", (int)length, word);
	key_of_flag(word, length, key);
	setting = config_setting_find(key);
	if (!setting)
		return refuse(error, "%s: unknown option (nwagent --help lists all)", where);
	if (setting->is_secret)
		return refuse(error,
			      "%s: everybody sees a command line; use the file, %s%s or --%s",
			      where, ENVIRONMENT_PREFIX, "ENROLL_TOKEN", "enroll-token-file");
	if (value)
		value++;
	else if (setting->type == SETTING_BOOL)
		value = "true";
	else if (*at + 1 < argc)
		value = argv[++*at];
	else
		return refuse(error, "%s: a value is missing (allowed: %s)", where,
			      setting->allowed);
	return apply(setting, config, where, value, error);
}

struct words {
	const char *file; /* --config */
	enum config_command command;
	bool to_stdout;
	uint64_t top_frames; /* --once, --batch */
};

static int take_batch(const char *value, struct words *words, struct config_error *error)
{
	if (parse_u64(value, TOP_MAX_FRAMES, NULL, &words->top_frames) == 0 && words->top_frames)
		return 1;
	return refuse(error, "--batch: '%s' is no number of frames (allowed: 1 to %u)", value,
		      (unsigned int)TOP_MAX_FRAMES);
}

/* What is on the command line and is no setting. Returns whether it was such a word. */
static int take_word(int argc, char *const argv[], int *at, struct words *words,
		     struct config_error *error)
{
	const char *word = argv[*at];

	if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0) {
		words->command = CONFIG_HELP;
	} else if (strcmp(word, "--version") == 0) {
		words->command = CONFIG_VERSION;
	} else if (strcmp(word, "--stdout") == 0) {
		words->to_stdout = true;
	} else if (strcmp(word, "check") == 0) {
		words->command = CONFIG_CHECK;
	} else if (strcmp(word, "top") == 0) {
		words->command = CONFIG_TOP;
	} else if (strcmp(word, "--once") == 0) {
		words->top_frames = 1;
	} else if (strncmp(word, "--batch=", 8) == 0) {
		return take_batch(word + 8, words, error);
	} else if (strcmp(word, "--batch") == 0) {
		if (*at + 1 == argc)
			return refuse(error, "--batch: a value is missing (allowed: 1 to %u)",
				      (unsigned int)TOP_MAX_FRAMES);
		return take_batch(argv[++*at], words, error);
	} else if (strncmp(word, "--config=", 9) == 0) {
		words->file = word + 9;
	} else if (strcmp(word, "--config") == 0) {
		if (*at + 1 == argc)
			return refuse(error, "--config: a value is missing (allowed: FILE)");
		words->file = argv[++*at];
	} else if (strncmp(word, "--", 2) != 0) {
		return refuse(error, "'%s': unknown command (allowed: check, top, or none to run)",
			      word);
	} else {
		return 0;
	}
	return 1;
}

static const char *environment_file(char *const environment[])
{
	const size_t length = strlen(ENVIRONMENT_PREFIX "CONFIG=");

	for (; *environment; environment++) {
		if (strncmp(*environment, ENVIRONMENT_PREFIX "CONFIG=", length) == 0 &&
		    (*environment)[length])
			return *environment + length;
	}
	return NULL;
}

static int load(int argc, char *const argv[], char *const environment[], struct config *config,
		struct words *words, struct config_error *error)
{
	struct config ignored = {0};
	int r = 0;

	/* First round: which file. Settings are checked, and taken in the second round. */
	words->file = environment_file(environment);
	for (int at = 1; at < argc && r >= 0; at++) {
		r = take_word(argc, argv, &at, words, error);
		if (r == 0)
			r = apply_flag(argc, argv, &at, &ignored, error);
	}
	config_free(&ignored);
	if (r < 0)
		return r;
	if (words->command == CONFIG_HELP || words->command == CONFIG_VERSION)
		return 0;

	r = apply_defaults(config, error);
	if (r < 0)
		return r;
	r = apply_file(config, words->file ? words->file : CONFIG_DEFAULT_FILE, words->file != NULL,
		       error);
	if (r < 0)
		return r;
	r = apply_environment(config, environment, error);
	if (r < 0)
		return r;
	for (int at = 1; at < argc; at++) {
		r = take_word(argc, argv, &at, words, error);
		if (r == 0)
			r = apply_flag(argc, argv, &at, config, error);
		if (r < 0)
			return r;
	}
	config->to_stdout = words->to_stdout;
	config->is_top = words->command == CONFIG_TOP;
	config->top_frames = words->top_frames;
	if (words->top_frames && !config->is_top)
		return refuse(error, "--once and --batch go with: nwagent top");
	/* What goes well needs no word where a table is about to be. */
	if (config->is_top && config->log_level == LOG_LEVEL_INFO)
		config->log_level = LOG_LEVEL_WARNING;
	if (config->instance_type && !config->instance_family) {
		config->instance_family =
			strndup(config->instance_type, strcspn(config->instance_type, "."));
		if (!config->instance_family)
			return refuse(error, "instance_family: out of memory");
	}
	return config_check(config, words->command, error);
}

int config_load(int argc, char *const argv[], char *const environment[], struct config *ret_config,
		enum config_command *ret_command, struct config_error *ret_error)
{
	struct words words = {.command = CONFIG_RUN};
	struct config config = {0};
	int r;

	r = load(argc, argv, environment, &config, &words, ret_error);
	if (r < 0) {
		config_free(&config);
		return r;
	}
	*ret_config = config;
	*ret_command = words.command;
	return 0;
}
