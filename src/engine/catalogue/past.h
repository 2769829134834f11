/* SPDX-License-Identifier: MIT */
/* Series that are not here now: by name, and in the order in which they ended.  The caller locks.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <collector/plugin.h>

#include "formats/catalogue/catalogue_record.h"

struct metric_kept;

struct past {
	struct past *chain;         /* Of its place in the table. */
	struct past *older, *newer; /* By their end; of those that have ended. */
	mc_time first, last, interval;
	struct metric_kept *metric; /* NULL: it has none. */
	uint32_t hash;
	uint16_t name_size;
	bool ended; /* False: it lived when the collector stopped, and may come back. */
	/* It had not come back when the collector stopped again: its time is of the stop before. */
	bool away;
	char name[];
};

struct past_table { /* All zero: empty. */
	struct past **places;
	size_t places_len, len;
	struct past *oldest, *newest; /* That have ended. */
	size_t ended_len;
	struct past *away; /* That have not ended, by 'newer'. */
};

struct past *past_find(const struct past_table *, const char *name, size_t size);

/* Adds one that is not there, which has not ended. */
struct past *past_add(struct past_table *, const char *name, size_t size);

/* It has ended, or not; the last to end is the newest. */
void past_set_ended(struct past_table *, struct past *, bool ended);

/* One that has not ended is away, or not; none is. */
void past_set_away(struct past_table *, struct past *, bool away);
void past_clear_away(struct past_table *);

/* Takes the metric over, which may be NULL, in place of the one before. */
void past_set_metric(struct past *, struct metric_kept *);

void past_remove(struct past_table *, struct past *);

/* A series has ended, as the record says; it keeps its metric. */
struct past *past_end(struct past_table *, const struct catalogue_record *);

/* Removes the oldest of more than may have ended. */
void past_trim(struct past_table *, size_t limit);

/* The one after it, or the first after NULL, in no order; NULL at the end.  Removing it before the
 * next call is not allowed. */
struct past *past_next(const struct past_table *, const struct past *);

void past_done(struct past_table *);
