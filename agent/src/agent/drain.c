#include <sys/epoll.h>

#include "agent/private.h"

static int descriptor_of(const struct running_collector *running)
{
	if (!running->state || !running->collector->descriptor)
		return -1;
	return running->collector->descriptor(running->state);
}

void agent_drain(struct agent *self)
{
	collector_set_drain(&self->collectors, &self->sink);
}

static void on_readable(void *context, uint32_t events)
{
	(void)events;
	agent_drain(context);
	agent_on_events_due(context, 0);
}

int agent_watch_collectors(struct agent *self)
{
	for (size_t i = 0; i < self->collectors.n_running; i++) {
		const int fd = descriptor_of(&self->collectors.running[i]);
		const int r = fd < 0 ? 0 : loop_add(self->loop, fd, EPOLLIN, on_readable, self);

		if (r < 0)
			return r;
	}
	return 0;
}

void agent_close_collectors(struct agent *self)
{
	for (size_t i = 0; i < self->collectors.n_running; i++) {
		const int fd = descriptor_of(&self->collectors.running[i]);

		if (fd >= 0)
			loop_remove(self->loop, fd);
	}
	collector_set_close(&self->collectors);
}
