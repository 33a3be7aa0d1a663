#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "window/window.h"

/*
 * PURE: a window as people ask about it. All rates are CPU seconds per second. Holds copies of
 * the names: what is on the screen outlives the cgroup table's next change.
 */
#define TOP_NAME_BYTES	 128
#define TOP_VISIBLE_RATE 0.005 /* what two decimals show */

/*
 * The word under MAINLY: the largest harmful part of the split. It is arithmetic, no verdict:
 * whether that is unusual, and whether it hurts, is for the backend to judge.
 */
enum top_part {
	TOP_CLEAR, /* no harmful part reaches 1 % of demand */
	TOP_NEIGHBOR,
	TOP_SYSTEM,
	TOP_THROTTLED,
	TOP_SELF,
	TOP_UNKNOWN, /* more is unattributed than any harmful part has, and it reaches 1 % */
	TOP_NO_DATA, /* the scheduler was not measured */
};

struct top_parts {
	double neighbor, system, throttled, self, idle, unattributed;
};

struct top_row {
	uint64_t container_id;
	char name[TOP_NAME_BYTES];
	bool is_container;
	bool has_waits;

	double demand, ran; /* `ran` also from cpu.stat where the scheduler was not measured */
	struct top_parts wait;
	uint64_t p99_ns; /* as figure_percentile_ns */
	enum top_part mainly;
	uint64_t worst_aggressor_id; /* ran longest meanwhile, of all but itself; 0: nobody */
	double worst_aggressor;	     /* rate */

	double stole; /* containers waited while it ran */
	uint64_t worst_victim_id;
	double worst_victim;
};

/* Who a container_id is. False: not known. */
struct top_names {
	bool (*find)(const void *context, uint64_t container_id, char ret_name[TOP_NAME_BYTES]);
	const void *context;
};

struct top_model {
	struct top_row *rows; /* by container_id */
	size_t n_rows, capacity;
	uint64_t duration_ns; /* 0: nothing was measured yet */
	uint32_t cpus;
	struct top_parts wait; /* of all containers */
	double stolen;	       /* of them by containers */
	double containers_used, system_used, steal;
};

int top_model_init(struct top_model *self, size_t capacity);
void top_model_free(struct top_model *self);
void top_model_fill(struct top_model *self, const struct window *window,
		    const struct top_names *names);
const struct top_row *top_model_find(const struct top_model *self, uint64_t container_id);

enum top_sort {
	TOP_SORT_HARM, /* neighbor, system and throttled together */
	TOP_SORT_NEIGHBOR,
	TOP_SORT_THROTTLED,
	TOP_SORT_SELF,
	TOP_SORT_P99,
	TOP_SORT_DEMAND,
	TOP_SORT_NAME,
	N_TOP_SORTS,
};

/*
 * Positions of rows, best first; a name must contain `filter` ("": any), in either case. Victims
 * are containers, then system cgroups; aggressors only who stole, the same way. Return their
 * number. `ret_rows` has room for n_rows.
 */
size_t top_model_victims(const struct top_model *self, enum top_sort sort, const char *filter,
			 const struct top_row **ret_rows);
size_t top_model_aggressors(const struct top_model *self, const char *filter,
			    const struct top_row **ret_rows);

double top_row_harm(const struct top_row *row);
