/* SPDX-License-Identifier: MIT */
/* entropy: random bits the kernel has in store, from
 * /proc/sys/kernel/random/entropy_avail (random(4)). */
#include <collector/kit/read_number.h>
#include <collector/plugin.h>

static int entropy_read(struct mc_ctx *ctx, struct mc_batch *out)
{
	int64_t bits;
	int failed = mc_read_number(ctx, "/proc/sys/kernel/random/entropy_avail", &bits);

	if (failed != 0)
		return failed;
	mc_put_gauge(out, (double)bits, .type = "entropy");
	return 0;
}

MC_PLUGIN(entropy) = {
	MC_NAMED(entropy),
	.help = "Reads how many random bits the kernel has in store.",
	.types = (const char *const[]){ "entropy", NULL },
	.read = entropy_read,
};
