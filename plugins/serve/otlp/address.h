/* SPDX-License-Identifier: MIT */
/* How many connections each address has at a listener, whichever of its threads
 * serves them.  Any thread. */
#ifndef OTLP_ADDRESS_H
#define OTLP_ADDRESS_H

#include <pthread.h>
#include <stdbool.h>

#include <collector/kit/lru.h>

struct sockaddr;
struct address;

struct addresses {
	pthread_mutex_t lock; /* Guards all below. */
	struct mc_lru names;  /* Of struct address: those with connections. */
	unsigned max;         /* Connections of one; never changes. */
};

void address_init(struct addresses *, unsigned max);
void address_done(struct addresses *);

/* Whether one more connection may come from there. */
bool address_may_enter(struct addresses *, const struct sockaddr *);

/* A connection has come; address_leave() must follow. */
struct address *address_enter(struct addresses *, const struct sockaddr *);

/* It has ended; NULL is allowed.  The address may be freed. */
void address_leave(struct addresses *, struct address *);

#endif
