/* SPDX-License-Identifier: MIT */
/* Whether a thread lets requests gather before it looks for them again.
 *
 * A request that comes alone costs a wake-up of each thread on its way, a sync of its own, and
 * code and data that are no longer in the caches: several times its own work.  Where many
 * senders have an interval each, as a fleet has, nobody minds some milliseconds.  A few senders,
 * each of which sends its next request when it has its answer, would wait for them again and
 * again: then it does not gather.  Thread: the one that serves the connections. */
#pragma once

#include <stdbool.h>

#include <collector/plugin.h>

#define HTTP_LINGER_TIME (10 * MC_MILLISECOND) /* That requests gather. */
#define HTTP_LINGER_LEAST 100 /* Requests a second of a thread, from which on it is worth it. */
#define HTTP_LINGER_MOST 2    /* Requests a second of a connection, at which it would be slower. */

struct http_linger {       /* All zero at first. */
	mc_time since;     /* The begin of the present count. */
	unsigned requests; /* Answered since then. */
	bool on;
};

/* After a round, with that number of connections now.  Whether what comes is to gather before the
 * next. */
bool http_linger_look(struct http_linger *, mc_time now, unsigned connections);
