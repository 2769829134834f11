/* SPDX-License-Identifier: MIT */
/* swap: how full the swap space is, and how much moves in and out, from
 * /proc/meminfo, /proc/swaps and /proc/vmstat (proc(5)).
 *
 * As in collectd, pages that are in memory and in swap at once ("cached") are
 * not counted as used.  The kernel does not count them per device.
 */
#include <collector/plugin.h>

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include <collector/scan.h>

#define NAME_SIZE 128

struct swap {
	bool by_device, bytes, absolute, percentage, io;
};

struct state {
	const char *name; /* "used" */
	double size;      /* KiB. */
};

/* Without any swap space a percentage is unknown. */
static void report(const struct swap *self, struct mc_batch *out, const char *device,
		   const struct state *states, size_t states_len)
{
	double sum = 0;

	for (size_t i = 0; i < states_len; i++)
		sum += states[i].size;
	for (size_t i = 0; i < states_len; i++) {
		const char *name = states[i].name;
		double size = states[i].size;

		if (self->absolute)
			mc_put_gauge(out, size * 1024, .plugin_instance = device, .type = "swap",
				     .type_instance = name);
		if (self->percentage)
			mc_put_gauge(out, sum > 0 ? 100 * size / sum : NAN,
				     .plugin_instance = device, .type = "percent",
				     .type_instance = name);
	}
}

static int read_sum(struct mc_ctx *ctx, struct mc_batch *out)
{
	char *text;
	ssize_t size = mc_read_file(ctx, "/proc/meminfo", &text);
	uint64_t total, available, cached = 0;
	bool has_cached;

	if (size < 0)
		return (int)size;
	has_cached = mc_scan_key(text, "SwapCached:", &cached);
	if (!mc_scan_key(text, "SwapTotal:", &total) ||
	    !mc_scan_key(text, "SwapFree:", &available) || total < available ||
	    total - available < cached)
		return mc_fail(ctx, 0, "cannot understand '/proc/meminfo'");
	const struct state states[] = {
		{ "used", (double)(total - available - cached) },
		{ "free", (double)available },
		{ "cached", (double)cached },
	};

	report(ctx->self, out, NULL, states, has_cached ? 3 : 2);
	return 0;
}

/* "/dev/sda2" becomes "dev_sda2", as in collectd. */
static void name_device(struct mc_word path, char out[NAME_SIZE])
{
	size_t size;

	if (path.size > 1 && *path.text == '/')
		path = (struct mc_word){ path.text + 1, path.size - 1 };
	size = path.size < NAME_SIZE ? path.size : NAME_SIZE - 1;
	for (size_t i = 0; i < size; i++)
		out[i] = path.text[i] == '/' ? '_' : path.text[i];
	out[size] = '\0';
}

/* Columns: path, "partition" or "file", size and use in KiB, priority.  Lines
 * without numbers, such as the heading, are passed over. */
static int read_devices(struct mc_ctx *ctx, struct mc_batch *out)
{
	char *text;
	ssize_t size = mc_read_file(ctx, "/proc/swaps", &text);
	const char *line = text;

	if (size < 0)
		return (int)size;
	do {
		const char *at = line;
		struct mc_word path, type;
		char name[NAME_SIZE];
		uint64_t row[2];

		if (!mc_scan_word(&at, &path) || !mc_scan_word(&at, &type) ||
		    mc_scan_row(&at, row, 2) != 2 || row[0] < row[1])
			continue;
		name_device(path, name);
		const struct state states[] = {
			{ "used", (double)row[1] },
			{ "free", (double)(row[0] - row[1]) },
		};
		report(ctx->self, out, name, states, 2);
	} while (mc_scan_line(&line));
	return 0;
}

static int read_io(struct mc_ctx *ctx, struct mc_batch *out)
{
	const struct swap *self = ctx->self;
	char *text;
	ssize_t size = mc_read_file(ctx, "/proc/vmstat", &text);
	uint64_t in, sent, unit = 1;

	if (size < 0)
		return (int)size;
	if (!mc_scan_key(text, "pswpin", &in) || !mc_scan_key(text, "pswpout", &sent))
		return mc_fail(ctx, 0, "cannot understand '/proc/vmstat'");
	if (self->bytes)
		unit = (uint64_t)sysconf(_SC_PAGESIZE);
	mc_put_derive(out, (int64_t)(in * unit), .type = "swap_io", .type_instance = "in");
	mc_put_derive(out, (int64_t)(sent * unit), .type = "swap_io", .type_instance = "out");
	return 0;
}

static int swap_read(struct mc_ctx *ctx, struct mc_batch *out)
{
	const struct swap *self = ctx->self;
	int io_failed = 0, space_failed;

	/* One half that fails does not take the other's values. */
	if (self->io)
		io_failed = read_io(ctx, out);
	if (self->by_device)
		space_failed = read_devices(ctx, out);
	else
		space_failed = read_sum(ctx, out);
	return space_failed != 0 ? space_failed : io_failed;
}

static const struct mc_option options[] = {
	{ .name = "ReportByDevice",
	  MC_OPT_BOOL(struct swap, by_device),
	  .default_value = "false",
	  .lenient = true,
	  .help = "Reports each swap device or file, not their sum." },
	{ .name = "ReportBytes",
	  MC_OPT_BOOL(struct swap, bytes),
	  .default_value = "false",
	  .lenient = true,
	  .help = "Reports swap traffic in bytes instead of pages." },
	{ .name = "ValuesAbsolute",
	  MC_OPT_BOOL(struct swap, absolute),
	  .default_value = "true",
	  .lenient = true,
	  .help = "Reports used, free and cached swap space in bytes." },
	{ .name = "ValuesPercentage",
	  MC_OPT_BOOL(struct swap, percentage),
	  .default_value = "false",
	  .lenient = true,
	  .help = "Reports used, free and cached swap space in percent." },
	{ .name = "ReportIO",
	  MC_OPT_BOOL(struct swap, io),
	  .default_value = "true",
	  .lenient = true,
	  .help = "Reports swap traffic." },
	{ 0 }
};

MC_PLUGIN(swap) = {
	MC_NAMED(swap),
	.help = "Reads the use of swap space and swap traffic.",
	.self_size = sizeof(struct swap),
	.options = options,
	.types = (const char *const[]){ "swap", "percent", "swap_io", NULL },
	.read = swap_read,
	.lenient = true,
};
