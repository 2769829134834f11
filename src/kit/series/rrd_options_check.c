/* SPDX-License-Identifier: MIT */
#include "kit/series/rrd_files.h"

#include <collector/check.h>

void mc_rrd_options_check(struct mc_ctx *ctx, const struct mc_rrd_options *options,
			  struct mc_rrd_rules rules)
{
	int64_t step = mc_rrd_archives_step((enum mc_rrd_program)options->layout);

	mc_rrd_choice_check(ctx, options, rules);
	rules.step = options->step;
	rules.rows = options->rows;
	mc_check_timespans(ctx, &options->timespans, &rules);
	mc_check_heartbeat(ctx, &options->heartbeat, options->step > 0 ? options->step : step);
	mc_path_template_check(ctx, &options->path_template, &options->source_names);
	mc_pnp_check(ctx, &options->path_template, &options->single_template);
}
