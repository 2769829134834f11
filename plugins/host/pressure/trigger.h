/* SPDX-License-Identifier: MIT */
/* trigger: pressures that the kernel itself watches, and notifications of them
 * (Documentation/accounting/psi.rst). */
#pragma once

#include <collector/plugin.h>

#define TRIGGERS_MAX 16

struct trigger {
	/* Options. */
	int resource, level, severity; /* Of their words. */
	mc_time stall, window, calm;

	/* Used by run() alone. */
	bool over;
	mc_time over_until; /* If it is over, and no event comes. */
};

extern const struct mc_block trigger_block;

/* Finds mistakes in the options. */
void trigger_check(struct mc_ctx *, const struct mc_blocks *triggers);

/* Waits for events of all triggers until the instance must end. */
int trigger_run(struct mc_ctx *, const struct mc_blocks *triggers);

/* The pressure of that trigger has been seen at 'now': sends a notification if
 * it is the first event. */
void trigger_event(struct mc_ctx *, struct trigger *, mc_time now);

/* Sends a notification if 'now' the last event is long enough ago.  Returns how
 * long it is until then, or -1. */
mc_time trigger_look(struct mc_ctx *, struct trigger *, mc_time now);
