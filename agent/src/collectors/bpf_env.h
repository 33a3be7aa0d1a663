#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "collectors/collector.h"

struct bpf_map;
struct btf;

/*
 * What every BPF collector needs before it opens its skeleton: rights and BTF.
 * On error the report says which is missing and what to do. The caller frees with btf__free().
 */
int bpf_env_open(struct collector_report *report, struct btf **ret_btf);

/* Whether a kernel structure has a field, unnamed inner structures included. */
bool bpf_env_has_field(const struct btf *btf, const char *structure, const char *field);

/* The kernel's errno for a refused load, as a sentence about `what`. */
void bpf_env_report_refused(struct collector_report *report, const char *what, int error);

/* Maps an array map (BPF_F_MMAPABLE) for reading and writing. */
int bpf_env_map(const struct bpf_map *map, void **ret_rows, uint64_t *ret_length);

/* Appends one program's cost; its missed runs are added to report->lost. */
int bpf_env_add_cost(int program_fd, struct collector_report *report);
