/* SPDX-License-Identifier: MIT */
/* A guest about which a call hangs.  It is left out of further calls until that one comes back, and
 * if this happens again and again, for ever longer after that.  All zero: the guest answers. */
#pragma once

#include <stdbool.h>

#include <collector/plugin.h>

/* The longest wait after a call has come back, and how long a guest must have
 * answered for its next hold to be its first again. */
#define HOLD_WAIT_MAX (60 * MC_SECOND)
#define HOLD_FORGOTTEN (600 * MC_SECOND)

struct hold {
	bool lasts;     /* The guest is left out. */
	bool hangs;     /* And its call has not come back. */
	unsigned times; /* That it began, in a row. */
	mc_time retry;  /* When the guest may be asked, if nothing hangs. */
	mc_time ended;  /* When it last answered after a hold; 0: never. */
};

/* A call about the guest hangs. */
void hold_begin(struct hold *, mc_time now);

/* The guest was to be asked and could not be: it is left out, and asked as soon as possible. */
void hold_postpone(struct hold *, mc_time now);

/* The call has come back. */
void hold_release(struct hold *, mc_time now, mc_time interval);

/* Whether the guest may be asked. */
bool hold_allows(const struct hold *, mc_time now);

/* The guest has answered. */
void hold_end(struct hold *, mc_time now);
