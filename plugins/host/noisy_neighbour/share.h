/* SPDX-License-Identifier: MIT */
/* Shares of guests in the bytes that a link moved in one direction: a pure function.
 *
 * A guest's interface counts what goes to other guests of this host, too, and what the link drops.
 * The guests may have moved more bytes than the link did: as much of that excess as others took in
 * may have stayed on this host, and it is not held against anyone.  The rest was dropped, from all
 * alike. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "top.h"

#define SHARE_TOP 3

struct share_user {   /* A guest; bytes of the interval. */
	double moved; /* In the direction of the link that is looked at, ... */
	double other; /* ... and in the other one. */
};

struct share_view {
	const struct share_user *users;
	size_t users_len;
	double moved; /* By the link, in that direction. */
	bool lacks;   /* Some of a guest's bytes are not known: they are not the host's. */
};

#define SHARE_HOST ((size_t)-1) /* All that is no guest, as a user. */

/* Writes the part of each user to 'parts', and the largest ones, at most SHARE_TOP + 1, to 'top'.
 * The host is among these, if it has at least SHARE_HOST_MIN: counters of interfaces and of the
 * link differ, by headers of segments and by when they are read. */
#define SHARE_HOST_MIN 0.1
void share_find(const struct share_view *view, double *parts, struct top *top);

/* Those of 'top' who have more than the victim, and at least SHARE_MIN. */
#define SHARE_MIN 0.05
void share_blame(const struct top *top, size_t victim, double part, struct top *out);
