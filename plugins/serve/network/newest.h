/* SPDX-License-Identifier: MIT */
/* The newest time of each series that was taken of what was signed.  The
 * collector forgets a series that is silent for Timeout intervals, and would
 * take its last values, when they are sent again, as those of a new one. */
#pragma once

#include <stdatomic.h>
#include <stddef.h>

#include <collector/plugin.h>

#define NEWEST_WAYS 4     /* Places of one hash. */
#define NEWEST_LEN 262144 /* Remembered; a power of two. */

struct newest_slot {
	_Atomic uint64_t series; /* Its hash; 0: free. */
	_Atomic mc_time time;
};

struct newest {
	uint64_t seed;             /* Of the hashes. */
	struct newest_slot *slots; /* NULL: nothing is remembered. */
};

/* newest_stop() does nothing if it was only zeroed. */
void newest_start(struct newest *);
void newest_stop(struct newest *);

/* The hash of the series of that whole name. */
uint64_t newest_series(const struct newest *, const char *name, size_t size);

/* A sample of that time was taken.  When the slots of a hash are taken, it gets that of the series
 * that has been silent for longest.  Thread: any. */
void newest_note(struct newest *, uint64_t series, mc_time time);

/* Whether one of that time was taken before, or a newer one, as far as that is remembered.
 * Thread: any. */
bool newest_has(const struct newest *, uint64_t series, mc_time time);
