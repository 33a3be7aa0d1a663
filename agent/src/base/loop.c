#include "base/loop.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"

#define NS_PER_SECOND 1000000000ULL
#define MAX_EVENTS    16

struct source {
	struct source *next;
	int fd;
	loop_callback *callback; /* NULL: removed while events were being handed out */
	void *context;
};

struct loop {
	int epoll_fd;
	bool is_stopped;
	struct source *sources;
	int signal_fd;
	loop_callback *signal_callback;
	void *signal_context;
};

struct loop_timer {
	struct loop *loop;
	int fd;
	clockid_t clock;
	loop_callback *callback;
	void *context;
};

uint64_t clock_ns(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now); /* cannot fail for the clocks that we use */
	return (uint64_t)now.tv_sec * NS_PER_SECOND + (uint64_t)now.tv_nsec;
}

int loop_new(struct loop **ret)
{
	struct loop *self = calloc(1, sizeof(*self));

	if (!self)
		return -ENOMEM;
	self->signal_fd = -1;
	self->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	if (self->epoll_fd < 0) {
		int r = -errno;

		free(self);
		return r;
	}
	*ret = self;
	return 0;
}

void loop_free(struct loop *self)
{
	if (!self)
		return;
	while (self->sources) {
		struct source *next = self->sources->next;

		free(self->sources);
		self->sources = next;
	}
	if (self->signal_fd >= 0)
		close(self->signal_fd);
	close(self->epoll_fd);
	free(self);
}

static struct source *find(struct loop *self, int fd)
{
	for (struct source *source = self->sources; source; source = source->next) {
		if (source->fd == fd && source->callback)
			return source;
	}
	return NULL;
}

int loop_add(struct loop *self, int fd, uint32_t events, loop_callback *callback, void *context)
{
	cleanup(freep) struct source *source = calloc(1, sizeof(*source));
	struct epoll_event event = {.events = events};

	if (!source)
		return -ENOMEM;
	source->fd = fd;
	source->callback = callback;
	source->context = context;
	event.data.ptr = source;
	if (epoll_ctl(self->epoll_fd, EPOLL_CTL_ADD, fd, &event) < 0)
		return -errno;
	source->next = self->sources;
	self->sources = take_ptr(source);
	return 0;
}

int loop_modify(struct loop *self, int fd, uint32_t events)
{
	struct epoll_event event = {.events = events, .data.ptr = find(self, fd)};

	if (!event.data.ptr)
		return -ENOENT;
	return epoll_ctl(self->epoll_fd, EPOLL_CTL_MOD, fd, &event) < 0 ? -errno : 0;
}

void loop_remove(struct loop *self, int fd)
{
	struct source *source = find(self, fd);

	if (!source)
		return;
	/* The descriptor may be closed already: then the kernel has removed it. */
	epoll_ctl(self->epoll_fd, EPOLL_CTL_DEL, fd, NULL);
	source->callback = NULL;
}

/* Not in loop_remove: an event that was fetched may still point to the source. */
static void free_removed(struct loop *self)
{
	struct source **link = &self->sources;

	while (*link) {
		struct source *source = *link;

		if (source->callback) {
			link = &source->next;
			continue;
		}
		*link = source->next;
		free(source);
	}
}

static int timeout_ms(uint64_t deadline_ns)
{
	uint64_t now;

	if (!deadline_ns)
		return -1;
	now = clock_ns(CLOCK_MONOTONIC);
	return now >= deadline_ns ? 0 : (int)((deadline_ns - now) / 1000000 + 1);
}

int loop_run(struct loop *self, uint64_t deadline_ns)
{
	self->is_stopped = false;
	while (!self->is_stopped) {
		struct epoll_event events[MAX_EVENTS];
		int n = epoll_wait(self->epoll_fd, events, MAX_EVENTS, timeout_ms(deadline_ns));

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		for (int i = 0; i < n; i++) {
			const struct source *source = events[i].data.ptr;

			if (source->callback)
				source->callback(source->context, events[i].events);
		}
		free_removed(self);
		if (deadline_ns && clock_ns(CLOCK_MONOTONIC) >= deadline_ns)
			break;
	}
	return 0;
}

void loop_stop(struct loop *self)
{
	self->is_stopped = true;
}

static void on_timer(void *context, uint32_t events)
{
	const struct loop_timer *timer = context;
	uint64_t expirations;
	ssize_t n = read(timer->fd, &expirations, sizeof(expirations));

	/* ECANCELED: the wall clock was set; whoever waits for an instant must look again. */
	if (n == (ssize_t)sizeof(expirations) || errno == ECANCELED)
		timer->callback(timer->context, events);
}

int loop_timer_new(struct loop *self, clockid_t clock, loop_callback *callback, void *context,
		   struct loop_timer **ret)
{
	cleanup(freep) struct loop_timer *timer = calloc(1, sizeof(*timer));
	int r;

	if (!timer)
		return -ENOMEM;
	timer->loop = self;
	timer->clock = clock;
	timer->callback = callback;
	timer->context = context;
	timer->fd = timerfd_create(clock, TFD_CLOEXEC | TFD_NONBLOCK);
	if (timer->fd < 0)
		return -errno;
	r = loop_add(self, timer->fd, EPOLLIN, on_timer, timer);
	if (r < 0) {
		close(timer->fd);
		return r;
	}
	*ret = take_ptr(timer);
	return 0;
}

void loop_timer_free(struct loop_timer *timer)
{
	if (!timer)
		return;
	loop_remove(timer->loop, timer->fd);
	close(timer->fd);
	free(timer);
}

int loop_timer_set(struct loop_timer *timer, uint64_t at_ns)
{
	struct itimerspec when = {
		.it_value = {.tv_sec = (time_t)(at_ns / NS_PER_SECOND),
			     .tv_nsec = (long)(at_ns % NS_PER_SECOND)},
	};
	int flags = TFD_TIMER_ABSTIME;

	if (timer->clock == CLOCK_REALTIME)
		flags |= TFD_TIMER_CANCEL_ON_SET;
	if (at_ns == 0)
		when.it_value.tv_nsec = 1; /* zero would disarm it */
	return timerfd_settime(timer->fd, flags, &when, NULL) < 0 ? -errno : 0;
}

int loop_timer_set_after(struct loop_timer *timer, uint64_t delay_ns)
{
	return loop_timer_set(timer, clock_ns(timer->clock) + delay_ns);
}

void loop_timer_clear(struct loop_timer *timer)
{
	const struct itimerspec never = {0};

	timerfd_settime(timer->fd, 0, &never, NULL);
}

static void on_signal(void *context, uint32_t events)
{
	const struct loop *self = context;
	struct signalfd_siginfo info;

	(void)events;
	if (read(self->signal_fd, &info, sizeof(info)) == (ssize_t)sizeof(info))
		self->signal_callback(self->signal_context, info.ssi_signo);
}

int loop_add_signals(struct loop *self, const sigset_t *signals, loop_callback *callback,
		     void *context)
{
	if (sigprocmask(SIG_BLOCK, signals, NULL) < 0)
		return -errno;
	self->signal_fd = signalfd(-1, signals, SFD_CLOEXEC | SFD_NONBLOCK);
	if (self->signal_fd < 0)
		return -errno;
	self->signal_callback = callback;
	self->signal_context = context;
	return loop_add(self, self->signal_fd, EPOLLIN, on_signal, self);
}
