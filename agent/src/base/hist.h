#pragma once

/*
 * The run queue latency histogram. One definition: kernel (sched.bpf.c) and agent
 * include this file, the backend mirrors it in measures/histogram.py, and
 * e2e/contract/histogram_vector.json holds all of them to the same answers.
 *
 * Unit ns, log-linear, 4 buckets per power of two: 24 octaves from 2^10 ns (1.024 us)
 * to 2^34 ns (17.18 s) are exactly 96 buckets. Bucket `4 * octave + quarter` holds
 *
 *	2^(10 + octave) * (4 + quarter) / 4  <=  ns  <  2^(10 + octave) * (5 + quarter) / 4
 *
 * and both ends are open: bucket 0 also takes everything below 1,024 ns, so it is
 * [0, 1280); bucket 95 also takes everything above 2^34 ns, so it is [15.03 s, oo).
 * A percentile is reported as the upper bound of its bucket (exclusive, at most 25 %
 * too high); in bucket 95 that number is not a bound but "at least 15.03 s".
 *
 * linux/types.h and no loop, so that the same lines compile for BPF.
 */
#include <linux/types.h>

#define RUNQ_BUCKETS	  96
#define RUNQ_FIRST_OCTAVE 10 /* log2 of 1,024 ns */

static inline __u32 hist_bucket(__u64 ns)
{
	__u32 rest, octave, shift;

	if (ns >> (RUNQ_FIRST_OCTAVE + RUNQ_BUCKETS / 4))
		return RUNQ_BUCKETS - 1;
	if (!(ns >> RUNQ_FIRST_OCTAVE))
		return 0;

	/* Binary search for the exponent; 24 bits of octaves are left, so five steps do. */
	rest = (__u32)(ns >> RUNQ_FIRST_OCTAVE);
	octave = (__u32)(rest > 0xffff) << 4;
	rest >>= octave;
	shift = (__u32)(rest > 0xff) << 3;
	rest >>= shift;
	octave |= shift;
	shift = (__u32)(rest > 0xf) << 2;
	rest >>= shift;
	octave |= shift;
	shift = (__u32)(rest > 0x3) << 1;
	rest >>= shift;
	octave |= shift;
	octave |= rest >> 1;

	return 4 * octave + (__u32)((ns >> (octave + RUNQ_FIRST_OCTAVE - 2)) & 3);
}

/* The first ns that is not in the bucket any more. */
static inline __u64 hist_upper_ns(__u32 bucket)
{
	return (__u64)(5 + bucket % 4) << (RUNQ_FIRST_OCTAVE - 2 + bucket / 4);
}
