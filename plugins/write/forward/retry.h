/* SPDX-License-Identifier: MIT */
/* When to send again.  Facts: the OTLP specification, "OTLP/HTTP response";
 * full jitter as in "Exponential Backoff And Jitter" of the AWS architects. */
#ifndef FORWARD_RETRY_H
#define FORWARD_RETRY_H

#include <collector/plugin.h>

enum retry_verdict {
	RETRY_DONE,
	RETRY_LATER, /* The same again, here or elsewhere. */
	RETRY_NEVER, /* It will never be taken. */
};

/* What an HTTP status means; 0 is no answer at all. */
enum retry_verdict retry_verdict(long status);

#define RETRY_LONGEST (60 * MC_SECOND)

struct retry {
	unsigned failures; /* In a row. */
	mc_time until;     /* Nothing is sent before; of mc_now(). */
	mc_time longest;   /* Wait without Retry-After; set by the caller. */
	uint64_t random;   /* Seeded by the caller; never 0. */
};

/* A request has failed: the next one is due after a random part of a time that
 * doubles from 0.5 s to the longest, but not before what the receiver asks for,
 * in seconds. */
void retry_failed(struct retry *, mc_time now, int64_t retry_after);
void retry_done(struct retry *);

/* Takes " after 12 ms" and " after 12 milliseconds" out of libcurl's words:
 * with another figure each time, the same failure would be logged each time. */
void retry_strip_duration(char *reason);

#endif
