#include "waits.h"

#include <errno.h>

#include "grow.h"

static unsigned int party_of_task(const struct replay *self, const struct truth_task *task)
{
	return party_of(&self->parties, task->pid, task->cgroup_id);
}

static struct wait *add_wait(struct replay *self)
{
	self->waits = grow(self->waits, self->n_waits, &self->cap_waits, sizeof(*self->waits));
	self->waits[self->n_waits] = (struct wait){0};
	return &self->waits[self->n_waits++];
}

static void add_unlocated(struct replay *self, const struct truth_event *event,
			  const struct truth_task *task, uint64_t ns)
{
	if (ns == 0)
		return;
	self->unlocated = grow(self->unlocated, self->n_unlocated, &self->cap_unlocated,
			       sizeof(*self->unlocated));
	self->unlocated[self->n_unlocated++] =
		(struct unlocated){ns, event->monotonic_ns, task->pid, party_of_task(self, task)};
}

static enum throttle_rule rule_of(const struct truth_task *task, const struct task_state *state)
{
	if (!(task->flags & TRUTH_FAIR))
		return THROTTLED_NEVER;
	if (!(task->flags & TRUTH_BY_TASK))
		return THROTTLED_WITH_QUEUE;
	return state->is_throttled_out ? THROTTLED_AT_START : THROTTLED_NEVER;
}

/* What run_delay gained since the task was last seen; nothing at first sight. */
static uint64_t gained_ns(const struct task_state *state, const struct truth_task *task)
{
	return state->is_known && task->run_delay > state->run_delay
		       ? task->run_delay - state->run_delay
		       : 0;
}

static void remember(struct task_state *state, uint64_t run_delay, uint64_t pcount)
{
	state->is_known = true;
	state->run_delay = run_delay;
	state->pcount = pcount;
}

/* It came in without an event: its own stamps say when, and what the wait before that was. */
static void hidden_arrival(struct replay *self, const struct truth_event *event,
			   struct task_state *state)
{
	const struct truth_task *prev = &event->task;
	const uint64_t gained = gained_ns(state, prev);
	struct wait *wait;

	self->hidden_switches++;
	if (!state->is_known || gained == 0)
		return;
	if (prev->pcount - state->pcount != 1) {
		add_unlocated(self, event, prev, gained);
		return;
	}
	wait = add_wait(self);
	wait->start = prev->last_arrival - gained;
	wait->end = prev->last_arrival;
	wait->ended_at_ns = event->monotonic_ns - (event->clock - prev->last_arrival);
	wait->cgroup_id = prev->cgroup_id;
	wait->cpu = event->cpu;
	wait->pid = prev->pid;
	wait->party = party_of_task(self, prev);
	wait->prev_party = self->cpus[event->cpu].party;
	wait->woken_at = state->woken_at;
	wait->rule = rule_of(prev, state);
	wait->is_hidden = true;
}

static void switch_out(struct replay *self, const struct truth_event *event)
{
	struct timeline *cpu = &self->cpus[event->cpu];
	const struct truth_task *prev = &event->task;
	const unsigned int party = party_of_task(self, prev);
	struct task_state *state;

	if (!cpu->is_started) {
		cpu->is_started = 1;
		cpu->since = prev->pid ? prev->last_arrival : event->clock;
	} else if (cpu->pid != prev->pid || (prev->pid != 0 && prev->last_arrival > cpu->since)) {
		const uint64_t came = prev->pid ? prev->last_arrival : event->clock;

		if (came > cpu->since)
			self->guessed_ns += came - cpu->since;
		timeline_add(cpu, came, cpu->party, cpu->pid);
	}
	timeline_add(cpu, event->clock, party, prev->pid);
	if (prev->pid == 0)
		return;
	state = tasks_find(&self->tasks, prev->pid);
	if (state->is_known && prev->pcount > state->pcount)
		hidden_arrival(self, event, state);
	remember(state, prev->run_delay, prev->pcount);
	state->woken_at = 0;
	state->is_throttled_out = prev->flags & TRUTH_TASK_THROTTLED;
	/* Runnable still, so that it waits from here. */
	state->queued_at = (prev->flags & (TRUTH_ON_RQ | TRUTH_SCHED_DELAYED)) == TRUTH_ON_RQ
				   ? event->clock
				   : 0;
}

static void check_stamp(struct replay *self, const struct task_state *state, uint64_t stamp,
			uint64_t now)
{
	if (state->queued_at == 0)
		return;
	self->stamped_ns += now - stamp;
	self->misstamped_ns +=
		state->queued_at > stamp ? state->queued_at - stamp : stamp - state->queued_at;
}

