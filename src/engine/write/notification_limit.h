/* SPDX-License-Identifier: MIT */
/* How many notifications of each source, an instance that sends them, a writer
 * gets in a period of ten seconds: so one that is flooded leaves the others
 * theirs.  Further ones are counted, and at the end of the period one
 * notification tells how many, and of how many hosts.  The recovery of what the
 * writer was told to be failing always passes, so that no alarm stands for ever
 * because of the limit; there are no more of these than failures that have
 * passed.  The writer's lock guards it. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include <collector/kit/hash_set.h>
#include <collector/plugin.h>

#define NOTIFICATION_LIMIT_PERIOD (10 * MC_SECOND)
#define NOTIFICATION_LIMIT_SOURCES 16 /* Further ones share the last share. */
#define NOTIFICATION_LIMIT_TEXT_SIZE 200

struct notification_limit { /* All zero: there is none. */
	uint64_t len;       /* Of a source in a period; 0: all. */
	mc_time begun;      /* The period; of the monotonic clock. */
	struct notification_limit_source {
		const void *source;
		uint64_t passed; /* 0: the place is free. */
	} sources[NOTIFICATION_LIMIT_SOURCES];
	uint64_t held[MC_OKAY + 1]; /* In this period, by severity. */
	struct mc_hash_set held_hosts;
	/* What is failing as far as the writer knows; if there is more, their
	 * recoveries are counted like others. */
	struct mc_hash_set told;
};

void notification_limit_done(struct notification_limit *);

/* Whether the writer gets it; else it is counted.  'source' is only compared.
 */
bool notification_limit_passes(struct notification_limit *, const void *source,
			       const struct mc_notification *, mc_time now);

/* When a summary is due; CLOCK_NEVER: there is nothing to tell. */
mc_time notification_limit_due(const struct notification_limit *);

/* Writes the text of the summary, and begins to count anew; its severity is
 * that of the worst that was not told.  Only when there is something to tell.
 */
enum mc_severity notification_limit_sum_up(struct notification_limit *,
					   char text[NOTIFICATION_LIMIT_TEXT_SIZE]);
