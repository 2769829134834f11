/* SPDX-License-Identifier: MIT */
/* Types of collectd 4 that were replaced in 5, from collectd.conf(5), "Target
 * v5upgrade", and what collectd 5.12 makes of each. */
#include "split.h"

#include <string.h>

struct part { /* A sample that is made. */
	const char *type, *type_instance;
	unsigned source, sources_len; /* Of the old sample. */
};

struct rule {
	const char *type;
	unsigned sources_len;
	const char *type_instance; /* NULL: any. */
	struct part parts[5];
};

static const struct rule rules[] = {
	{ "df", 2, NULL, { { "df_complex", "used", 0, 1 }, { "df_complex", "free", 1, 1 } } },
	{ "mysql_qcache",
	  5,
	  NULL,
	  { { "cache_result", "qcache-hits", 0, 1 },
	    { "cache_result", "qcache-inserts", 1, 1 },
	    { "cache_result", "qcache-not_cached", 2, 1 },
	    { "cache_result", "qcache-prunes", 3, 1 },
	    { "cache_size", "qcache", 4, 1 } } },
	{ "mysql_threads",
	  4,
	  NULL,
	  { { "threads", "running", 0, 1 },
	    { "threads", "connected", 1, 1 },
	    { "threads", "cached", 2, 1 },
	    { "total_threads", "created", 3, 1 } } },
	{ "arc_counts",
	  4,
	  "hits",
	  { { "cache_result", "demand_data-hit", 0, 1 },
	    { "cache_result", "demand_metadata-hit", 1, 1 },
	    { "cache_result", "prefetch_data-hit", 2, 1 },
	    { "cache_result", "prefetch_metadata-hit", 3, 1 } } },
	{ "arc_counts",
	  4,
	  "misses",
	  { { "cache_result", "demand_data-miss", 0, 1 },
	    { "cache_result", "demand_metadata-miss", 1, 1 },
	    { "cache_result", "prefetch_data-miss", 2, 1 },
	    { "cache_result", "prefetch_metadata-miss", 3, 1 } } },
	{ "arc_l2_bytes", 2, NULL, { { "io_octets", "L2", 0, 2 } } },
	{ "arc_l2_size", 1, NULL, { { "cache_size", "L2", 0, 1 } } },
	{ "arc_ratio", 1, "L1", { { "cache_ratio", "arc", 0, 1 } } },
	{ "arc_ratio", 1, NULL, { { "cache_ratio", NULL, 0, 1 } } },
	{ "arc_size", 4, NULL, { { "cache_size", "arc", 0, 1 } } },
};
#define RULES (sizeof(rules) / sizeof(rules[0]))
#define PARTS (sizeof(rules[0].parts) / sizeof(rules[0].parts[0]))

static const struct rule *find(const struct name *name)
{
	for (size_t i = 0; i < RULES; i++)
		if (strcmp(rules[i].type, name->id.type) == 0 &&
		    rules[i].sources_len == name->type->sources_len &&
		    (rules[i].type_instance == NULL ||
		     strcmp(rules[i].type_instance, name->id.type_instance) == 0))
			return &rules[i];
	return NULL;
}

static bool is_known(const char *type)
{
	for (size_t i = 0; i < RULES; i++)
		if (strcmp(rules[i].type, type) == 0)
			return true;
	return false;
}

enum split split_of(const struct name *name)
{
	const struct mc_id *id = &name->id;

	/* The mount point is in one of them: with both it is not an old name. */
	if (strcmp(id->type, "df") == 0 && id->plugin_instance[0] != '\0' &&
	    id->type_instance[0] != '\0')
		return SPLIT_NONE;
	if (!is_known(id->type))
		return SPLIT_NONE;
	return find(name) != NULL ? SPLIT_INTO : SPLIT_NOTHING;
}

void split_sample(const struct mc_sample *sample, const struct name *name, struct mc_batch *out)
{
	const struct rule *rule = find(name);
	struct mc_stamp stamp = { sample->time, sample->interval };
	bool is_df = strcmp(rule->type, "df") == 0;

	for (size_t i = 0; i < PARTS && rule->parts[i].type != NULL; i++) {
		const struct part *part = &rule->parts[i];
		struct mc_id id = name->id;

		if (is_df && id.plugin_instance[0] == '\0')
			id.plugin_instance = id.type_instance;
		id.type = part->type;
		if (part->type_instance != NULL)
			id.type_instance = part->type_instance;
		mc_put_at(out, mc_series(out, id), stamp, sample->values + part->source,
			  part->sources_len);
	}
}
