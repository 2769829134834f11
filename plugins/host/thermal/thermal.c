/* SPDX-License-Identifier: MIT */
/* thermal: temperatures and cooling devices, from /sys/class/thermal
 * (Documentation/driver-api/thermal/sysfs-api.rst); before Linux 3.12 ACPI's were in
 * /proc/acpi/thermal_zone, too. */
#include <collector/kit/list_folder.h>
#include <collector/kit/read_number.h>
#include <collector/plugin.h>

#include <errno.h>
#include <stdio.h>

#include <collector/scan.h>

#define SYSFS "/sys/class/thermal"
#define PROCFS "/proc/acpi/thermal_zone"

struct thermal {
	struct mc_select *devices;
	bool ignore, procfs;
};

static void report(struct mc_batch *out, const char *device, const char *type, double value)
{
	mc_put_gauge(out, value, .plugin_instance = device, .type = type);
}

static bool starts_with(const char *text, const char *start)
{
	return strncmp(text, start, strlen(start)) == 0;
}

/* A zone has a temperature in thousandths of a degree, a cooling device a state
 * between 0 and its largest. */
static int read_sysfs(struct mc_ctx *ctx, struct mc_batch *out, const char *device)
{
	bool zone = starts_with(device, "thermal_zone");
	char path[512];
	int64_t number;
	int failed;

	if (!zone && !starts_with(device, "cooling_device"))
		return 0;
	snprintf(path, sizeof(path), SYSFS "/%s/%s", device, zone ? "temp" : "cur_state");
	failed = mc_read_number(ctx, path, &number);
	if (failed != 0)
		return failed;
	if (zone)
		report(out, device, "temperature", (double)number / 1000);
	else
		report(out, device, "gauge", (double)number);
	return 0;
}

/* One line: "temperature:             55 C". */
static int read_procfs(struct mc_ctx *ctx, struct mc_batch *out, const char *device)
{
	char path[512], *text;
	const char *at;
	int64_t degrees;
	ssize_t size;

	snprintf(path, sizeof(path), PROCFS "/%s/temperature", device);
	size = mc_read_file(ctx, path, &text);
	if (size < 0)
		return (int)size;
	at = text;
	if (!mc_scan_text(&at, "temperature:") || !mc_scan_i64(&at, &degrees) ||
	    !mc_scan_text(&at, "C"))
		return mc_fail(ctx, 0, "cannot understand '%s'", path);
	report(out, device, "temperature", (double)degrees);
	return 0;
}

static int read_folder(struct mc_ctx *ctx, struct mc_batch *out, const char *folder,
		       int (*read_device)(struct mc_ctx *ctx, struct mc_batch *out,
					  const char *device))
{
	const struct thermal *self = ctx->self;
	struct mc_names devices = { 0 };
	int failed = mc_list_folder(ctx, &devices, folder, "");

	if (failed == 0 && devices.len == 0)
		failed = mc_fail(ctx, 0, "no device in '%s'", folder);
	for (size_t i = 0; i < devices.len; i++) {
		const char *device = devices.items[i];
		int result;

		if (!mc_selected(self->devices, self->ignore, device))
			continue;
		result = read_device(ctx, out, device);
		if (result != 0)
			failed = result;
	}
	mc_names_done(&devices);
	return failed;
}

static int thermal_read(struct mc_ctx *ctx, struct mc_batch *out)
{
	const struct thermal *self = ctx->self;

	if (self->procfs || (!mc_is_there(ctx, SYSFS) && mc_is_there(ctx, PROCFS)))
		return read_folder(ctx, out, PROCFS, read_procfs);
	return read_folder(ctx, out, SYSFS, read_sysfs);
}

static const struct mc_option options[] = {
	{ .name = "ForceUseProcfs",
	  MC_OPT_BOOL(struct thermal, procfs),
	  .default_value = "false",
	  .lenient = true,
	  .help = "Reads /proc/acpi/thermal_zone, which only old kernels "
		  "have." },
	{ .name = "Device",
	  MC_OPT_SELECT(struct thermal, devices),
	  .lenient = true,
	  .help = "Selects a device by name or /regex/.",
	  .sample = "thermal_zone0" },
	{ .name = "IgnoreSelected",
	  MC_OPT_BOOL(struct thermal, ignore),
	  .default_value = "false",
	  .lenient = true,
	  .help = "Reports all devices but the selected ones." },
	{ 0 }
};

MC_PLUGIN(thermal) = {
	MC_NAMED(thermal),
	.help = "Reads temperatures and the state of cooling devices.",
	.self_size = sizeof(struct thermal),
	.options = options,
	.types = (const char *const[]){ "temperature", "gauge", NULL },
	.read = thermal_read,
};
