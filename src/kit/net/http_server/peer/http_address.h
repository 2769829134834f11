/* SPDX-License-Identifier: MIT */
/* How many connections each address has at a listener, whichever of its threads
 * serves them, and how many TLS handshakes it may begin.
 *
 * A handshake costs a signature of ours, and the other side next to nothing: an address may have as
 * many at once as connections, and an eighth of that more each second.  A connection with a request
 * gets its handshake back, so that senders may come as often as they like.  Thread: any. */
#pragma once

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include <collector/kit/lock.h>
#include <collector/kit/lru.h>
#include <collector/plugin.h>

struct sockaddr;
struct http_address;

enum http_address_verdict {
	HTTP_ADDRESS_WELCOME,
	HTTP_ADDRESS_FULL,    /* It has as many connections as it may. */
	HTTP_ADDRESS_SPENT,   /* It has begun as many handshakes as it may. */
	HTTP_ADDRESS_CROWDED, /* Descriptors are short, of all. */
	HTTP_ADDRESS_VERDICTS,
};

struct http_addresses {
	pthread_mutex_t lock;
	/* Of struct http_address: those with connections, and those without
	 * that may not begin all handshakes. */
	struct mc_lru names MC_GUARDED_BY(lock);
	struct mc_lru idle MC_GUARDED_BY(lock);
	unsigned max;    /* Connections of one; never changes. */
	bool handshakes; /* Whether they are limited; never changes. */
	struct {
		uint64_t news; /* Connections that were not logged. */
		mc_time when;  /* Of the last line. */
	} verdicts[HTTP_ADDRESS_VERDICTS] MC_GUARDED_BY(lock);
};

void http_address_init(struct http_addresses *, unsigned max, bool handshakes);
void http_address_done(struct http_addresses *) MC_NO_LOCK;

/* Whether one more connection may come from there.  'news' is how many were refused for that reason
 * since it was last logged if that is to be done now, as it is every minute, else 0. */
enum http_address_verdict http_address_may_enter(struct http_addresses *, const struct sockaddr *,
						 uint64_t *news);

/* One is refused for that reason; returns 'news'. */
uint64_t http_address_refuse(struct http_addresses *, enum http_address_verdict);

/* A connection has come; http_address_leave() must follow.  NULL: it is one too
 * many, as others came by other threads since http_address_may_enter(). */
struct http_address *http_address_enter(struct http_addresses *, const struct sockaddr *);

/* It has brought a first request, which need not be refused. */
void http_address_serves(struct http_addresses *, struct http_address *);

/* It has ended; NULL is allowed.  The address may be freed. */
void http_address_leave(struct http_addresses *, struct http_address *);
