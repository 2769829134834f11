/* SPDX-License-Identifier: MIT */
/* crashes: a reader that does, in the Way it is given, when the file Trigger is
 * there. */
#include <collector/plugin.h>

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

	mc_gauge(out, mc_series(out, MC_ID(.type = "gauge")), 1);
	if (access(self->trigger, F_OK) != 0)
		return 0;
	if (strcmp(self->way, "pointer") == 0)
		*(volatile int *)8 = 1;
	if (strcmp(self->way, "stack") == 0)
		return (int)fall((size_t)1 << 40);
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
};
