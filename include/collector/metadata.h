/* SPDX-License-Identifier: MIT */
/* collector/metadata.h - what is known of one source of one series beyond its
 * type: how it is called where it was measured, its unit, and the bounds that
 * are recommended there.
 *
 * For plugins that ask others who say such things with their values: a node of
 * Munin, a check plugin of Nagios, an agent of SNMP.  A series of which nobody
 * says anything costs nothing.
 */
#ifndef COLLECTOR_METADATA_H
#define COLLECTOR_METADATA_H

#include <collector/plugin.h>

#pragma GCC visibility push(default)

struct mc_bounds { /* What is below or above is not well; NaN: no bound. */
	double min, max;
};

#define MC_METADATA_SIZE 64 /* Of a text, with '\0'. */

struct mc_metadata {
	char label[MC_METADATA_SIZE]; /* "/var used"; "": not known. */
	char unit[MC_METADATA_SIZE];  /* "bytes"; "": that of the type. */

	/* Of rates, unless the source is a gauge: judges go by them. */
	struct mc_bounds warning, failure;
	/* What is between the bounds, and they, are not well, instead of what
	 * is beyond. */
	bool warning_inverted, failure_inverted;
	/* So many unknown values in a row are not well; 0: any number is. */
	unsigned unknown_after;
};

/* Keeps a copy for that source of 'series', instead of the one before; it goes
 * with the series.  To say the same again costs a look-up: a plugin does it
 * with each value.  What has changed holds for the next sample.  Where too many
 * sources have metadata, or the type has no such source, nothing changes; the
 * former is logged.  What a judge has renamed keeps its metadata.  Any thread,
 * within a batch; NULL is fine. */
void mc_set_metadata(struct mc_ctx *ctx, struct mc_series *series,
		     unsigned source, const struct mc_metadata *metadata);

/* Copies what is known of that source.  False: nothing, and 'out' says so. */
bool mc_get_metadata(const struct mc_series *series, unsigned source,
		     struct mc_metadata *out);

#pragma GCC visibility pop

#endif /* COLLECTOR_METADATA_H */
