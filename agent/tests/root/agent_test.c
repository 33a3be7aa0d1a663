/*
 * The agent as a whole, as it is started: which rights it keeps and what it loads. `build/nwagent` prints windows of one second into a pipe.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/capability.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file_io.h"
#include "rig.h"

#define NOBODY	   65534
#define MAX_WORDS  16
#define CAP_BIT(c) (UINT64_C(1) << (c))
#define KEPT	   (CAP_BIT(CAP_BPF) | CAP_BIT(CAP_PERFMON) | CAP_BIT(CAP_DAC_READ_SEARCH))

/* The name of a container's cgroup, and what its runtime's private file calls it. */
#define CONTAINER "deadbeefdeadbeefdeadbeefdeadbeefdeadbeefdeadbeefdeadbeefdeadbeef"

struct run {
	pid_t pid;
	FILE *lines; /* its standard output */
	char *line;
	size_t capacity;
	char log[64]; /* file of its standard error */
};

static int add_words(char *text, char *argv[MAX_WORDS + 1], int n)
{
	char *word;

	while ((word = strsep(&text, " ")) && n < MAX_WORDS)
		argv[n++] = word;
	return n;
}

static void exec_agent(const char *how, const char *words, int output, const char *log)
{
	char first[256], second[256], *argv[MAX_WORDS + 1] = {"nwagent"};
	const int errors = open(log, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	int n;

	if (errors < 0)
		_exit(126);
	snprintf(first, sizeof(first), "%s", how);
	snprintf(second, sizeof(second), "%s", words);
	n = add_words(first, argv, 1);
	(void)add_words(second, argv, n);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	dup2(output, STDOUT_FILENO);
	dup2(errors, STDERR_FILENO);
	execv("build/nwagent", argv);
	_exit(127);
}

static void start_with(struct run *self, const char *how, const char *words)
{
	int ends[2];

	*self = (struct run){0};
	snprintf(self->log, sizeof(self->log), "/tmp/nwtest-agent-%d.log", (int)getpid());
	assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
	self->pid = fork();
	assert_true(self->pid >= 0);
	if (self->pid == 0)
		exec_agent(how, words, ends[1], self->log);
	close(ends[1]);
	self->lines = fdopen(ends[0], "r");
	assert_non_null(self->lines);
}

static void start(struct run *self, const char *words)
{
	start_with(self, "--stdout --window 1s", words);
}

static void release(struct run *self)
{
	fclose(self->lines);
	free(self->line);
	unlink(self->log);
}

/* The next window, as JSON. */
static const char *next(struct run *self)
{
	/* If not, see its log. The stream is closed by release(). */
	assert_true(getline(&self->line, &self->capacity, self->lines) > 0); // NOLINT
	return self->line;
}

static const char *log_of(struct run *self)
{
	static char text[16384];

	assert_int_equal(file_read_into(AT_FDCWD, self->log, text, sizeof(text), NULL), 0);
	return text;
}

static void stop(struct run *self)
{
	int status;

	kill(self->pid, SIGTERM);
	assert_int_equal(waitpid(self->pid, &status, 0), self->pid);
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	release(self);
}

static uint64_t status_of(const struct run *self, const char *key, int base)
{
	char path[64], text[4096];
	const char *at;

	snprintf(path, sizeof(path), "/proc/%d/status", (int)self->pid);
	assert_int_equal(file_read_into(AT_FDCWD, path, text, sizeof(text), NULL), 0);
	at = strstr(text, key);
	assert_non_null(at);
	return strtoull(at + strlen(key), NULL, base);
}

static void assert_holds(const struct run *self, uint64_t capabilities)
{
	assert_int_equal(status_of(self, "\nCapEff:", 16), capabilities);
	assert_int_equal(status_of(self, "\nCapPrm:", 16), capabilities);
	assert_int_equal(status_of(self, "\nCapInh:", 16), 0);
	assert_int_equal(status_of(self, "\nCapAmb:", 16), 0);
	assert_int_equal(status_of(self, "\nCapBnd:", 16), 0);
	assert_int_equal(status_of(self, "\nNoNewPrivs:", 10), 1);
}

/* BPF programs that the process holds open. */
static unsigned int n_programs(const struct run *self)
{
	char path[64];
	unsigned int n = 0;
	const struct dirent *entry;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/fdinfo", (int)self->pid);
	dir = opendir(path);
	if (!dir)
		fail_msg("%s: %s", path, strerror(errno));
	while (dir && (entry = readdir(dir))) {
		char text[4096];

		if (file_read_into(dirfd(dir), entry->d_name, text, sizeof(text), NULL) == 0 &&
		    strstr(text, "prog_type:"))
			n++;
	}
	if (dir)
		closedir(dir);
	return n;
}

/* /tmp/nwtest-oci-PID/CONTAINER/config.json, which only root may read. */
static void write_bundle(char *ret_dir, size_t capacity)
{
	static const char config[] =
		"{\"annotations\": {\"io.kubernetes.cri.container-type\": \"container\","
		"\"io.kubernetes.cri.container-name\": \"payments\","
		"\"io.kubernetes.cri.sandbox-name\": \"payments-0\"}}";
	char path[PATH_MAX];
	int fd;

	snprintf(ret_dir, capacity, "/tmp/nwtest-oci-%d", (int)getpid());
	assert_int_equal(mkdir(ret_dir, 0700), 0);
	snprintf(path, sizeof(path), "%s/" CONTAINER, ret_dir);
	assert_int_equal(mkdir(path, 0700), 0);
	snprintf(path, sizeof(path), "%s/" CONTAINER "/config.json", ret_dir);
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	assert_true(fd >= 0);
	assert_true(write(fd, config, strlen(config)) > 0);
	close(fd);
}

static void remove_bundle(const char *dir)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/" CONTAINER "/config.json", dir);
	unlink(path);
	snprintf(path, sizeof(path), "%s/" CONTAINER, dir);
	rmdir(path);
	rmdir(dir);
}

