/* SPDX-License-Identifier: MIT */
/* Files that PNP4Nagios has begun with several series in one: the values of a
 * second become one update.  The caller locks. */
#pragma once

#include "kit/series/rrd_place.h"

#include "file.h"

/* Puts an update of a file; false: there is no room now. */
typedef bool joined_put(void *argument, struct file *, int64_t second,
			const union mc_value *values);

struct joined {
	joined_put *put; /* The caller's, */
	void *argument;  /* the caller's. */
	struct mc_pnp_row *rows;
	uint64_t late; /* Values whose second had an update without them. */
};

/* Makes a file that has just been opened a source of 'whole'. */
void joined_add(struct file *, struct file *whole, const struct mc_pnp_place *);

/* Gives up values that have not been put: their batch is offered again. */
void joined_reset(struct joined *);

/* Takes a value of a file that is a source of another; what that one has of an
 * earlier second is put.  False as of 'put'. */
bool joined_value(struct joined *, struct file *, int64_t second, union mc_value value);

/* Puts all that waits.  False as of 'put'. */
bool joined_end(struct joined *);
