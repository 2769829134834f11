/* SPDX-License-Identifier: MIT */
/* counters: the series of a read, with what was counted for each.
 *
 * Rules that a place finds under the same name are added up; what several places find is taken from
 * the first.  Places that are read together are read in a pass, which is dropped if the rules were
 * changed meanwhile. */
#pragma once

#include <collector/kit/map.h>
#include <collector/plugin.h>

#include "rule.h"

#define COUNTERS_MAX 100000 /* Of a read. */

struct counters {
	struct mc_map map;
	struct counter **items; /* In the order in which they were met first. */
	size_t len, size;
	uint64_t pass, first; /* This one, and the first one of this read. */
	bool is_full;         /* Some were left out in this read. */
};

struct counters_place { /* Where series are; for one line of the configuration. */
	const char *plugin, *instance;
};

/* Begins a read; the next pass. */
void counters_begin(struct counters *);
void counters_next_pass(struct counters *);

/* Adds what was counted under that name, "" for none, which is cut as collectd does it. */
void counters_add(struct counters *, const struct counters_place *place, struct rule_text name,
		  const struct rule *counted);

/* Forgets what this pass has added. */
void counters_drop_pass(struct counters *);

/* Puts all that this read has met, and forgets the others. */
void counters_put(struct counters *, struct mc_batch *out);

void counters_done(struct counters *);
