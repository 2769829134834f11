/* SPDX-License-Identifier: MIT */
/* ntpd: how ntpd keeps the clock, and its peers, by the control messages of ntpq(1)
 * (collectd.conf(5), "Plugin ntpd"). */
#include <collector/check.h>
#include <collector/plugin.h>

#include <math.h>

#include "kit/net/slow_source.h"
#include "session.h"

#define DRIVER_LOCAL 1 /* The clock of the host itself. */

struct ntpd {
	struct session_settings settings;
	struct mc_quota_limits limits;
};

static void put_loop(struct mc_batch *batch, const struct session_loop *loop)
{
	mc_put_gauge(batch, loop->frequency, .type = "frequency_offset", .type_instance = "loop");
	mc_put_gauge(batch, loop->offset, .type = "time_offset", .type_instance = "loop");
	mc_put_gauge(batch, loop->error, .type = "time_offset", .type_instance = "error");
}

/* Nothing is known of a peer that did not answer last. */
static void put_peer(struct mc_batch *batch, const struct session_peer *peer)
{
	const bool known = peer->is_reachable;

	mc_put_gauge(batch, known ? peer->dispersion : NAN, .type = "time_dispersion",
		     .type_instance = peer->name);
	if (peer->driver != DRIVER_LOCAL)
		mc_put_gauge(batch, known ? peer->offset : NAN, .type = "time_offset",
			     .type_instance = peer->name);
	if (peer->driver < 0)
		mc_put_gauge(batch, known ? peer->delay : NAN, .type = "delay",
			     .type_instance = peer->name);
}

static void put(void *argument, void *session, struct mc_batch *batch)
{
	const struct session_answers *answers = session_answers(session);

	(void)argument;
	if (answers->has_loop)
		put_loop(batch, &answers->loop);
	for (size_t i = 0; i < answers->len; i++)
		put_peer(batch, &answers->peers[i]);
}

static const struct slow_source_kind kind = {
	.open = session_open,
	.ask = session_ask,
	.put = put,
	.close = session_close,
};

static void ntpd_check(struct mc_ctx *ctx)
{
	const struct ntpd *self = ctx->self;

	mc_check_address(ctx, &self->settings.host, &self->settings.port);
}

static int ntpd_run(struct mc_ctx *ctx)
{
	struct ntpd *self = ctx->self;
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
	  MC_OPT_STRING(struct ntpd, settings.host),
	  .default_value = "localhost",
	  .help = "Name or address of the host of ntpd." },
	{ .name = "Port",
	  MC_OPT_STRING(struct ntpd, settings.port),
	  .default_value = "123",
	  .help = "UDP port of ntpd." },
	{ .name = "ReverseLookups",
	  MC_OPT_BOOL(struct ntpd, settings.looks_up),
	  .default_value = "true",
	  .lenient = true,
	  .help = "Peers have the names of their addresses, not the addresses." },
	{ .name = "IncludeUnitID",
	  MC_OPT_BOOL(struct ntpd, settings.has_units),
	  .default_value = "false",
	  .lenient = true,
	  .help = "Reference clocks have their unit in the name: \"GPS_NMEA-0\"." },
	{ .name = "Timeout",
	  MC_OPT_INT(struct ntpd, settings.timeout_ms),
	  .default_value = "2000",
	  .min = 1,
	  .max = 86400000,
	  .help = "Milliseconds that an answer may take; all together never take longer than the "
		  "interval." },
	MC_QUOTA_SOURCE_OPTIONS(struct ntpd, limits, "server", "10000", "1000"),
	{ 0 },
};

MC_PLUGIN(ntpd) = {
	MC_NAMED(ntpd),
	.help = "Asks ntpd how it keeps the clock, and for its peers.",
	.self_size = sizeof(struct ntpd),
	.options = options,
	.types = (const char *const[]){ "delay", "frequency_offset", "time_dispersion",
					"time_offset", NULL },
	.check = ntpd_check,
	.run = ntpd_run,
	.lenient = true,
};
