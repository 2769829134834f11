/* SPDX-License-Identifier: MIT */
/* A block <Match>: which series it takes, which of them are peers, and when one is an outlier. */
#pragma once

#include <collector/kit/buffer.h>
#include <collector/plugin.h>

#include "group.h"

enum match_field {
	MATCH_HOST,
	MATCH_PLUGIN,
	MATCH_PLUGIN_INSTANCE,
	MATCH_TYPE,
	MATCH_TYPE_INSTANCE,
};
#define MATCH_FIELDS 5

struct match { /* As in the file; NULL: not given. */
	const char *name;
	const char *patterns[MATCH_FIELDS];
	const char *source;
	const char *label;
	struct mc_strings group_by;
	int direction; /* enum match_direction */
	double mads, factor;
	int64_t rounds, peers_min;
	double share_max, change_min; /* Percent. */
	mc_time mean, learn, settle, keep;

	/* Of match_start(). */
	struct mc_regex *regexes[MATCH_FIELDS]; /* NULL: it is a glob, or none. */
	unsigned grouped;                       /* Bits of enum match_field. */
};

enum match_direction { MATCH_ABOVE, MATCH_BELOW, MATCH_BOTH };

extern const struct mc_block match_block;

/* Says what is wrong with it. */
void match_check(struct mc_ctx *, struct match *);

/* False: an expression or a word of GroupBy is invalid, and it takes nothing. */
bool match_start(struct match *);
void match_stop(struct match *);

/* Whether it takes series of that name.  Thread: one at a time. */
bool match_takes(const struct match *, const struct mc_id *);

/* Whether it takes that source of the type. */
bool match_takes_source(const struct match *, const struct mc_type *, unsigned source);

/* Adds what peers have in common to a key: names of series, without what differs. */
void match_add_key(const struct match *, const struct mc_id *, struct mc_buffer *key);

/* The rule of its groups with that interval. */
struct group_rule match_rule(const struct match *, mc_time interval);

/* How many values a series has to have before it is judged. */
uint32_t match_values(const struct match *, mc_time interval);
