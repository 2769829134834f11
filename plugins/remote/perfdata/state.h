/* SPDX-License-Identifier: MIT */
/* States of hosts and services: a bad one stands among the alerts, and with Notify a change is
 * notified of.  For the thread of run(). */
#pragma once

#include "formats/perfdata/event.h"
#include "service.h"

/* Takes the state of an event.  Notifies of a change, but not of a first state that is OK, if
 * 'notify'. */
void state_take(struct mc_ctx *, const char *plugin, struct service *, const struct event *,
		bool notify);
