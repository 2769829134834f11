/* SPDX-License-Identifier: MIT */
/* Notes of series that have begun or ended, for the catalogue: a copy of the name and its times,
 * so that a note needs no series.  The store adds them under its lock; the thread that has
 * taken them needs none. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <collector/plugin.h>

struct mc_series;

struct note {
	mc_time first, last, interval; /* Times of its first and last value. */
	uint16_t name_size;
	bool ended;
	char name[]; /* Not ended by '\0'. */
};

struct notes { /* All zero: none are kept. */
	struct notes_block *oldest, *newest;
	size_t size, size_max; /* Bytes. */
	bool lost;             /* There were more than have room. */
};

/* Adds a note of a series that has a value, or may lose it. */
void notes_add(struct notes *, const struct mc_series *, bool ended);

/* Shows all in their order. */
void notes_each(const struct notes *, void (*show)(void *argument, const struct note *),
		void *argument);

void notes_free(struct notes *);
