/* SPDX-License-Identifier: MIT */
/* How many notifications a writer is told in a period of ten seconds.  Further
 * ones are counted, and at the end of the period one notification tells how
 * many.  The recovery of what the writer was told to be failing always passes,
 * so that no alarm stands for ever because of the limit; there are no more of
 * these than failures that have passed.  The writer's lock guards it. */
#ifndef COLLECTOR_ENGINE_WRITE_NOTIFICATION_LIMIT_H
#define COLLECTOR_ENGINE_WRITE_NOTIFICATION_LIMIT_H

#include <stdbool.h>
#include <stddef.h>

#include <collector/plugin.h>

#define NOTIFICATION_LIMIT_PERIOD (10 * MC_SECOND)
#define NOTIFICATION_LIMIT_TOLD_MAX 4096 /* Beyond, recoveries are counted. */
#define NOTIFICATION_LIMIT_TEXT_SIZE 160

struct notification_limit { /* All zero: there is none. */
	uint64_t len;       /* Notifications in a period; 0: all. */
	mc_time begun;      /* The period; of the monotonic clock. */
	uint64_t passed;
	uint64_t held[MC_OKAY + 1]; /* In this period, by severity. */
	uint64_t *told; /* Hashes of what is failing as far as was told; NULL:
			 * nothing is. */
	size_t told_len;
};

void notification_limit_done(struct notification_limit *);

/* Whether the writer is told; else it is counted. */
bool notification_limit_passes(struct notification_limit *,
			       const struct mc_notification *, mc_time now);

/* When a summary is due; CLOCK_NEVER: there is nothing to tell. */
mc_time notification_limit_due(const struct notification_limit *);

/* Writes the text of the summary, and begins to count anew; its severity is
 * that of the worst that was not told.  Only when there is something to tell.
 */
enum mc_severity notification_limit_sum_up(
	struct notification_limit *, char text[NOTIFICATION_LIMIT_TEXT_SIZE]);

#endif
