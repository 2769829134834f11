/* SPDX-License-Identifier: MIT */
/* Guests that wait for a CPU: who ran there is looked at only where one has to wait, until none has
 * waited for a while. */
#pragma once

#include "cpus.h"
#include "groups.h"
#include "guests.h"
#include "look.h"
#include "report.h"

struct steal {
	struct report *report;
	struct guests *guests;
	struct groups *groups;
	struct cpus *cpus;
	struct look look;
};

/* Freed by steal_done(), which copes with zero.  The report, the guests and the groups are the
 * caller's, and live as long. */
void steal_init(struct steal *, struct report *report, struct guests *guests,
		struct groups *groups);
void steal_done(struct steal *);

/* Takes the waits of the guests, of an interval of 'time' ns; 'anew': guests were looked for in
 * this read.  0 or a failure, which is logged. */
int steal_read(struct steal *, double time, bool anew, struct mc_batch *out);
