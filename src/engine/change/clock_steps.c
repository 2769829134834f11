/* SPDX-License-Identifier: MIT */
#include "engine/change/clock_steps.h"

#include <collector/private/alerts.h>

#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"

bool clock_steps_seen(struct clock_steps *steps, mc_time now, mc_time wall, mc_time *by)
{
	mc_time offset = wall - now, moved = offset - steps->offset;
	bool was_known = steps->known;

	*steps = (struct clock_steps){ true, offset };
	if (!was_known || llabs(moved) < CLOCK_STEPS_LEAST)
		return false;
	*by = moved;
	return true;
}

void clock_steps_look(struct clock_steps *steps, struct mc_ctx *self)
{
	char reason[256];
	mc_time by;

	if (!clock_steps_seen(steps, clock_now(), clock_wall(), &by))
		return;
	snprintf(reason, sizeof(reason), "the clock of %.128s went %s by %lld s at once",
		 self->host, by > 0 ? "ahead" : "back", (long long)(llabs(by) / MC_SECOND));
	mc_stand(self, &(struct mc_standing){
			       .id = { .plugin = "collector", .type = "clock" },
			       .severity = MC_WARNING,
			       .reason = reason,
			       .advice = "It was set, or the machine was suspended: timedatectl, "
					 "chronyc tracking. Graphs have a gap or a fold there.",
			       .lasting = CLOCK_STEPS_LASTING,
		       });
}
