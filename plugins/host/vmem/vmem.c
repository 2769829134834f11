/* SPDX-License-Identifier: MIT */
/* vmem: the kernel's work on pages of memory, from /proc/vmstat (proc(5)).
 *
 * Each line is a name and a number.  Names come and go with kernels, so most are taken as they
 * are: after "nr_" a number of pages, and with Verbose, after a known verb, an operation on the
 * pages of a zone.
 */
#include <collector/plugin.h>
#include <collector/scan.h>

struct vmem {
	bool verbose, oom_kills;
};

/* Counters that are a series as they are. */
static const struct {
	const char *key, *action;
	bool verbose;
} actions[] = {
	{ "nr_dirtied", "dirtied", false },
	{ "nr_written", "written", false },
	{ "pgfree", "free", true },
	{ "pgactivate", "activate", true },
	{ "pgdeactivate", "deactivate", true },
};

/* Counters whose name ends with a zone, such as "pgalloc_normal".  A longer
 * prefix comes before a shorter one. */
static const struct {
	const char *prefix, *action;
} zones[] = {
	{ "pgalloc_", "alloc" },
	{ "pgrefill_", "refill" },
	{ "pgsteal_kswapd_", "steal_kswapd" },
	{ "pgsteal_direct_", "steal_direct" },
	{ "pgsteal_", "steal" },
	{ "pgscan_kswapd_", "scan_kswapd" },
	{ "pgscan_direct_", "scan_direct" },
};

/* Two counters that are one series. */
static const struct {
	const char *type, *instance, *keys[2];
} pairs[] = {
	{ "vmpage_faults", NULL, { "pgfault", "pgmajfault" } },
	{ "vmpage_io", "memory", { "pgpgin", "pgpgout" } },
	{ "vmpage_io", "swap", { "pswpin", "pswpout" } },
};

#define LEN(array) (sizeof(array) / sizeof(*(array)))

static void put_action(struct mc_batch *out, const char *zone, const char *action, uint64_t number)
{
	mc_put_derive(out, (int64_t)number, .plugin_instance = zone, .type = "vmpage_action",
		      .type_instance = action);
}

static void put_zone(struct mc_batch *out, const char *key, uint64_t number)
{
	for (size_t i = 0; i < LEN(zones); i++) {
		size_t size = strlen(zones[i].prefix);

		if (strncmp(key, zones[i].prefix, size) != 0)
			continue;
		if (key[size] != '\0')
			put_action(out, key + size, zones[i].action, number);
		return;
	}
}

/* Of all of this host; a kernel without it has no such line. */
static void put_oom_kills(struct mc_batch *out, uint64_t number)
{
	mc_put_derive(out, (int64_t)number, .type = "total_events", .type_instance = "oom_kill");
}

static void put(const struct vmem *self, struct mc_batch *out, const char *key, uint64_t number)
{
	for (size_t i = 0; i < LEN(actions); i++)
		if (strcmp(key, actions[i].key) == 0) {
			if (self->verbose || !actions[i].verbose)
				put_action(out, NULL, actions[i].action, number);
			return;
		}
	if (self->oom_kills && strcmp(key, "oom_kill") == 0)
		put_oom_kills(out, number);
	if (strncmp(key, "nr_", 3) == 0) {
		if (key[3] != '\0')
			mc_put_gauge(out, (double)number, .type = "vmpage_number",
				     .type_instance = key + 3);
	} else if (self->verbose) {
		put_zone(out, key, number);
	}
}

static void put_pairs(struct mc_batch *out, const char *text)
{
	for (size_t i = 0; i < LEN(pairs); i++) {
		struct mc_id id = MC_ID(.type = pairs[i].type, .type_instance = pairs[i].instance);
		union mc_value values[2];
		uint64_t numbers[2];

		if (!mc_scan_key(text, pairs[i].keys[0], &numbers[0]) ||
		    !mc_scan_key(text, pairs[i].keys[1], &numbers[1]) || numbers[0] > INT64_MAX ||
		    numbers[1] > INT64_MAX)
			continue;
		values[0].derive = (int64_t)numbers[0];
		values[1].derive = (int64_t)numbers[1];
		mc_put(out, mc_series(out, id), values, 2);
	}
}

/* Takes "key number" and ends the key with '\0'; false for another line, or if the end of the line
 * is missing. */
static bool parse(char *line, uint64_t *number)
{
	const char *at = line;
	struct mc_word key;

	if (!mc_scan_word(&at, &key) || key.text != line || !mc_scan_u64(&at, number) ||
	    !mc_scan_at_end(at) || *number > INT64_MAX || strchr(at, '\n') == NULL)
		return false;
	line[key.size] = '\0';
	return true;
}

static int vmem_read(struct mc_ctx *ctx, struct mc_batch *out)
{
	const char *path = "/proc/vmstat", *next;
	char *text;
	ssize_t size = mc_read_file(ctx, path, &text);
	bool understood = size > 0, more = true;

	if (size < 0)
		return (int)size;
	put_pairs(out, text); /* Keys are ended below. */
	for (char *line = text; more; line = text + (next - text)) {
		uint64_t number;

		next = line;
		more = mc_scan_line(&next);
		if (parse(line, &number))
			put(ctx->self, out, line, number);
		else
			understood = false;
	}
	return understood ? 0 : mc_fail(ctx, 0, "cannot understand '%s'", path);
}

static const struct mc_option options[] = {
	{ .name = "Verbose",
	  MC_OPT_BOOL(struct vmem, verbose),
	  .default_value = "false",
	  .lenient = true,
	  .help = "Also reports how many pages were allocated, freed, scanned "
		  "and taken back, by zone." },
	{ .name = "ReportOomKills",
	  MC_OPT_BOOL(struct vmem, oom_kills),
	  .default_value = "true",
	  .help = "Also reports how many processes were killed for lack of memory." },
	{ 0 }
};

MC_PLUGIN(vmem) = {
	MC_NAMED(vmem),
	.help = "Reads what the kernel does with pages of memory.",
	.self_size = sizeof(struct vmem),
	.options = options,
	.types = (const char *const[]){ "vmpage_number", "vmpage_faults", "vmpage_io",
					"vmpage_action", "total_events", NULL },
	.read = vmem_read,
};
