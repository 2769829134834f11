/* SPDX-License-Identifier: MIT */
/* The counters of a daemon: their types, which it says once, and what is to be known of the last
 * values for an average since then. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <collector/kit/map.h>
#include <collector/plugin.h>

#define COUNTERS_MAX 20000

struct counters_rules {
	bool long_run; /* Averages are since the start of the daemon. */
	bool converts; /* The bytes of a filestore's journal are a total, as others. */
};

struct counters { /* All zero: none are known. */
	struct mc_map by_key, by_name;
	struct counter *first, **end; /* In the order of the schema. */
	size_t unknown;               /* Values of the last dump that no counter has. */
};

/* Averages of counters that are known go on.  Returns why it cannot
 * be read, or NULL.  After a failure there are no counters. */
const char *counters_schema(struct counters *, const struct counters_rules *, const char *text,
			    size_t size);

struct counters_target { /* Where values are put. */
	const struct counters_rules *rules;
	const char *instance;
	struct mc_batch *batch;
};

/* Puts the values of a dump; after a failure the batch is to be discarded. */
const char *counters_dump(struct counters *, const struct counters_target *, const char *text,
			  size_t size);

void counters_done(struct counters *);
