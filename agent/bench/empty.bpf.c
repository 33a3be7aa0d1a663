/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* What a hook on sched_switch costs before it does anything, run-time statistics included. */
#include <linux/bpf.h>

#include <bpf/bpf_helpers.h>

SEC("tp_btf/sched_switch")
int empty(void *ctx)
{
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
