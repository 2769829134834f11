/* SPDX-License-Identifier: MIT */
/* An address of IPv4 that comes by a socket of IPv6 is the same address (RFC
 * 4291, section 2.5.5.2). */
#include "kit/net/http_server/peer/http_address.h"

#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>

#include <collector/kit/alloc.h>

#define IDLE_MAX 16384             /* Addresses without connections. */
#define REFILL 8                   /* Seconds for all handshakes. */
#define LOG_AGAIN (60 * MC_SECOND) /* About one reason. */

struct http_address {
	struct mc_lru_node node;
	struct in6_addr number; /* Its bytes are the name. */
	unsigned connections;
	double handshakes; /* That it may begin, */
	mc_time since;     /* at that time. */
};

void http_address_init(struct http_addresses *addresses, unsigned max, bool handshakes)
{
	*addresses = (struct http_addresses){ .max = max, .handshakes = handshakes };
	pthread_mutex_init(&addresses->lock, NULL);
}

static void free_all(struct mc_lru *names)
{
	struct mc_lru_node *next;

	for (struct mc_lru_node *n = names->oldest; n != NULL; n = next) {
		next = n->newer;
		free(n);
	}
	mc_lru_done(names);
}

void http_address_done(struct http_addresses *addresses)
{
	free_all(&addresses->names);
	free_all(&addresses->idle);
	pthread_mutex_destroy(&addresses->lock);
}

static struct in6_addr number_of(const struct sockaddr *from)
{
	struct in6_addr number = { .s6_addr = { [10] = 0xff, [11] = 0xff } };

	if (from->sa_family == AF_UNIX) /* All are this host. */
		return (struct in6_addr)IN6ADDR_ANY_INIT;
	if (from->sa_family == AF_INET6)
		return ((const struct sockaddr_in6 *)(const void *)from)->sin6_addr;
	memcpy(number.s6_addr + 12, &((const struct sockaddr_in *)(const void *)from)->sin_addr, 4);
	return number;
}

/* --- What an address may ------------------------------------------------- */

static void move(struct http_address *address, struct mc_lru *from, struct mc_lru *to)
{
	mc_lru_remove(from, &address->node);
	mc_lru_add(to, &address->node, &address->number, sizeof(address->number));
}

static struct http_address *find(const struct mc_lru *names, const struct in6_addr *number)
{
	return (struct http_address *)mc_lru_find(names, number, sizeof(*number));
}

static struct http_address *find_any(const struct http_addresses *addresses,
				     const struct in6_addr *number) MC_REQUIRES(addresses->lock)
{
	struct http_address *address = find(&addresses->names, number);

	return address != NULL ? address : find(&addresses->idle, number);
}

static void give(const struct http_addresses *addresses, struct http_address *address,
		 double handshakes)
{
	address->handshakes += handshakes;
	if (address->handshakes > addresses->max)
		address->handshakes = addresses->max;
}

static void refill(const struct http_addresses *addresses, struct http_address *address)
{
	mc_time now = mc_now();

	give(addresses, address,
	     (double)(now - address->since) / (double)MC_SECOND * addresses->max / REFILL);
	address->since = now;
}

/* As much is known of an address that was never seen. */
static bool is_as_new(const struct http_addresses *addresses, struct http_address *address)
	MC_REQUIRES(addresses->lock)
{
	if (!addresses->handshakes)
		return true;
	refill(addresses, address);
	return address->handshakes >= addresses->max;
}

static void forget_idle(struct http_addresses *addresses) MC_REQUIRES(addresses->lock)
{
	struct mc_lru *idle = &addresses->idle;

	while (idle->oldest != NULL &&
	       (idle->map.len > IDLE_MAX ||
		is_as_new(addresses, (struct http_address *)idle->oldest))) {
		struct mc_lru_node *oldest = idle->oldest;

		mc_lru_remove(idle, oldest);
		free(oldest);
	}
}

