/* SPDX-License-Identifier: MIT */
#include "kit/series/rrd_files.h"

void mc_rrd_options_apply(struct mc_ctx *ctx, const struct mc_rrd_options *options,
			  struct mc_rrd_rules *rules)
{
	rules->step = options->step;
	rules->heartbeat = options->heartbeat;
	rules->rows = options->rows;
	rules->xff = options->xff;
	rules->source_names = options->source_names.items;
	rules->source_names_len = options->source_names.len;
	for (size_t i = 0; i < options->timespans.len; i++)
		if (!mc_rrd_add_timespans(rules, options->timespans.items[i]))
			mc_log(ctx, MC_ERROR, "RRATimespan '%s' is not a number of seconds",
			       options->timespans.items[i]);
}
