#include "config_settings.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/parse.h"

#define MEMBER(name) offsetof(struct config, name)

/* The one table: names, defaults, limits, help. A NULL key starts a group of the help. */
const struct setting config_settings[] = {
	{NULL, 0, 0, NULL, 0, 0, NULL, "Backend", false},
	{"server", SETTING_TEXT, MEMBER(server), NULL, 0, 0, "URL",
	 "backend to send to, such as https://neighborwatch.example.com", false},
	{"ca_file", SETTING_TEXT, MEMBER(ca_file), NULL, 0, 0, "FILE",
	 "certificates to trust instead of the system's", false},
	{"enroll_token", SETTING_TEXT, MEMBER(enroll_token), NULL, 0, 0, "TOKEN",
	 "one-time enrolment token (nwe_...)", true},
	{"enroll_token_file", SETTING_TEXT, MEMBER(enroll_token_file), NULL, 0, 0, "FILE",
	 "file that holds the enrolment token; read again at each attempt", false},
	{"allow_plain_http", SETTING_BOOL, MEMBER(allow_plain_http), "false", 0, 0, "true|false",
	 "send the token and all figures unencrypted to another machine", false},
	{NULL, 0, 0, NULL, 0, 0, NULL, "State", false},
	{"state_dir", SETTING_TEXT, MEMBER(state_dir), "/var/lib/neighborwatch", 0, 0, "DIR",
	 "credentials and spool; one agent per directory", false},
	{"spool_max_bytes", SETTING_BYTES, MEMBER(spool_max_bytes), "64MiB", 1 << 20, 16ULL << 30,
	 "1MiB to 16GiB",
	 "disk space for batches that the backend has not acknowledged; the oldest go first",
	 false},
	{NULL, 0, 0, NULL, 0, 0, NULL, "Measuring", false},
	{"window", SETTING_DURATION, MEMBER(window_ns), "10s", 1000000000, 60000000000, "1s to 60s",
	 "length of a window; a backend takes 10s only", false},
	{"max_cgroups", SETTING_NUMBER, MEMBER(max_cgroups), "1024", 64, 4095, "64 to 4095",
	 "cgroups followed at a time; more are counted as dropped", false},
	{"live", SETTING_BOOL, MEMBER(live), "true", 0, 0, "true|false",
	 "windows of one second for at most 120 s, when the backend asks for them", false},
	{"oci_state_dir", SETTING_DIRS, MEMBER(oci_state_dirs),
	 "/run/containerd:/run/containers/storage/overlay-containers:"
	 "/var/lib/containers/storage/overlay-containers",
	 0, 0, "DIR[:DIR]", "more places of OCI bundles, looked at first", false},
	{"docker_data_root", SETTING_DIRS, MEMBER(docker_data_roots), "/var/lib/docker", 0, 0,
	 "DIR[:DIR]", "more Docker data roots, looked at first", false},
	{"disable", SETTING_TEXT, MEMBER(disable), NULL, 0, 0, "NAME[,NAME]",
	 "collectors to leave out: nothing of them is loaded", false},
	{NULL, 0, 0, NULL, 0, 0, NULL, "Own cost", false},
	{"budget", SETTING_PERCENT, MEMBER(budget_ppm), "0.5%", 0, 0, "0% to 100%",
	 "of this host's CPU time; above it the agent leaves out detail, and says so; 0% = no "
	 "limit",
	 false},
	{"self_cost", SETTING_CHOICE, MEMBER(self_cost), "auto", 0, 0, "auto|slices|estimate|off",
	 "the programs' cost: from a calibration at start (auto, estimate), or from the kernel's "
	 "statistics in short slices, which needs CAP_SYS_ADMIN for good",
	 false},
	{"user", SETTING_TEXT, MEMBER(user), NULL, 0, 0, "NAME",
	 "whom to become when started as root; nwagent by default, if there is such a user", false},
	{NULL, 0, 0, NULL, 0, 0, NULL, "Host", false},
	{"instance_type", SETTING_TEXT, MEMBER(instance_type), NULL, 0, 0, "NAME",
	 "such as m7i.metal-24xl", false},
	{"instance_family", SETTING_TEXT, MEMBER(instance_family), NULL, 0, 0, "NAME",
	 "such as m7i; by default what stands before the dot of the type", false},
	{"region", SETTING_TEXT, MEMBER(region), NULL, 0, 0, "NAME", "such as eu-central-1", false},
	{NULL, 0, 0, NULL, 0, 0, NULL, "Messages", false},
	{"log_level", SETTING_LEVEL, MEMBER(log_level), "info", 0, 0, "error|warning|info|debug",
	 "how much to say on standard error", false},
};

const size_t n_config_settings = sizeof(config_settings) / sizeof(config_settings[0]);

const struct setting *config_setting_find(const char *key)
{
	for (size_t i = 0; i < n_config_settings; i++) {
		if (config_settings[i].key && strcmp(config_settings[i].key, key) == 0)
			return &config_settings[i];
	}
	return NULL;
}

static int set_text(char **text, const char *value)
{
	char *copy;

	if (*value == '\0')
		return -EINVAL;
	copy = strdup(value);
	if (!copy)
		return -ENOMEM;
	free(*text);
	*text = copy;
	return 0;
}