static void another_user_with_three_rights_measures_and_names(void **state)
{
	struct rig *rig = rig_of(state);
	const struct rig_cgroup *cgroup = rig_make_cgroup(rig, CONTAINER);
	char words[256], dir[64];
	bool is_named = false;
	struct run run;

	rig_spawn(rig, cgroup, 0, work_doze);
	write_bundle(dir, sizeof(dir));
	snprintf(words, sizeof(words), "--user nobody --oci-state-dir %s", dir);
	start(&run, words);
	for (int tries = 0; tries < 6 && !is_named; tries++)
		is_named = strstr(next(&run), "payments") != NULL;
	assert_non_null(strstr(run.line, "\"sched\":{\"ran_ns\""));
	assert_int_equal(status_of(&run, "\nUid:", 10), NOBODY);
	assert_int_equal(status_of(&run, "\nGid:", 10), NOBODY);
	assert_holds(&run, KEPT);
	stop(&run);
	remove_bundle(dir);
	assert_true(is_named);
}

static void root_keeps_no_more(void **state)
{
	struct run run;

	(void)rig_of(state);
	start(&run, "--user root");
	next(&run);
	assert_holds(&run, KEPT);
	assert_non_null(strstr(run.line, "\"method\":\"estimated\""));
	assert_non_null(strstr(log_of(&run), "by the kernel's BPF statistics"));
	stop(&run);
}

static void slices_keep_one_right_more_and_measure(void **state)
{
	struct rig *rig = rig_of(state);
	bool is_measured = false;
	struct run run;

	rig_spawn(rig, rig_make_cgroup(rig, "busy"), 0, work_doze);
	start(&run, "--user nobody --self-cost slices");
	for (int tries = 0; tries < 6 && !is_measured; tries++)
		is_measured = strstr(next(&run), "\"method\":\"measured\"") != NULL;
	assert_true(is_measured);
	assert_holds(&run, KEPT | CAP_BIT(CAP_SYS_ADMIN));
	assert_non_null(strstr(log_of(&run), "keeps CAP_SYS_ADMIN: --self-cost slices"));
	stop(&run);
}

static void what_is_disabled_is_not_loaded(void **state)
{
	struct run run;

	(void)rig_of(state);
	start(&run, "--disable sched,lifecycle");
	next(&run);
	assert_int_equal(n_programs(&run), 0);
	assert_null(strstr(run.line, "\"sched\":{"));
	assert_non_null(strstr(run.line, "switched off by the setting disable"));
	stop(&run);
	start(&run, "--user root");
	next(&run);
	assert_true(n_programs(&run) > 0);
	stop(&run);
}

static void a_state_directory_of_somebody_else_is_refused(void **state)
{
	char words[256], dir[64];
	struct run run;
	int status;

	(void)rig_of(state);
	snprintf(dir, sizeof(dir), "/tmp/nwtest-state-%d", (int)getpid());
	assert_int_equal(mkdir(dir, 0700), 0);
	snprintf(words, sizeof(words), "--user nobody --state-dir %s", dir);
	start_with(&run, "--server https://localhost:1 --window 10s", words);
	assert_int_equal(waitpid(run.pid, &status, 0), run.pid);
	assert_int_equal(WEXITSTATUS(status), 1);
	assert_non_null(strstr(log_of(&run), "belongs to user id 0, the agent runs as nobody: "
					     "chown -R"));
	release(&run);
	assert_int_equal(rmdir(dir), 0);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, rig_set_up, rig_tear_down)
	const struct CMUnitTest tests[] = {
		TEST(another_user_with_three_rights_measures_and_names),
		TEST(root_keeps_no_more),
		TEST(slices_keep_one_right_more_and_measure),
		TEST(what_is_disabled_is_not_loaded),
		TEST(a_state_directory_of_somebody_else_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
