/* SPDX-License-Identifier: MIT */
/* Requests that were written before, for batches of the same series in the same
 * order: what a reader makes every interval.  Of such a request only times and
 * values differ, all of which have eight bytes at places that are known; so
 * they are put into the bytes of the last one, and nothing is sorted, sized or
 * copied.  That is a sixth of the work.  Labels of hosts, which may change, are
 * compared each time, once for a host.  A batch that is too large for one
 * request has a plan for each of its parts.
 *
 * A plan is learned when a batch that begins with the same series has come not
 * long ago: an aggregator, whose batches are those of thousands of senders,
 * does not learn what it will not see again before it has to forget it. */
#ifndef COLLECTOR_WIRE_OTLP_PLAN_H
#define COLLECTOR_WIRE_OTLP_PLAN_H

#include <collector/otlp.h>

#include "wire/otlp_labels.h"

#define OTLP_PLANS 32                     /* Also of misses remembered. */
#define OTLP_PLANS_SIZE ((size_t)4 << 20) /* Bytes of all, at most. */

struct otlp_plan_step { /* A sample. */
	const struct mc_type *type;
	mc_time interval;
	uint32_t name; /* Place of its name in the texts. */
};

struct otlp_plan {
	uint64_t key;  /* Of the name that its parts begin with. */
	uint64_t used; /* When: a count of batches. */
	unsigned char *bytes;
	size_t size;     /* Of these; 0: nothing is learned. */
	size_t all_size; /* With what follows. */
	struct otlp_plan_step *steps;
	uint32_t steps_len;
	bool ends;        /* They are all to the end of their batch. */
	uint32_t *places; /* Of each value: in bytes before the end of the
			   * request, where the field with its time begins;
			   * behind it is that with the value, then that with
			   * the rate, if any; and before it, of ABSOLUTE,
			   * that with the start. */
	char *texts;
	unsigned char *labels; /* Of the hosts in it. */
	uint32_t labels_size;
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

struct otlp_plan_part { /* What is to be written. */
	const struct mc_batch *batch;
	const struct mc_sample *last; /* Behind this; NULL: from the first. */
};

/* Writes the part, if there is a plan for it: the request is the plan's until
 * its next use.  Returns the last sample of it, or NULL: there is none.  Then
 * *learn says whether to learn what is written now. */
const struct mc_sample *otlp_plan_use(struct otlp_plans *,
				      const struct otlp_plan_part *,
				      const struct otlp_labels *,
				      struct mc_otlp_bytes *, bool *learn);

struct otlp_plan_lesson {
	struct mc_otlp_bytes bytes; /* The request of the part. */
	const uint32_t *places;     /* Of its values, in their order. */
	uint32_t places_len;
	const unsigned char *labels; /* Of its hosts. */
	uint32_t labels_size;
};

/* Learns from what otlp_plan_use() asked for. */
void otlp_plan_learn(struct otlp_plans *, const struct otlp_plan_part *,
		     const struct otlp_plan_lesson *);

#endif
