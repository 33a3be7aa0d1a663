#include "top/terminal.h"

#include <fcntl.h>
#include <pty.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

/* A terminal of our own: what is written to `tty` is read from `screen`. */
struct rig {
	int screen, tty;
};

static int set_up(void **state)
{
	struct rig *rig = calloc(1, sizeof(*rig));

	if (!rig || openpty(&rig->screen, &rig->tty, NULL, NULL, NULL) < 0)
		return -1;
	fcntl(rig->screen, F_SETFL, O_NONBLOCK);
	*state = rig;
	return 0;
}

static int tear_down(void **state)
{
	struct rig *rig = *state;

	close(rig->screen);
	close(rig->tty);
	free(rig);
	return 0;
}

static tcflag_t local_flags(const struct rig *rig)
{
	struct termios now;

	assert_int_equal(tcgetattr(rig->tty, &now), 0);
	return now.c_lflag;
}

static const char *shown(const struct rig *rig)
{
	static char text[4096];
	const ssize_t n = read(rig->screen, text, sizeof(text) - 1);

	text[n > 0 ? n : 0] = '\0';
	return text;
}

static void what_was_there_comes_back(void **state)
{
	const struct rig *rig = *state;
	const tcflag_t before = local_flags(rig);
	struct terminal terminal = {0};

	assert_int_equal(terminal_enter(&terminal, rig->tty, rig->tty), 0);
	assert_int_equal(local_flags(rig) & (ICANON | ECHO), 0);
	assert_true(local_flags(rig) & ISIG);
	assert_non_null(strstr(shown(rig), "\x1b[?1049h"));
	terminal_leave(&terminal);
	assert_int_equal(local_flags(rig), before);
	assert_non_null(strstr(shown(rig), "\x1b[?25h\x1b[?1049l"));
	terminal_leave(&terminal); /* once is enough */
	assert_string_equal(shown(rig), "");
}

static void also_after_a_crash(void **state)
{
	const struct rig *rig = *state;
	const tcflag_t before = local_flags(rig);
	const pid_t pid = fork();
	int status;

	if (pid == 0) {
		struct terminal terminal = {0};

		if (terminal_enter(&terminal, rig->tty, rig->tty) == 0)
			abort();
		_exit(1);
	}
	assert_true(pid > 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
	assert_int_equal(local_flags(rig), before);
	assert_non_null(strstr(shown(rig), "\x1b[?25h\x1b[?1049l"));
}

static void size_is_the_terminals_or_the_usual_one(void **state)
{
	const struct rig *rig = *state;
	const struct winsize size = {.ws_col = 118, .ws_row = 40};
	size_t columns, lines;

	terminal_size(rig->tty, &columns, &lines);
	assert_int_equal(columns, 80);
	assert_int_equal(lines, 24);
	assert_int_equal(ioctl(rig->tty, TIOCSWINSZ, &size), 0);
	terminal_size(rig->tty, &columns, &lines);
	assert_int_equal(columns, 118);
	assert_int_equal(lines, 40);
}

static void file_is_no_terminal(void **state)
{
	struct terminal terminal = {0};
	const int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	(void)state;
	assert_true(terminal_enter(&terminal, null, null) < 0);
	assert_false(terminal.is_entered);
	close(null);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		TEST(what_was_there_comes_back),
		TEST(also_after_a_crash),
		TEST(size_is_the_terminals_or_the_usual_one),
		TEST(file_is_no_terminal),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
