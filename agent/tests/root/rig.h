#pragma once

/*
 * What the kernel tests stand on: real cgroups, real processes in them, and the collector
 * through the same three functions that the agent calls.
 */
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "cgroup/table.h"
#include "collectors/collector.h"
#include "window/snapshot.h"

#define RIG_MAX_CGROUPS	 16
#define RIG_MAX_CHILDREN 16

struct rig_cgroup {
	char path[96]; /* below the cpu hierarchy's root */
	uint64_t id;   /* inode of its directory */
};

struct rig {
	struct cgroup_mode mode;
	struct cgroup_table *table;
	void *sched;
	struct collector_report report;
	struct snapshot before, after;
	struct rig_cgroup cgroups[RIG_MAX_CGROUPS];
	size_t n_cgroups;
	pid_t children[RIG_MAX_CHILDREN];
	size_t n_children;
};

/* cmocka fixtures. Without root or BPF the test is skipped with the reason. */
int rig_set_up(void **state);
int rig_tear_down(void **state);

/* Ends the test as skipped when set-up found no BPF. Call it first. */
struct rig *rig_of(void **state);

const struct rig_cgroup *rig_make_cgroup(struct rig *self, const char *name);
void rig_remove_cgroup(struct rig *self, const struct rig_cgroup *cgroup);
void rig_write(const struct rig *self, const struct rig_cgroup *cgroup, const char *file,
	       const char *text);
void rig_set_quota(const struct rig *self, const struct rig_cgroup *cgroup, unsigned int quota_us,
		   unsigned int period_us);
/* Twenty times a plain cgroup's share, so that a busy machine hardly comes between. */
void rig_favour(const struct rig *self, const struct rig_cgroup *cgroup);
/* A number after `key ` in cpu.stat; 0 if there is no such line. */
uint64_t rig_cpu_stat(const struct rig *self, const struct rig_cgroup *cgroup, const char *key);

/* A child in the cgroup, pinned to `cpu` (-1: free), that runs `work` for ever. */
pid_t rig_spawn(struct rig *self, const struct rig_cgroup *cgroup, int cpu, void (*work)(void));
void rig_kill(struct rig *self, pid_t pid);
void rig_pin(pid_t pid, int cpu);

/* Books of a stopped task do not move: so two of them can be read one after the other. */
void rig_stop(pid_t pid);
void rig_continue(pid_t pid);

void work_spin(void);
void work_doze(void); /* 200 us of work, 1 ms of sleep */

/* Refreshes the table and reads into `snapshot`, as the agent does. */
void rig_read(struct rig *self, struct snapshot *snapshot);
void rig_read_at(struct rig *self, struct snapshot *snapshot, uint64_t taken_at_ns);
void rig_sleep_ms(unsigned int ms);
uint64_t rig_now_ns(void);

/* The number after `key` in a file of `key number` lines; 0 if there is no such line. */
uint64_t rig_number_after(const char *path, const char *key);

/* after - before of one cgroup; fails the test if the cgroup is not in `after`. */
struct sched_counters rig_counted(const struct rig *self, const struct rig_cgroup *cgroup);
uint64_t rig_preempted(const struct rig *self, const struct rig_cgroup *prev,
		       const struct rig_cgroup *next);
/* By anybody. */
uint64_t rig_preempted_total(const struct rig *self, const struct rig_cgroup *prev);

/* /proc/<pid>/schedstat and the switches of /proc/<pid>/status. */
struct rig_schedstat {
	uint64_t ran_ns, run_delay_ns, runs, involuntary;
};
struct rig_schedstat rig_schedstat(pid_t pid);

#define rig_assert_close(a, b, ratio) \
	rig_check_close((double)(a), (double)(b), (ratio), #a " ~ " #b, __FILE__, __LINE__)
void rig_check_close(double a, double b, double ratio, const char *what, const char *file,
		     int line);
