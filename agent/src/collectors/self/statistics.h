#pragma once

#include <stdint.h>

/*
 * The kernel's BPF run-time statistics. They are on while somebody holds the descriptor that
 * this gives, for all programs of the host, and cost each run 25 to 50 ns. -EPERM without
 * CAP_SYS_ADMIN. The caller closes it.
 */
int bpf_statistics_hold(int *ret_fd);

/* Runs and ns of one program while statistics were on, since it was loaded. */
int bpf_statistics_read(int program_fd, uint64_t *ret_run_count, uint64_t *ret_run_ns);