static void switch_in(struct replay *self, const struct truth_event *event)
{
	const struct truth_task *next = &event->next;
	const uint64_t queued = next->last_queued;
	uint64_t waited = 0;
	struct task_state *state;
	struct wait *wait;

	if (next->pid == self->agent_pid && next->pid != 0) {
		self->agent_ran_at_ns = grow(self->agent_ran_at_ns, self->n_agent_ran,
					     &self->cap_agent_ran, sizeof(uint64_t));
		self->agent_ran_at_ns[self->n_agent_ran++] = event->monotonic_ns;
	}
	if (next->pid == 0)
		return;
	state = tasks_find(&self->tasks, next->pid);
	add_unlocated(self, event, next, gained_ns(state, next));
	if (state->is_known && next->pcount > state->pcount)
		self->hidden_switches++;
	if (queued != 0 && queued <= event->clock) {
		waited = event->clock - queued;
		check_stamp(self, state, queued, event->clock);
		wait = add_wait(self);
		wait->start = queued;
		wait->end = event->clock;
		wait->ended_at_ns = event->monotonic_ns;
		wait->cgroup_id = next->cgroup_id;
		wait->cpu = event->cpu;
		wait->pid = next->pid;
		wait->party = party_of_task(self, next);
		wait->prev_party = party_of_task(self, &event->task);
		wait->woken_at = state->woken_at;
		wait->rule = rule_of(next, state);
	}
	remember(state, next->run_delay + waited, next->pcount + 1);
	state->queued_at = 0;
	state->is_throttled_out = false;
}

/* Taken off a queue on which it waited: what it waited there is in run_delay by now. */
static void migrate(struct replay *self, const struct truth_event *event)
{
	const struct truth_task *task = &event->task;
	struct task_state *state = tasks_find(&self->tasks, task->pid);
	const uint64_t gained = gained_ns(state, task);
	const bool is_throttled = task->flags & TRUTH_TASK_THROTTLED;
	struct wait *wait;

	self->migrations++;
	if (!(task->flags & TRUTH_MIGRATING))
		return;
	if (gained != 0 && task->pcount != state->pcount) {
		add_unlocated(self, event, task, gained);
	} else if (gained != 0) {
		wait = add_wait(self);
		wait->start = event->clock - gained;
		wait->end = event->clock;
		wait->ended_at_ns = event->monotonic_ns;
		wait->cgroup_id = task->cgroup_id;
		wait->cpu = event->cpu;
		wait->pid = task->pid;
		wait->party = party_of_task(self, task);
		wait->prev_party = PARTY_UNKNOWN;
		wait->rule = is_throttled ? THROTTLED_WHOLLY : rule_of(task, state);
		wait->is_migrated = true;
	}
	remember(state, task->run_delay, task->pcount);
	state->is_throttled_out = is_throttled;
	state->queued_at = 0; /* it is queued again elsewhere, by that CPU's clock */
}

static void wakeup(struct replay *self, const struct truth_event *event)
{
	struct task_state *state = tasks_find(&self->tasks, event->task.pid);

	self->wakeups++;
	/* Woken while it still ran, or was on its way out: it waits for nothing. */
	if (event->task.last_queued == 0)
		return;
	add_unlocated(self, event, &event->task, gained_ns(state, &event->task));
	remember(state, event->task.run_delay, event->task.pcount);
	state->queued_at = event->clock;
	state->woken_at = event->clock;
	state->is_throttled_out = false;
}

int replay_event(struct replay *self, const struct truth_event *event)
{
	if (event->cpu >= MAX_CPUS)
		return -EINVAL;
	throttles_observe(&self->throttles, event->cpu, event->clock, &event->task);
	switch (event->kind) {
	case TRUTH_SWITCH:
		self->switches++;
		throttles_observe(&self->throttles, event->cpu, event->clock, &event->next);
		switch_out(self, event);
		switch_in(self, event);
		self->cpus[event->cpu].pid = event->next.pid;
		self->cpus[event->cpu].party = party_of_task(self, &event->next);
		self->cpus[event->cpu].since = event->clock;
		return 0;
	case TRUTH_WAKEUP:
		wakeup(self, event);
		return 0;
	case TRUTH_MIGRATE:
		migrate(self, event);
		return 0;
	default:
		return -EINVAL;
	}
}

void replay_free(struct replay *self)
{
	for (size_t i = 0; i < MAX_CPUS; i++)
		free(self->cpus[i].segments);
	tasks_free(&self->tasks);
	throttles_free(&self->throttles);
	free(self->waits);
	free(self->unlocated);
	free(self->agent_ran_at_ns);
}
