/* SPDX-License-Identifier: MIT */
/* md: how many disks of a software RAID work, from /sys/block/mdN/md
 * (Documentation/admin-guide/md.rst).
 *
 * The disks are counted as the kernel does for GET_ARRAY_INFO, which collectd
 * asks: a disk that is being rebuilt is a spare one.
 */
#include <collector/kit/list_folder.h>
#include <collector/plugin.h>

#include <errno.h>
#include <stdio.h>

#include <collector/scan.h>

#define FOLDER "/sys/block"
#define MD_MAJOR 9 /* Documentation/admin-guide/devices.txt */

struct md {
	struct mc_select *devices;
	bool ignore;
};

struct disks {
	uint64_t wanted; /* By the array. */
	size_t active, failed, spare, all;
};

/* Whether the list of words "a,b,c" has this one. */
static bool has_word(const char *list, const char *word)
{
	size_t size = strlen(word);

	for (;; list++) {
		size_t span = strcspn(list, ",\n");

		if (span == size && strncmp(list, word, size) == 0)
			return true;
		list += span;
		if (*list != ',')
			return false;
	}
}

static int count_disk(struct mc_ctx *ctx, struct disks *disks, const char *name, const char *disk)
{
	char path[512], *state;
	ssize_t size;

	snprintf(path, sizeof(path), FOLDER "/%s/md/%s/state", name, disk);
	size = mc_read_file(ctx, path, &state);
	if (size < 0)
		return (int)size;
	disks->all++;
	if (has_word(state, "faulty"))
		disks->failed++;
	else if (has_word(state, "in_sync"))
		disks->active++;
	else if (has_word(state, "spare"))
		disks->spare++;
	else if (!has_word(state, "journal"))
		return mc_fail(ctx, 0, "cannot understand '%s'", path);
	return 0;
}

/* raid_disks is "2", or "2 (3)" while the array is reshaped. */
static int count_disks(struct mc_ctx *ctx, struct disks *disks, const char *name)
{
	struct mc_names list = { 0 };
	char path[512], *text;
	const char *at;
	ssize_t size;
	int failed;

	snprintf(path, sizeof(path), FOLDER "/%s/md/raid_disks", name);
	size = mc_read_file(ctx, path, &text);
	if (size < 0)
		return (int)size;
	at = text;
	if (!mc_scan_u64(&at, &disks->wanted) || !mc_scan_at_end(at) ||
	    disks->wanted > MC_NAMES_MAX)
		return mc_fail(ctx, 0, "cannot understand '%s'", path);
	snprintf(path, sizeof(path), FOLDER "/%s/md", name);
	failed = mc_list_folder(ctx, &list, path, "dev-");
	for (size_t i = 0; i < list.len && failed == 0; i++)
		failed = count_disk(ctx, disks, name, list.items[i]);
	mc_names_done(&list);
	return failed;
}

static void report(struct mc_batch *out, uint64_t minor, const struct disks *disks)
{
	const struct {
		const char *name;
		size_t len;
	} states[] = {
		{ "active", disks->active },
		{ "failed", disks->failed },
		{ "spare", disks->spare },
		{ "missing", disks->wanted > disks->all ? disks->wanted - disks->all : 0 },
	};
	char instance[24];

	snprintf(instance, sizeof(instance), "%llu", (unsigned long long)minor);
	for (size_t i = 0; i < sizeof(states) / sizeof(*states); i++)
		mc_put_gauge(out, (double)states[i].len, .plugin_instance = instance,
			     .type = "md_disks", .type_instance = states[i].name);
}

/* Also of an array that is not running: its disks are spare ones. */
static int read_array(struct mc_ctx *ctx, struct mc_batch *out, const char *name)
{
	struct disks disks = { 0 };
	char path[512], *text;
	uint64_t major, minor;
	const char *at;
	ssize_t size;
	int failed;

	snprintf(path, sizeof(path), FOLDER "/%s/dev", name);
	size = mc_read_file(ctx, path, &text);
	if (size < 0)
		return (int)size;
	at = text;
	if (!mc_scan_u64(&at, &major) || !mc_scan_text(&at, ":") || !mc_scan_u64(&at, &minor))
		return mc_fail(ctx, 0, "cannot understand '%s'", path);
	if (major != MD_MAJOR)
		return 0;
	failed = count_disks(ctx, &disks, name);
	if (failed == 0 && (disks.wanted > 0 || disks.all > 0))
		report(out, minor, &disks);
	return failed;
}

static int md_read(struct mc_ctx *ctx, struct mc_batch *out)
{
	const struct md *self = ctx->self;
	struct mc_names arrays = { 0 };
	int failed = mc_list_folder(ctx, &arrays, FOLDER, "md");

	if (failed == 0 && arrays.len == 0)
		failed = mc_fail(ctx, 0, "no array in '" FOLDER "'");
	for (size_t i = 0; i < arrays.len; i++) {
		const char *name = arrays.items[i];
		int result = 0;

		if (mc_selected(self->devices, self->ignore, name))
			result = read_array(ctx, out, name);
		if (result != 0)
			failed = result;
	}
	mc_names_done(&arrays);
	return failed;
}

static const struct mc_option options[] = {
	{ .name = "Device",
	  MC_OPT_SELECT(struct md, devices),
	  .lenient = true,
	  .help = "Selects an array by name or /regex/.",
	  .sample = "md0" },
	{ .name = "IgnoreSelected",
	  MC_OPT_BOOL(struct md, ignore),
	  .default_value = "false",
	  .lenient = true,
	  .help = "Reports all arrays but the selected ones." },
	{ 0 },
};

MC_PLUGIN(md) = {
	MC_NAMED(md),
	.help = "Reads how many disks of software RAIDs work.",
	.self_size = sizeof(struct md),
	.options = options,
	.types = (const char *const[]){ "md_disks", NULL },
	.read = md_read,
};
