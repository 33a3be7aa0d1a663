#pragma once

enum log_level {
	LOG_LEVEL_NONE = 0,  /* while the terminal is a screen */
	LOG_LEVEL_ERROR = 3, /* syslog's numbers: journald reads them from the "<3>" prefix */
	LOG_LEVEL_WARNING = 4,
	LOG_LEVEL_INFO = 6,
	LOG_LEVEL_DEBUG = 7,
};

/* The only global of the agent. */
void log_set_level(enum log_level level);
int log_level_from_name(const char *name, enum log_level *ret_level);

/*
 * One line to standard error. Rooms return errors, agent.c and main.c log them,
 * once, with what was attempted and what to do.
 */
void log_write(enum log_level level, const char *format, ...) __attribute__((format(printf, 2, 3)));

#define log_error(...)	 log_write(LOG_LEVEL_ERROR, __VA_ARGS__)
#define log_warning(...) log_write(LOG_LEVEL_WARNING, __VA_ARGS__)
#define log_info(...)	 log_write(LOG_LEVEL_INFO, __VA_ARGS__)
#define log_debug(...)	 log_write(LOG_LEVEL_DEBUG, __VA_ARGS__)
