/* SPDX-License-Identifier: MIT */
/* Sockets at one address, and what they accept: for servers of the kit. */
#pragma once

#include <stdbool.h>

#include <collector/kit/listen.h>

/* A socket that listens at the address, one of mc_address_find() with AI_PASSIVE; of datagrams to a
 * group, it joins the group, on the interface.  An address that was in use until just now is taken.
 * A group may be shared with other processes; the port of another address of datagrams may not,
 * only with sockets of this process at other addresses.  Returns the descriptor, or -errno. */
int mc_listen_at(const struct sockaddr_storage *, const struct mc_listen *);

/* Pause of accept() when descriptors or memory are short. */
#define MC_ACCEPT_PAUSE (100 * MC_MILLISECOND)

struct mc_accept_calls {
	void (*add)(void *argument, int fd); /* Takes the descriptor over. */

	/* Closes one idle connection; false without one.  May be NULL. */
	bool (*make_room)(void *argument);
	void *argument;
};

/* Accepts up to 64 waiting connections: those that came before are served first.  False:
 * descriptors (but for the reserve of kit/descriptors.h) or memory are short, and no connection
 * could make room.  It has logged that, unless the last pause for that reason was less than a
 * minute ago, and begun a pause, in which the listener is not to be watched; those who wait wait
 * on.  'now' is mc_now(). */
bool mc_accept_some(struct mc_accept *, struct mc_ctx *, mc_time now,
		    const struct mc_accept_calls *);

/* Whether the pause has just ended: the listener is to be watched again. */
bool mc_accept_resumes(struct mc_accept *, mc_time now);
