#pragma once

/* Cgroups as they come and go, told by the lifecycle collector, counted by sched. */
#include "collectors/lifecycle/lifecycle.h"
#include "rig.h"

extern const struct collector lifecycle_collector;
extern const struct collector sched_collector;

struct life {
	struct rig *rig;
	void *lifecycle;
	struct collector_report report;
	struct collector_sink sink; /* nothing comes out of this collector's */
};

/* Skips the test where the hooks cannot be had. */
void life_start(struct life *self, void **state, uint32_t ring_bytes);
void life_stop(struct life *self);
void life_drain(struct life *self);

/* A path below the cpu hierarchy's root; `ret` is for 128 bytes. */
void life_path(char *ret, const char *name, unsigned int n);
/* On v2 a level gets the cpu controller from the one above. */
void life_hand_down_cpu(const struct life *self, const char *path);
uint64_t life_make(const struct life *self, const char *path);
void life_unmake(const struct life *self, const char *path);
/* Made, a shell's program runs in it, removed. */
uint64_t life_live(const struct life *self, const char *path, const char *program);
