/* SPDX-License-Identifier: MIT */
/* What the tests of guests that move have in common: a counter of the guest 'web1', and its samples
 * that wait. */
#pragma once

#include "moves.h"

/* Streams: a process of the guest, the guest, whether it came by a migration, its host. */
#define A1 "a-1 uuid - left"
#define B2 "b-2 uuid m right"
#define A3 "a-3 uuid m left"

/* A sample of the counter; 'values' is its one value, which moves_take() changes. */
static inline struct moves_sample sample_of(const char *stream, mc_time now, mc_time time,
					    union mc_value *values)
{
	return (struct moves_sample){ .host = "web1",
				      .name = "virt/disk_octets-vda",
				      .stream = stream,
				      .now = now,
				      .time = time,
				      .interval = MC_SECOND,
				      .counters = 1,
				      .values = values,
				      .values_len = 1 };
}

/* One that has waited, as release.c gives it back. */
static inline struct moves_sample waited_sample(struct handover_sample *at, mc_time now)
{
	struct moves_sample sample = sample_of(at->stream, now, at->time, at->values);

	sample.waited = true;
	return sample;
}

/* For 'trusts' of moves, where rights are not what is tested. */
static inline bool everybody(const void *list, const char *host)
{
	(void)list;
	(void)host;
	return true;
}
