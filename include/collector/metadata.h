/* SPDX-License-Identifier: MIT */
/* collector/metadata.h - what is known of one source of one series beyond its
 * type: how it is called where it was measured, its unit, the bounds that are
 * recommended there, and how it is to be drawn.
 *
 * For plugins that ask others who say such things with their values: a node of
 * Munin, a check plugin of Nagios, an agent of SNMP.  A series of which nobody
 * says anything costs nothing; what is equal is kept once.
 */
#ifndef COLLECTOR_METADATA_H
#define COLLECTOR_METADATA_H

#include <string.h>

#include <collector/plugin.h>

#pragma GCC visibility push(default)

struct mc_bounds { /* What is below or above is not well; NaN: no bound. */
	double min, max;
};

/* Texts are kept up to so many bytes, with '\0'; what a terminal would not
 * show as it is becomes '?', a line break a blank. */
#define MC_METADATA_LABEL_SIZE 128
#define MC_METADATA_TEXT_SIZE 1024

/* Names are those of Munin's plugin reference, which has the most of them:
 * "graph_title", "graph_category", "graph_info" and so on are of the graph that
 * the source belongs to, "info", "draw", "colour", "cdef", "negative" and so on
 * of the source itself. */
struct mc_attribute {
	const char *name, *value;
};

#define MC_ATTRIBUTES_MAX 32 /* Of a source; the first ones are kept. */

struct mc_metadata {
	const char *label; /* "/var used"; NULL or "": not known. */
	const char *unit;  /* "bytes"; NULL or "": that of the type. */

	/* Of rates, unless the source is a gauge: judges go by them. */
	struct mc_bounds warning, failure;
	/* What is between the bounds, and they, are not well, instead of what
	 * is beyond. */
	bool warning_inverted, failure_inverted;
	/* So many unknown values in a row are not well; 0: any number is. */
	unsigned unknown_after;

	const struct mc_attribute *attributes;
	size_t attributes_len;
};

/* Keeps a copy for that source of 'series', instead of the one before; it goes
 * with the series, and is charged to the quota of the batch (quota.h).  To say
 * the same again costs a look-up: a plugin does it with each value.  What has
 * changed holds for the next sample.  Without room for all, the limits for
 * judges are kept, and not even these if there are too many; that is logged.
 * Where the type has no such source nothing changes.  What a judge has renamed
 * keeps its metadata.  The thread that fills 'batch'; NULL is fine. */
void mc_set_metadata(struct mc_batch *batch, struct mc_series *series, unsigned source,
		     const struct mc_metadata *metadata);

/* What is known of that source, to be released; NULL: nothing.  It does not
 * change, also when the series gets other metadata or ends; its texts are not
 * NULL.  Any thread. */
const struct mc_metadata *mc_get_metadata(const struct mc_series *series, unsigned source);

/* NULL is fine. */
void mc_release_metadata(const struct mc_metadata *metadata);

#pragma GCC visibility pop

/* Whether an attribute of that name is of the graph that a source belongs to,
 * and not of the source. */
static inline bool mc_attribute_is_of_graph(const char *name)
{
	static const char graph[] = "graph_";

	return strncmp(name, graph, strlen(graph)) == 0 || strcmp(name, "update_rate") == 0;
}

/* The value of the attribute of that name; NULL: there is none, or 'metadata'
 * is NULL. */
static inline const char *mc_metadata_attribute(const struct mc_metadata *metadata,
						const char *name)
{
	for (size_t i = 0; metadata != NULL && i < metadata->attributes_len; i++)
		if (strcmp(metadata->attributes[i].name, name) == 0)
			return metadata->attributes[i].value;
	return NULL;
}

#endif /* COLLECTOR_METADATA_H */
