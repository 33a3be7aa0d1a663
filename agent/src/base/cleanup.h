#pragma once

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* Scope-bound ownership: `cleanup(freep) char *text = NULL;` */
#define cleanup(f) __attribute__((cleanup(f)))

/* Hands a resource over: the variable forgets it, so its cleanup does nothing. */
#define take_ptr(p)                       \
	({                                \
		__auto_type taken_ = (p); \
		(p) = NULL;               \
		taken_;                   \
	})

static inline int take_fd(int *fd)
{
	int taken = *fd;

	*fd = -1;
	return taken;
}

static inline void freep(void *p)
{
	free(*(void **)p);
}

static inline void close_fdp(int *fd)
{
	if (*fd >= 0)
		close(*fd);
}

static inline void fclosep(FILE **file)
{
	if (*file)
		fclose(*file);
}

static inline void closedirp(DIR **dir)
{
	if (*dir)
		closedir(*dir);
}
