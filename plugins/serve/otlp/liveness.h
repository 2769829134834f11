/* SPDX-License-Identifier: MIT */
/* The senders as series, and as notifications of what changes. */
#pragma once

#include <collector/journal.h>

#include "sender.h"

struct liveness {
	uint64_t withheld; /* Notifications that were one for many. */
	uint64_t silent;   /* Senders, now. */
	uint64_t dropped;  /* Values, as the senders said. */
	uint64_t missing;  /* Numbers of requests that never came. */
	size_t len;        /* Senders. */
};

/* Notifications of one kind in one look; if there are more, one says how many, and names some. */
#define PRESENCE_NOTICES_MAX 10

/* Puts the series of all senders, and reports changes since the last time.  Adds to the
 * counters. */
void liveness_tell(struct mc_ctx *, struct mc_batch *, struct senders *, struct liveness *);
