#include "collectors/cgroup_slots.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "cgroup/table.h"
#include "collectors/bpf_env.h"

/* 64 MiB of rows: 2,048 slots up to 40 CPUs, 512 on 96, and never fewer than that. */
#define SLOT_ROWS_BUDGET (UINT64_C(64) << 20)
#define SLOTS_MIN	 512
#define SLOTS_MAX	 2048

uint32_t cgroup_slots_for(uint32_t n_cpus, uint32_t row_size, size_t n_cgroups)
{
	const uint64_t affordable = SLOT_ROWS_BUDGET / ((uint64_t)n_cpus * row_size);
	uint32_t n_slots = SLOTS_MIN;

	while (n_slots < SLOTS_MAX && 2 * (uint64_t)n_slots < 3 * n_cgroups &&
	       2 * (uint64_t)n_slots <= affordable)
		n_slots *= 2;
	return n_slots;
}

int cgroup_slots_open(struct cgroup_slots *self, uint32_t n_slots, uint64_t root_cgroup_id,
		      const struct bpf_map *by_css, const struct bpf_map *owners,
		      const struct bpf_map *free_slots)
{
	int r;

	self->n_slots = n_slots;
	self->root_cgroup_id = root_cgroup_id;
	self->free_fd = bpf_map__fd(free_slots);
	self->quiet_since_ns = calloc(n_slots, sizeof(*self->quiet_since_ns));
	self->activity = calloc(n_slots, sizeof(*self->activity));
	self->rests_since_ns = calloc(n_slots, sizeof(*self->rests_since_ns));
	self->is_marked = calloc(n_slots, sizeof(*self->is_marked));
	if (!self->quiet_since_ns || !self->activity || !self->rests_since_ns || !self->is_marked)
		return -ENOMEM;
	self->by_css = by_css;
	r = bpf_env_map(owners, (void **)&self->owners, &self->owners_length);
	if (r < 0)
		return r;
	/* A stack: low numbers are used first, so that vectors by slot stay short. */
	for (uint32_t slot = n_slots - 1; slot >= SLOT_FIRST; slot--) {
		r = bpf_map_update_elem(self->free_fd, NULL, &slot, BPF_ANY);
		if (r < 0)
			return r;
	}
	return 0;
}

void cgroup_slots_close(struct cgroup_slots *self)
{
	if (self->owners)
		munmap(self->owners, self->owners_length);
	free(self->quiet_since_ns);
	free(self->activity);
	free(self->rests_since_ns);
	free(self->is_marked);
	*self = (struct cgroup_slots){.free_fd = -1};
}

bool cgroup_slots_owner(const struct cgroup_slots *self, uint32_t slot, uint64_t *ret_cgroup_id)
{
	if (slot == SLOT_NONE || slot >= self->n_slots)
		return false;
	if (slot == SLOT_AUTOGROUP) {
		*ret_cgroup_id = self->root_cgroup_id;
		return true;
	}
	if (slot == SLOT_OVERFLOW) {
		*ret_cgroup_id = 0;
		return true;
	}
	if (!__atomic_load_n(&self->owners[slot].css_serial, __ATOMIC_ACQUIRE))
		return false;
	*ret_cgroup_id = self->owners[slot].cgroup_id;
	return true;
}

static bool is_owned(const struct cgroup_slots *self, uint32_t slot)
{
	return __atomic_load_n(&self->owners[slot].css_serial, __ATOMIC_ACQUIRE) != 0;
}

static uint32_t count_free(const struct cgroup_slots *self)
{
	uint32_t n_free = 0;

	for (uint32_t slot = SLOT_FIRST; slot < self->n_slots; slot++)
		n_free += !is_owned(self, slot) && self->rests_since_ns[slot] == 0;
	return n_free;
}

bool cgroup_slots_are_short(const struct cgroup_slots *self)
{
	return count_free(self) < self->n_slots / 4;
}

static void mark(struct cgroup_slots *self, uint32_t slot)
{
	self->n_marked += !self->is_marked[slot];
	self->is_marked[slot] = true;
}

void cgroup_slots_observe(struct cgroup_slots *self, uint32_t slot, uint64_t activity,
			  const struct cgroup_table *cgroups, uint64_t now_ns)
{
	const struct cgroup *cgroup;

	if (slot < SLOT_FIRST)
		return;
	cgroup = cgroups ? cgroup_table_find(cgroups, self->owners[slot].cgroup_id) : NULL;
	if (cgroup && cgroup->is_released) {
		mark(self, slot);
		return;
	}
	if ((cgroup && cgroup->is_alive) || activity != self->activity[slot]) {
		self->activity[slot] = activity;
		self->quiet_since_ns[slot] = 0;
		return;
	}
	if (self->quiet_since_ns[slot] == 0)
		self->quiet_since_ns[slot] = now_ns;
	if (now_ns - self->quiet_since_ns[slot] >= SLOT_RECLAIM_AFTER_NS)
		mark(self, slot);
}