static int add_dir(struct config_dirs *dirs, size_t at, const char *path, size_t length)
{
	if (length == 0 || path[0] != '/')
		return -EINVAL;
	if (dirs->n_paths == CONFIG_MAX_DIRS)
		return -ERANGE;
	memmove(&dirs->paths[at + 1], &dirs->paths[at],
		(dirs->n_paths - at) * sizeof(dirs->paths[0]));
	dirs->paths[at] = strndup(path, length);
	dirs->n_paths++;
	return dirs->paths[at] ? 0 : -ENOMEM;
}

static int set_dirs(struct config_dirs *dirs, const char *value)
{
	for (size_t at = 0;; at++) {
		size_t length = strcspn(value, ":");
		int r = add_dir(dirs, at, value, length);

		if (r < 0)
			return r;
		if (value[length] == '\0')
			return 0;
		value += length + 1;
	}
}

static int set_bool(bool *flag, const char *value)
{
	if (strcmp(value, "true") == 0)
		*flag = true;
	else if (strcmp(value, "false") == 0)
		*flag = false;
	else
		return -EINVAL;
	return 0;
}

static int set_number(const struct setting *setting, uint64_t *member, const char *value)
{
	uint64_t number;
	int r;

	if (setting->type == SETTING_BYTES)
		r = parse_bytes(value, &number);
	else if (setting->type == SETTING_DURATION)
		r = parse_duration_ns(value, &number);
	else
		r = parse_u64(value, UINT64_MAX, NULL, &number);
	if (r < 0)
		return r;
	if (number < setting->min || number > setting->max)
		return -ERANGE;
	*member = number;
	return 0;
}

/* "auto|slices|off": which word of these `value` is. */
static int set_choice(const char *words, unsigned int *member, const char *value)
{
	const size_t length = strlen(value);

	for (unsigned int i = 0; *words; i++) {
		const size_t word = strcspn(words, "|");

		if (word == length && memcmp(words, value, length) == 0) {
			*member = i;
			return 0;
		}
		words += word + (words[word] == '|');
	}
	return -EINVAL;
}

int config_setting_assign(const struct setting *setting, struct config *config, const char *value)
{
	void *member = (char *)config + setting->offset;

	switch (setting->type) {
	case SETTING_TEXT:
		return set_text(member, value);
	case SETTING_DIRS:
		return set_dirs(member, value);
	case SETTING_BOOL:
		return set_bool(member, value);
	case SETTING_LEVEL:
		return log_level_from_name(value, member);
	case SETTING_CHOICE:
		return set_choice(setting->allowed, member, value);
	case SETTING_PERCENT:
		return parse_percent_ppm(value, member);
	case SETTING_NUMBER:
	case SETTING_BYTES:
	case SETTING_DURATION:
		return set_number(setting, member, value);
	}
	return -EINVAL;
}

static void dirs_free(struct config_dirs *dirs)
{
	for (size_t i = 0; i < dirs->n_paths; i++)
		free(dirs->paths[i]);
	dirs->n_paths = 0;
}

void config_free(struct config *self)
{
	if (!self)
		return;
	for (size_t i = 0; i < n_config_settings; i++) {
		void *member = (char *)self + config_settings[i].offset;

		if (!config_settings[i].key)
			continue;
		if (config_settings[i].type == SETTING_TEXT)
			free(*(char **)member);
		else if (config_settings[i].type == SETTING_DIRS)
			dirs_free(member);
	}
	*self = (struct config){0};
}

static void print_setting(const struct setting *setting)
{
	char flag[64];
	size_t n = 0;

	if (setting->is_secret) {
		snprintf(flag, sizeof(flag), "(not a flag) %s=%s", setting->key, setting->allowed);
	} else {
		n = (size_t)snprintf(flag, sizeof(flag), "--%s", setting->key);
		for (size_t i = 2; i < n; i++) {
			if (flag[i] == '_')
				flag[i] = '-';
		}
		snprintf(flag + n, sizeof(flag) - n, " %s", setting->allowed);
	}
	printf("  %-42s %s\n", flag, setting->help);
	if (setting->fallback)
		printf("  %-42s default %s\n", "", setting->fallback);
}

void config_print_help(void)
{
	puts("nwagent: measures who waits for whose CPU time on this host.\n"
	     "\n"
	     "  nwagent [options]            measures and sends windows to the backend\n"
	     "  nwagent --stdout [options]   prints windows as JSON lines, needs no backend\n"
	     "  nwagent top [options]        shows on a terminal who waits for whom, needs no "
	     "backend;\n"
	     "                               --once or --batch N print that many frames as plain "
	     "text\n"
	     "  nwagent check [options]      says what this host allows, what is missing, what to "
	     "do\n"
	     "  nwagent --help | --version\n"
	     "\n"
	     "Each setting can stand in the file (key = value, # starts a comment), in the "
	     "environment\n"
	     "(NW_AGENT_KEY) and on the command line (--key value); the later one wins.\n"
	     "\n"
	     "  --config FILE                              default " CONFIG_DEFAULT_FILE
	     ", which may be absent");
	for (size_t i = 0; i < n_config_settings; i++) {
		if (config_settings[i].key)
			print_setting(&config_settings[i]);
		else
			printf("\n%s\n", config_settings[i].help);
	}
	puts("\nExit code: 0 stopped on request, 1 could not run, 2 wrong settings.");
}
