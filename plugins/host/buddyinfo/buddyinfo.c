/* SPDX-License-Identifier: MIT */
/* buddyinfo: free memory by the size of its pieces, from /proc/buddyinfo (proc(5),
 * Documentation/filesystems/proc.rst). */
#include <collector/plugin.h>

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include <collector/scan.h>

#define ORDERS_MAX 20 /* A kernel has 11 of them, or up to 14 on ARM. */

struct buddyinfo {
	struct mc_select *zones;
};

struct zone {
	uint64_t node;
	char name[32];
	uint64_t pieces[ORDERS_MAX]; /* Of 1, 2, 4, ... pages. */
	size_t orders_len;
};

/* "Node 0, zone      DMA      0      1 ...". */
static bool parse(const char *line, struct zone *zone)
{
	struct mc_word name;

	if (!mc_scan_text(&line, "Node") || !mc_scan_u64(&line, &zone->node) ||
	    !mc_scan_text(&line, ", zone") || !mc_scan_word(&line, &name) ||
	    name.size >= sizeof(zone->name))
		return false;
	memcpy(zone->name, name.text, name.size);
	zone->name[name.size] = '\0';
	zone->orders_len = mc_scan_row(&line, zone->pieces, ORDERS_MAX);
	return zone->orders_len > 0 && *mc_scan_blanks(line) == '\0';
}

static void report(struct mc_batch *out, const struct zone *zone)
{
	uint64_t page_kb = (uint64_t)sysconf(_SC_PAGESIZE) / 1024;
	char instance[64], size[32];

	snprintf(instance, sizeof(instance), "Node%llu_%s", (unsigned long long)zone->node,
		 zone->name);
	for (size_t i = 0; i < zone->orders_len; i++) {
		snprintf(size, sizeof(size), "%lluKB", (unsigned long long)(page_kb << i));
		mc_put_gauge(out, (double)zone->pieces[i], .plugin_instance = instance,
			     .type = "freepages", .type_instance = size);
	}
}

static int buddyinfo_read(struct mc_ctx *ctx, struct mc_batch *out)
{
	const struct buddyinfo *self = ctx->self;
	bool found = false, wrong = false;
	char *text, *line;
	ssize_t size = mc_read_file(ctx, "/proc/buddyinfo", &text);

	if (size < 0)
		return (int)size;
	/* A line without its end is not whole. */
	while (line = strsep(&text, "\n"), text != NULL) {
		struct zone zone;

		if (!parse(line, &zone)) {
			wrong = true;
			continue;
		}
		found = true;
		if (mc_selected(self->zones, false, zone.name))
			report(out, &zone);
	}
	if (wrong || !found || *line != '\0')
		return mc_fail(ctx, 0, "cannot understand all of '/proc/buddyinfo'");
	return 0;
}

static const struct mc_option options[] = {
	{ .name = "Zone",
	  MC_OPT_SELECT(struct buddyinfo, zones),
	  .lenient = true,
	  .help = "Selects a zone by name or /regex/.",
	  .sample = "Normal" },
	{ 0 },
};

MC_PLUGIN(buddyinfo) = {
	MC_NAMED(buddyinfo),
	.help = "Reads into how many pieces free memory is divided.",
	.self_size = sizeof(struct buddyinfo),
	.options = options,
	.types = (const char *const[]){ "freepages", NULL },
	.read = buddyinfo_read,
};
