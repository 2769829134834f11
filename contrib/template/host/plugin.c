/* SPDX-License-Identifier: MIT */
/* @name@:
 * random bits the kernel has in store, from
 * /proc/sys/kernel/random/entropy_avail (random(4)).
 */
#include <collector/plugin.h>

#include <collector/scan.h>

struct state {
	const char *path;
};

static int read_bits(struct mc_ctx *ctx, struct mc_batch *out)
{
	const struct state *self = ctx->self;
	const char *at;
	char *text;
	double bits;
	ssize_t size = mc_read_file(ctx, self->path, &text);

	if (size < 0)
		return (int)size;
	at = text;
	if (!mc_scan_decimal(&at, &bits))
		return mc_fail(ctx, 0, "cannot understand '%s'", self->path);
	mc_put_gauge(out, bits, .type = "entropy");
	return 0;
}

static const struct mc_option options[] = {
	{ .name = "File",
	  MC_OPT_STRING(struct state, path),
	  .default_value = "/proc/sys/kernel/random/entropy_avail",
	  .help = "File whose number is read." },
	{ 0 },
};

MC_PLUGIN(@name@) = {
	MC_NAMED(@name@),
	.help = "Reads how many random bits the kernel has in store.",
	.self_size = sizeof(struct state),
	.options = options,
	.types = (const char *const[]){ "entropy", NULL },
	.read = read_bits,
};
