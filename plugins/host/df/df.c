/* SPDX-License-Identifier: MIT */
/* df: how full file systems are, from /proc/mounts (proc(5)) and statvfs(3).
 *
 * As in collectd, one line per mount point is asked, the first; or with ReportByDevice one per
 * device.  A file system without blocks (proc, sysfs, cgroup) is not reported.  "reserved" is what
 * only root may still use.
 */
#include <collector/metadata.h>
#include <collector/plugin.h>

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "changes.h"
#include "mounts.h"
#include "read_only.h"
#include "space.h"

struct df {
	struct mc_select *devices, *points, *types;
	bool ignore, by_device, inodes, absolute, percentage;
	bool reserved, log_once; /* Only for old files; nothing reads them. */
	struct changes changes;
	struct mounts mounts; /* As of the last change. */
	struct space space;
	struct read_only read_only;
};

static bool is_selected(const struct df *self, const struct mount *mount)
{
	return mc_selected(self->devices, self->ignore, mount->device) &&
	       mc_selected(self->points, self->ignore, mount->point) &&
	       mc_selected(self->types, self->ignore, mount->type);
}

/* By device, "/dev/sda1" is "sda1" and "/dev/mapper/home" stays with its slash, which the core
 * replaces. */
static void name_mount(const struct df *self, const struct mount *mount, char out[MOUNTS_NAME_SIZE])
{
	if (self->by_device) {
		const char *device = mount->device;

		if (strncmp(device, "/dev/", 5) == 0)
			device += 5;
		snprintf(out, MOUNTS_NAME_SIZE, "%s", device);
		return;
	}
	mounts_name_point(mount->point, out);
}

/* Three parts of a whole: blocks or inodes. */
struct parts {
	uint64_t free, reserved, used;
};

/* File systems that count badly get a whole that is as large as its parts. */
static struct parts divide(uint64_t total, uint64_t unused, uint64_t available)
{
	if ((int64_t)available < 0) /* The reserve is in use. */
		available = 0;
	if (unused < available)
		unused = available;
	if (total < unused)
		total = unused;
	return (struct parts){ available, unused - available, total - unused };
}

/* The facts that the name leaves out. */
static void describe(struct mc_batch *out, struct mc_series *series, const struct mount *mount)
{
	const struct mc_attribute attributes[] = {
		{ "device", mount->device },
		{ "mountpoint", mount->point },
		{ "fstype", mount->type },
	};

	mc_set_metadata(out, series, 0,
			&(struct mc_metadata){
				.warning = { NAN, NAN },
				.failure = { NAN, NAN },
				.attributes = attributes,
				.attributes_len = sizeof(attributes) / sizeof(attributes[0]),
			});
}

struct report { /* Of a file system. */
	struct mc_batch *out;
	const struct mount *mount;
	char name[MOUNTS_NAME_SIZE];
};

static void put_parts(const struct report *report, const char *type, const struct parts *parts,
		      double factor)
{
	const struct {
		const char *name;
		uint64_t size;
	} all[] = {
		{ "free", parts->free },
		{ "reserved", parts->reserved },
		{ "used", parts->used },
	};

	for (size_t i = 0; i < 3; i++) {
		struct mc_series *series =
			mc_series(report->out, MC_ID(.plugin_instance = report->name, .type = type,
						     .type_instance = all[i].name));

		if (!report->mount->described)
			describe(report->out, series, report->mount);
		mc_gauge(report->out, series, (double)all[i].size * factor);
	}
}

static double percent_of(const struct parts *parts)
{
	return 100 / (double)(parts->free + parts->reserved + parts->used);
}

static void put(const struct df *self, const struct report *report, const struct statvfs *space)
{
	unsigned long block = space->f_frsize != 0 ? space->f_frsize : space->f_bsize;
	struct parts blocks = divide(space->f_blocks, space->f_bfree, space->f_bavail);
	struct parts inodes = divide(space->f_files, space->f_ffree, space->f_favail);

	if (self->absolute)
		put_parts(report, "df_complex", &blocks, (double)block);
	if (self->percentage)
		put_parts(report, "percent_bytes", &blocks, percent_of(&blocks));
	if (!self->inodes || space->f_files == 0 || space->f_ffree == 0)
		return;
	if (self->percentage)
		put_parts(report, "percent_inodes", &inodes, percent_of(&inodes));
	if (self->absolute)
		put_parts(report, "df_inodes", &inodes, 1);
}

/* The mounts of process 1, which is in no sandbox; empty if they cannot be read. */
static void read_all_mounts(struct mc_ctx *ctx, struct mounts *all)
{
	char path[4096], *text;

	mc_path(ctx, "/proc/1/mounts", path, sizeof(path));
	if (access(path, R_OK) == 0 && mc_read_file(ctx, "/proc/1/mounts", &text) >= 0)
		mounts_parse(all, text);
}

