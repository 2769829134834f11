/* SPDX-License-Identifier: MIT */
/* zfs_arc: the adaptive replacement cache of ZFS, from /proc/spl/kstat/zfs/arcstats (OpenZFS,
 * include/sys/arc_impl.h; the format is that of kstat(9): two lines of head, then lines
 * "NAME TYPE NUMBER").  Names and types are collectd's. */
#include <collector/plugin.h>

#include <string.h>

#include <collector/scan.h>

#define FILE_NAME "/proc/spl/kstat/zfs/arcstats"

static const struct row {
	const char *name;
	const char *type, *instance;
	enum mc_kind kind;
} rows[] = {
	{ "anon_size", "cache_size", "anon_size", MC_GAUGE },
	{ "c", "cache_size", "c", MC_GAUGE },
	{ "c_max", "cache_size", "c_max", MC_GAUGE },
	{ "c_min", "cache_size", "c_min", MC_GAUGE },
	{ "hdr_size", "cache_size", "hdr_size", MC_GAUGE },
	{ "metadata_size", "cache_size", "metadata_size", MC_GAUGE },
	{ "mfu_ghost_size", "cache_size", "mfu_ghost_size", MC_GAUGE },
	{ "mfu_size", "cache_size", "mfu_size", MC_GAUGE },
	{ "mru_ghost_size", "cache_size", "mru_ghost_size", MC_GAUGE },
	{ "mru_size", "cache_size", "mru_size", MC_GAUGE },
	{ "p", "cache_size", "p", MC_GAUGE },
	{ "size", "cache_size", "arc", MC_GAUGE },
	{ "dbuf_size", "cache_size", "dbuf_size", MC_GAUGE },
	{ "dnode_size", "cache_size", "dnode_size", MC_GAUGE },
	{ "bonus_size", "cache_size", "bonus_size", MC_GAUGE },
	{ "other_size", "cache_size", "other_size", MC_GAUGE },
	{ "l2_size", "cache_size", "L2", MC_GAUGE },
	{ "deleted", "cache_operation", "deleted", MC_DERIVE },
	{ "mutex_miss", "mutex_operations", "miss", MC_DERIVE },
	{ "hash_collisions", "hash_collisions", NULL, MC_DERIVE },
	{ "memory_throttle_count", "memory_throttle_count", NULL, MC_DERIVE },
	{ "evict_l2_cached", "cache_eviction", "cached", MC_DERIVE },
	{ "evict_l2_eligible", "cache_eviction", "eligible", MC_DERIVE },
	{ "evict_l2_ineligible", "cache_eviction", "ineligible", MC_DERIVE },
	{ "demand_data_hits", "cache_result", "demand_data-hit", MC_DERIVE },
	{ "demand_metadata_hits", "cache_result", "demand_metadata-hit", MC_DERIVE },
	{ "prefetch_data_hits", "cache_result", "prefetch_data-hit", MC_DERIVE },
	{ "prefetch_metadata_hits", "cache_result", "prefetch_metadata-hit", MC_DERIVE },
	{ "demand_data_misses", "cache_result", "demand_data-miss", MC_DERIVE },
	{ "demand_metadata_misses", "cache_result", "demand_metadata-miss", MC_DERIVE },
	{ "prefetch_data_misses", "cache_result", "prefetch_data-miss", MC_DERIVE },
	{ "prefetch_metadata_misses", "cache_result", "prefetch_metadata-miss", MC_DERIVE },
	{ "mfu_hits", "cache_result", "mfu-hit", MC_DERIVE },
	{ "mfu_ghost_hits", "cache_result", "mfu_ghost-hit", MC_DERIVE },
	{ "mru_hits", "cache_result", "mru-hit", MC_DERIVE },
	{ "mru_ghost_hits", "cache_result", "mru_ghost-hit", MC_DERIVE },
};
#define ROWS_LEN (sizeof(rows) / sizeof(*rows))

/* Parts of the types of two numbers. */
enum { HITS, MISSES, L2_HITS, L2_MISSES, L2_READ, L2_WRITTEN, PARTS_LEN };
static const char *const parts[PARTS_LEN] = { "hits",      "misses",        "l2_hits",
					      "l2_misses", "l2_read_bytes", "l2_write_bytes" };

