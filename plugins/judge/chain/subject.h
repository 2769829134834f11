/* SPDX-License-Identifier: MIT */
/* The subject of chains: a sample, or the name of a series alone, for all of its samples at
 * once. */
#pragma once

#include <collector/kit/lock.h>
#include <collector/writer.h>

#include "name.h"

struct chain;
struct rule;
struct sends;
struct target;
struct visit;

struct shared {                /* By all threads. */
	pthread_mutex_t lock;  /* Of expressions, what scale keeps, held. */
	struct name *held;     /* Names that keep series. */
	unsigned verdicts_len; /* Matches that look at names only. */
	unsigned scales_len;   /* Targets scale. */
};

#define CHOICES_MAX 16

struct choices { /* Assumed answers of matches that look at samples. */
	bool taken[CHOICES_MAX];
	unsigned len, at;
	bool lost; /* There were too many. */
};

struct subject {
	struct mc_ctx *ctx;
	struct shared *shared;
	struct name *name; /* That it has now. */
	const struct mc_sample
		*sample;         /* NULL: only the name is known, and nothing is sent or changed. */
	mc_time now;             /* With a sample: when it was committed. */
	union mc_value *values;  /* Values of the sample, if they may be changed; after the cache a
				    copy, NULL before a change. */
	struct sends *sends;     /* After the cache, with a sample. */
	bool behind;             /* The cache: it has rates. */
	bool again;              /* It has gone through here before: sends no notifications. */
	struct choices *choices; /* Without a sample. */

	const struct visit *visits; /* Chains that led to this one: see flow.c. */
	unsigned jumps;             /* So far. */

	/* Gets the targets that were applied; may be NULL. */
	void (*note)(void *argument, const struct chain *, const struct rule *,
		     const struct target *);
	void *argument;

	/* The result. */
	bool each;        /* Other samples of the series may end otherwise, or
			   * something is done for each. */
	bool changed;     /* After the cache: values differ. */
	bool split;       /* v5upgrade makes others of it. */
	bool to_all;      /* It is written to all writers, ... */
	uint32_t writers; /* ... or these: bits of flow->writers. */
};

/* Its raw values, as they are now. */
static inline const union mc_value *subject_values(const struct subject *subject)
{
	return subject->values != NULL ? subject->values : subject->sample->values;
}
