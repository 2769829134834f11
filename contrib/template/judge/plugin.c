/* SPDX-License-Identifier: MIT */
/* clang-format off */
/* @name@:
 * looks at gauges of one type: notifies when one leaves its range, when it is
 * back, and when it has fallen silent; and counts those that are beyond it.
 */
#include <collector/judge.h>
#include <collector/plugin.h>
#include <collector/writer.h>

#include <fnmatch.h>
#include <math.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

struct state {
	const char *type;
	double max;
	const char *drop, *writer;
	_Atomic unsigned beyond; /* Series that are. */
};

/* The slot of a series has the state reported last. */
#define BEYOND ((void *)(intptr_t)1)

/* --- Once for each series, by any thread ----------------------------------
 */

static void admit(struct mc_ctx *ctx, const struct mc_series *series,
		  struct mc_admission *admission)
{
	const struct state *self = ctx->self;

	if (self->drop != NULL &&
	    fnmatch(self->drop, mc_name(series), 0) == 0)
		mc_admit_drop(admission);
}

static void route(struct mc_ctx *ctx, const struct mc_series *series,
		  struct mc_route *route)
{
	const struct state *self = ctx->self;

	if (strcmp(mc_type(series)->name, self->type) != 0)
		return;
	mc_route_report(route); /* See ended(). */
	if (self->writer == NULL)
		return;
	mc_route_to(route, self->writer);
	mc_route_to(route, ctx->name); /* For look_at(). */
}

/* --- Each value, by the thread of this writer ----------------------------- */

static void tell(struct mc_ctx *ctx, const struct mc_series *series,
		 enum mc_severity severity, const char *what)
{
	char message[256];

	snprintf(message, sizeof(message), "%s %s", mc_name(series), what);
	mc_notify(ctx, &(struct mc_notification){
			       .severity = severity,
			       .id = { .host = mc_host(series),
				       .plugin = mc_plugin(series),
				       .type = mc_type(series)->name },
			       .message = message });
}

static void judge(struct mc_ctx *ctx, const struct mc_sample *sample)
{
	struct state *self = ctx->self;
	void **slot = mc_slot(ctx, sample->series);
	bool beyond = mc_rate(sample, 0) > self->max;
	char text[64];

	mc_set_state(sample->series,
		     beyond ? MC_STATE_WARNING : MC_STATE_OKAY);
	if (beyond == (*slot == BEYOND))
		return;
	snprintf(text, sizeof(text), "is %g, the most is %g",
		 mc_rate(sample, 0), self->max);
	tell(ctx, sample->series, beyond ? MC_WARNING : MC_OKAY, text);
	*slot = beyond ? BEYOND : NULL;
	self->beyond += beyond ? 1 : -1;
}

static int look_at(struct mc_ctx *ctx, const struct mc_batch *batch)
{
	const struct state *self = ctx->self;

	MC_FOR_EACH_SAMPLE (sample, batch) {
		const struct mc_type *type = mc_type(sample->series);

		if (strcmp(type->name, self->type) == 0 &&
		    !isnan(mc_rate(sample, 0)))
			judge(ctx, sample);
	}
	return 0;
}

static void ended(struct mc_ctx *ctx, struct mc_series *series, mc_time silent)
{
	const struct state *self = ctx->self;

	if (strcmp(mc_type(series)->name, self->type) == 0)
		tell(ctx, series, silent > 0 ? MC_FAILURE : MC_OKAY,
		     silent > 0 ? "is silent" : "is back");
}

static void forget(struct mc_ctx *ctx, void *slot)
{
	struct state *self = ctx->self;

	(void)slot; /* Nothing was allocated. */
	self->beyond--;
}

/* --- What is derived: this plugin is not given it ------------------------- */

static int count(struct mc_ctx *ctx, struct mc_batch *out)
{
	const struct state *self = ctx->self;

	mc_put_gauge(out, self->beyond, .type = "count", .type_instance = "beyond");
	return 0;
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
	{ .name = "Drop",
	  MC_OPT_STRING(struct state, drop),
	  .help = "Series that are dropped, as a pattern: \"*/cpu-*\"." },
	{ .name = "Writer",
	  MC_OPT_STRING(struct state, writer),
	  .help = "The only writer that gets series of Type." },
	{ 0 }
};

MC_PLUGIN(@name@) = {
	MC_NAMED(@name@),
	.help = "Notifies when a value is too large.",
	.self_size = sizeof(struct state),
	.options = options,
	.types = (const char *const[]){ "count", NULL },
	.read = count,
	.writer = &(const struct mc_writer){ .write = look_at,
					     .ended = ended,
					     .forget = forget },
	.judge = &(const struct mc_judge){ .admit = admit, .route = route },
};
