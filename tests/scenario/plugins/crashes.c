/* SPDX-License-Identifier: MIT */
/* crashes: a reader that does, in the Way it is given, when the file Trigger is
 * there; and a judge, that does at the samples of other plugins. */
#include <collector/judge.h>

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct crashes {
	const char *way, *trigger;
};

/* Uses up the stack. */
static size_t fall(size_t depth)
{
	volatile char frame[4096];

	if (depth == 0)
		return 0;
	frame[depth % sizeof(frame)] = 1;
	return fall(depth - 1) + (size_t)frame[0];
}

static int crashes_read(struct mc_ctx *ctx, struct mc_batch *out)
{
	const struct crashes *self = ctx->self;
	volatile int *volatile nowhere = (volatile int *)8; /* The compiler does not know it. */

	mc_put_gauge(out, 1, .type = "gauge");
	if (strcmp(self->way, "judge") == 0 || access(self->trigger, F_OK) != 0)
		return 0;
	if (strcmp(self->way, "pointer") == 0)
		*nowhere = 1;
	if (strcmp(self->way, "stack") == 0)
		return (int)fall((size_t)1 << 40);
	abort();
}

static void crashes_admit(struct mc_ctx *ctx, const struct mc_series *series,
			  struct mc_admission *admission)
{
	const struct crashes *self = ctx->self;

	if (strcmp(self->way, "judge") == 0 && strcmp(mc_plugin(series), "crashes") != 0)
		mc_admit_each(admission);
}

static void crashes_admit_samples(struct mc_ctx *ctx, struct mc_arrivals *arrivals)
{
	const struct crashes *self = ctx->self;

	(void)arrivals;
	if (access(self->trigger, F_OK) == 0)
		abort();
}

static const struct mc_option options[] = {
	{ "Way", MC_OPT_STRING(struct crashes, way), .help = "How." },
	{ "Trigger", MC_OPT_STRING(struct crashes, trigger), .help = "When." },
	{ 0 },
};

MC_PLUGIN(crashes) = {
	MC_NAMED(crashes),
	.help = "Crashes.",
	.self_size = sizeof(struct crashes),
	.options = options,
	.read = crashes_read,
	.judge = &(const struct mc_judge){ .admit = crashes_admit,
					   .admit_samples = crashes_admit_samples },
};