void cgroup_slots_mark_released(struct cgroup_slots *self, const struct cgroup_table *cgroups)
{
	for (uint32_t slot = SLOT_FIRST; slot < self->n_slots; slot++) {
		const struct cgroup *cgroup;

		if (!is_owned(self, slot))
			continue;
		cgroup = cgroup_table_find(cgroups, self->owners[slot].cgroup_id);
		if (cgroup && cgroup->is_released)
			mark(self, slot);
	}
}

int cgroup_slots_detach(struct cgroup_slots *self)
{
	uint64_t *by_css;
	uint64_t length;
	int r = bpf_env_map(self->by_css, (void **)&by_css, &length);

	if (r < 0)
		return r;
	/*
	 * Cgroups stuck in overflow may try for a slot again. The exchange leaves alone what a
	 * CPU has just published.
	 */
	for (uint32_t css_id = 0; css_id < SLOT_CSS_IDS; css_id++) {
		uint64_t seen = __atomic_load_n(&by_css[css_id], __ATOMIC_RELAXED);
		const uint32_t slot = slot_in_cell(seen);

		if (slot == SLOT_OVERFLOW || (slot < self->n_slots && self->is_marked[slot]))
			(void)__atomic_compare_exchange_n(&by_css[css_id], &seen, SLOT_NONE, false,
							  __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
	}
	munmap(by_css, length);
	for (uint32_t slot = SLOT_FIRST; slot < self->n_slots; slot++) {
		if (!self->is_marked[slot])
			continue;
		__atomic_store_n(&self->owners[slot].css_serial, 0, __ATOMIC_RELEASE);
		self->owners[slot].cgroup_id = 0;
	}
	return 0;
}

void cgroup_slots_rest(struct cgroup_slots *self, uint64_t now_ns)
{
	for (uint32_t slot = SLOT_FIRST; slot < self->n_slots; slot++) {
		const uint64_t quiet_since_ns = self->quiet_since_ns[slot];

		if (!self->is_marked[slot])
			continue;
		self->rests_since_ns[slot] = quiet_since_ns ? quiet_since_ns : now_ns;
		self->quiet_since_ns[slot] = 0;
		self->activity[slot] = 0;
		self->is_marked[slot] = false;
		self->n_marked--;
	}
}

static bool has_rested(const struct cgroup_slots *self, uint32_t slot, uint64_t now_ns)
{
	const uint64_t since_ns = self->rests_since_ns[slot];

	return since_ns != 0 && now_ns >= since_ns && now_ns - since_ns >= SLOT_RECLAIM_AFTER_NS;
}

/* SLOT_NONE: nobody rests that is not marked. */
static uint32_t longest_rested(const struct cgroup_slots *self)
{
	uint32_t found = SLOT_NONE;

	for (uint32_t slot = SLOT_FIRST; slot < self->n_slots; slot++) {
		if (self->rests_since_ns[slot] == 0 || self->is_marked[slot])
			continue;
		if (found == SLOT_NONE || self->rests_since_ns[slot] < self->rests_since_ns[found])
			found = slot;
	}
	return found;
}

void cgroup_slots_mark_rested(struct cgroup_slots *self, uint64_t now_ns)
{
	const uint32_t n_free = count_free(self);
	uint32_t slot;

	for (slot = SLOT_FIRST; slot < self->n_slots; slot++) {
		if (has_rested(self, slot, now_ns))
			mark(self, slot);
	}
	if (n_free + self->n_marked >= self->n_slots / 4)
		return;
	/* Some more than that, or it would be short again at once. */
	while (n_free + self->n_marked < self->n_slots / 8 * 3 &&
	       (slot = longest_rested(self)) != SLOT_NONE)
		mark(self, slot);
}

int cgroup_slots_release(struct cgroup_slots *self)
{
	for (uint32_t slot = SLOT_FIRST; slot < self->n_slots; slot++) {
		int r;

		if (!self->is_marked[slot])
			continue;
		/* Before the stack has it: a CPU may take it at once. */
		self->rests_since_ns[slot] = 0;
		r = bpf_map_update_elem(self->free_fd, NULL, &slot, BPF_ANY);
		if (r < 0)
			return r;
		self->is_marked[slot] = false;
		self->n_marked--;
	}
	return 0;
}
