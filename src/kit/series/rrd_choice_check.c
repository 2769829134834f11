/* SPDX-License-Identifier: MIT */
/* The tables of the options Layout, Archive and Match, and what is wrong with their values. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <collector/check.h>

#include "kit/series/rrd_choice.h"
#include "kit/series/rrd_choice_options.h"
#include "kit/series/rrd_files.h"

static const double size_large = 32 << 20; /* Bytes; a file of collectd has 144 kB. */
static const double size_most = 1e9;
static const mc_time usual_interval = 10 * MC_SECOND;

const char *const mc_rrd_choice_words[] = { "collectd", "munin", "mrtg", "pnp", "compact", NULL };

static const struct mc_option archive_options[] = {
	{ .name = "Function",
	  MC_OPT_STRINGS(struct mc_rrd_choice_span, functions),
	  .default_value = "AVERAGE MIN MAX",
	  .help = "What a row has of its values: AVERAGE, MIN, MAX." },
	{ .name = "Resolution",
	  MC_OPT_TIME(struct mc_rrd_choice_span, resolution),
	  .default_value = "0",
	  .max = 31622400,
	  .sample = "5m",
	  .help = "Seconds of a row; 0: those of the step." },
	{ .name = "Timespan",
	  MC_OPT_TIME(struct mc_rrd_choice_span, timespan),
	  .required = true,
	  .min = 1,
	  .max = 9e9,
	  .sample = "2d",
	  .help = "Seconds that all rows cover." },
	{ 0 }
};

const struct mc_block mc_rrd_choice_archive = { .size = sizeof(struct mc_rrd_choice_span),
						.options = archive_options };

static const struct mc_option match_options[] = {
	{ .name = "Plugin",
	  MC_OPT_STRINGS(struct mc_rrd_choice_match, plugins),
	  .sample = "snmp*",
	  .help = "Plugins of the series, as globs; by default all." },
	{ .name = "Label",
	  MC_OPT_STRINGS(struct mc_rrd_choice_match, labels),
	  .sample = "site=north*",
	  .help = "Labels of the host or of the metric, NAME=GLOB, one of which it has; by "
		  "default any." },
	MC_RRD_CHOICE_OPTIONS(struct mc_rrd_choice_match, layout, archives),
	{ 0 }
};

const struct mc_block mc_rrd_choice_match = { .size = sizeof(struct mc_rrd_choice_match),
					      .options = match_options };

static void check_functions(struct mc_ctx *ctx, const struct mc_strings *names)
{
	for (size_t i = 0; i < names->len; i++) {
		const struct mc_strings one = { &names->items[i], 1 };

		if (mc_rrd_choice_functions(&one) == 0)
			mc_check_error(ctx, &names->items[i], "is not AVERAGE, MIN or MAX");
	}
}

static void check_archives(struct mc_ctx *ctx, int layout, const struct mc_blocks *archives)
{
	const struct mc_rrd_choice_span *items = archives->items;

	for (size_t i = 0; i < archives->len; i++) {
		check_functions(ctx, &items[i].functions);
		if (items[i].timespan < items[i].resolution)
			mc_check_error(ctx, &items[i].timespan, "is less than Resolution");
	}
	if (archives->len > 0 && layout != MC_RRD_COLLECTD)
		mc_check_error(ctx, &items[0].timespan,
			       "is of an Archive beside a Layout: one of them");
}

static void check_size(struct mc_ctx *ctx, const void *field, const struct mc_rrd_rules *rules)
{
	mc_time interval = ctx->interval > 0 ? ctx->interval : usual_interval;
	double size = mc_rrd_size(rules, interval);

	if (size > size_most)
		mc_check_error(ctx, field, "makes files of %.0f MB for each source", size / 1e6);
	else if (size > size_large)
		mc_check_warn(ctx, field, "makes files of %.0f MB for each source", size / 1e6);
}

/* Those of collectd are checked by their timespans. */
static void check_layout(struct mc_ctx *ctx, const int *layout, const struct mc_blocks *archives,
			 struct mc_rrd_rules rules)
{
	const struct mc_rrd_choice_span *items = archives->items;

	check_archives(ctx, *layout, archives);
	mc_rrd_choice_apply(*layout, archives, &rules);
	if (rules.program != MC_RRD_COLLECTD)
		check_size(ctx, archives->len > 0 ? (const void *)&items[0].timespan : layout,
			   &rules);
	free((void *)rules.spans);
}

/* That of all files may be too short for the step of this layout. */
static void check_heartbeat(struct mc_ctx *ctx, const int *layout, const struct mc_rrd_rules *rules)
{
	int64_t step = mc_rrd_archives_step((enum mc_rrd_program) * layout);

	if (rules->step == 0 && rules->heartbeat > 0 && rules->heartbeat < step)
		mc_check_error(ctx, layout,
			       "has a step of %" PRId64
			       " s, which is more than HeartBeat: all values would be unknown",
			       step);
}

static void check_label(struct mc_ctx *ctx, const char *const *text)
{
	if (strcspn(*text, "=") == 0 || strchr(*text, '=') == NULL)
		mc_check_error(ctx, text, "is not NAME=GLOB");
}

void mc_rrd_choice_check(struct mc_ctx *ctx, const struct mc_rrd_options *options,
			 struct mc_rrd_rules base)
{
	const struct mc_rrd_choice_match *matches = options->matches.items;

	base.step = options->step;
	base.heartbeat = options->heartbeat;
	base.rows = options->rows;
	base.xff = options->xff;
	check_layout(ctx, &options->layout, &options->archives, base);
	for (size_t i = 0; i < options->matches.len; i++) {
		for (size_t j = 0; j < matches[i].labels.len; j++)
			check_label(ctx, &matches[i].labels.items[j]);
		check_layout(ctx, &matches[i].layout, &matches[i].archives, base);
		check_heartbeat(ctx, &matches[i].layout, &base);
	}
}
