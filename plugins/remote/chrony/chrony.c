/* SPDX-License-Identifier: MIT */
/* chrony: how chronyd keeps the clock, and its sources, by the packets of chronyc(1)
 * (collectd.conf(5), "Plugin chrony"). */
#include <collector/check.h>
#include <collector/plugin.h>

#include <math.h>

#include "kit/net/slow_source.h"
#include "session.h"

struct chrony {
	struct session_settings settings;
	struct mc_quota_limits limits;
};

struct level {
	const char *type;
	double level;
};

static void put_levels(struct mc_batch *batch, const char *type_instance,
		       const struct level *levels, size_t len)
{
	for (size_t i = 0; i < len; i++)
		mc_put_gauge(batch, levels[i].level, .type = levels[i].type,
			     .type_instance = type_instance);
}

static void put_tracking(struct mc_batch *batch, const struct packet_tracking *tracking)
{
	const struct level levels[] = {
		{ "clock_stratum", tracking->stratum },
		{ "time_ref", tracking->reference_time },
		{ "time_offset_ntp", tracking->correction },
		{ "time_offset", tracking->last_offset },
		{ "time_offset_rms", tracking->rms_offset },
		{ "frequency_error", tracking->frequency_error },
		{ "clock_skew_ppm", tracking->skew },
		{ "root_delay", tracking->root_delay },
		{ "root_dispersion", tracking->root_dispersion },
		{ "clock_last_update", tracking->update_interval },
	};

	put_levels(batch, "chrony", levels, sizeof(levels) / sizeof(levels[0]));
}

/* Nothing is known of one that is not reachable. */
static void put_source(struct mc_batch *batch, const struct session_source *source)
{
	const struct packet_source *data = &source->data;
	struct level levels[] = {
		{ "clock_stratum", data->stratum },
		{ "clock_state", data->state },
		{ "clock_mode", data->mode },
		{ "clock_reachability", data->reachability },
		{ "clock_last_meas", data->since_sample },
		{ "clock_skew_ppm", source->statistics.skew },
		{ "frequency_error", source->statistics.frequency_error },
		{ "time_offset", data->offset },
	};
	const size_t len = sizeof(levels) / sizeof(levels[0]);

	for (size_t i = 0; i < len && !(data->reachability & 1); i++)
		levels[i].level = NAN;
	put_levels(batch, data->address, levels, len);
}

static void put(void *argument, void *session, struct mc_batch *batch)
{
	const struct session_answers *answers = session_answers(session);

	(void)argument;
	if (answers->has_tracking)
		put_tracking(batch, &answers->tracking);
	for (size_t i = 0; i < answers->len; i++)
		put_source(batch, &answers->sources[i]);
}

static const struct slow_source_kind kind = {
	.open = session_open,
	.ask = session_ask,
	.put = put,
	.close = session_close,
};

static void chrony_check(struct mc_ctx *ctx)
{
	const struct chrony *self = ctx->self;

	mc_check_address(ctx, &self->settings.host, &self->settings.port);
}

static int chrony_run(struct mc_ctx *ctx)
{
	struct chrony *self = ctx->self;
	const struct slow_source_target target = {
		.kind = &kind,
		.name = self->settings.host,
		.settings = &self->settings,
		.argument = self,
		.limits = &self->limits,
	};

	return slow_source_run(ctx, &target, 1);
}

static const struct mc_option options[] = {
	{ .name = "Host",
	  MC_OPT_STRING(struct chrony, settings.host),
	  .default_value = "localhost",
	  .help = "Name or address of the host of chronyd." },
	{ .name = "Port",
	  MC_OPT_STRING(struct chrony, settings.port),
	  .default_value = "323",
	  .help = "UDP port of its commands." },
	{ .name = "Timeout",
	  MC_OPT_INT(struct chrony, settings.timeout),
	  .default_value = "2",
	  .min = 1,
	  .max = 86400,
	  .help = "Seconds that an answer may take; all together never take longer than the "
		  "interval." },
	MC_QUOTA_SOURCE_OPTIONS(struct chrony, limits, "server", "10000", "1000"),
	{ 0 },
};

MC_PLUGIN(chrony) = {
	MC_NAMED(chrony),
	.help = "Asks chronyd how it keeps the clock, and for its sources.",
	.self_size = sizeof(struct chrony),
	.options = options,
	.types = (const char *const[]){ "clock_last_meas", "clock_last_update", "clock_mode",
					"clock_reachability", "clock_skew_ppm", "clock_state",
					"clock_stratum", "frequency_error", "root_delay",
					"root_dispersion", "time_offset", "time_offset_ntp",
					"time_offset_rms", "time_ref", NULL },
	.check = chrony_check,
	.run = chrony_run,
	.lenient = true,
};
