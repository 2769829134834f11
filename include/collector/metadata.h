/* SPDX-License-Identifier: MIT */
/* collector/metadata.h - describes one source of one series beyond its type: its label where it
 * was measured, its unit, the bounds recommended there, and how it is drawn.
 *
 * For plugins whose sources send such descriptions with their values: a node of Munin, a check
 * plugin of Nagios, an agent of SNMP.  Series without metadata cost nothing; equal metadata is
 * shared.
 */
#pragma once

#include <string.h>

#include <collector/plugin.h>

#pragma GCC visibility push(default)

struct mc_bounds { /* Values outside min to max are bad; NaN: no bound. */
	double min, max;
};

/* Texts are cut to these sizes, with '\0'; characters that a terminal would not show as they are
 * become '?', a line break a blank. */
#define MC_METADATA_LABEL_SIZE 128
#define MC_METADATA_TEXT_SIZE 1024

/* Names are those of Munin's plugin reference, the longest list: "graph_title", "graph_category",
 * "graph_info" and so on describe the graph of the source, "info", "draw", "colour", "cdef",
 * "negative" and so on the source itself. */
struct mc_attribute {
	const char *name, *value;
};

#define MC_ATTRIBUTES_MAX 32 /* Per source; the first ones are kept. */

struct mc_metadata {
	const char *label; /* "/var used"; NULL or "": not known. */
	const char *unit;  /* "bytes"; NULL or "": that of the type. */

	/* Bounds of the rate (of a gauge: of the value), which judges use. */
	struct mc_bounds warning, failure;
	/* Inverted: values inside the range, bounds included, are bad. */
	bool warning_inverted, failure_inverted;
	/* Unknown values in a row that count as a warning; 0: no number does. */
	unsigned unknown_after;

	const struct mc_attribute *attributes;
	size_t attributes_len;
};

/* Keeps a copy for that source of 'series', in place of the one before; it is freed with the
 * series, and charged to the quota of the batch (quota.h).  Setting equal metadata again costs a
 * look-up: a plugin does it with each value.  A change takes effect with the next sample.  Without
 * room for all, only the limits for judges are kept, or not even these if there are too many; that
 * is logged.  Does nothing if the type has no such source.  A series that a judge renames keeps
 * its metadata.  NULL is fine.  Thread: the one that fills 'batch'. */
void mc_set_metadata(struct mc_batch *batch, struct mc_series *series, unsigned source,
		     const struct mc_metadata *metadata);

/* One of the limits of a source, which senders of values may send beside them. */
enum mc_limit {
	MC_LIMIT_NONE,
	MC_LIMIT_WARNING, /* metadata.warning.max */
	MC_LIMIT_FAILURE, /* metadata.failure.max */
	MC_LIMIT_MIN,     /* The least value there can be: the attribute "min". */
	MC_LIMIT_MAX,     /* The largest: "max". */
};

/* Sets that limit of a source, and leaves all else that is known of it.  Setting an equal limit
 * again costs a look-up.  As mc_set_metadata() in all else. */
void mc_set_limit(struct mc_batch *batch, struct mc_series *series, unsigned source,
		  enum mc_limit limit, double value);

/* Metadata of that source, to be released; NULL if it has none.  It does not change, also when the
 * series gets other metadata or ends; its texts are not NULL.  Thread: any. */
const struct mc_metadata *mc_get_metadata(const struct mc_series *series, unsigned source);

/* NULL is fine. */
void mc_release_metadata(const struct mc_metadata *metadata);

#pragma GCC visibility pop

/* Whether an attribute of that name describes the graph of a source, not the source. */
static inline bool mc_attribute_is_of_graph(const char *name)
{
	static const char graph[] = "graph_";

	return strncmp(name, graph, strlen(graph)) == 0 || strcmp(name, "update_rate") == 0;
}

/* The value of the attribute of that name; NULL without one, or if 'metadata' is NULL. */
static inline const char *mc_metadata_attribute(const struct mc_metadata *metadata,
						const char *name)
{
	for (size_t i = 0; metadata != NULL && i < metadata->attributes_len; i++)
		if (strcmp(metadata->attributes[i].name, name) == 0)
			return metadata->attributes[i].value;
	return NULL;
}
