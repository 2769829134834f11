/* SPDX-License-Identifier: MIT */
/* Samples of the last minutes in a piece of memory of a given size: where that is full, the oldest
 * go.  Not for several threads at once. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <collector/plugin.h>

#define RING_SIZE_MIN 262144

struct ring;
struct ring_series; /* A series that is being recorded. */

struct ring_settings {
	mc_time interval; /* Between two rows, usually. */
	mc_time window;   /* Nothing older is kept for long. */
};

/* Lays a ring out in 'memory', zeros, which it does not free; 'size' is at least
 * RING_SIZE_MIN. */
struct ring *ring_new(void *memory, size_t size, const struct ring_settings *);
void ring_free(struct ring *); /* With its series. */

/* Samples put from now on are of that time: of the newest row, if that is of about the same. */
void ring_set_time(struct ring *, mc_time time);

/* Begins to record a series.  NULL: its name is too long, or there are too many. */
struct ring_series *ring_begin_series(struct ring *, const struct mc_series *);

/* Ends that; its samples stay as long as others. */
void ring_end_series(struct ring *, struct ring_series *);

/* Adds a sample, a value for each source.  False if the series has one at this time. */
bool ring_put(struct ring *, struct ring_series *, const union mc_value *values);

/* Adds a notice, as bytes; false if it is too large. */
bool ring_put_note(struct ring *, mc_time time, const void *bytes, size_t size);

/* A copy of the memory, to be freed with free(); its size is in '*size'. */
void *ring_copy(const struct ring *ring, size_t *size);

/* Bytes of the memory that were ever written to. */
size_t ring_used(const struct ring *);
