/* SPDX-License-Identifier: MIT */
/* hddtemp: temperatures of disks, of the daemon hddtemp(8), which sends them to each client and
 * closes the connection (collectd.conf(5), "Plugin hddtemp"). */
#include <collector/check.h>
#include <collector/plugin.h>

#include <math.h>

#include "answer.h"
#include "kit/net/dialogue.h"

struct hddtemp {
	const char *host, *port;
	struct mc_quota_limits limits;
};

static void ask(struct dialogue *dialogue)
{
	(void)dialogue; /* A connection is the question. */
}

static void take(struct dialogue *dialogue, char *text, size_t size)
{
	struct mc_batch *batch = dialogue_batch(dialogue);
	struct answer_disk disk;
	char *at = text;

	while (answer_next(&at, &disk))
		if (!isnan(disk.celsius) && disk.name[0] != '\0')
			mc_put_gauge(batch, disk.celsius, .type = "temperature",
				     .type_instance = disk.name);
	if (at != text + size)
		dialogue_fail(dialogue, "its answer is not one of hddtemp");
	else
		dialogue_answered(dialogue);
}

static const struct dialogue_kind kind = {
	.ask = ask,
	.ended = take,
	.answer_max = 65536,
};

static void hddtemp_check(struct mc_ctx *ctx)
{
	const struct hddtemp *self = ctx->self;

	dialogue_check(ctx, &self->host, &self->port, NULL);
}

static int hddtemp_run(struct mc_ctx *ctx)
{
	const struct hddtemp *self = ctx->self;
	const struct dialogue_target target = {
		.kind = &kind,
		.host = self->host,
		.port = self->port,
		.limits = &self->limits,
	};

	return dialogue_run(ctx, &target, 1);
}

static const struct mc_option options[] = { { .name = "Host",
					      MC_OPT_STRING(struct hddtemp, host),
					      .default_value = "127.0.0.1",
					      .help = "Host of the daemon." },
					    { .name = "Port",
					      MC_OPT_STRING(struct hddtemp, port),
					      .default_value = "7634",
					      .help = "TCP port of the daemon." },
					    DIALOGUE_QUOTA_OPTIONS(struct hddtemp, limits),
					    { 0 } };

MC_PLUGIN(hddtemp) = {
	MC_NAMED(hddtemp),
	.help = "Asks the daemon hddtemp for temperatures of disks.",
	.self_size = sizeof(struct hddtemp),
	.options = options,
	.types = (const char *const[]){ "temperature", NULL },
	.check = hddtemp_check,
	.run = hddtemp_run,
	.lenient = true,
};
