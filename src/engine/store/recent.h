/* SPDX-License-Identifier: MIT */
/* Recent values of series in memory: those of the last quarter of an hour, for series that are
 * looked at and for those that are kept.
 *
 * A series that is not remembered costs a test of a bit (mc_series.remembered), one that is the
 * look-up of its ring.  The rings have a limit in bytes: then the least recently viewed one goes,
 * but none that is kept.
 *
 * The store owns it, and its lock guards all. */
#pragma once

#include <collector/history.h>
#include <collector/writer.h>

#include <stdbool.h>
#include <stddef.h>

#define RECENT_TIME (15 * 60 * MC_SECOND)

struct recent;

struct recent *recent_new(size_t limit);
void recent_free(struct recent *);

/* The series of that host and plugin are kept; both are copied. */
void recent_keep(struct recent *, const char *host, const char *plugin);
bool recent_keeps(const struct recent *, const struct mc_series *);

/* A sample of a series that is remembered was accepted. */
void recent_add(struct recent *, struct mc_series *, const struct mc_sample *);

/* A remembered series has left. */
void recent_remove(struct recent *, struct mc_series *);

/* Drops rings without a viewer for RECENT_TIME. */
void recent_sweep(struct recent *, mc_time now);

/* Marks the series as viewed, at the time 'now': it is remembered from now on.  Copies the values
 * of each source, oldest first, to 'copy', whose values are freed by the caller. */
struct recent_copy {
	mc_time start, step; /* Value i is of start + i * step, for 'step'. */
	size_t len;          /* Of each source; 0: nothing is known. */
	unsigned sources_len;
	double *values; /* Of each source in a row. */
};
void recent_look(struct recent *, struct mc_series *, mc_time now, struct recent_copy *copy);

/* Copies the values of a series that is remembered, and changes nothing. */
void recent_glance(struct recent *, const struct mc_series *, struct recent_copy *copy);
void recent_set_limit(struct recent *, size_t limit);
