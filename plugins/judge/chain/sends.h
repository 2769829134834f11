/* SPDX-License-Identifier: MIT */
/* Copies for writers of a sample that was renamed or changed after the cache: mc_route_copy() for
 * each name and set of values. */
#pragma once

#include <collector/judge.h>

#include "subject.h"

struct flow;

#define SENDS_MAX 8

struct sends {
	const struct flow *flow;
	struct mc_route *route;
	struct send { /* Of the values that the subject has now. */
		struct name *name;
		uint32_t writers; /* Bits of flow->writers; or: */
		bool to_all;
	} items[SENDS_MAX];
	unsigned len;
	union mc_value values[2 * MC_SOURCES_MAX]; /* Of the subject. */
};

/* Whether writers get something else than the sample. */
bool sends_are_due(const struct subject *);

/* Has writers get the subject as it is now. */
void sends_add(struct subject *, uint32_t writers, bool to_all);

/* Sends what was added: at the end, and before values change. */
void sends_flush(struct subject *);
