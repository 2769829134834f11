/* SPDX-License-Identifier: MIT */
/* The state of a series that has rules: when it changes, and when that is reported.  Pure
 * functions, but for memory. */
#pragma once

#include "alert.h"
#include "siblings.h"
#include "verdict.h"

struct times {                         /* Of rules with For, ClearFor or Flap. */
	mc_time bad_since, good_since; /* 0: it is not. */
	mc_time changed;               /* The state, last. */
	double changes;                /* Of the past FlapWindow, those long ago less. */
	bool flapping;
};

struct watch {
	const struct rules *rules;
	struct rules *own;         /* The same, if they are of this series alone. */
	struct alert *alert;       /* NULL: it is not known to be bad. */
	struct times *times;       /* NULL: no rule needs them. */
	struct trend *trends;      /* NULL: no rule needs them. */
	struct siblings *siblings; /* NULL: no rule is_share. */
	uint32_t hits;             /* Bad values in a row, as collectd counts. */
	uint32_t unknowns;         /* Values in a row. */
	uint8_t state;             /* enum mc_state */
	bool began;                /* A value has come. */
	bool is_quiet;             /* watch_is_quiet(), after the last value. */
};

struct watch *watch_new(const struct rules *, const struct mc_type *);
void watch_free(struct watch *); /* Not its alert. */

/* Whether a value within the bounds of its only rule changes nothing. */
bool watch_is_quiet(const struct watch *);

/* After each verdict: one on an unknown value becomes WARNING where a rule says
 * after how many of them. */
void watch_count_unknown(struct watch *, struct verdict *, const struct mc_type *);

enum watch_action {
	WATCH_NOTHING,
	WATCH_CHANGES,  /* Changes to the state of the verdict, with a report. */
	WATCH_SILENTLY, /* The same without a report: the first OKAY, or Flap. */
	WATCH_FLAPS,    /* The same, but the report is that it flaps. */
	WATCH_REPEATS,  /* The state is reported once more. */
};

/* The consequence of a verdict on the value of that time; not MC_STATE_UNKNOWN.  The caller then
 * sets the state. */
enum watch_action watch_step(struct watch *, const struct verdict *, mc_time now);
