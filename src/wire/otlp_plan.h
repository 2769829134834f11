/* SPDX-License-Identifier: MIT */
/* Requests that were written before, for batches of the same series in the same
 * order: what a reader makes every interval.  Of such a request only times and
 * values differ, all of which have eight bytes at places that are known; so
 * they are put into the bytes of the last one, and nothing is sorted, sized or
 * copied.  That is a sixth of the work.  A writer that writes labels of hosts,
 * which may change, has no plans.
 *
 * A plan is learned when a batch that begins with the same series has come not
 * long ago: an aggregator, whose batches are those of thousands of senders,
 * does not learn what it will not see again before it has to forget it. */
#ifndef COLLECTOR_WIRE_OTLP_PLAN_H
#define COLLECTOR_WIRE_OTLP_PLAN_H

#include <collector/otlp.h>

#define OTLP_PLANS 32                     /* Also of misses remembered. */
#define OTLP_PLANS_SIZE ((size_t)2 << 20) /* Bytes of all, at most. */

struct otlp_plan_step { /* A sample. */
	const struct mc_type *type;
	mc_time interval;
	uint32_t name; /* Place of its name in the texts. */
};

struct otlp_plan {
	uint64_t key;  /* Of the name that its batches begin with. */
	uint64_t used; /* When: a count of batches. */
	unsigned char *bytes;
	size_t size;     /* Of these; 0: nothing is learned. */
	size_t all_size; /* With what follows. */
	struct otlp_plan_step *steps;
	uint32_t steps_len;
	uint32_t *places; /* Of each value: in bytes before the end of the
			   * request, where the field with its time begins;
			   * behind it is that with the value, then that with
			   * the rate, if any; and before it, of ABSOLUTE,
			   * that with the start. */
	char *texts;
};

struct otlp_plans {
	struct otlp_plan plans[OTLP_PLANS];
	size_t size;                 /* Bytes of all. */
	uint64_t batches;            /* Asked for. */
	uint64_t misses[OTLP_PLANS]; /* Keys of the last; a ring. */
	unsigned misses_len;
	bool rates; /* Are behind the values: otlp_write_rates(). */
};

void otlp_plan_done(struct otlp_plans *);

/* Writes the whole batch, if there is a plan for it: the request is the plan's
 * until its next use.  Returns the last sample, or NULL: there is none.  Then
 * *learn says whether to learn what is written now. */
const struct mc_sample *otlp_plan_use(struct otlp_plans *,
				      const struct mc_batch *,
				      struct mc_otlp_bytes *, bool *learn);

/* Learns from the request of a whole batch, which otlp_plan_use() asked for.
 * 'places' are those of the values in the order of the samples. */
void otlp_plan_learn(struct otlp_plans *, const struct mc_batch *,
		     const struct mc_otlp_bytes *, const uint32_t *places,
		     uint32_t places_len);

#endif
