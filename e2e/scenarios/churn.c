/*
 * Containers that come and go: for each a bundle, a cgroup, one task that works for some
 * milliseconds of CPU time, and the removal of all three. Says of each what the kernel
 * counted for its task inside the cgroup.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define NS_PER_SECOND 1000000000ULL
#define NS_PER_US     1000ULL
#define NS_PER_MS     1000000ULL
#define MAX_AT_ONCE   64
#define PATH_SIZE     512
#define ID_DIGITS     64

/* CPU time. Mostly short ones, as jobs are; one of eight runs longer than 50 ms. */
static const unsigned int mix_ms[] = {1, 1, 2, 2, 3, 3, 4, 5, 5, 8, 8, 10, 12, 15, 60, 80};
#define N_MIX (sizeof(mix_ms) / sizeof(mix_ms[0]))

struct options {
	const char *cgroup_dir; /* of the pod */
	const char *bundle_dir;
	const char *owner;
	uint64_t count;
	uint64_t at_once;
};

struct job {
	pid_t pid; /* 0: nothing runs here */
	uint64_t number;
	uint64_t born_ns;
	char id[ID_DIGITS + 1];
};

/* Written by the child when it begins to work: what it ran before it was inside. */
static volatile uint64_t *ran_before_ns;

__attribute__((format(printf, 1, 2), noreturn)) static void die(const char *format, ...)
{
	const int error = errno;
	va_list arguments;

	va_start(arguments, format);
	fputs("churn: ", stderr);
	vfprintf(stderr, format, arguments);
	fprintf(stderr, ": %s\n", strerror(error));
	va_end(arguments);
	exit(1); /* children die with us; the sweep removes the rest */
}

static uint64_t clock_ns(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * NS_PER_SECOND + (uint64_t)now.tv_nsec;
}

static uint64_t mixed(uint64_t x)
{
	x ^= x >> 33;
	x *= 0xff51afd7ed558ccdULL;
	x ^= x >> 33;
	x *= 0xc4ceb9fe1a85ec53ULL;
	return x ^ x >> 33;
}

static void write_file(const char *path, int flags, const char *text)
{
	const int fd = open(path, O_WRONLY | O_CLOEXEC | flags, 0600);

	if (fd < 0 || write(fd, text, strlen(text)) != (ssize_t)strlen(text))
		die("cannot write %s", path);
	close(fd);
}

static void path_of(char *ret, const char *dir, const struct job *job, const char *file)
{
	if (snprintf(ret, PATH_SIZE, "%s/%s%s", dir, job->id, file) >= PATH_SIZE) {
		errno = ENAMETOOLONG;
		die("%s", dir);
	}
}

/* As a runtime does: before the cgroup. */
static void write_bundle(const struct options *options, const struct job *job)
{
	char path[PATH_SIZE], text[1024];

	path_of(path, options->bundle_dir, job, "");
	if (mkdir(path, 0700) < 0)
		die("mkdir %s", path);
	(void)snprintf(text, sizeof(text),
		       "{\"ociVersion\": \"1.1.0\", \"annotations\": {"
		       "\"io.kubernetes.cri.container-type\": \"container\", "
		       "\"io.kubernetes.cri.container-name\": \"churn-%llu\", "
		       "\"io.kubernetes.cri.image-name\": \"test/churn:1\", "
		       "\"neighborwatch.demo.owner\": \"%s\"}}",
		       (unsigned long long)job->number, options->owner);
	path_of(path, options->bundle_dir, job, "/config.json");
	write_file(path, O_CREAT, text);
}

static uint64_t ran_ns(int schedstat_fd)
{
	char text[64] = "";

	if (pread(schedstat_fd, text, sizeof(text) - 1, 0) <= 0)
		return 0;
	return strtoull(text, NULL, 10);
}

/* Stops before it is moved, so that no slice of it is half outside. */
__attribute__((noreturn)) static void run_child(const struct job *job, size_t at)
{
	const unsigned int ms = mix_ms[mixed(job->number) % N_MIX];
	const int schedstat_fd = open("/proc/self/schedstat", O_RDONLY | O_CLOEXEC);
	uint64_t end;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (schedstat_fd < 0)
		_exit(1);
	raise(SIGSTOP);
	ran_before_ns[at] = ran_ns(schedstat_fd);
	end = clock_ns(CLOCK_PROCESS_CPUTIME_ID) + ms * NS_PER_MS;
	while (clock_ns(CLOCK_PROCESS_CPUTIME_ID) < end) {
		for (volatile unsigned int i = 0; i < 1000; i++)
			;
	}
	_exit(0);
}

