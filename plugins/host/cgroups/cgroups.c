/* SPDX-License-Identifier: MIT */
/* cgroups: what control groups use, of version 2 and, as collectd, of version 1
 * (Documentation/admin-guide/cgroup-v2.rst, cgroup-v1/cpuacct.rst). */
#include <collector/check.h>
#include <collector/kit/once.h>
#include <collector/plugin.h>

#include <stdio.h>
#include <string.h>

#include "formats/pressure_line.h"
#include "parse.h"
#include "table.h"

struct cgroups {
	struct mc_select *names;
	bool ignore, guests, containers, pressure, memory_stat, report_stats;
	struct mc_strings paths;
	int64_t groups_max;

	char mount[256]; /* "": not known. */
	struct table table;
	struct mc_once limit_reached;
};

static bool selects(void *argument, const char *name)
{
	const struct cgroups *self = argument;

	return mc_selected(self->names, self->ignore, name);
}

/* Files that only root may read. */
static void check_files(struct mc_ctx *ctx)
{
	const struct cgroups *self = ctx->self;
	static const char *const paths[] = { "/var/lib/docker/containers",
					     "/var/lib/containers/storage" };

	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++)
		mc_check_access(ctx, &self->containers, paths[i], MC_ACCESS_READ);
}

static void cgroups_check(struct mc_ctx *ctx)
{
	const struct cgroups *self = ctx->self;
	struct table table = { 0 };

	for (size_t i = 0; i < self->paths.len; i++)
		if (!table_add_pattern(&table, self->paths.items[i]))
			mc_check_error(ctx, &self->paths.items[i],
				       table.patterns_len == TABLE_PATTERNS_MAX
					       ? "is one path too many"
					       : "is not an absolute path of groups");
	table_done(&table);
	if (self->containers)
		check_files(ctx);
}

static int cgroups_start(struct mc_ctx *ctx)
{
	struct cgroups *self = ctx->self;
	struct table *table = &self->table;
	struct devices *devices = &table->reads.devices;

	for (size_t i = 0; i < self->paths.len; i++)
		table_add_pattern(table, self->paths.items[i]);
	if (self->paths.len == 0)
		table_add_pattern(table, "/*/*");
	table->groups_max = (size_t)self->groups_max;
	table->guests = self->guests;
	table->names_containers = self->containers;
	table->selects = selects;
	table->argument = self;
	table->reads.pressure = self->pressure;
	table->reads.memory_stat = self->memory_stat;
	table->reads.files.folder = -1;
	table->reads.files.kept_max = mc_kept_limit();
	mc_path(ctx, "/sys/dev/block", devices->folder, sizeof(devices->folder));
	return 0;
}

static int find_mount(struct mc_ctx *ctx)
{
	struct cgroups *self = ctx->self;
	char *text;
	ssize_t size = mc_read_file(ctx, "/proc/mounts", &text);

	if (size < 0)
		return (int)size;
	if (!parse_mounts(text, self->mount, sizeof(self->mount), &self->table.reads.version))
		return mc_fail(ctx, 0, "no control groups in '/proc/mounts'");
	return 0;
}

static void report_counts(const struct table *table, struct mc_batch *out)
{
	mc_put_gauge(out, (double)table->groups.len, .type = "count", .type_instance = "groups");
	mc_put_gauge(out, (double)table->skipped, .type = "count", .type_instance = "skipped");
}

/* Says what the user has to change. */
static void complain(struct mc_ctx *ctx)
{
	struct cgroups *self = ctx->self;

	if (self->table.skipped > 0 && self->table.groups.len >= self->table.groups_max)
		mc_complain(ctx, &self->limit_reached, 0,
			    "there are as many groups as MaxGroups allows: others are left out");
	else
		mc_works(ctx, &self->limit_reached, "there are fewer groups than MaxGroups again");
}

static int cgroups_read(struct mc_ctx *ctx, struct mc_batch *out)
{
	struct cgroups *self = ctx->self;
	const struct group_reads *reads = &self->table.reads;
	char full[4096];
	int rc;

	if (self->mount[0] == '\0' && (rc = find_mount(ctx)) < 0)
		return rc;
	rc = table_read(&self->table, ctx, mc_path(ctx, self->mount, full, sizeof(full)), out);
	if (rc < 0) {
		rc = mc_fail(ctx, -rc, "cannot read '%s'", self->mount);
		table_forget(&self->table);
		self->mount[0] = '\0'; /* It may be elsewhere. */
		return rc;
	}
	complain(ctx);
	if (self->report_stats)
		report_counts(&self->table, out);
	if (reads->failed == 0)
		return 0;
	return mc_fail(ctx, reads->error, "cannot %s '%s/%s'",
		       reads->error != 0 ? "read" : "understand", self->mount, reads->failed_path);
}

static void cgroups_stop(struct mc_ctx *ctx)
{
	struct cgroups *self = ctx->self;

	table_done(&self->table);
}

static const struct mc_option options[] = {
	{ .name = "CGroup",
	  MC_OPT_SELECT(struct cgroups, names),
	  .lenient = true,
	  .help = "Selects a group by name, without its path, or /regex/.",
	  .sample = "libvirtd.service" },
	{ .name = "IgnoreSelected",
	  MC_OPT_BOOL(struct cgroups, ignore),
	  .default_value = "false",
	  .lenient = true,
	  .help = "Reports all groups but the selected ones.",
	  .sample = "true" },
	{ .name = "Path",
	  MC_OPT_STRINGS(struct cgroups, paths),
	  .help = "Where groups are looked for, with wildcards of the shell; "
		  "by default the second level, \"/*/*\".",
	  .sample = "/machine.slice/*" },
	{ .name = "MaxGroups",
	  MC_OPT_INT(struct cgroups, groups_max),
	  .min = 1,
	  .max = 100000,
	  .default_value = "1000",
	  .help = "Groups that are reported; the log says if there are more." },
	{ .name = "GuestHostname",
	  MC_OPT_BOOL(struct cgroups, guests),
	  .default_value = "true",
	  .help = "Reports the group of a virtual machine with the name of the "
		  "machine as host, as virt does." },
	{ .name = "ContainerNames",
	  MC_OPT_BOOL(struct cgroups, containers),
	  .default_value = "false",
	  .help = "Reports the group of a container under its name: docker-NAME, podman-NAME, "
		  "or k8s-POD_NAMESPACE_CONTAINER." },
	{ .name = "ReportPressure",
	  MC_OPT_BOOL(struct cgroups, pressure),
	  .default_value = "true",
	  .help = "Reports how long the tasks of a group wait for CPU, memory "
		  "and disks." },
	{ .name = "ReportMemoryStat",
	  MC_OPT_BOOL(struct cgroups, memory_stat),
	  .default_value = "false",
	  .help = "Reports what the memory of a group is used for." },
	{ .name = "ReportStats",
	  MC_OPT_BOOL(struct cgroups, report_stats),
	  .default_value = "false",
	  .help = "Reports the number of groups." },
	{ 0 }
};

MC_PLUGIN(cgroups) = {
	MC_NAMED(cgroups),
	.help = "Reads what control groups use: services, users and virtual "
		"machines.",
	.self_size = sizeof(struct cgroups),
	.options = options,
	.types = (const char *const[]){ "cpu", "memory", "threads", "disk_octets", "disk_ops",
					"count", "total_events", "total_time_in_ms",
					"pressure_stall", NULL },
	.check = cgroups_check,
	.start = cgroups_start,
	.read = cgroups_read,
	.stop = cgroups_stop,
	.lenient = true,
};
