#include "base/log.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static enum log_level max_level = LOG_LEVEL_INFO;

static const struct {
	enum log_level level;
	const char *name;
} levels[] = {
	{LOG_LEVEL_ERROR, "error"},
	{LOG_LEVEL_WARNING, "warning"},
	{LOG_LEVEL_INFO, "info"},
	{LOG_LEVEL_DEBUG, "debug"},
};

void log_set_level(enum log_level level)
{
	max_level = level;
}

int log_level_from_name(const char *name, enum log_level *ret_level)
{
	for (size_t i = 0; i < sizeof(levels) / sizeof(levels[0]); i++) {
		if (strcmp(levels[i].name, name) == 0) {
			*ret_level = levels[i].level;
			return 0;
		}
	}
	return -EINVAL;
}

static const char *level_name(enum log_level level)
{
	for (size_t i = 0; i < sizeof(levels) / sizeof(levels[0]); i++) {
		if (levels[i].level == level)
			return levels[i].name;
	}
	return "unknown";
}

void log_write(enum log_level level, const char *format, ...)
{
	char line[1024];
	va_list arguments;

	if (level > max_level)
		return;

	va_start(arguments, format);
	vsnprintf(line, sizeof(line), format, arguments);
	va_end(arguments);

	/* What is quoted may come from files or the network: one event stays one line. */
	for (char *c = line; *c; c++) {
		if ((unsigned char)*c < ' ')
			*c = ' ';
	}

	/* Set by systemd when standard error is the journal, which adds time and name itself. */
	if (getenv("JOURNAL_STREAM"))
		fprintf(stderr, "<%d>%s\n", (int)level, line);
	else
		fprintf(stderr, "nwagent: %s: %s\n", level_name(level), line);
}
