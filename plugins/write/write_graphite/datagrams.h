/* SPDX-License-Identifier: MIT */
/* Lines of a backlog as datagrams, whole lines in each.  A Graphite that is away says nothing, or
 * only that it has not got the datagram before: lines count as sent when the kernel has them.
 *
 * The loop's thread. */
#pragma once

#include <collector/kit/address.h>
#include <collector/kit/backoff.h>
#include <collector/kit/loop.h>

#include "backlog.h"

struct datagrams {
	/* The caller's: */
	struct mc_loop *loop;
	const char *host, *port;
	struct backlog *backlog;
	mc_time reconnect_interval; /* 0: none. */
	struct mc_backoff backoff;  /* Its 'longest'. */

	void (*opened)(struct datagrams *);
	/* There is no socket for them; 'detail' is why. */
	void (*failed)(struct datagrams *, const char *detail);
	/* Some lines were not sent, and are lost. */
	void (*lost)(struct datagrams *, int errnum);

	/* datagrams.c's own. */
	int fd; /* -1: none. */
	struct mc_lookup lookup;
	struct mc_loop_timer timer; /* To go on. */
	mc_time deadline;           /* Of the look-up. */
	mc_time opened_at;
};

/* After the caller has set what is its own. */
void datagrams_init(struct datagrams *);
void datagrams_done(struct datagrams *);

/* Sends what the kernel takes, and the rest in rounds of the loop, which also look the host up. */
void datagrams_push(struct datagrams *);

/* Whether there is a socket, or will be soon. */
static inline bool datagrams_are_trying(const struct datagrams *datagrams)
{
	return datagrams->fd >= 0 || mc_lookup_runs(&datagrams->lookup);
}
