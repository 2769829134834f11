/* SPDX-License-Identifier: MIT */
/* How many connections each address has at a listener, whichever of its threads
 * serves them, and how many TLS handshakes it may begin.
 *
 * A handshake costs a signature of ours, and the other side next to nothing: an
 * address may have as many at once as connections, and an eighth of that more
 * each second.  Who gets a request across gets the handshake of that connection
 * back, so that senders may come as often as they like.  Any thread. */
#ifndef OTLP_ADDRESS_H
#define OTLP_ADDRESS_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include <collector/plugin.h>

#include <collector/kit/lru.h>

struct sockaddr;
struct address;

enum address_verdict {
	ADDRESS_WELCOME,
	ADDRESS_FULL,  /* It has as many connections as it may. */
	ADDRESS_SPENT, /* It has begun as many handshakes as it may. */
	ADDRESS_VERDICTS,
};

struct addresses {
	pthread_mutex_t lock; /* Guards all below. */
	struct mc_lru names;  /* Of struct address: those with connections. */
	struct mc_lru idle;   /* Without, that may not begin all handshakes. */
	unsigned max;         /* Connections of one; never changes. */
	bool handshakes;      /* Whether they are limited; never changes. */
	struct {
		uint64_t news; /* Connections that were not logged. */
		mc_time when;  /* Of the last line. */
	} verdicts[ADDRESS_VERDICTS];
};

void address_init(struct addresses *, unsigned max, bool handshakes);
void address_done(struct addresses *);

/* Whether one more connection may come from there.  'news' is how many were
 * refused for that reason since it was last logged if that is to be done now,
 * as it is every minute, else 0. */
enum address_verdict address_may_enter(struct addresses *,
				       const struct sockaddr *, uint64_t *news);

/* A connection has come; address_leave() must follow. */
struct address *address_enter(struct addresses *, const struct sockaddr *);

/* It has brought a first request, which need not be refused. */
void address_serves(struct addresses *, struct address *);

/* It has ended; NULL is allowed.  The address may be freed. */
void address_leave(struct addresses *, struct address *);
#endif
