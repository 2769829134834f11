/* SPDX-License-Identifier: MIT */
/* The clients of a server: which of them may connect, and which makes way.  All servers have
 * this one rule, whether their connections are of kit/stream.h or of libmicrohttpd.
 *
 * An address, of IPv6 a network, has a number of connections.  Where they begin with TLS it may
 * begin as many handshakes at once, and an eighth of that more each second, for a handshake costs a
 * signature of ours and the other side next to nothing.  A connection that brings something gets
 * its handshake back, so that senders may connect as often as they like.
 *
 * When there are too many clients, one makes way that is idle and has been for a while: first one
 * that has not brought anything yet, the oldest of them, then the one that has been idle longest.
 * For the first client of an address also a busier one of an address that has several makes way, so
 * that no address can keep others out.
 *
 * Thread: any, but for admission_active(). */
#pragma once

#include <stdatomic.h>

#include <collector/kit/listen.h>

struct admission;

struct admission_rules {
	size_t clients_max;
	int64_t address_max; /* 0: any number, also of handshakes. */
	mc_time idle_min;    /* Before a client makes way. */

	/* Whether nothing is done for a client.  With the lock. */
	bool (*is_idle)(const struct mc_admitted *);

	/* Shuts a client down that makes way or must end, with the lock: its thread, which sees
	 * that, calls admission_leave().  NULL: the caller of admission_make_way() does. */
	void (*shut)(struct mc_admitted *);
};

struct admission *admission_new(const struct admission_rules *);
void admission_free(struct admission *); /* After all have left; NULL is fine. */

void admission_allow(struct admission *, size_t more_clients);

enum admission_verdict {
	ADMISSION_WELCOME,
	ADMISSION_FULL,  /* The address has as many connections as it may. */
	ADMISSION_SPENT, /* It has begun as many handshakes as it may. */
};

/* Whether one more connection may come from there.  'tls': it begins with a handshake. */
enum admission_verdict admission_judge(struct admission *, const struct sockaddr_storage *from,
				       bool tls);

/* Whether there are as many clients as may be: then one has to make way. */
bool admission_is_full(struct admission *);

/* The client that makes way for one from there (NULL: from anywhere), which does not count
 * from now on; NULL: none can.  Of a server with shut() it may be gone already. */
struct mc_admitted *admission_make_way(struct admission *, const struct sockaddr_storage *from);

/* A client has come, all zero; admission_leave() must follow.  Returns how many there are with
 * it; 0: its address has too many, as others came since admission_judge(). */
size_t admission_enter(struct admission *, struct mc_admitted *,
		       const struct sockaddr_storage *from, bool tls);
void admission_leave(struct admission *, struct mc_admitted *);

/* It has brought something, the first time. */
void admission_serves(struct admission *, struct mc_admitted *);

/* It is active now.  Thread: the one that serves it. */
static inline void admission_active(struct mc_admitted *client, mc_time now)
{
	atomic_store_explicit(&client->active, now, memory_order_relaxed);
}

/* Shuts down all that may stay no longer: 'until' returns the time up to which one may, as far as
 * that is known 'now'.  Sets '*ended' to their number, and '*due' to when the next of the others
 * may have to end; INT64_MAX: none has to.  Returns how many are left. */
size_t admission_end(struct admission *admission,
		     mc_time (*until)(const struct mc_admitted *, mc_time now), uint64_t *ended,
		     mc_time *due);

/* How many there are. */
size_t admission_len(struct admission *admission);
