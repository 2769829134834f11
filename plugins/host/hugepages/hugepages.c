/* SPDX-License-Identifier: MIT */
/* hugepages: how many huge pages are reserved, and used, from /sys/kernel/mm/hugepages and
 * /sys/devices/system/node/nodeN/hugepages (Documentation/admin-guide/mm/hugetlbpage.rst).
 *
 * nr_hugepages has all pages there are, also those that were added when the pool was empty
 * (surplus_hugepages).  collectd adds these once more.
 */
#include <collector/kit/list_folder.h>
#include <collector/kit/read_number.h>
#include <collector/plugin.h>

#include <errno.h>
#include <stdio.h>

#include <collector/scan.h>

#define PREFIX "hugepages-"

struct hugepages {
	bool per_node, root, pages, bytes, percentage;
};

static void report(const struct hugepages *self, struct mc_batch *out, struct mc_id id,
		   double pages, double factor)
{
	if (self->pages) {
		id.type = "vmpage_number";
		mc_gauge(out, mc_series(out, id), pages);
	}
	if (self->bytes) {
		id.type = "memory";
		mc_gauge(out, mc_series(out, id), pages * factor);
	}
}

static void report_percent(struct mc_batch *out, struct mc_id id, double pages, double all)
{
	id.type = "percent";
	mc_gauge(out, mc_series(out, id), all > 0 ? 100 * pages / all : NAN);
}

static int read_pages(struct mc_ctx *ctx, int64_t *pages, const char *folder, const char *name,
		      const char *file)
{
	char path[1024];

	snprintf(path, sizeof(path), "%s/%s/%s", folder, name, file);
	return mc_read_number(ctx, path, pages);
}

/* 'name' is "hugepages-2048kB", in 'folder'; 'where' is "mm" or "node0". */
static int read_size(struct mc_ctx *ctx, struct mc_batch *out, const char *folder,
		     const char *where, const char *name)
{
	const struct hugepages *self = ctx->self;
	const char *at = name + strlen(PREFIX);
	char instance[64];
	int64_t all, available;
	uint64_t size;
	int failed;

	if (!mc_scan_u64(&at, &size) || strcmp(at, "kB") != 0)
		return mc_fail(ctx, 0, "cannot understand '%s/%s'", folder, name);
	failed = read_pages(ctx, &all, folder, name, "nr_hugepages");
	if (failed == 0)
		failed = read_pages(ctx, &available, folder, name, "free_hugepages");
	if (failed != 0)
		return failed;
	if (all < available || available < 0) /* They changed in between. */
		return mc_fail(ctx, 0, "cannot understand '%s/%s'", folder, name);
	snprintf(instance, sizeof(instance), "%s-%.*sKb", where, (int)(at - name - strlen(PREFIX)),
		 name + strlen(PREFIX));
	const struct {
		const char *name;
		double pages;
	} states[] = {
		{ "free", (double)available },
		{ "used", (double)(all - available) },
	};
	for (size_t i = 0; i < 2; i++) {
		struct mc_id id =
			MC_ID(.plugin_instance = instance, .type_instance = states[i].name);

		report(self, out, id, states[i].pages, (double)size * 1024);
		if (self->percentage)
			report_percent(out, id, states[i].pages, (double)all);
	}
	return 0;
}

static int read_folder(struct mc_ctx *ctx, struct mc_batch *out, const char *folder,
		       const char *where)
{
	struct mc_names sizes = { 0 };
	int failed = mc_list_folder(ctx, &sizes, folder, PREFIX);

	for (size_t i = 0; i < sizes.len; i++) {
		int result = read_size(ctx, out, folder, where, sizes.items[i]);

		if (result != 0)
			failed = result;
	}
	mc_names_done(&sizes);
	return failed;
}

static int read_nodes(struct mc_ctx *ctx, struct mc_batch *out)
{
	const char *folder = "/sys/devices/system/node";
	struct mc_names nodes = { 0 };
	int failed = mc_list_folder(ctx, &nodes, folder, "node");

	for (size_t i = 0; i < nodes.len; i++) {
		char path[512];
		int result;

		snprintf(path, sizeof(path), "%s/%s/hugepages", folder, nodes.items[i]);
		result = read_folder(ctx, out, path, nodes.items[i]);
		if (result != 0)
			failed = result;
	}
	mc_names_done(&nodes);
	return failed;
}

static int hugepages_read(struct mc_ctx *ctx, struct mc_batch *out)
{
	const struct hugepages *self = ctx->self;
	int root_failed = 0, node_failed = 0;

	if (self->root)
		root_failed = read_folder(ctx, out, "/sys/kernel/mm/hugepages", "mm");
	if (self->per_node)
		node_failed = read_nodes(ctx, out);
	return root_failed != 0 ? root_failed : node_failed;
}

static const struct mc_option options[] = {
	{ .name = "ReportPerNodeHP",
	  MC_OPT_BOOL(struct hugepages, per_node),
	  .default_value = "true",
	  .lenient = true,
	  .help = "Reports the huge pages of each NUMA node." },
	{ .name = "ReportRootHP",
	  MC_OPT_BOOL(struct hugepages, root),
	  .default_value = "true",
	  .lenient = true,
	  .help = "Reports the huge pages of the whole machine." },
	{ .name = "ValuesPages",
	  MC_OPT_BOOL(struct hugepages, pages),
	  .default_value = "true",
	  .lenient = true,
	  .help = "Reports numbers of pages." },
	{ .name = "ValuesBytes",
	  MC_OPT_BOOL(struct hugepages, bytes),
	  .default_value = "false",
	  .lenient = true,
	  .help = "Reports the memory in huge pages in bytes." },
	{ .name = "ValuesPercentage",
	  MC_OPT_BOOL(struct hugepages, percentage),
	  .default_value = "false",
	  .lenient = true,
	  .help = "Reports free and used huge pages in percent." },
	{ 0 }
};

MC_PLUGIN(hugepages) = {
	MC_NAMED(hugepages),
	.help = "Reads how many huge pages are free and used.",
	.self_size = sizeof(struct hugepages),
	.options = options,
	.types = (const char *const[]){ "vmpage_number", "memory", "percent", NULL },
	.read = hugepages_read,
	.lenient = true,
};
