#include "top/terminal.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define ENTER "\x1b[?1049h\x1b[?25l\x1b[2J"
#define LEAVE "\x1b[0m\x1b[?25h\x1b[?1049l"

static const int crashes[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};

/*
 * For the handler alone, which gets no context: a crash must not leave a terminal behind that
 * shows neither cursor nor what is typed.
 */
static struct {
	int in, out;
	struct termios before;
} crash;

static void on_crash(int number)
{
	/* Only what is safe in a handler; the signal then does what it does by default. */
	(void)!write(crash.out, LEAVE, sizeof(LEAVE) - 1);
	(void)tcsetattr(crash.in, TCSANOW, &crash.before);
	raise(number);
}

static void handle_crashes(const struct terminal *self)
{
	struct sigaction action = {.sa_handler = on_crash, .sa_flags = (int)SA_RESETHAND};

	crash.in = self->in;
	crash.out = self->out;
	crash.before = self->before;
	for (size_t i = 0; i < sizeof(crashes) / sizeof(crashes[0]); i++)
		sigaction(crashes[i], &action, NULL);
}

static void forget_crashes(void)
{
	for (size_t i = 0; i < sizeof(crashes) / sizeof(crashes[0]); i++)
		signal(crashes[i], SIG_DFL);
}

int terminal_enter(struct terminal *self, int in, int out)
{
	struct termios raw;
	int r;

	self->in = in;
	self->out = out;
	if (tcgetattr(in, &self->before) < 0)
		return -errno;
	raw = self->before;
	raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO); /* signals by key stay */
	raw.c_cc[VMIN] = 1;
	raw.c_cc[VTIME] = 0;
	handle_crashes(self);
	if (tcsetattr(in, TCSAFLUSH, &raw) < 0) {
		r = -errno;
		forget_crashes();
		return r;
	}
	self->is_entered = true;
	r = terminal_write(out, ENTER, sizeof(ENTER) - 1);
	if (r < 0)
		terminal_leave(self);
	return r;
}

void terminal_leave(struct terminal *self)
{
	if (!self->is_entered)
		return;
	self->is_entered = false;
	/* Either may fail when the terminal is gone: then nobody is left to be harmed. */
	(void)terminal_write(self->out, LEAVE, sizeof(LEAVE) - 1);
	(void)tcsetattr(self->in, TCSAFLUSH, &self->before);
	forget_crashes();
}

void terminal_size(int out, size_t *ret_columns, size_t *ret_lines)
{
	struct winsize size;

	*ret_columns = 80;
	*ret_lines = 24;
	if (ioctl(out, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 && size.ws_row > 0) {
		*ret_columns = size.ws_col;
		*ret_lines = size.ws_row;
	}
}

int terminal_write(int out, const char *bytes, size_t n)
{
	while (n > 0) {
		const ssize_t written = write(out, bytes, n);

		if (written < 0 && errno == EAGAIN) {
			struct pollfd wait = {.fd = out, .events = POLLOUT};

			if (poll(&wait, 1, -1) < 0 && errno != EINTR)
				return -errno;
			continue;
		}
		if (written < 0 && errno != EINTR)
			return -errno;
		if (written > 0) {
			bytes += written;
			n -= (size_t)written;
		}
	}
	return 0;
}
