#include "collectors/self/statistics.h"

#include <bpf/bpf.h>
#include <errno.h>

int bpf_statistics_hold(int *ret_fd)
{
	const int fd = bpf_enable_stats(BPF_STATS_RUN_TIME);

	if (fd < 0)
		return fd;
	*ret_fd = fd;
	return 0;
}

int bpf_statistics_read(int program_fd, uint64_t *ret_run_count, uint64_t *ret_run_ns)
{
	struct bpf_prog_info info = {};
	__u32 length = sizeof(info);

	if (bpf_obj_get_info_by_fd(program_fd, &info, &length) < 0)
		return -errno;
	*ret_run_count = info.run_cnt;
	*ret_run_ns = info.run_time_ns;
	return 0;
}
