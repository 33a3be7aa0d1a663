#pragma once

/*
 * The run queue latency histogram, one definition for kernel, agent and backend
 * (mirrored in backend measures/histogram.py, test vector in e2e/contract).
 *
 * Unit ns, log-linear, 4 buckets per power of two. Bucket 0 holds everything
 * below 1,024 ns, bucket 95 everything from 2^33 * 1.75 ns up... see hist_upper_ns().
 */
#define RUNQ_BUCKETS 96
