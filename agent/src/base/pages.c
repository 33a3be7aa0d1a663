#include "base/pages.h"

#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

void pages_forget(void *start, size_t bytes)
{
	const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
	const uintptr_t first = ((uintptr_t)start + page - 1) / page * page;
	const uintptr_t end = ((uintptr_t)start + bytes) / page * page;

	/* An advice that is not taken changes nothing but what is resident. */
	if (first < end)
		(void)madvise((char *)start + (first - (uintptr_t)start), end - first,
			      MADV_DONTNEED);
}
