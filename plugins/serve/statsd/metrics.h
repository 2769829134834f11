/* SPDX-License-Identifier: MIT */
/* The metrics that clients send, and the series that they become: see
 * collectd.conf(5), "Plugin statsd".
 *
 * One thread adds what comes in, metrics_add(); another makes values of it once
 * an interval, metrics_report(). */
#pragma once

#include <pthread.h>

#include <collector/kit/lock.h>
#include <collector/kit/map.h>
#include <collector/plugin.h>

#include "formats/statsd/line.h"

struct metric;

struct metrics_options {
	bool forgets[LINE_TYPES]; /* Action on metrics that were not sent in an interval. */
	bool counter_sum, lower, upper, sum, count; /* Of timers but the first.
						     */
	const double *percentiles;
	size_t percentiles_len;
	int64_t metrics_max, members_max; /* Of all sets. */
};

struct metrics {
	struct metrics_options options;
	struct metric *first; /* All that metrics_report() knows, in the order
			       * in which they came. */
	struct metric **end;

	pthread_mutex_t lock;
	struct mc_map maps[LINE_TYPES] MC_GUARDED_BY(lock); /* Of struct name. */
	struct metric *fresh MC_GUARDED_BY(lock);           /* Since the last report. */
	struct metric **fresh_end MC_GUARDED_BY(lock);
	size_t len MC_GUARDED_BY(lock);
	size_t room MC_GUARDED_BY(lock); /* For members of sets. */
};

enum metrics_added {
	METRICS_ADDED,
	METRICS_NEW,      /* There is no such metric: metrics_make() makes one. */
	METRICS_FULL,     /* There are as many as there may be. */
	METRICS_TAKEN,    /* Another metric has a series of that name. */
	METRICS_SET_FULL, /* There is no room for members. */
	METRICS_SUM,      /* The sum would be no whole number any more. */
};

/* 'options' are copied, but not the percentiles. */
void metrics_init(struct metrics *, const struct metrics_options *);
void metrics_done(struct metrics *);

/* Name of a metric, a text that need not end with '\0'. */
struct metrics_key {
	const char *text;
	size_t size, name_size; /* All, and without tags. */
	bool sent;              /* As it came; else as line_write_name() makes it. */
};

/* Writes the name of a line as it came: with tags to 'room', of as many bytes as the line has. */
struct metrics_key metrics_sent_key(const struct line *, char *room);

/* Writes that of its series, to 'room', if need be: the name or, with tags, the name, a '\0', and
 * the sorted tags. */
struct metrics_key metrics_clean_key(const struct line *, bool with_tags, char *room);

/* Locked by the caller, once for many lines: adds a line to the metric that has come under such a
 * name before.  METRICS_NEW: none has, and line_check() is to look at the line. */
enum metrics_added metrics_add(struct metrics *metrics, const struct line *line,
			       const struct metrics_key *sent) MC_REQUIRES(metrics->lock);

/* Without the lock: adds a line to the metric of its series, which from now on is known under the
 * name that came, too. */
enum metrics_added metrics_find(struct metrics *, const struct line *,
				const struct metrics_key *sent, const struct metrics_key *clean);

/* The same, and makes a metric if it is new. */
enum metrics_added metrics_make(struct metrics *, const struct line *,
				const struct metrics_key *sent, const struct metrics_key *clean);

/* Puts all into the batch, and begins the next interval. */
void metrics_report(struct metrics *, struct mc_batch *);
