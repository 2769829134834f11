/* SPDX-License-Identifier: MIT */
/* load: how many tasks want to run, from /proc/loadavg (proc(5)).
 *
 * The kernel counts tasks that run, wait for a CPU or sleep uninterruptibly, and averages over one,
 * five and fifteen minutes.  "Relative" divides by the CPUs that are online, from
 * /sys/devices/system/cpu/online (Documentation/admin-guide/cputopology.rst).
 */
#include <collector/plugin.h>

#include <errno.h>

#include <collector/scan.h>

struct load {
	bool relative;
};

/* The length of a list of ranges such as "0-3,8"; 0 if it is not one. */
static uint64_t count_cpus(const char *text)
{
	uint64_t first, last, count = 0;

	do {
		if (!mc_scan_range(&text, &first, &last))
			return 0;
		count += last - first + 1;
	} while (mc_scan_text(&text, ","));
	return count;
}

static int read_averages(struct mc_ctx *ctx, union mc_value averages[3])
{
	char *text;
	ssize_t size = mc_read_file(ctx, "/proc/loadavg", &text);
	const char *at = text;

	if (size < 0)
		return (int)size;
	for (size_t i = 0; i < 3; i++)
		if (!mc_scan_decimal(&at, &averages[i].gauge))
			return mc_fail(ctx, 0, "cannot understand '/proc/loadavg'");
	return 0;
}

static int load_read(struct mc_ctx *ctx, struct mc_batch *out)
{
	const struct load *self = ctx->self;
	const char *path = "/sys/devices/system/cpu/online";
	union mc_value averages[3];
	struct mc_id id = MC_ID(.type = "load");
	int failed = read_averages(ctx, averages);

	if (failed != 0)
		return failed;
	if (self->relative) {
		char *text;
		ssize_t size = mc_read_file(ctx, path, &text);
		uint64_t cpus;

		if (size < 0)
			return (int)size;
		cpus = count_cpus(text);
		if (cpus == 0)
			return mc_fail(ctx, 0, "cannot understand '%s'", path);
		for (size_t i = 0; i < 3; i++)
			averages[i].gauge /= (double)cpus;
		id.type_instance = "relative";
	}
	mc_put(out, mc_series(out, id), averages, 3);
	return 0;
}

static const struct mc_option options[] = {
	{ .name = "ReportRelative",
	  MC_OPT_BOOL(struct load, relative),
	  .default_value = "false",
	  .lenient = true,
	  .help = "Divides the load by the number of CPUs online." },
	{ 0 }
};

MC_PLUGIN(load) = {
	MC_NAMED(load),
	.help = "Reads the load averages of the last 1, 5 and 15 minutes.",
	.self_size = sizeof(struct load),
	.options = options,
	.types = (const char *const[]){ "load", NULL },
	.read = load_read,
};
