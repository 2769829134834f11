/* SPDX-License-Identifier: MIT */
/* A rule: the bounds of a <Type> or <Match> block, and how a value is compared with them.  Facts:
 * collectd.conf(5), "THRESHOLD CONFIGURATION".  Pure functions. */
#pragma once

#include <collector/judge.h>

/* Beyond which a value is bad; infinite where there is no bound. */
struct limits {
	double failure_min, failure_max, warning_min, warning_max;
};

struct rule {
	/* Which series: a <Type> has the names of the blocks around it, a
	 * <Match> has patterns.  NULL: any. */
	const char *host, *plugin, *plugin_instance, *type, *type_instance;
	const char *source;
	const char *name;     /* Of a <Rule>; NULL: it is another block. */
	const char *advice;   /* Hint at the cause, with placeholders; or NULL. */
	struct mc_strings of; /* Type instances whose sum is 100 %; none: no share. */
	struct mc_bounds warning, failure;
	bool invert, persist, persist_okay, percentage, interesting, rate;
	bool source_limits; /* Metadata may set the options that it leaves open. */
	int64_t hits, flap, unknown_after;
	double hysteresis, forecast_from;
	mc_time hold, clear_after, window, forecast, absent, remind_after, flap_window;
	const char *message; /* NULL: collectd's text. */

	/* rule_start() sets these. */
	struct limits limits[MC_STATES];     /* In each state. */
	bool judges_failure, judges_warning; /* Inverted: it has bounds. */
	bool has_trend;                      /* Forecast or Rate: values become a trend. */
	bool needs_times;                    /* For, ClearFor or Flap. */
	bool is_share;                       /* Of: a share of other series is compared. */
	bool is_plain;                       /* Each value is compared, and nothing else; ... */
	double good_min, good_max;           /* ... in OKAY these are still good. */

	bool by_source; /* Made of metadata: see source_limits.h. */
	bool seen;      /* A series of it has come; for Absent. */
};

/* NULL, or what is wrong with it: a sentence without a subject, and the option in 'option'. */
const char *rule_fault(const struct rule *, const void **option);

/* NULL, or why an option of a rule without bounds has no effect. */
const char *rule_idle_option(const struct rule *, const void **option);

/* NULL, or why a bound of a rule is never what decides. */
const char *rule_idle_bound(const struct rule *, const void **option);

/* Whether one of the two is given. */
bool rule_has_bounds(const struct mc_bounds *);

/* Whether the rule has bounds of its own, for WARNING or FAILURE. */
bool rule_has_any_bounds(const struct rule *);

/* Takes from another rule, but for its bounds and what they are compared with,
 * the options that 'rule' has not yet.  Before rule_start(). */
void rule_inherit(struct rule *, const struct rule *from);

/* Computes what is derived from the options. */
void rule_start(struct rule *);

/* How a value is compared with the bounds, while the series is in 'state'.  NaN
 * is MC_STATE_UNKNOWN. */
enum mc_state rule_compare(const struct rule *, enum mc_state state, double value);

/* "WARNING above 10, FAILURE below 2 or above 20". */
void rule_describe(const struct rule *, char *out, size_t size);
