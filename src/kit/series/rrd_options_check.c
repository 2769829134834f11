/* SPDX-License-Identifier: MIT */
#include "kit/series/rrd_files.h"

#include <collector/check.h>

void mc_rrd_options_check(struct mc_ctx *ctx, const struct mc_rrd_options *options,
			  struct mc_rrd_rules rules)
{
	rules.step = options->step;
	rules.rows = options->rows;
	mc_check_timespans(ctx, &options->timespans, &rules);
	mc_check_heartbeat(ctx, &options->heartbeat, options->step);
	mc_path_template_check(ctx, &options->path_template, &options->source_names);
	mc_pnp_check(ctx, &options->path_template, &options->single_template);
}
