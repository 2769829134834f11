/* SPDX-License-Identifier: MIT */
/* collector/kit/lookup.h - a name that is looked up beside the thread that asks, in libkit:
 * getaddrinfo_a(3).  A resolver that does not answer holds up nobody.  One thread at a time. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/socket.h>

#include <collector/kit/address.h>

struct mc_lookup_query;

struct mc_lookup {
	struct mc_lookup_query *query; /* NULL: none is under way. */
};

/* Begins to look for addresses of 'family', AF_UNSPEC: of any, for sockets of
 * 'type'.  'port' may be NULL.  0, or an error of getaddrinfo(). */
int mc_lookup_start(struct mc_lookup *, const char *host, const char *port, int family, int type);

/* EAI_INPROGRESS; 0, and one address at least; or an error of getaddrinfo().
 * But for the first one the lookup is then over. */
int mc_lookup_all(struct mc_lookup *, struct mc_addresses *);

/* The same with the first address that 'fits' likes, EAI_ADDRFAMILY if none does. */
int mc_lookup_end(struct mc_lookup *, bool (*fits)(void *argument, int family), void *argument,
		  struct sockaddr_storage *);

static inline bool mc_lookup_runs(const struct mc_lookup *lookup)
{
	return lookup->query != NULL;
}

/* Gives up one that is under way.  If it cannot be stopped, what it needs is left to it. */
void mc_lookup_stop(struct mc_lookup *);
