/* SPDX-License-Identifier: MIT */
/* Samples that some writers get under another name, or with other values, than the store has:
 * mc_route_copy().  They are batches of their own, one for each set of writers, and records of
 * their own in the journal, which name their receivers: no judge is asked about them. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct judges;
struct mc_batch;

struct copies { /* Of one batch.  All zero at first; released by its owner. */
	struct mc_batch **batches;
	size_t len;
};

/* Sets the receivers of the samples of a batch that was read from the journal, if they are copies;
 * false if they are not. */
bool copies_recorded(struct judges *, struct mc_batch *);
