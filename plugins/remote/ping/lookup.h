/* SPDX-License-Identifier: MIT */
/* A name that is looked up beside the thread that asks: getaddrinfo_a(3).  A
 * resolver that does not answer holds up nobody.  One thread at a time. */
#ifndef PING_LOOKUP_H
#define PING_LOOKUP_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/socket.h>

struct lookup_query;

struct lookup {
	struct lookup_query *query; /* NULL: none is under way. */
};

/* Begins to look for addresses of 'family', AF_UNSPEC: of any.  0, or an error
 * of getaddrinfo(). */
int lookup_start(struct lookup *, const char *host, int family);

/* EAI_INPROGRESS; 0, and the first address that 'fits' likes; or an error of
 * getaddrinfo(), EAI_ADDRFAMILY if none fits.  But for the first one the lookup
 * is then over. */
int lookup_end(struct lookup *, bool (*fits)(void *argument, int family),
	       void *argument, struct sockaddr_storage *);

static inline bool lookup_runs(const struct lookup *lookup)
{
	return lookup->query != NULL;
}

/* Gives up one that is under way.  If it cannot be stopped, what it needs is
 * left to it. */
void lookup_stop(struct lookup *);

#endif
