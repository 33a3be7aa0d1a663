#include "collectors/self/ping_pong.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"

#define N_BATCHES     8
#define STACK_BYTES   131072 /* arm64 refuses less */
#define TURNS_A_CHECK 64     /* reading the clock costs, too */

struct player {
	int mine, other; /* eventfds */
	bool *is_over;	 /* of both */
	uint64_t until_ns;
	uint64_t n_turns;
	uint64_t cpu_ns;
	int error;
};

static uint64_t now_ns(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static bool is_over(const struct player *self)
{
	if (self->n_turns % TURNS_A_CHECK == 0 && now_ns(CLOCK_MONOTONIC) >= self->until_ns)
		__atomic_store_n(self->is_over, true, __ATOMIC_SEQ_CST);
	return __atomic_load_n(self->is_over, __ATOMIC_SEQ_CST);
}

/* Who finds that it is over wakes the other once more, who finds it, too. */
static void *play(void *argument)
{
	struct player *self = argument;
	bool is_last = false;

	while (!is_last && self->error == 0) {
		uint64_t token = 1;

		is_last = is_over(self);
		if (write(self->other, &token, sizeof(token)) < 0 ||
		    (!is_last && read(self->mine, &token, sizeof(token)) < 0))
			self->error = -errno;
		self->n_turns++;
	}
	if (self->error < 0)
		__atomic_store_n(self->is_over, true, __ATOMIC_SEQ_CST);
	self->cpu_ns = now_ns(CLOCK_THREAD_CPUTIME_ID);
	return NULL;
}

static int start(pthread_t *thread, struct player *player, int cpu)
{
	pthread_attr_t attributes;
	cpu_set_t cpus;
	int r = pthread_attr_init(&attributes);

	if (r != 0)
		return -r;
	CPU_ZERO(&cpus);
	CPU_SET((size_t)cpu, &cpus);
	r = pthread_attr_setaffinity_np(&attributes, sizeof(cpus), &cpus);
	if (r == 0)
		r = pthread_attr_setstacksize(&attributes, STACK_BYTES);
	if (r == 0)
		r = pthread_create(thread, &attributes, play, player);
	pthread_attr_destroy(&attributes);
	return -r;
}

static int run(uint64_t duration_ns, uint64_t *ret_n_switches, uint64_t *ret_cpu_ns)
{
	cleanup(close_fdp) int a = eventfd(0, EFD_CLOEXEC);
	cleanup(close_fdp) int b = eventfd(0, EFD_CLOEXEC);
	const uint64_t until_ns = now_ns(CLOCK_MONOTONIC) + duration_ns;
	bool is_over = false;
	struct player players[] = {
		{.mine = a, .other = b, .is_over = &is_over, .until_ns = until_ns},
		{.mine = b, .other = a, .is_over = &is_over, .until_ns = until_ns},
	};
	const int cpu = sched_getcpu();
	pthread_t first = 0, second = 0;
	int r;

	if (a < 0 || b < 0 || cpu < 0)
		return -errno;
	r = start(&first, &players[0], cpu);
	if (r < 0)
		return r;
	r = start(&second, &players[1], cpu);
	if (r == 0) {
		pthread_join(second, NULL);
	} else { /* the first must not wait for ever */
		players[1].error = r;
		__atomic_store_n(&is_over, true, __ATOMIC_SEQ_CST);
		(void)eventfd_write(a, 1);
	}
	pthread_join(first, NULL);
	for (size_t i = 0; i < 2; i++) {
		if (players[i].error < 0)
			return players[i].error;
	}
	*ret_n_switches = players[0].n_turns + players[1].n_turns;
	*ret_cpu_ns = players[0].cpu_ns + players[1].cpu_ns;
	return 0;
}

int ping_pong_run(uint64_t duration_ns, uint64_t *ret_n_switches)
{
	uint64_t cpu_ns;

	return run(duration_ns, ret_n_switches, &cpu_ns);
}

int ping_pong_switch_ns(uint64_t duration_ns, double *ret_ns)
{
	double best_ns = 0.0;

	for (int batch = 0; batch < N_BATCHES; batch++) {
		uint64_t n_switches, cpu_ns;
		const int r = run(duration_ns / N_BATCHES, &n_switches, &cpu_ns);
		double ns;

		if (r < 0)
			return r;
		ns = (double)cpu_ns / (double)n_switches;
		if (batch == 0 || ns < best_ns)
			best_ns = ns;
	}
	*ret_ns = best_ns;
	return 0;
}