/* Among those with connections. */
static struct http_address *find_or_add(struct http_addresses *addresses,
					const struct in6_addr *number) MC_REQUIRES(addresses->lock)
{
	struct http_address *address = find(&addresses->names, number);

	if (address != NULL)
		return address;
	forget_idle(addresses);
	address = find(&addresses->idle, number);
	if (address != NULL) {
		move(address, &addresses->idle, &addresses->names);
		return address;
	}
	address = mc_alloc_zero(sizeof(*address));
	address->number = *number;
	address->handshakes = addresses->max;
	address->since = mc_now();
	mc_lru_add(&addresses->names, &address->node, &address->number, sizeof(address->number));
	return address;
}

static enum http_address_verdict judge(const struct http_addresses *addresses,
				       struct http_address *address) MC_REQUIRES(addresses->lock)
{
	if (address == NULL)
		return HTTP_ADDRESS_WELCOME;
	if (address->connections >= addresses->max)
		return HTTP_ADDRESS_FULL;
	if (!addresses->handshakes)
		return HTTP_ADDRESS_WELCOME;
	refill(addresses, address);
	return address->handshakes >= 1 ? HTTP_ADDRESS_WELCOME : HTTP_ADDRESS_SPENT;
}

/* Counts it; returns how many are to be logged. */
static uint64_t count(struct http_addresses *addresses, enum http_address_verdict verdict)
	MC_REQUIRES(addresses->lock)
{
	mc_time now = mc_now(), *when = &addresses->verdicts[verdict].when;
	uint64_t news = ++addresses->verdicts[verdict].news;

	if (*when != 0 && now - *when < LOG_AGAIN)
		return 0;
	*when = now;
	addresses->verdicts[verdict].news = 0;
	return news;
}

/* --- Connections ---------------------------------------------------------- */

enum http_address_verdict http_address_may_enter(struct http_addresses *addresses,
						 const struct sockaddr *from, uint64_t *news)
{
	struct in6_addr number = number_of(from);
	enum http_address_verdict verdict;

	pthread_mutex_lock(&addresses->lock);
	verdict = judge(addresses, find_any(addresses, &number));
	*news = verdict != HTTP_ADDRESS_WELCOME ? count(addresses, verdict) : 0;
	pthread_mutex_unlock(&addresses->lock);
	return verdict;
}

uint64_t http_address_refuse(struct http_addresses *addresses, enum http_address_verdict verdict)
{
	uint64_t news;

	pthread_mutex_lock(&addresses->lock);
	news = count(addresses, verdict);
	pthread_mutex_unlock(&addresses->lock);
	return news;
}

struct http_address *http_address_enter(struct http_addresses *addresses,
					const struct sockaddr *from)
{
	struct in6_addr number = number_of(from);
	struct http_address *address;

	pthread_mutex_lock(&addresses->lock);
	address = find_or_add(addresses, &number);
	if (address->connections >= addresses->max) {
		address = NULL;
	} else {
		address->connections++;
		address->handshakes -= addresses->handshakes;
	}
	pthread_mutex_unlock(&addresses->lock);
	return address;
}

void http_address_serves(struct http_addresses *addresses, struct http_address *address)
{
	if (address == NULL || !addresses->handshakes)
		return;
	pthread_mutex_lock(&addresses->lock);
	give(addresses, address, 1);
	pthread_mutex_unlock(&addresses->lock);
}

void http_address_leave(struct http_addresses *addresses, struct http_address *address)
{
	if (address == NULL)
		return;
	pthread_mutex_lock(&addresses->lock);
	if (--address->connections == 0 && !is_as_new(addresses, address)) {
		move(address, &addresses->names, &addresses->idle);
	} else if (address->connections == 0) {
		mc_lru_remove(&addresses->names, &address->node);
		free(address);
	}
	forget_idle(addresses);
	pthread_mutex_unlock(&addresses->lock);
}
