/* SPDX-License-Identifier: MIT */
/* pressure: how long tasks wait for CPU, memory and disks, from /proc/pressure
 * (Documentation/accounting/psi.rst). */
#include <collector/plugin.h>

#include <errno.h>
#include <stdio.h>

#include <collector/scan.h>

#include "formats/pressure_line.h"
#include "trigger.h"

struct pressure {
	bool averages;
	struct mc_blocks triggers;
};

static const struct {
	const char *name;
	const char *path;
	bool is_optional; /* Not in all kernels. */
} resources[] = {
	{ "irq", "/proc/pressure/irq", true },
	{ "cpu", "/proc/pressure/cpu", false },
	{ "memory", "/proc/pressure/memory", false },
	{ "io", "/proc/pressure/io", false },
};
#define RESOURCES_LEN (sizeof(resources) / sizeof(*resources))

static void report(struct mc_ctx *ctx, struct mc_batch *out, const char *resource,
		   const struct mc_pressure_line *line)
{
	const struct pressure *self = ctx->self;

	mc_put_derive(out, (int64_t)line->total, .plugin_instance = resource,
		      .type = "pressure_stall", .type_instance = line->level);
	for (size_t i = 0; i < MC_PRESSURE_AVERAGES && self->averages; i++) {
		char name[16];

		snprintf(name, sizeof(name), "%s-%s", line->level, mc_pressure_averages[i]);
		mc_put_gauge(out, line->averages[i], .plugin_instance = resource, .type = "percent",
			     .type_instance = name);
	}
}

static int read_resource(struct mc_ctx *ctx, struct mc_batch *out, size_t index)
{
	const char *path = resources[index].path, *at;
	bool understood = true;
	char *text;
	bool is_optional = resources[index].is_optional;
	ssize_t size =
		is_optional ? mc_read_optional(ctx, path, &text) : mc_read_file(ctx, path, &text);

	if (size == -ENOENT && is_optional)
		return 0;
	if (size < 0)
		return (int)size;
	at = text;
	do {
		struct mc_pressure_line line;

		if (mc_pressure_line(at, &line))
			report(ctx, out, resources[index].name, &line);
		else
			understood = false;
	} while (mc_scan_line(&at));
	return understood ? 0 : mc_fail(ctx, 0, "cannot understand '%s'", path);
}

static int pressure_read(struct mc_ctx *ctx, struct mc_batch *out)
{
	int failed = 0;

	for (size_t i = 0; i < RESOURCES_LEN; i++) {
		int rc = read_resource(ctx, out, i);

		if (rc != 0)
			failed = rc;
	}
	return failed;
}

static void pressure_check(struct mc_ctx *ctx)
{
	const struct pressure *self = ctx->self;

	trigger_check(ctx, &self->triggers);
}

static int pressure_run(struct mc_ctx *ctx)
{
	const struct pressure *self = ctx->self;

	return self->triggers.len > 0 ? trigger_run(ctx, &self->triggers) : 0;
}

static const struct mc_option options[] = {
	{ .name = "ReportAverages",
	  MC_OPT_BOOL(struct pressure, averages),
	  .default_value = "true",
	  .help = "Reports the kernel's averages over 10, 60 and 300 s." },
	{ .name = "Trigger",
	  MC_OPT_BLOCKS(struct pressure, triggers),
	  .block = &trigger_block,
	  .help = "Sends a notification as soon as tasks wait too long." },
	{ 0 }
};

MC_PLUGIN(pressure) = {
	MC_NAMED(pressure),
	.help = "Reads how long tasks wait for CPU, memory and disks.",
	.self_size = sizeof(struct pressure),
	.options = options,
	.types = (const char *const[]){ "pressure_stall", "percent", NULL },
	.check = pressure_check,
	.read = pressure_read,
	.run = pressure_run,
	.in_example = true,
};
