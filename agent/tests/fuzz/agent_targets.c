#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/parse.h"
#include "config.h"
#include "host/cpu_times.h"
#include "host/key_value.h"
#include "targets.h"
#include "wire/credentials.h"
#include "wire/outbox_state.h"
#include "wire/utf8.h"

#define MAX_WORDS 16

/* First line: the command line's words. Second: one variable. The rest: the file. */
void fuzz_config(const uint8_t *bytes, size_t length)
{
	cleanup(freep) char *text = fuzz_text(bytes, length);
	char file_path[32], name[] = "nwagent", flag[] = "--config", none[] = "HOME=/";
	char *argv[MAX_WORDS + 1] = {name, flag, file_path}, *environment[] = {none, NULL};
	char *rest = text, *words = strsep(&rest, "\n"), *variable = strsep(&rest, "\n"), *word;
	const size_t offset = rest ? (size_t)(rest - text) : length;
	const int fd = fuzz_file(bytes + offset, length - offset, file_path);
	struct config_error error = {""};
	struct config config = {0};
	enum config_command command;
	int argc = 3, r;

	while (argc < MAX_WORDS && (word = strsep(&words, " "))) {
		if (*word)
			argv[argc++] = word;
	}
	if (variable)
		environment[0] = variable;
	r = config_load(argc, argv, environment, &config, &command, &error);
	if (r < 0) {
		fuzz_expect(r == -EINVAL, "wrong settings are -EINVAL");
		fuzz_expect(error.message[0] != '\0', "and say why");
		fuzz_expect(strlen(error.message) < sizeof(error.message), "in a whole sentence");
	} else if (command == CONFIG_RUN) {
		fuzz_expect(config.state_dir && config.state_dir[0], "defaults are there");
		fuzz_expect(config.window_ns >= 1000000000 && config.window_ns <= 60000000000,
			    "limits hold");
	}
	config_free(&config);
	close(fd);
}

void fuzz_answers(const uint8_t *bytes, size_t length)
{
	cleanup(freep) char *text = fuzz_text(bytes, length);
	struct credentials credentials = {0};
	struct outbox_state state = {0};
	char detail[64];
	uint64_t number = 0;

	if (enrolment_parse(text, "https://backend.example", &credentials) == 0) {
		fuzz_expect(credentials.host_id <= INT64_MAX, "a host's id fits its column");
		fuzz_expect(strpbrk(credentials.token, " \t\r\n") == NULL, "a token is one word");
	} else {
		fuzz_expect(credentials.token[0] == '\0', "refused: nothing was changed");
	}
	problem_detail(text, detail, sizeof(detail));
	fuzz_expect(strlen(detail) < sizeof(detail), "a detail is cut");
	if (problem_number(text, "expected_sequence", &number) == 0)
		fuzz_expect(number <= INT64_MAX, "a sequence is not negative");
	if (outbox_state_parse(text, length, &state) == 0)
		fuzz_expect(state.n_streams >= 1 && state.n_streams <= OUTBOX_MAX_STREAMS,
			    "streams are capped");
}

/* /proc/stat, os-release, and the small values of files and settings. */
void fuzz_host_files(const uint8_t *bytes, size_t length)
{
	cleanup(freep) char *text = fuzz_text(bytes, length);
	struct host_counters counters = {0};
	char found[16] = "old";
	uint8_t hex[16];
	uint64_t number;

	if (host_counters_parse(text, 100, &counters) == 0)
		fuzz_expect(counters.cpus_online > 0, "a host has a CPU");
	if (key_value_find(text, "PRETTY_NAME", '=', found, sizeof(found)))
		fuzz_expect(strlen(found) < sizeof(found), "a value is cut");
	else
		fuzz_expect(strcmp(found, "old") == 0, "absent: nothing was changed");
	key_value_find(text, "model name", ':', found, sizeof(found));
	(void)parse_hex(text, hex, sizeof(hex));
	(void)parse_duration_ns(text, &number);
	(void)parse_bytes(text, &number);

	utf8_repair(text);
	fuzz_expect(strlen(text) <= length, "repaired text is no longer");
	{
		cleanup(freep) char *again = fuzz_text((const uint8_t *)text, strlen(text));

		utf8_repair(again);
		fuzz_expect(strcmp(again, text) == 0, "repaired text is well-formed");
	}
}
