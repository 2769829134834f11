/* SPDX-License-Identifier: MIT */
/* The layout that the new file of a series gets: the options Layout, Archive and Match of writers
 * of RRD files. */
#pragma once

#include <collector/plugin.h>

#include "formats/rrd/rrd.h"

struct mc_rrd_options;

/* Words of Layout, in the order of enum mc_rrd_program. */
extern const char *const mc_rrd_choice_words[];

/* Blocks of the options. */
extern const struct mc_block mc_rrd_choice_archive, mc_rrd_choice_match;

struct mc_rrd_choice {
	struct mc_rrd_rules usual;    /* Those of series that no <Match> selects. */
	struct mc_rrd_rules *matched; /* Those of each <Match>. */
};

/* Fills it with the options, which it goes on using; 'base' has the members that they do not set.
 * Thread: start()'s. */
void mc_rrd_choice_init(struct mc_ctx *, const struct mc_rrd_options *, struct mc_rrd_rules base,
			struct mc_rrd_choice *);
void mc_rrd_choice_done(struct mc_rrd_choice *, const struct mc_rrd_options *);

/* The rules of the series.  Thread: any. */
const struct mc_rrd_rules *mc_rrd_choice_of(struct mc_ctx *, const struct mc_rrd_choice *,
					    const struct mc_rrd_options *,
					    const struct mc_series *series);

/* Reports what is wrong with them; 'base' has the members that the options do not set.  Thread:
 * check()'s. */
void mc_rrd_choice_check(struct mc_ctx *, const struct mc_rrd_options *, struct mc_rrd_rules base);
