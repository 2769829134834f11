/* SPDX-License-Identifier: MIT */
/* Settings of graphs and fields of a node in the configuration, which count instead of those of its
 * plugins: as in munin.conf(5), "Directives for plugins". */
#pragma once

#include <collector/plugin.h>

#include "formats/munin/munin_answers.h"

struct overrides {
	struct mc_munin_override *items;
	size_t len;
	char *texts; /* Of the items. */
};

/* The fault of pairs of "SERVICE.KEY" or "SERVICE.FIELD.KEY" and a text, that of '*at'; NULL if all
 * are valid. */
const char *overrides_fault(const struct mc_strings *pairs, size_t *at);

/* Makes them of pairs without a fault, whose texts stay. */
void overrides_init(struct overrides *, const struct mc_strings *pairs);
void overrides_done(struct overrides *);
