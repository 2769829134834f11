/* SPDX-License-Identifier: MIT */
/* @name@:
 * looks at gauges of one type, and notifies when one leaves its range, and when
 * it is back.
 */
#include <collector/plugin.h>
#include <collector/writer.h>

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

struct state {
	const char *type;
	double max;
};

/* The slot of a series says what was told of it last. */
#define BEYOND ((void *)(intptr_t)1)

static void tell(struct mc_ctx *ctx, const struct mc_sample *sample,
		 bool beyond)
{
	const struct state *self = ctx->self;
	const struct mc_series *series = sample->series;
	char message[256];

	snprintf(message, sizeof(message), "%s is %g, the most is %g",
		 mc_name(series), mc_rate(sample, 0), self->max);
	mc_notify(ctx, &(struct mc_notification){
			       .severity = beyond ? MC_WARNING : MC_OKAY,
			       .time = sample->time,
			       .id = { .host = mc_host(series),
				       .plugin = mc_plugin(series),
				       .type = self->type },
			       .message = message });
}

static int look_at(struct mc_ctx *ctx, const struct mc_batch *batch)
{
	const struct state *self = ctx->self;

	MC_FOR_EACH_SAMPLE (sample, batch) {
		const struct mc_type *type = mc_type(sample->series);
		void **slot = mc_slot(ctx, sample->series);
		bool beyond;

		if (strcmp(type->name, self->type) != 0 ||
		    isnan(mc_rate(sample, 0)))
			continue;
		beyond = mc_rate(sample, 0) > self->max;
		if (beyond != (*slot == BEYOND))
			tell(ctx, sample, beyond);
		*slot = beyond ? BEYOND : NULL;
	}
	return 0;
}

static void forget(struct mc_ctx *ctx, void *slot)
{
	(void)ctx;
	(void)slot; /* Nothing was allocated. */
}

static const struct mc_option options[] = {
	{ .name = "Type",
	  MC_OPT_STRING(struct state, type),
	  .default_value = "load",
	  .help = "Type whose first value is looked at." },
	{ .name = "Max",
	  MC_OPT_NUMBER(struct state, max),
	  .default_value = "100",
	  .help = "The largest value that is in order." },
	{ 0 }
};

static const struct mc_writer writer = {
	.write = look_at,
	.forget = forget,
};

MC_PLUGIN(@name@) = {
	MC_NAMED(@name@),
	.help = "Notifies when a value is too large.",
	.self_size = sizeof(struct state),
	.options = options,
	.writer = &writer,
};