/* Reads the table if it has changed.  Its text stays, as no other file is read after it. */
static int read_mounts(struct mc_ctx *ctx)
{
	struct df *self = ctx->self;
	struct mounts all = { 0 };
	char path[4096], *text;
	ssize_t size;

	mc_path(ctx, "/proc/mounts", path, sizeof(path));
	if (!changes_seen(&self->changes, path))
		return 0;
	read_all_mounts(ctx, &all);
	size = mc_read_file(ctx, "/proc/mounts", &text);
	if (size < 0) {
		changes_forget(&self->changes);
		mounts_free(&all);
		return (int)size;
	}
	mounts_parse(&self->mounts, text);
	mounts_leave_out_own(&self->mounts, &all);
	mounts_free(&all);
	for (size_t i = 0; i < self->mounts.len; i++) {
		struct mount *mount = &self->mounts.items[i];

		mount->wanted = is_selected(self, mount) &&
				!mounts_repeated(&self->mounts, i, self->by_device);
	}
	return 0;
}

/* So that another collector, which gets only values, can judge them. */
static void put_read_only(const struct df *self, struct mc_batch *out)
{
	char name[MOUNTS_NAME_SIZE];
	bool stands;

	for (size_t i = 0; i < self->read_only.len; i++)
		if (read_only_value(&self->read_only, i, name, &stands))
			mc_put_gauge(out, stands, .plugin_instance = name, .type = "bool",
				     .type_instance = "read_only");
}

static int df_read(struct mc_ctx *ctx, struct mc_batch *out)
{
	struct df *self = ctx->self;
	int rc;

	if (read_only_look(ctx, &self->read_only))
		changes_forget(&self->changes); /* The text of the table is overwritten. */
	put_read_only(self, out);
	rc = read_mounts(ctx);
	if (rc < 0)
		return rc;
	if (self->mounts.len == 0)
		return mc_fail(ctx, 0, "no mount in '/proc/mounts'");
	space_begin(&self->space);
	for (size_t i = 0; i < self->mounts.len; i++) {
		struct mount *mount = &self->mounts.items[i];
		struct report report = { .out = out, .mount = mount };
		struct statvfs space;

		if (!mount->wanted || !space_ask(ctx, &self->space, mount, &space) ||
		    space.f_blocks == 0)
			continue;
		name_mount(self, mount, report.name);
		put(self, &report, &space);
		mount->described = true;
	}
	space_end(&self->space);
	return 0;
}

static void df_stop(struct mc_ctx *ctx)
{
	struct df *self = ctx->self;

	changes_forget(&self->changes);
	mounts_free(&self->mounts);
	space_free(&self->space);
	read_only_free(&self->read_only);
}

static const struct mc_option options[] = {
	{ .name = "Device",
	  MC_OPT_SELECT(struct df, devices),
	  .lenient = true,
	  .help = "Selects file systems by the name or /regex/ of a device." },
	{ .name = "MountPoint",
	  MC_OPT_SELECT(struct df, points),
	  .lenient = true,
	  .help = "Selects file systems by the path or /regex/ of a mount "
		  "point." },
	{ .name = "FSType",
	  MC_OPT_SELECT(struct df, types),
	  .lenient = true,
	  .help = "Selects file systems by the name or /regex/ of a type.",
	  .sample = "tmpfs devtmpfs overlay squashfs iso9660" },
	{ .name = "IgnoreSelected",
	  MC_OPT_BOOL(struct df, ignore),
	  .default_value = "false",
	  .lenient = true,
	  .help = "Reports all file systems but the selected ones.",
	  .sample = "true" },
	{ .name = "ReportByDevice",
	  MC_OPT_BOOL(struct df, by_device),
	  .default_value = "false",
	  .lenient = true,
	  .help = "Names a file system by its device, not its mount point." },
	{ .name = "ReportInodes",
	  MC_OPT_BOOL(struct df, inodes),
	  .default_value = "false",
	  .lenient = true,
	  .help = "Reports inodes as well." },
	{ .name = "ValuesAbsolute",
	  MC_OPT_BOOL(struct df, absolute),
	  .default_value = "true",
	  .help = "Reports space in bytes, and inodes in numbers." },
	{ .name = "ValuesPercentage",
	  MC_OPT_BOOL(struct df, percentage),
	  .default_value = "false",
	  .lenient = true,
	  .help = "Reports space and inodes in percent." },
	{ .name = "ReportReserved",
	  MC_OPT_BOOL(struct df, reserved),
	  .default_value = "true",
	  .help = "Accepted; the reserved space is always reported." },
	{ .name = "LogOnce",
	  MC_OPT_BOOL(struct df, log_once),
	  .default_value = "false",
	  .lenient = true,
	  .help = "Accepted; an error is always logged only once." },
	{ 0 }
};

MC_PLUGIN(df) = {
	MC_NAMED(df),
	.help = "Reads how full file systems are.",
	.self_size = sizeof(struct df),
	.options = options,
	.types = (const char *const[]){ "bool", "df_complex", "df_inodes", "percent_bytes",
					"percent_inodes", NULL },
	.read = df_read,
	.stop = df_stop,
};
