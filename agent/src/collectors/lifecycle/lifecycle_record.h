#pragma once

/* What the kernel tells of one cgroup, through a ring buffer. Both sides include this file. */
#include <linux/types.h>

enum lifecycle_kind {
	LIFECYCLE_BORN = 1,
	LIFECYCLE_DIED,	    /* its directory is gone; exiting tasks may still run in it */
	LIFECYCLE_RELEASED, /* nothing holds it any more */
	LIFECYCLE_RENAMED,  /* v1 only; everything below it has another path, too */
	LIFECYCLE_N_KINDS,
};

#define LIFECYCLE_PATH_SIZE 1024 /* the kernel's own buffer: a path that fills it was cut */

/*
 * A burst of 2,000 births of Kubernetes' containers, with paths of 180 bytes, and the deaths
 * of as many. Pages of it that are not used are held by the kernel all the same.
 */
#define LIFECYCLE_RING_BYTES (512 * 1024)

/* Only path_length bytes of the path are in the ring: a death has none. */
struct lifecycle_record {
	__u64 cgroup_id;
	__u64 parent_id;   /* 0 = it is the root */
	__u64 at_ns;	   /* CLOCK_MONOTONIC */
	__u32 kind;	   /* enum lifecycle_kind */
	__u32 path_length; /* with its NUL; 0 = no path */
	char path[LIFECYCLE_PATH_SIZE];
};

_Static_assert(sizeof(struct lifecycle_record) == 32 + LIFECYCLE_PATH_SIZE, "shared with BPF");
