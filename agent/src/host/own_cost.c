#include "host/own_cost.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/file_io.h"
#include "base/parse.h"

static uint64_t ns(struct timeval time)
{
	return (uint64_t)time.tv_sec * 1000000000ULL + (uint64_t)time.tv_usec * 1000ULL;
}

int own_cost_read(struct own_cost *ret_cost)
{
	struct own_cost cost;
	struct rusage usage;
	char text[128];
	const char *resident;
	uint64_t pages;
	int r;

	if (getrusage(RUSAGE_SELF, &usage) < 0)
		return -errno;
	cost.user_ns = ns(usage.ru_utime);
	cost.system_ns = ns(usage.ru_stime);

	/* "size resident shared ..." in pages; ru_maxrss is the peak, not what is held now. */
	r = file_read_into(AT_FDCWD, "/proc/self/statm", text, sizeof(text), NULL);
	if (r < 0)
		return r;
	resident = strchr(text, ' ');
	if (!resident)
		return -EINVAL;
	r = parse_u64(resident + 1, UINT64_MAX, &resident, &pages);
	if (r < 0)
		return r;
	cost.rss_bytes = pages * (uint64_t)sysconf(_SC_PAGESIZE);
	*ret_cost = cost;
	return 0;
}