struct numbers {
	uint64_t rows[ROWS_LEN], parts[PARTS_LEN];
	bool has_row[ROWS_LEN], has_part[PARTS_LEN];
};

struct zfs_arc {
	struct numbers before; /* For shares of hits. */
};

static bool is_word(struct mc_word word, const char *name)
{
	return strncmp(word.text, name, word.size) == 0 && name[word.size] == '\0';
}

static void take(struct numbers *numbers, struct mc_word name, uint64_t number)
{
	for (size_t i = 0; i < ROWS_LEN; i++)
		if (is_word(name, rows[i].name)) {
			numbers->rows[i] = number;
			numbers->has_row[i] = true;
			return;
		}
	for (size_t i = 0; i < PARTS_LEN; i++)
		if (is_word(name, parts[i])) {
			numbers->parts[i] = number;
			numbers->has_part[i] = true;
			return;
		}
}

/* Lines that are not understood are skipped: those of the head, too. */
static void parse(const char *text, struct numbers *numbers)
{
	memset(numbers, 0, sizeof(*numbers));
	do {
		const char *at = text;
		struct mc_word name;
		uint64_t type, number;

		if (mc_scan_word(&at, &name) && mc_scan_u64(&at, &type) &&
		    mc_scan_u64(&at, &number) && *at == '\n' && number <= INT64_MAX)
			take(numbers, name, number);
	} while (mc_scan_line(&text));
}

static unsigned put_rows(struct mc_batch *out, const struct numbers *numbers)
{
	unsigned len = 0;

	for (size_t i = 0; i < ROWS_LEN; i++) {
		struct mc_id id = MC_ID(.type = rows[i].type, .type_instance = rows[i].instance);
		union mc_value value;

		if (!numbers->has_row[i])
			continue;
		if (rows[i].kind == MC_GAUGE)
			value.gauge = (double)numbers->rows[i];
		else
			value.derive = (int64_t)numbers->rows[i];
		mc_put(out, mc_series(out, id), &value, 1);
		len++;
	}
	return len;
}

/* Of the lookups since the last read; left out if there were no lookups. */
static void put_ratio(struct mc_batch *out, const char *instance, const struct zfs_arc *self,
		      const struct numbers *now, unsigned hits)
{
	const struct numbers *before = &self->before;
	unsigned misses = hits + 1;
	double hit, missed;

	if (!now->has_part[hits] || !now->has_part[misses] || !before->has_part[hits] ||
	    !before->has_part[misses] || now->parts[hits] < before->parts[hits] ||
	    now->parts[misses] < before->parts[misses])
		return;
	hit = (double)(now->parts[hits] - before->parts[hits]);
	missed = (double)(now->parts[misses] - before->parts[misses]);
	if (hit + missed > 0)
		mc_put_gauge(out, hit / (hit + missed), .type = "cache_ratio",
			     .type_instance = instance);
}

static int zfs_arc_read(struct mc_ctx *ctx, struct mc_batch *out)
{
	struct zfs_arc *self = ctx->self;
	struct numbers now;
	char *text;
	ssize_t size = mc_read_file(ctx, FILE_NAME, &text);

	if (size < 0)
		return (int)size;
	parse(text, &now);
	if (put_rows(out, &now) == 0)
		return mc_fail(ctx, 0, "cannot understand '" FILE_NAME "'");
	put_ratio(out, "arc", self, &now, HITS);
	put_ratio(out, "L2", self, &now, L2_HITS);
	if (now.has_part[L2_READ] && now.has_part[L2_WRITTEN]) {
		const union mc_value values[] = { { .derive = (int64_t)now.parts[L2_READ] },
						  { .derive = (int64_t)now.parts[L2_WRITTEN] } };

		mc_put(out, mc_series(out, MC_ID(.type = "io_octets", .type_instance = "L2")),
		       values, 2);
	}
	self->before = now;
	return 0;
}

MC_PLUGIN(zfs_arc) = {
	MC_NAMED(zfs_arc),
	.help = "Reads sizes and hits of the cache of ZFS.",
	.self_size = sizeof(struct zfs_arc),
	.types = (const char *const[]){ "cache_size", "cache_operation", "mutex_operations",
					"hash_collisions", "memory_throttle_count",
					"cache_eviction", "cache_result", "cache_ratio",
					"io_octets", NULL },
	.read = zfs_arc_read,
	.lenient = true,
};