static void start_job(const struct options *options, struct job *job, size_t at, uint64_t number)
{
	char path[PATH_SIZE], pid_text[16];
	int status;

	job->number = number;
	for (size_t i = 0; i < ID_DIGITS; i += 16)
		(void)snprintf(job->id + i, 17, "%016llx",
			       (unsigned long long)mixed(number * 4 + i / 16 + 1));
	write_bundle(options, job);
	job->born_ns = clock_ns(CLOCK_MONOTONIC);
	path_of(path, options->cgroup_dir, job, "");
	if (mkdir(path, 0755) < 0)
		die("mkdir %s", path);
	job->pid = fork();
	if (job->pid < 0)
		die("fork");
	if (job->pid == 0)
		run_child(job, at);
	if (waitpid(job->pid, &status, WUNTRACED) < 0 || !WIFSTOPPED(status))
		die("task %llu did not stop", (unsigned long long)number);
	path_of(path, options->cgroup_dir, job, "/cgroup.procs");
	(void)snprintf(pid_text, sizeof(pid_text), "%d", job->pid);
	write_file(path, 0, pid_text);
	kill(job->pid, SIGCONT);
}

static void remove_cgroup(const struct options *options, const struct job *job)
{
	const struct timespec moment = {.tv_nsec = 500000};
	char path[PATH_SIZE];

	path_of(path, options->cgroup_dir, job, "");
	for (int tries = 0; rmdir(path) < 0; tries++) { /* EBUSY while the task leaves */
		if (errno != EBUSY || tries == 10000)
			die("rmdir %s", path);
		nanosleep(&moment, NULL);
	}
}

static void remove_bundle(const struct options *options, const struct job *job)
{
	char path[PATH_SIZE];

	path_of(path, options->bundle_dir, job, "/config.json");
	if (unlink(path) < 0)
		die("unlink %s", path);
	path_of(path, options->bundle_dir, job, "");
	if (rmdir(path) < 0)
		die("rmdir %s", path);
}

static uint64_t timeval_ns(struct timeval time)
{
	return (uint64_t)time.tv_sec * NS_PER_SECOND + (uint64_t)time.tv_usec * NS_PER_US;
}

static void end_one_job(const struct options *options, struct job *jobs)
{
	struct rusage usage;
	int status;
	const pid_t pid = wait4(-1, &status, 0, &usage);
	size_t at = 0;

	if (pid < 0)
		die("wait4");
	while (at < options->at_once && jobs[at].pid != pid)
		at++;
	if (at == options->at_once || !WIFEXITED(status) || WEXITSTATUS(status) != 0) {
		errno = ECHILD;
		die("a task ended with status %d", status);
	}
	remove_cgroup(options, &jobs[at]);
	printf("{\"name\": \"churn-%llu\", \"runtime_id\": \"%s\", \"ran_ns\": %llu, "
	       "\"lived_ns\": %llu}\n",
	       (unsigned long long)jobs[at].number, jobs[at].id,
	       (unsigned long long)(timeval_ns(usage.ru_utime) + timeval_ns(usage.ru_stime) -
				    ran_before_ns[at]),
	       (unsigned long long)(clock_ns(CLOCK_MONOTONIC) - jobs[at].born_ns));
	if (fflush(stdout) != 0)
		die("standard output");
	remove_bundle(options, &jobs[at]);
	jobs[at].pid = 0;
}

static void churn(const struct options *options)
{
	static struct job jobs[MAX_AT_ONCE];
	uint64_t n_started = 0, n_ended = 0;

	while (n_ended < options->count) {
		for (size_t at = 0; at < options->at_once && n_started < options->count; at++) {
			if (jobs[at].pid == 0)
				start_job(options, &jobs[at], at, n_started++);
		}
		end_one_job(options, jobs);
		n_ended++;
	}
}

static uint64_t number(const char *text, uint64_t max)
{
	char *end;
	const unsigned long long value = strtoull(text, &end, 10);

	if (text[0] < '1' || text[0] > '9' || *end != '\0' || value > max) {
		errno = EINVAL;
		die("'%s' is not a number from 1 to %llu", text, (unsigned long long)max);
	}
	return value;
}

int main(int argc, char *argv[])
{
	struct options options;

	if (argc != 6) {
		fputs("churn CGROUP_DIR BUNDLE_DIR OWNER COUNT AT_ONCE: so many containers, so many\n"
		      "of them at once; one JSON line for each that has ended\n",
		      stderr);
		return 2;
	}
	options = (struct options){
		.cgroup_dir = argv[1],
		.bundle_dir = argv[2],
		.owner = argv[3],
		.count = number(argv[4], 1000000),
		.at_once = number(argv[5], MAX_AT_ONCE),
	};
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	ran_before_ns = mmap(NULL, MAX_AT_ONCE * sizeof(*ran_before_ns), PROT_READ | PROT_WRITE,
			     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (ran_before_ns == MAP_FAILED)
		die("mmap");
	churn(&options);
	return 0;
}
