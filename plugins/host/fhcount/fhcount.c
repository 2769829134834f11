/* SPDX-License-Identifier: MIT */
/* fhcount: how many files are open on this machine, from /proc/sys/fs/file-nr
 * (proc(5), Documentation/admin-guide/sysctl/fs.rst). */
#include <collector/plugin.h>
#include <collector/scan.h>

struct fhcount {
	bool absolute, percentage;
};

enum column { USED, UNUSED, MAX, COLUMNS_LEN };
static const char *const names[COLUMNS_LEN] = { "used", "unused", "max" };

static int fhcount_read(struct mc_ctx *ctx, struct mc_batch *out)
{
	const struct fhcount *self = ctx->self;
	char *text;
	ssize_t size = mc_read_file(ctx, "/proc/sys/fs/file-nr", &text);
	const char *at = text;
	uint64_t row[COLUMNS_LEN];

	if (size < 0)
		return (int)size;
	if (mc_scan_row(&at, row, COLUMNS_LEN) != COLUMNS_LEN || row[USED] == UINT64_MAX ||
	    row[UNUSED] == UINT64_MAX || row[MAX] == UINT64_MAX)
		return mc_fail(ctx, 0, "cannot understand '/proc/sys/fs/file-nr'");
	for (size_t i = 0; self->absolute && i < COLUMNS_LEN; i++)
		mc_put_gauge(out, (double)row[i], .type = "file_handles",
			     .type_instance = names[i]);
	for (size_t i = 0; self->percentage && i < MAX; i++)
		mc_put_gauge(out, row[MAX] > 0 ? 100 * (double)row[i] / (double)row[MAX] : NAN,
			     .type = "percent", .type_instance = names[i]);
	return 0;
}

static const struct mc_option options[] = {
	{ .name = "ValuesAbsolute",
	  MC_OPT_BOOL(struct fhcount, absolute),
	  .default_value = "true",
	  .help = "Reports the number of open files." },
	{ .name = "ValuesPercentage",
	  MC_OPT_BOOL(struct fhcount, percentage),
	  .default_value = "false",
	  .lenient = true,
	  .help = "Reports open files in percent of what is allowed." },
	{ 0 }
};

MC_PLUGIN(fhcount) = {
	MC_NAMED(fhcount),
	.help = "Reads how many files are open on this machine.",
	.self_size = sizeof(struct fhcount),
	.options = options,
	.types = (const char *const[]){ "file_handles", "percent", NULL },
	.read = fhcount_read,
};
