/* SPDX-License-Identifier: MIT */
/* uptime: seconds since the machine started, from /proc/uptime (proc(5)).
 *
 * The time in suspend counts.  A started second counts as a whole one, as in sysinfo(2), from which
 * collectd takes it; in a container /proc/uptime is often the container's own.
 */
#include <collector/plugin.h>

#include <errno.h>

#include <collector/scan.h>

static int uptime_read(struct mc_ctx *ctx, struct mc_batch *out)
{
	char *text;
	ssize_t size = mc_read_file(ctx, "/proc/uptime", &text);
	const char *at = text;
	double seconds;

	if (size < 0)
		return (int)size;
	if (!mc_scan_decimal(&at, &seconds))
		return mc_fail(ctx, 0, "cannot understand '/proc/uptime'");
	mc_put_gauge(out, ceil(seconds), .type = "uptime");
	return 0;
}

MC_PLUGIN(uptime) = {
	MC_NAMED(uptime),
	.help = "Reads the time since the start of the machine.",
	.types = (const char *const[]){ "uptime", NULL },
	.read = uptime_read,
};
