/* SPDX-License-Identifier: MIT */
/* The clock of the host is set while the collector runs: graphs have a gap or a fold there, and
 * what other hosts compare is wrong.  It stands among the alerts for an hour. */
#pragma once

#include <stdbool.h>

#include <collector/plugin.h>

#define CLOCK_STEPS_LEAST (5 * MC_SECOND) /* Less is how clocks are corrected. */
#define CLOCK_STEPS_LASTING (3600 * MC_SECOND)

struct clock_steps { /* All zero: before the first look. */
	bool known;
	mc_time offset; /* Of the clock of the wall. */
};

/* Whether it was set since the last look, and by how much: negative, back. */
bool clock_steps_seen(struct clock_steps *, mc_time now, mc_time wall, mc_time *by);

/* Thread: that of the engine's own read(). */
void clock_steps_look(struct clock_steps *, struct mc_ctx *self);
