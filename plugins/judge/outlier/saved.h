/* SPDX-License-Identifier: MIT */
/* The state file: the mean of each source of a series, and what it has learned so far.  Pure.
 *
 *   collector-outlier 1
 *   mean TIME INTERVAL MEAN SPREAD VALUES SINCE HOST PLUGIN INSTANCE TYPE INSTANCE SOURCE
 *
 * with tabs between.  Times are those of the wall clock in nanoseconds, as is the interval; SINCE
 * is that of an outlier that stands, else 0.  A source that comes again takes the place of the
 * one before. */
#pragma once

#include <stddef.h>

#include <collector/kit/buffer.h>
#include <collector/kit/map.h>
#include <collector/plugin.h>

#include "deviation.h"

#define SAVED_HEAD "collector-outlier 1\n"
#define SAVED_AGE_MAX (86400 * MC_SECOND) /* Older ones are left out. */

struct saved_mean {
	struct mc_map_node node; /* By its key. */
	mc_time time, interval, out_since;
	struct deviation_own own;
	char key[]; /* The end of a line. */
};

/* Appends the key of a source of a series. */
void saved_add_key(struct mc_buffer *, const struct mc_id *, const char *source);

/* Appends a line of what it has but for its key, and of that key. */
void saved_write(struct mc_buffer *text, const struct saved_mean *, const char *key);

/* Takes those of a file, which need not end with '\0' and is changed: 'limit' at most.  Returns how
 * many lines were damaged, too old or too many, or -1: it is not such a file.  saved_drop() frees
 * one, which it takes out. */
ptrdiff_t saved_read(char *text, size_t size, struct mc_map *means, size_t limit, mc_time now);

struct saved_mean *saved_find(const struct mc_map *means, const struct mc_buffer *key);
struct saved_mean *saved_next(const struct mc_map *means, const struct saved_mean *);
void saved_drop(struct mc_map *means, struct saved_mean *);
