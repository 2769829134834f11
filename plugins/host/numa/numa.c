/* SPDX-License-Identifier: MIT */
/* numa: where memory was allocated, from /sys/devices/system/node/nodeN/numastat
 * (Documentation/admin-guide/ numastat.rst). */
#include <collector/kit/list_folder.h>
#include <collector/plugin.h>

#include <errno.h>
#include <stdio.h>

#include <collector/scan.h>

#define FOLDER "/sys/devices/system/node"

/* A line is a name and a number of pages: "numa_hit 123". */
static int read_node(struct mc_ctx *ctx, struct mc_batch *out, const char *node)
{
	char path[512], *text, *line;
	bool found = false, wrong = false;
	ssize_t size;

	snprintf(path, sizeof(path), FOLDER "/%s/numastat", node);
	size = mc_read_file(ctx, path, &text);
	if (size < 0)
		return (int)size;
	/* A line without its end is not whole. */
	while (line = strsep(&text, "\n"), text != NULL) {
		char *name = strsep(&line, " ");
		const char *at = line;
		int64_t pages;

		if (at == NULL || *name == '\0' || !mc_scan_i64(&at, &pages) ||
		    !mc_scan_at_end(at)) {
			wrong = true;
			continue;
		}
		found = true;
		mc_put_derive(out, pages, .plugin_instance = node, .type = "vmpage_action",
			      .type_instance = name);
	}
	if (wrong || !found || *line != '\0')
		return mc_fail(ctx, 0, "cannot understand all of '%s'", path);
	return 0;
}

static int numa_read(struct mc_ctx *ctx, struct mc_batch *out)
{
	struct mc_names nodes = { 0 };
	int failed = mc_list_folder(ctx, &nodes, FOLDER, "node");

	if (failed == 0 && nodes.len == 0)
		failed = mc_fail(ctx, 0, "no node in '" FOLDER "'");
	for (size_t i = 0; i < nodes.len; i++) {
		int result = read_node(ctx, out, nodes.items[i]);

		if (result != 0)
			failed = result;
	}
	mc_names_done(&nodes);
	return failed;
}

MC_PLUGIN(numa) = {
	MC_NAMED(numa),
	.help = "Reads on which NUMA node memory was allocated.",
	.types = (const char *const[]){ "vmpage_action", NULL },
	.read = numa_read,
};
