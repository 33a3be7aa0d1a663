#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define MAX_WORDS 16

static char file_path[] = "/tmp/nwagent-config-test-XXXXXX";

static void write_file(const char *text)
{
	const int fd = open(file_path, O_WRONLY | O_TRUNC | O_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
}

/* What a shell would do with "nwagent ...", with one variable and a file of this text. */
static int load(const char *words, const char *variable, const char *file_text,
		struct config *config, struct config_error *error)
{
	char line[512], *argv[MAX_WORDS + 1] = {"nwagent"}, *rest = line, *word;
	char environment_line[256], *environment[] = {environment_line, NULL};
	enum config_command command;
	int argc = 1;

	if (file_text) {
		write_file(file_text);
		argv[argc++] = "--config";
		argv[argc++] = file_path;
	}
	snprintf(line, sizeof(line), "%s", words);
	while ((word = strsep(&rest, " "))) {
		if (*word)
			argv[argc++] = word;
	}
	snprintf(environment_line, sizeof(environment_line), "%s", variable ? variable : "HOME=/");
	*config = (struct config){0};
	return config_load(argc, argv, environment, config, &command, error);
}

static void assert_refused(const char *words, const char *variable, const char *file_text,
			   const char *sentence)
{
	struct config config;
	struct config_error error;

	assert_int_equal(load(words, variable, file_text, &config, &error), -EINVAL);
	if (!strstr(error.message, sentence))
		fail_msg("'%s' is not in '%s'", sentence, error.message);
}

static void defaults_need_only_a_server(void **state)
{
	struct config config;
	struct config_error error;

	(void)state;
	assert_int_equal(load("--server https://nw.example", NULL, "", &config, &error), 0);
	assert_string_equal(config.server, "https://nw.example");
	assert_string_equal(config.state_dir, "/var/lib/neighborwatch");
	assert_int_equal(config.spool_max_bytes, 64 << 20);
	assert_int_equal(config.window_ns, 10000000000);
	assert_string_equal(config.oci_state_dirs.paths[0], "/run/containerd");
	assert_int_equal(config.log_level, LOG_LEVEL_INFO);
	config_free(&config);
}

static void flags_win_over_environment_and_environment_over_file(void **state)
{
	const char *file = "# the host\nserver = https://file.example\nregion = file\n"
			   "instance_type = m7i.metal-24xl\n";
	struct config config;
	struct config_error error;

	(void)state;
	assert_int_equal(load("", NULL, file, &config, &error), 0);
	assert_string_equal(config.region, "file");
	assert_string_equal(config.instance_family, "m7i"); /* what stands before the dot */
	config_free(&config);
	assert_int_equal(load("", "NW_AGENT_REGION=variable", file, &config, &error), 0);
	assert_string_equal(config.region, "variable");
	config_free(&config);
	assert_int_equal(load("--region=flag", "NW_AGENT_REGION=variable", file, &config, &error),
			 0);
	assert_string_equal(config.region, "flag");
	assert_string_equal(config.server, "https://file.example");
	config_free(&config);
}

static void named_directories_go_before_the_built_in_ones(void **state)
{
	struct config config;
	struct config_error error;

	(void)state;
	assert_int_equal(load("--stdout --oci-state-dir /a:/b", NULL, "", &config, &error), 0);
	assert_string_equal(config.oci_state_dirs.paths[0], "/a");
	assert_string_equal(config.oci_state_dirs.paths[1], "/b");
	assert_string_equal(config.oci_state_dirs.paths[2], "/run/containerd");
	config_free(&config);
	assert_refused("--stdout --oci-state-dir relative", NULL, "", "--oci-state-dir: ");
	assert_refused("--stdout --oci-state-dir /1:/2:/3:/4:/5:/6:/7:/8:/9", NULL, "",
		       "--oci-state-dir: ");
}

static void unknown_keys_are_named_with_their_place(void **state)
{
	char where[64];

	(void)state;
	snprintf(where, sizeof(where), "%s:2: unknown key 'serverr'", file_path);
	assert_refused("--stdout", NULL, "region = x\nserverr = y\n", where);
	snprintf(where, sizeof(where), "%s:1: expected 'key = value'", file_path);
	assert_refused("--stdout", NULL, "region\n", where);
	assert_refused("--stdout --windoww 10s", NULL, "", "--windoww: unknown option");
	assert_refused("--stdout", "NW_AGENT_WINDOWW=10s", "", "NW_AGENT_WINDOWW: unknown");
	assert_refused("run", NULL, "", "'run': unknown command");
}

static void bad_numbers_say_what_is_allowed(void **state)
{
	(void)state;
	assert_refused("--stdout --window 10", NULL, "",
		       "--window: window cannot be '10' (allowed: 1s to 60s)");
	assert_refused("--stdout --window 61s", NULL, "", "allowed: 1s to 60s");
	assert_refused("--stdout --spool-max-bytes 5", NULL, "", "allowed: 1MiB to 16GiB");
	assert_refused("--stdout", NULL, "max_cgroups = many\n",
		       ":1: max_cgroups cannot be 'many'");
	assert_refused("--stdout --log-level loud", NULL, "", "error|warning|info|debug");
	assert_refused("--stdout --window", NULL, "", "--window: a value is missing");
}

static void own_cost_is_a_percentage_and_a_word(void **state)
{
	struct config config;
	struct config_error error;

	(void)state;
	assert_int_equal(load("--stdout", NULL, "", &config, &error), 0);
	assert_int_equal(config.budget_ppm, 5000);
	assert_int_equal(config.self_cost, SELF_COST_AUTO);
	assert_null(config.user);
	config_free(&config);
	assert_int_equal(load("--stdout --budget 0.001% --self-cost slices --user nobody "
			      "--disable sched",
			      NULL, "", &config, &error),
			 0);
	assert_int_equal(config.budget_ppm, 10);
	assert_int_equal(config.self_cost, SELF_COST_SLICES);
	assert_string_equal(config.user, "nobody");
	assert_string_equal(config.disable, "sched");
	config_free(&config);
	assert_refused("--stdout --budget 0.5", NULL, "", "allowed: 0% to 100%");
	assert_refused("--stdout --budget 100.1%", NULL, "", "allowed: 0% to 100%");
	assert_refused("--stdout --self-cost slice", NULL, "", "auto|slices|estimate|off");
}

static void missing_file_is_an_error_only_if_named(void **state)
{
	(void)state;
	assert_refused("--stdout --config /nowhere/agent.conf", NULL, NULL,
		       "/nowhere/agent.conf: cannot read the configuration");
	assert_refused("--stdout --config", NULL, NULL, "--config: a value is missing");
}

static void server_is_needed_unless_windows_are_printed(void **state)
{
	struct config config;
	struct config_error error;

	(void)state;
	assert_refused("", NULL, "", "server: not set; give --server URL, or --stdout");
	assert_int_equal(load("check", NULL, "", &config, &error), 0);
	config_free(&config);
	/* Compose passes unset variables on as empty ones. */
	assert_refused("", "NW_AGENT_SERVER=", "", "server: not set");
}

static void plain_http_stays_on_this_machine(void **state)
{
	static const char *const local[] = {
		"--server http://127.0.0.1:8080",
		"--server http://localhost:8080",
		"--server http://[::1]:8080",
		"--server http://127.8.8.8",
		"--server http://nw.example --allow-plain-http",
	};
	static const char *const remote[] = {
		"--server http://nw.example",
		"--server http://10.0.0.1:8080",
		"--server http://127.0.0.1.evil.example",
		"--server http://localhost.evil.example",
	};
	struct config config;
	struct config_error error;

	(void)state;
	for (size_t i = 0; i < sizeof(local) / sizeof(local[0]); i++) {
		assert_int_equal(load(local[i], NULL, "", &config, &error), 0);
		config_free(&config);
	}
	for (size_t i = 0; i < sizeof(remote) / sizeof(remote[0]); i++)
		assert_refused(remote[i], NULL, "", "--allow-plain-http");
	assert_refused("--server http://127.0.0.1@evil.example", NULL, "", "no user name");
	assert_refused("--server ftp://127.0.0.1", NULL, "", "neither https nor http");
	assert_refused("--server nonsense:://", NULL, "", "is no URL");
}

static void backend_takes_ten_second_windows_only(void **state)
{
	struct config config;
	struct config_error error;

	(void)state;
	assert_refused("--server https://nw.example --window 5s", NULL, "", "10s only");
	assert_int_equal(load("--stdout --window 5s", NULL, "", &config, &error), 0);
	config_free(&config);
}

static void enrolment_token_is_not_for_the_command_line(void **state)
{
	struct config config;
	struct config_error error;

	(void)state;
	assert_refused("--stdout --enroll-token nwe_x", NULL, "", "everybody sees a command line");
	assert_int_equal(load("--stdout", "NW_AGENT_ENROLL_TOKEN=nwe_x", "", &config, &error), 0);
	assert_string_equal(config.enroll_token, "nwe_x");
	config_free(&config);
	assert_refused("--stdout --enroll-token-file /t", "NW_AGENT_ENROLL_TOKEN=nwe_x", "",
		       "set one");
}

static void top_needs_no_backend_and_frames_are_for_it_alone(void **state)
{
	struct config config;
	struct config_error error;

	(void)state;
	assert_int_equal(load("top", NULL, "", &config, &error), 0);
	assert_true(config.is_top);
	assert_int_equal(config.top_frames, 0);
	config_free(&config);
	assert_int_equal(load("top --batch 3 --log-level debug", NULL, "", &config, &error), 0);
	assert_int_equal(config.top_frames, 3);
	assert_int_equal(config.log_level, LOG_LEVEL_DEBUG);
	config_free(&config);
	assert_int_equal(load("top --once", NULL, "", &config, &error), 0);
	assert_int_equal(config.top_frames, 1);
	config_free(&config);
	assert_refused("top --batch 0", NULL, "", "1 to 1000000");
	assert_refused("top --batch", NULL, "", "a value is missing");
	assert_refused("--stdout --once", NULL, "", "go with: nwagent top");
}

static int make_file(void **state)
{
	int fd = mkstemp(file_path);

	(void)state;
	return fd < 0 ? -1 : close(fd);
}

static int remove_file(void **state)
{
	(void)state;
	return unlink(file_path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(defaults_need_only_a_server),
		cmocka_unit_test(flags_win_over_environment_and_environment_over_file),
		cmocka_unit_test(named_directories_go_before_the_built_in_ones),
		cmocka_unit_test(unknown_keys_are_named_with_their_place),
		cmocka_unit_test(bad_numbers_say_what_is_allowed),
		cmocka_unit_test(own_cost_is_a_percentage_and_a_word),
		cmocka_unit_test(missing_file_is_an_error_only_if_named),
		cmocka_unit_test(server_is_needed_unless_windows_are_printed),
		cmocka_unit_test(plain_http_stays_on_this_machine),
		cmocka_unit_test(backend_takes_ten_second_windows_only),
		cmocka_unit_test(enrolment_token_is_not_for_the_command_line),
		cmocka_unit_test(top_needs_no_backend_and_frames_are_for_it_alone),
	};

	return cmocka_run_group_tests(tests, make_file, remove_file);
}
