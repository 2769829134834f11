/* SPDX-License-Identifier: MIT */
/* The blocks of the options of a choice of layouts: for its own files. */
#pragma once

#include <collector/plugin.h>

#include "kit/series/rrd_choice.h"

struct mc_rrd_choice_span { /* <Archive> */
	struct mc_strings functions;
	mc_time resolution, timespan;
};

struct mc_rrd_choice_match { /* <Match> */
	struct mc_strings plugins, labels;
	int layout;
	struct mc_blocks archives;
};

/* The bits of functions of those names. */
unsigned mc_rrd_choice_functions(const struct mc_strings *names);

/* Puts a layout into the rules; the caller frees the spans. */
void mc_rrd_choice_apply(int layout, const struct mc_blocks *archives, struct mc_rrd_rules *);
