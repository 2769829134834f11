/* SPDX-License-Identifier: MIT */
/* States of hosts and services: a bad one stands among the alerts, and with Notify a change is
 * notified of.  For the thread of run(). */
#pragma once

#include "formats/perfdata/event.h"
#include "service.h"

/* The least bad state that the result of a check with that state, which is not "", may have: a host
 * is UP with a warning, too. */
enum mc_severity state_of_check(const char *state);

/* Takes the state of an event.  Notifies of a change, but not of a first state that is OK, if
 * 'notify'. */
void state_take(struct mc_ctx *, const char *plugin, struct service *, const struct event *,
		bool notify);
