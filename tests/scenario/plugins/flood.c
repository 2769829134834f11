/* SPDX-License-Identifier: MIT */
/* flood: a reader of a given number of samples; each value is the number of the read, so that a
 * gap shows. */
#include <collector/plugin.h>

#include <stdio.h>

struct flood {
	int64_t series;
	int64_t reads;
};

static int flood_read(struct mc_ctx *ctx, struct mc_batch *out)
{
	struct flood *self = ctx->self;
	char name[32];

	self->reads++;
	for (int64_t i = 0; i < self->series; i++) {
		snprintf(name, sizeof(name), "%lld", (long long)i);
		mc_put_gauge(out, (double)self->reads, .type = "gauge", .type_instance = name);
	}
	return 0;
}

static const struct mc_option options[] = {
	{ .name = "Series",
	  MC_OPT_INT(struct flood, series),
	  .default_value = "100",
	  .help = "Number of series, each with a sample per read.",
	  .min = 1,
	  .max = 1e6 },
	{ 0 }
};

MC_PLUGIN(flood) = {
	MC_NAMED(flood),
	.help = "makes samples",
	.self_size = sizeof(struct flood),
	.options = options,
	.types = (const char *const[]){ "gauge", NULL },
	.read = flood_read,
};
