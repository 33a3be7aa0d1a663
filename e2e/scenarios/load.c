/*
 * A known load with known figures: threads that work for a while and sleep for a while,
 * bounded in time, which say at their end what the kernel counted for them.
 */
#include <errno.h>
#include <getopt.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#define NS_PER_US      1000ULL
#define NS_PER_SECOND  1000000000ULL
#define MAX_THREADS    256
#define MAX_SECONDS    86400
#define MAX_PATTERN_US 10000000
#define STACK_BYTES    (128 * 1024) /* arm64 refuses less */

struct options {
	const char *name;
	uint64_t threads;
	uint64_t run_us;
	uint64_t sleep_us; /* 0: never sleeps */
	uint64_t jitter_percent;
	uint64_t seed;
	uint64_t seconds;
	uint64_t parent_pid; /* 0: whoever started us */
	cpu_set_t cpus;
	bool has_cpus;
};

struct worker {
	const struct options *options;
	pthread_t thread;
	uint64_t random_state;
	uint64_t wakeups;
	/* The kernel's own figures (/proc/thread-self/schedstat), read at the end. */
	uint64_t ran_ns;
	uint64_t wait_ns;
	uint64_t timeslices;
	int error; /* errno */
};

static volatile sig_atomic_t stop_asked;
static uint64_t deadline_ns; /* CLOCK_MONOTONIC; written before the threads start */

static void ask_to_stop(int signal_number)
{
	(void)signal_number;
	stop_asked = 1;
}

static uint64_t clock_ns(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * NS_PER_SECOND + (uint64_t)now.tv_nsec;
}

static bool is_over(void)
{
	return stop_asked || clock_ns(CLOCK_MONOTONIC) >= deadline_ns;
}

