/* SPDX-License-Identifier: MIT */
/* contextswitch: how often the CPUs went from one task to another, from the
 * line "ctxt" of /proc/stat (proc(5)). */
#include <collector/plugin.h>
#include <collector/scan.h>

static int contextswitch_read(struct mc_ctx *ctx, struct mc_batch *out)
{
	char *text;
	ssize_t size = mc_read_file(ctx, "/proc/stat", &text);
	uint64_t switches;

	if (size < 0)
		return (int)size;
	if (!mc_scan_key(text, "ctxt", &switches) || switches > INT64_MAX)
		return mc_fail(ctx, 0, "no number of switches in '/proc/stat'");
	mc_put_derive(out, (int64_t)switches, .type = "contextswitch");
	return 0;
}

MC_PLUGIN(contextswitch) = {
	MC_NAMED(contextswitch),
	.help = "Reads how often the CPUs went from one task to another.",
	.types = (const char *const[]){ "contextswitch", NULL },
	.read = contextswitch_read,
};
