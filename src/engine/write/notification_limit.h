/* SPDX-License-Identifier: MIT */
/* Limits the notifications of each source, an instance that sends them, to a writer in a period of
 * ten seconds: so one that is flooded leaves the others theirs.  Further ones are counted, and at
 * the end of the period one notification reports how many, and of how many hosts.  The recovery
 * from a failure that the writer got always passes, so that no alarm stands for ever because of
 * the limit; there are no more of these than failures that have passed.  The writer's lock guards
 * it. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/hash_set.h"
#include <collector/plugin.h>

#define NOTIFICATION_LIMIT_PERIOD (10 * MC_SECOND)
#define NOTIFICATION_LIMIT_SOURCES 16 /* Further ones share the last share. */
#define NOTIFICATION_LIMIT_TEXT_SIZE 200

struct notification_limit { /* All zero: an unused entry. */
	uint64_t len;       /* Limit for a source in a period; 0: no limit. */
	mc_time begun;      /* The period; of the monotonic clock. */
	struct notification_limit_source {
		const void *source;
		uint64_t passed; /* 0: the place is free. */
	} sources[NOTIFICATION_LIMIT_SOURCES];
	uint64_t held[MC_OKAY + 1]; /* In this period, by severity. */
	struct mc_hash_set held_hosts;
	/* Failures that the writer knows; recoveries of further ones are counted like others. */
	struct mc_hash_set known_failures;
};

void notification_limit_done(struct notification_limit *);

/* Whether the writer gets it; else it is counted.  'source' is only compared. */
bool notification_limit_passes(struct notification_limit *, const void *source,
			       const struct mc_notification *, mc_time now);

/* When a summary is due; CLOCK_NEVER: nothing to report. */
mc_time notification_limit_due(const struct notification_limit *);

/* Writes the text of the summary, and begins to count anew; its severity is that of the worst
 * suppressed one.  Only when there is something to report. */
enum mc_severity notification_limit_sum_up(struct notification_limit *,
					   char text[NOTIFICATION_LIMIT_TEXT_SIZE]);
