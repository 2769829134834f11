/* SPDX-License-Identifier: MIT */
/* collector/kit/clients.h - the connections of a server that has one thread, in the order of their
 * last activity, in libkit: the one idle longest makes way for others.
 *
 * The caller's state of a client begins with a struct mc_client.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include <collector/plugin.h>

struct mc_client {
	struct mc_client *older, *newer; /* By the time of their activity. */
	mc_time active;                  /* The caller's; monotonic. */
};

struct mc_clients { /* All zero: none. */
	struct mc_client *oldest, *newest;
	struct mc_client *closed; /* To be freed; the next one is 'newer'. */
	size_t len;               /* Without the closed ones. */
};

/* Adds one as the newest. */
void mc_clients_add(struct mc_clients *, struct mc_client *);

/* It was active: it becomes the newest. */
void mc_clients_use(struct mc_clients *, struct mc_client *);

/* Takes it out.  It stays until mc_clients_free_closed(): an event of this
 * round of epoll_wait(2) may still point at it. */
void mc_clients_close(struct mc_clients *, struct mc_client *);

/* Has 'free_one' free those that were closed; false: not yet. */
void mc_clients_free_closed(struct mc_clients *, bool (*free_one)(struct mc_client *));
