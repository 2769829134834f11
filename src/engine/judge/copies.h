/* SPDX-License-Identifier: MIT */
/* Samples that some writers get under another name, or with other values, than the store has:
 * mc_route_copy().  They are batches of their own, one for each set of writers, and records of
 * their own in the journal, which name their receivers: no judge is asked about them. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct judges;
struct mc_batch;
struct mc_copy;
struct mc_sample;

struct copies { /* Of one batch.  All zero at first; released by its owner. */
	struct mc_batch **batches;
	size_t len;
};

/* Adds a copy of a sample of 'from'.  Thread: the committer's. */
void copies_add(struct judges *, struct copies *, const struct mc_batch *from,
		const struct mc_sample *, const struct mc_copy *);

/* Sets the receivers of the samples of a batch that was read from the journal, if they are copies;
 * false if they are not. */
bool copies_recorded(struct judges *, struct mc_batch *);
