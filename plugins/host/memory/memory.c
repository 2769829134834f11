/* SPDX-License-Identifier: MIT */
/* memory: what physical memory is used for, from /proc/meminfo (proc(5),
 * Documentation/filesystems/proc.rst).
 *
 * As in collectd, the states add up to MemTotal: "used" is what is left when free memory, buffers,
 * the page cache and the slab are taken off.  Shared memory and tmpfs are part of the page cache.
 */
#include <collector/plugin.h>

#include <errno.h>

#include <collector/scan.h>

struct memory {
	bool absolute, percentage;
};

enum field { TOTAL, FREE, BUFFERS, CACHED, SLAB, SLAB_RECLAIMABLE, SLAB_UNRECLAIMABLE, FIELDS_LEN };

static const char *const field_names[FIELDS_LEN] = {
	[TOTAL] = "MemTotal:",
	[FREE] = "MemFree:",
	[BUFFERS] = "Buffers:",
	[CACHED] = "Cached:",
	[SLAB] = "Slab:",
	[SLAB_RECLAIMABLE] = "SReclaimable:",
	[SLAB_UNRECLAIMABLE] = "SUnreclaim:",
};

struct meminfo {
	double sizes[FIELDS_LEN]; /* KiB; 0 where the file has none. */
	unsigned found;           /* One bit per field. */
};

static void parse(const char *text, struct meminfo *info)
{
	const unsigned all = (1U << FIELDS_LEN) - 1;

	*info = (struct meminfo){ 0 };
	do {
		for (unsigned i = 0; i < FIELDS_LEN; i++) {
			const char *at = text;

			if (!mc_scan_text(&at, field_names[i]))
				continue;
			if (mc_scan_decimal(&at, &info->sizes[i]))
				info->found |= 1U << i;
			break;
		}
	} while (info->found != all && mc_scan_line(&text));
}

struct state {
	const char *name;
	double size; /* KiB. */
};

static void report(const struct memory *self, struct mc_batch *out, const struct state *states,
		   size_t states_len)
{
	double sum = 0;

	for (size_t i = 0; i < states_len; i++)
		sum += states[i].size;
	for (size_t i = 0; i < states_len; i++) {
		if (self->absolute)
			mc_put_gauge(out, states[i].size * 1024, .type = "memory",
				     .type_instance = states[i].name);
		if (self->percentage)
			mc_put_gauge(out, 100 * states[i].size / sum, .type = "percent",
				     .type_instance = states[i].name);
	}
}

static int memory_read(struct mc_ctx *ctx, struct mc_batch *out)
{
	const unsigned needed = 1U << TOTAL | 1U << FREE;
	const unsigned detailed = 1U << SLAB_RECLAIMABLE | 1U << SLAB_UNRECLAIMABLE;
	char *text;
	ssize_t size = mc_read_file(ctx, "/proc/meminfo", &text);
	struct meminfo info;
	const double *sizes = info.sizes;
	double unused;

	if (size < 0)
		return (int)size;
	parse(text, &info);
	unused = sizes[FREE] + sizes[BUFFERS] + sizes[CACHED] + sizes[SLAB];
	if ((info.found & needed) != needed || sizes[TOTAL] < unused)
		return mc_fail(ctx, 0, "cannot understand '/proc/meminfo'");
	const struct state states[] = {
		{ "used", sizes[TOTAL] - unused },
		{ "buffered", sizes[BUFFERS] },
		{ "cached", sizes[CACHED] },
		{ "free", sizes[FREE] },
		{ "slab_unrecl", sizes[SLAB_UNRECLAIMABLE] },
		{ "slab_recl", sizes[SLAB_RECLAIMABLE] },
	};
	const struct state without_detail[] = {
		states[0], states[1], states[2], states[3], { "slab", sizes[SLAB] },
	};

	if ((info.found & detailed) != 0)
		report(ctx->self, out, states, 6);
	else
		report(ctx->self, out, without_detail, 5);
	return 0;
}

static const struct mc_option options[] = {
	{ .name = "ValuesAbsolute",
	  MC_OPT_BOOL(struct memory, absolute),
	  .default_value = "true",
	  .lenient = true,
	  .help = "Reports the memory in each state in bytes." },
	{ .name = "ValuesPercentage",
	  MC_OPT_BOOL(struct memory, percentage),
	  .default_value = "false",
	  .lenient = true,
	  .help = "Reports the memory in each state in percent." },
	{ 0 }
};

MC_PLUGIN(memory) = {
	MC_NAMED(memory),
	.help = "Reads the use of physical memory.",
	.self_size = sizeof(struct memory),
	.options = options,
	.types = (const char *const[]){ "memory", "percent", NULL },
	.read = memory_read,
	.lenient = true,
};
