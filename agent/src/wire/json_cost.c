#include "wire/json_build.h"

static int put_maps(json_t *to, const struct batch_collector *from)
{
	json_t *maps = json_array();
	int r = 0;

	for (size_t i = 0; i < from->n_maps; i++) {
		json_t *map = json_object();

		r |= json_put(map, "name", json_text(from->maps[i].name));
		r |= json_put_number(map, "used", from->maps[i].used);
		r |= json_put_number(map, "capacity", from->maps[i].capacity);
		r |= json_put_number(map, "failed_inserts", from->maps[i].failed_inserts);
		r |= json_array_append_new(maps, map);
	}
	r |= json_put(to, "maps", maps);
	return r;
}

int json_put_collectors(json_t *to, const struct batch *batch)
{
	static const char *const states[] = {"unspecified", "ok", "degraded", "unsupported",
					     "failed"};
	json_t *collectors = json_array();
	int r = 0;

	for (size_t i = 0; i < batch->n_collectors; i++) {
		const struct batch_collector *from = &batch->collectors[i];
		json_t *collector = json_object();

		r |= json_put(collector, "name", json_text(from->name));
		r |= json_put(collector, "state", json_string(states[from->state]));
		r |= json_put(collector, "reason", json_text(from->reason));
		r |= json_put_number(collector, "lost", from->lost);
		r |= json_put_number(collector, "map_bytes", from->map_bytes);
		r |= put_maps(collector, from);
		r |= json_array_append_new(collectors, collector);
	}
	r |= json_put(to, "collectors", collectors);
	return r;
}

int json_put_cost(json_t *to, const struct batch_cost *from)
{
	static const char *const methods[] = {"unspecified", "measured", "estimated"};
	json_t *cost = json_object(), *programs = json_array();
	int r = 0;

	r |= json_put_number(cost, "user_ns", from->user_ns);
	r |= json_put_number(cost, "system_ns", from->system_ns);
	r |= json_put_number(cost, "rss_bytes", from->rss_bytes);
	for (size_t i = 0; i < from->n_programs; i++) {
		json_t *program = json_object();

		r |= json_put(program, "name", json_text(from->programs[i].name));
		r |= json_put_number(program, "run_count", from->programs[i].run_count);
		r |= json_put_number(program, "run_ns", from->programs[i].run_ns);
		r |= json_array_append_new(programs, program);
	}
	r |= json_put(cost, "programs", programs);
	r |= json_put(cost, "method", json_string(methods[from->method]));
	r |= json_put_number(cost, "budget_ppm", from->budget_ppm);
	r |= json_put_number(cost, "spent_ppm", from->spent_ppm);
	r |= json_put_number(cost, "governor_level", from->governor_level);
	r |= json_put(cost, "governor_reason", json_text(from->governor_reason));
	r |= json_put(to, "cost", cost);
	return r;
}
