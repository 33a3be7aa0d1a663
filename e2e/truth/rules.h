#pragma once

/*
 * The published rule that charges a slice to who ran, once for every group that waits when the
 * slice ends; and the truth in its terms: how long each group had somebody waiting on that CPU.
 * Both are over time, so [from, to) is in rq clock.
 */
#include "blame.h"

void rules_end_of_slice(const struct replay *replay, uint64_t from, uint64_t to,
			struct ledger *ret);
