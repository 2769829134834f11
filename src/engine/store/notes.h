/* SPDX-License-Identifier: MIT */
/* Notes of series that have begun, ended, or got another metric, for the catalogue: a copy of the
 * name and its times, so that a note needs no series.  The store adds them under its lock; the
 * thread that has taken them needs none. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <collector/plugin.h>

struct mc_series;
struct metric_kept;

enum note_kind { NOTE_BEGUN, NOTE_ENDED, NOTE_METRIC };

struct note {
	mc_time first, last, interval; /* Times of its first and last value. */
	struct metric_kept *metric;    /* Of a series that has ended, or NULL: the note's. */
	uint16_t name_size;
	uint8_t kind;    /* enum note_kind */
	bool has_metric; /* Of one that has begun: it is in the store. */
	bool is_new;     /* Of one that has ended: its metric was not taken. */
	char name[];     /* Not ended by '\0'. */
};

struct notes { /* All zero: none are kept. */
	struct notes_block *oldest, *newest;
	size_t size, size_max; /* Bytes. */
	bool lost;             /* There were more than have room. */
	bool has_metric;       /* One that has begun has a metric. */
};

/* Adds a note of a series that has a value, or may lose it.  Takes the metric over if that is not
 * NULL.  False if it was not added. */
bool notes_add(struct notes *, const struct mc_series *, enum note_kind,
	       struct metric_kept *metric);

/* Shows all in their order. */
void notes_each(const struct notes *, void (*show)(void *argument, const struct note *),
		void *argument);

void notes_free(struct notes *);
