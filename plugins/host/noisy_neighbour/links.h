/* SPDX-License-Identifier: MIT */
/* Guests that share a full link with busier ones.  Each read looks at the links alone; interfaces
 * of guests are looked for, and read, once a link is half full. */
#pragma once

#include "look.h"
#include "nics.h"
#include "report.h"
#include "uplinks.h"

#define LINKS_FULL 0.9 /* Part of its speed. */

struct links {
	struct report *report;
	struct guests *guests;
	struct uplinks uplinks;
	struct nics nics;
	struct look look;
};

/* Freed by links_done(), which copes with zero.  The report, the guests and the options are the
 * caller's, and live as long. */
void links_init(struct links *, struct report *report, struct guests *guests,
		const struct uplink_option *options, size_t options_len);
void links_done(struct links *);

/* Takes what was moved in an interval of 'time' ns; 'anew': guests were looked for in this read. */
void links_read(struct links *, double time, bool anew, struct mc_batch *out);
