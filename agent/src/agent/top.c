#include "agent/top.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "agent/private.h"
#include "agent/top_private.h"
#include "base/cleanup.h"
#include "top/look.h"

#define PLAIN_COLUMNS 118

static struct top_look look_of_environment(void)
{
	const struct top_environment environment = {
		.term = getenv("TERM"),
		.colorterm = getenv("COLORTERM"),
		.colorfgbg = getenv("COLORFGBG"),
		.no_color = getenv("NO_COLOR"),
		.lc_all = getenv("LC_ALL"),
		.lc_ctype = getenv("LC_CTYPE"),
		.lang = getenv("LANG"),
	};

	return top_look_of(&environment);
}

static void stop(struct agent_top *self, int result)
{
	if (self->result == 0)
		self->result = result;
	loop_stop(self->agent->loop);
}

void agent_top_draw(struct agent_top *self)
{
	int r;

	if (self->paint.is_screen)
		terminal_size(STDOUT_FILENO, &self->paint.columns, &self->paint.lines);
	agent_top_compose(self);
	if (self->paint.is_out_of_memory)
		return; /* the next second tries again; the screen shows the last frame */
	r = terminal_write(STDOUT_FILENO, self->paint.bytes, self->paint.n_bytes);
	if (r < 0)
		stop(self, r == -EPIPE || r == -EIO ? 0 : r);
}

static void on_second(void *context, uint32_t events)
{
	struct agent_top *self = context;

	(void)events;
	self->due_ns += NS_PER_SECOND;
	/* After a stop or a sleep the missed seconds are not made up for. */
	if (self->due_ns < clock_ns(CLOCK_MONOTONIC))
		self->due_ns = clock_ns(CLOCK_MONOTONIC) + NS_PER_SECOND;
	if (loop_timer_set(self->timer, self->due_ns) < 0) {
		stop(self, -EIO);
		return;
	}
	agent_top_measure(self);
	if (self->view.is_paused)
		return;
	agent_top_show_newest(self);
	agent_top_draw(self);
	if (self->frames_left == 1)
		stop(self, 0);
	else if (self->frames_left)
		self->frames_left--;
}

static void on_keys(void *context, uint32_t events)
{
	struct agent_top *self = context;
	char keys[256];
	const ssize_t n = read(STDIN_FILENO, keys, sizeof(keys));

	(void)events;
	if (n <= 0) {
		if (n == 0 || (errno != EAGAIN && errno != EINTR))
			stop(self, 0); /* the terminal is gone */
		return;
	}
	switch (top_view_keys(&self->view, keys, (size_t)n)) {
	case TOP_KEY_NOTHING:
		return;
	case TOP_KEY_QUIT:
		stop(self, 0);
		return;
	case TOP_KEY_MEASURE:
		agent_top_show_newest(self);
		agent_top_draw(self);
		return;
	case TOP_KEY_REDRAW:
		agent_top_draw(self);
	}
}

/* Messages would tear the screen; what matters of them is on it (collectors, losses). */
static int enter_screen(struct agent_top *self)
{
	int r;

	if (isatty(STDERR_FILENO))
		log_set_level(LOG_LEVEL_NONE);
	r = terminal_enter(&self->terminal, STDIN_FILENO, STDOUT_FILENO);
	if (r < 0)
		log_set_level(self->agent->config->log_level);
	return r;
}

static void leave_screen(struct agent_top *self)
{
	terminal_leave(&self->terminal);
	log_set_level(self->agent->config->log_level);
}

void agent_top_on_signal(void *context, uint32_t number)
{
	const struct agent *agent = context;
	struct agent_top *self = agent->top;

	switch (number) {
	case SIGWINCH:
		if (self->paint.is_screen)
			agent_top_draw(self);
		return;
	case SIGTSTP:
		if (self->paint.is_screen)
			leave_screen(self);
		raise(SIGSTOP);
		if (self->paint.is_screen && enter_screen(self) < 0)
			stop(self, -EIO);
		else
			agent_top_draw(self);
		return;
	default:
		stop(self, 0);
	}
}

static int open_output(struct agent_top *self)
{
	const struct config *config = self->agent->config;
	const struct top_look look = look_of_environment();
	int r = 0;

	self->paint = (struct paint){
		.palette = look.palette,
		.is_ascii = look.is_ascii,
		.columns = PLAIN_COLUMNS,
		.lines = SIZE_MAX,
	};
	self->frames_left = config->top_frames;
	self->paint.is_screen = !config->top_frames && !look.is_dumb && isatty(STDOUT_FILENO) &&
				isatty(STDIN_FILENO);
	if (!self->paint.is_screen) {
		size_t lines;

		self->paint.palette.depth = COLOR_PLAIN;
		if (isatty(STDOUT_FILENO))
			terminal_size(STDOUT_FILENO, &self->paint.columns, &lines);
		return 0;
	}
	r = loop_add(self->agent->loop, STDIN_FILENO, EPOLLIN, on_keys, self);
	return r < 0 ? r : enter_screen(self);
}

/* Without it there are no waits to show, and why that is has been found out already. */
static int demand_scheduler(const struct agent *agent)
{
	for (size_t i = 0; i < agent->collectors.n_running; i++) {
		const struct running_collector *running = &agent->collectors.running[i];

		if (strcmp(running->collector->name, "sched") != 0)
			continue;
		if (running->state)
			return 0;
		if (geteuid() != 0)
			log_error("top: waits cannot be measured without rights for BPF: run "
				  "sudo nwagent top");
		else
			log_error("top: waits cannot be measured here: %s; nwagent check says "
				  "what is missing",
				  running->report.reason);
		return -EPERM;
	}
	log_error("top: the collector sched is switched off (--disable): there are no waits to "
		  "show");
	return -ENODEV;
}

static int run(struct agent_top *self)
{
	int r = demand_scheduler(self->agent);

	if (r < 0)
		return r;
	r = agent_top_init(self);
	if (r == 0)
		r = loop_timer_new(self->agent->loop, CLOCK_MONOTONIC, on_second, self,
				   &self->timer);
	if (r < 0) {
		log_error("top: cannot be set up: %s", strerror(-r));
		return r;
	}
	agent_top_measure(self);
	r = open_output(self);
	if (r < 0) {
		log_error("top: cannot use this terminal: %s; --batch 1 prints plain text",
			  strerror(-r));
		return r;
	}
	if (self->paint.is_screen)
		agent_top_draw(self);
	self->due_ns = clock_ns(CLOCK_MONOTONIC) + NS_PER_SECOND;
	r = loop_timer_set(self->timer, self->due_ns);
	if (r == 0)
		r = loop_run(self->agent->loop, 0);
	leave_screen(self);
	if (r == 0)
		r = self->result;
	if (r < 0)
		log_error("top: stopped: %s", strerror(-r));
	return r;
}

int agent_top_run(const struct config *config)
{
	struct agent_top top = {0};
	int r;

	r = agent_new(config, &top.agent);
	if (r < 0) {
		if (geteuid() != 0)
			log_error("top: reading the kernel needs rights: run sudo nwagent top");
		return r;
	}
	top.agent->top = &top;
	r = run(&top);
	loop_timer_free(top.timer);
	agent_top_free(&top);
	agent_free(top.agent);
	return r;
}
