/* SPDX-License-Identifier: MIT */
/* Notify: notifications of changed states.  For the thread of run(). */
#pragma once

#include "formats/perfdata/event.h"
#include "service.h"

/* Takes the state of an event, and reports a change, but not a first state that is OK. */
void state_take(struct mc_ctx *, const char *plugin, struct service *, const struct event *);
