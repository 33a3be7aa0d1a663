#pragma once

/*
 * What to run, one directive a line:
 *
 *	warm_ms N, judge_ms N		how long before and while it is judged
 *	ring_mib N, trace_mib N		the tracer's ring, and the most that it keeps
 *	loader PATH			the load program (e2e/scenarios/load.c)
 *	agent PATH ARGUMENT...		absent: only trace
 *	group NAME PATH [shares=N] [quota_us=N] [period_us=N]
 *					a cgroup below the cpu controller's root; its parents are made
 *	load GROUP ARGUMENT...		a load in that group, as many as there are lines
 *
 * Words are separated by blanks; '#' begins a comment line.
 */
#include <stddef.h>
#include <stdint.h>

#define PLAN_MAX_GROUPS 64
#define PLAN_MAX_LOADS	256
#define PLAN_MAX_WORDS	24

struct plan_group {
	const char *name;
	const char *path;
	uint64_t shares;    /* 0 = as the kernel makes it */
	uint64_t quota_us;  /* 0 = none */
	uint64_t period_us; /* of the quota */
};

struct plan_load {
	size_t group; /* position in groups */
	char *arguments[PLAN_MAX_WORDS];
	size_t n_arguments;
};

struct plan {
	char *text; /* what all the strings point into */
	uint64_t warm_ms, judge_ms, ring_mib, trace_mib;
	const char *loader;
	char *agent[PLAN_MAX_WORDS + 1]; /* ends with NULL; [0] NULL = no agent */
	struct plan_group groups[PLAN_MAX_GROUPS];
	size_t n_groups;
	struct plan_load loads[PLAN_MAX_LOADS];
	size_t n_loads;
};

/* Says on stderr what is wrong and where. 0 or negative errno. */
int plan_read(const char *path, struct plan *ret);
