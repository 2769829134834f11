/* SPDX-License-Identifier: MIT */
/* disk: what block devices and partitions read and wrote, from /proc/diskstats
 * (Documentation/admin-guide/iostats.rst, ABI/testing/procfs-diskstats).
 *
 * Which series a device has is as in collectd: none before its first request; disk_merged,
 * pending_operations and disk_io_time not before they were other than zero once.  disk_time grows
 * by the average time of a request in each interval, multiplied by the seconds of the interval, so
 * that its rate is that average in milliseconds.
 */
#include "device.h"

#include <errno.h>

struct disk {
	struct mc_select *names;
	bool ignore;
	bool bsd_name; /* Only for files from macOS; nothing reads it. */
	const char *udev_attribute;
	struct devices devices;
};

static struct mc_series *series_of(struct mc_batch *out, struct device *device, enum series which,
				   const char *type)
{
	struct mc_id id = MC_ID(.plugin_instance = device->label, .type = type);

	if (device->held[which] == NULL)
		device->held[which] = mc_hold(mc_series(out, id));
	return device->held[which];
}

static void put_pair(struct mc_batch *out, struct mc_series *series, uint64_t first,
		     uint64_t second)
{
	const union mc_value values[] = {
		{ .derive = (int64_t)first },
		{ .derive = (int64_t)second },
	};

	mc_put(out, series, values, 2);
}

static void report(struct mc_batch *out, struct device *device)
{
	const uint64_t *now = device->counters;

	if (device->read_octets != 0 || device->write_octets != 0)
		put_pair(out, series_of(out, device, OCTETS, "disk_octets"), device->read_octets,
			 device->write_octets);
	put_pair(out, series_of(out, device, OPS, "disk_ops"), now[READ_OPS], now[WRITE_OPS]);
	if (device->read_time != 0 || device->write_time != 0)
		put_pair(out, series_of(out, device, TIME, "disk_time"), device->read_time,
			 device->write_time);
	if (device->was_merged)
		put_pair(out, series_of(out, device, MERGED, "disk_merged"), now[READ_MERGED],
			 now[WRITE_MERGED]);
	if (device->was_pending)
		mc_gauge(out, series_of(out, device, PENDING, "pending_operations"),
			 (double)now[IN_FLIGHT]);
	if (device->was_busy)
		put_pair(out, series_of(out, device, IO_TIME, "disk_io_time"), now[BUSY_TIME],
			 now[WEIGHTED_TIME]);
}

static int disk_read(struct mc_ctx *ctx, struct mc_batch *out)
{
	struct disk *self = ctx->self;
	char *text;
	ssize_t size = mc_read_file(ctx, "/proc/diskstats", &text);

	if (size < 0)
		return (int)size;
	if (size == 0) { /* A container, or a machine without disks. */
		device_free(&self->devices);
		return 0;
	}
	if (!device_update(&self->devices, text, ctx->interval))
		return mc_fail(ctx, 0, "cannot understand '/proc/diskstats'");
	for (size_t i = 0; i < self->devices.len; i++) {
		struct device *device = &self->devices.items[i];

		if (device->counters[READ_OPS] == 0 && device->counters[WRITE_OPS] == 0)
			continue;
		device_label(ctx, device, self->udev_attribute);
		if (mc_selected(self->names, self->ignore, device->label))
			report(out, device);
	}
	return 0;
}

static void disk_stop(struct mc_ctx *ctx)
{
	struct disk *self = ctx->self;

	device_free(&self->devices);
}

static const struct mc_option options[] = {
	{ .name = "Disk",
	  MC_OPT_SELECT(struct disk, names),
	  .lenient = true,
	  .help = "Selects a device or partition by name or /regex/." },
	{ .name = "IgnoreSelected",
	  MC_OPT_BOOL(struct disk, ignore),
	  .default_value = "false",
	  .lenient = true,
	  .help = "Reports all devices but the selected ones." },
	{ .name = "UseBSDName",
	  MC_OPT_BOOL(struct disk, bsd_name),
	  .default_value = "false",
	  .lenient = true,
	  .no_effect = true,
	  .help = "Only for macOS." },
	{ .name = "UdevNameAttr",
	  MC_OPT_STRING(struct disk, udev_attribute),
	  .help = "Names devices by this property in udev's records." },
	{ 0 }
};

MC_PLUGIN(disk) = {
	MC_NAMED(disk),
	.help = "Reads the requests, bytes and times of disks and partitions.",
	.self_size = sizeof(struct disk),
	.options = options,
	.types = (const char *const[]){ "disk_octets", "disk_ops", "disk_time", "disk_merged",
					"pending_operations", "disk_io_time", NULL },
	.read = disk_read,
	.stop = disk_stop,
};
