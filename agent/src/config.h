#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/log.h"

#define CONFIG_MAX_DIRS 8

/* How the cost of the programs in the kernel is found; in the order of the setting's words. */
enum config_self_cost {
	SELF_COST_AUTO,
	SELF_COST_SLICES,
	SELF_COST_ESTIMATE,
	SELF_COST_OFF,
};

struct config_dirs {
	char *paths[CONFIG_MAX_DIRS];
	size_t n_paths;
};

/*
 * Everything that can be set. One value comes from, in rising order: the table of
 * defaults in config.c, the file, the environment (NW_AGENT_*), the command line.
 */
struct config {
	char *server; /* NULL: none */
	char *ca_file;
	char *enroll_token; /* file and environment only: a command line is seen by all */
	char *enroll_token_file;
	bool allow_plain_http;
	char *state_dir;
	uint64_t spool_max_bytes;

	uint64_t window_ns;
	uint64_t max_cgroups;
	bool live;
	struct config_dirs oci_state_dirs;
	struct config_dirs docker_data_roots;

	char *disable;	     /* names of collectors, with commas; NULL: none */
	uint64_t budget_ppm; /* of the host's CPU time; 0: no limit */
	enum config_self_cost self_cost;
	char *user; /* NULL: nwagent if there is such a user */

	char *instance_type;
	char *instance_family;
	char *region;

	enum log_level log_level;
	/* Command line only. */
	bool to_stdout;
	bool is_top;
	uint64_t top_frames; /* plain text, then an end; 0: for ever, on a screen if there is one */
};

enum config_command {
	CONFIG_RUN,
	CONFIG_CHECK,
	CONFIG_TOP,
	CONFIG_HELP,
	CONFIG_VERSION,
};

struct config_error {
	char message
		[512]; /* "FILE:LINE: ..." or "--flag: ...": what was wrong and what is allowed */
};

#define CONFIG_DEFAULT_FILE "/etc/neighborwatch/agent.conf"

/*
 * `environment` is in the form of environ(7). On -EINVAL `ret_error` says why.
 * A missing default file is no error; a missing named one is.
 */
int config_load(int argc, char *const argv[], char *const environment[], struct config *ret_config,
		enum config_command *ret_command, struct config_error *ret_error);
void config_free(struct config *self);

/* The text of --help, made from the same table that config_load reads. */
void config_print_help(void);