/* xorshift64: the same seed gives the same pattern. */
static uint64_t next_random(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

/* `us` give or take the jitter, in ns. */
static uint64_t jittered_ns(struct worker *worker, uint64_t us)
{
	uint64_t ns = us * NS_PER_US;
	uint64_t spread = ns * worker->options->jitter_percent / 100;

	if (spread == 0)
		return ns;
	return ns - spread + next_random(&worker->random_state) % (2 * spread + 1);
}

/* CPU time, not wall time: being preempted must not make the work smaller. */
static void work(uint64_t ns)
{
	uint64_t end = clock_ns(CLOCK_THREAD_CPUTIME_ID) + ns;

	while (clock_ns(CLOCK_THREAD_CPUTIME_ID) < end && !is_over()) {
		/* About a microsecond of user time for each look at the clocks. */
		for (volatile unsigned int i = 0; i < 1000; i++)
			;
	}
}

static void sleep_ns(uint64_t ns)
{
	struct timespec left = {.tv_sec = (time_t)(ns / NS_PER_SECOND),
				.tv_nsec = (long)(ns % NS_PER_SECOND)};

	/* A signal ends the sleep early; the caller looks whether it is over. */
	clock_nanosleep(CLOCK_MONOTONIC, 0, &left, NULL);
}

static int read_schedstat(struct worker *worker)
{
	FILE *file = fopen("/proc/thread-self/schedstat", "re");
	unsigned long long ran, wait, slices;
	int n;

	if (!file)
		return errno;
	n = fscanf(file, "%llu %llu %llu", &ran, &wait, &slices);
	fclose(file);
	if (n != 3)
		return EIO;
	worker->ran_ns = ran;
	worker->wait_ns = wait;
	worker->timeslices = slices;
	return 0;
}

static void *run_worker(void *argument)
{
	struct worker *worker = argument;
	const struct options *options = worker->options;
	while (!is_over()) {
		work(jittered_ns(worker, options->run_us));
		if (options->sleep_us == 0)
			continue;
		sleep_ns(jittered_ns(worker, options->sleep_us));
		worker->wakeups++;
	}
	worker->error = read_schedstat(worker);
	return NULL;
}

static int start_workers(struct worker *workers, const struct options *options)
{
	pthread_attr_t attributes;
	int r = pthread_attr_init(&attributes);

	if (r == 0)
		r = pthread_attr_setstacksize(&attributes, STACK_BYTES);
	for (uint64_t i = 0; r == 0 && i < options->threads; i++) {
		workers[i].options = options;
		/* Never 0, where xorshift would stay; odd multipliers keep the threads apart. */
		workers[i].random_state = (options->seed + i + 1) * 0x9e3779b97f4a7c15ULL | 1;
		r = pthread_create(&workers[i].thread, &attributes, run_worker, &workers[i]);
	}
	pthread_attr_destroy(&attributes);
	return r;
}

static int print_figures(const struct worker *workers, const struct options *options,
			 uint64_t started_ns)
{
	uint64_t wakeups = 0, ran_ns = 0, wait_ns = 0, timeslices = 0;

	for (uint64_t i = 0; i < options->threads; i++) {
		if (workers[i].error) {
			fprintf(stderr, "load: thread %llu: %s\n", (unsigned long long)i,
				strerror(workers[i].error));
			return 1;
		}
		wakeups += workers[i].wakeups;
		ran_ns += workers[i].ran_ns;
		wait_ns += workers[i].wait_ns;
		timeslices += workers[i].timeslices;
	}
	printf("{\"name\": \"%s\", \"threads\": %llu, \"elapsed_ns\": %llu, \"wakeups\": %llu, "
	       "\"ran_ns\": %llu, \"wait_ns\": %llu, \"timeslices\": %llu}\n",
	       options->name, (unsigned long long)options->threads,
	       (unsigned long long)(clock_ns(CLOCK_MONOTONIC) - started_ns),
	       (unsigned long long)wakeups, (unsigned long long)ran_ns, (unsigned long long)wait_ns,
	       (unsigned long long)timeslices);
	return fflush(stdout) == 0 ? 0 : 1;
}

static void usage(FILE *to)
{
	fputs("load: threads that work and sleep in a known pattern, for a bounded time\n"
	      "\n"
	      "  --seconds N    stops after this, 1 to 86400 (required)\n"
	      "  --run-us N     CPU time of one piece of work, 1 to 10000000 (default 1000)\n"
	      "  --sleep-us N   sleep after each piece; 0 = never sleeps (default 0)\n"
	      "  --jitter N     pieces and sleeps vary by up to N %, 0 to 90 (default 0)\n"
	      "  --seed N       of the jitter (default 1)\n"
	      "  --threads N    1 to 256 (default 1)\n"
	      "  --cpus LIST    may run on these only, such as 0 or 0,2-3 (default: any)\n"
	      "  --parent PID   leaves at once unless PID is the parent\n"
	      "  --name NAME    in the figures: letters, digits, '-', '_', '.' (default load)\n"
	      "\n"
	      "Ends at its time, on SIGTERM or SIGINT, and is killed when its parent dies. At its\n"
	      "end it prints one JSON line: wakeups counted by itself, ran_ns, wait_ns and\n"
	      "timeslices as the kernel's schedstat has them, summed over its threads.\n",
	      to);
}

/* Exits 2 with one line: nothing has been started yet. */
__attribute__((format(printf, 1, 2), noreturn)) static void refuse(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	fputs("load: ", stderr);
	vfprintf(stderr, format, arguments);
	fputc('\n', stderr);
	va_end(arguments);
	exit(2);
}

static uint64_t number(const char *flag, const char *text, uint64_t min, uint64_t max)
{
	unsigned long long value;
	char *end;

	errno = 0;
	value = strtoull(text, &end, 10);
	if (errno || *end != '\0' || text[0] < '0' || text[0] > '9' || value < min || value > max)
		refuse("--%s: '%s' is not a number from %llu to %llu", flag, text,
		       (unsigned long long)min, (unsigned long long)max);
	return value;
}

/* "0,2-3" */
static void take_cpus(struct options *options, const char *list)
{
	const char *rest = list;

	CPU_ZERO(&options->cpus);
	for (;;) {
		char *end;
		unsigned long first = strtoul(rest, &end, 10), last = first;

		if (end != rest && *end == '-') {
			rest = end + 1;
			last = strtoul(rest, &end, 10);
		}
		if (end == rest || first > last || last >= CPU_SETSIZE ||
		    (*end != ',' && *end != '\0'))
			refuse("--cpus: '%s' is not a list such as 0 or 0,2-3", list);
		for (unsigned long cpu = first; cpu <= last; cpu++)
			CPU_SET(cpu, &options->cpus);
		if (*end == '\0')
			break;
		rest = end + 1;
	}
	options->has_cpus = true;
}

static void take_name(struct options *options, const char *name)
{
	/* Printed into JSON without escaping. */
	static const char allowed[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				      "0123456789-_.";

	if (name[0] == '\0' || name[strspn(name, allowed)] != '\0')
		refuse("--name: '%s' has other characters than letters, digits, '-', '_', '.'",
		       name);
	options->name = name;
}

static void parse_options(int argc, char *argv[], struct options *options)
{
	static const struct option flags[] = {
		{"name", required_argument, NULL, 'n'},
		{"threads", required_argument, NULL, 't'},
		{"run-us", required_argument, NULL, 'r'},
		{"sleep-us", required_argument, NULL, 's'},
		{"jitter", required_argument, NULL, 'j'},
		{"seed", required_argument, NULL, 'e'},
		{"seconds", required_argument, NULL, 'd'},
		{"cpus", required_argument, NULL, 'c'},
		{"parent", required_argument, NULL, 'p'},
		{"help", no_argument, NULL, 'h'},
		{NULL, 0, NULL, 0},
	};
	int flag;

	while ((flag = getopt_long(argc, argv, "", flags, NULL)) != -1) {
		switch (flag) {
		case 'n':
			take_name(options, optarg);
			break;
		case 't':
			options->threads = number("threads", optarg, 1, MAX_THREADS);
			break;
		case 'r':
			options->run_us = number("run-us", optarg, 1, MAX_PATTERN_US);
			break;
		case 's':
			options->sleep_us = number("sleep-us", optarg, 0, MAX_PATTERN_US);
			break;
		case 'j':
			options->jitter_percent = number("jitter", optarg, 0, 90);
			break;
		case 'e':
			options->seed = number("seed", optarg, 0, UINT32_MAX);
			break;
		case 'd':
			options->seconds = number("seconds", optarg, 1, MAX_SECONDS);
			break;
		case 'c':
			take_cpus(options, optarg);
			break;
		case 'p':
			options->parent_pid = number("parent", optarg, 1, INT32_MAX);
			break;
		case 'h':
			usage(stdout);
			exit(0);
		default:
			exit(2); /* getopt has said why */
		}
	}
	if (optind < argc)
		refuse("unexpected argument '%s'; see --help", argv[optind]);
	if (options->seconds == 0)
		refuse("--seconds is missing: every load is bounded; see --help");
}

/* SIGKILL, because it must work even while we print to a pipe that nobody reads. */
static void die_with_parent(const struct options *options)
{
	if (prctl(PR_SET_PDEATHSIG, SIGKILL) < 0)
		refuse("prctl(PR_SET_PDEATHSIG): %s", strerror(errno));
	/* It may have died before the prctl. */
	if (options->parent_pid && (uint64_t)getppid() != options->parent_pid)
		refuse("--parent: %llu is not our parent, it may be gone",
		       (unsigned long long)options->parent_pid);
}

int main(int argc, char *argv[])
{
	static struct worker workers[MAX_THREADS];
	static struct options options = {.name = "load", .threads = 1, .run_us = 1000, .seed = 1};
	struct sigaction stop = {.sa_handler = ask_to_stop};
	uint64_t started_ns = clock_ns(CLOCK_MONOTONIC);
	int r;

	parse_options(argc, argv, &options);
	die_with_parent(&options);
	/* Before there are threads: they inherit it, and none of them starts elsewhere. */
	if (options.has_cpus && sched_setaffinity(0, sizeof(options.cpus), &options.cpus) < 0)
		refuse("--cpus: %s", strerror(errno));
	sigaction(SIGTERM, &stop, NULL);
	sigaction(SIGINT, &stop, NULL);
	deadline_ns = started_ns + options.seconds * NS_PER_SECOND;

	r = start_workers(workers, &options);
	if (r) {
		fprintf(stderr, "load: cannot start a thread: %s\n", strerror(r));
		return 1;
	}
	for (uint64_t i = 0; i < options.threads; i++)
		pthread_join(workers[i].thread, NULL);
	return print_figures(workers, &options, started_ns);
}
