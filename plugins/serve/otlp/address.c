/* SPDX-License-Identifier: MIT */
/* An address of IPv4 that comes by a socket of IPv6 is the same address (RFC
 * 4291, section 2.5.5.2). */
#include "address.h"

#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>

#include <collector/kit/alloc.h>

struct address {
	struct mc_lru_node node;
	struct in6_addr number; /* Its bytes are the name. */
	unsigned connections;
};

void address_init(struct addresses *addresses, unsigned max)
{
	*addresses = (struct addresses){ .max = max };
	pthread_mutex_init(&addresses->lock, NULL);
}

void address_done(struct addresses *addresses)
{
	struct mc_lru_node *next;

	for (struct mc_lru_node *n = addresses->names.oldest; n != NULL;
	     n = next) {
		next = n->newer;
		free(n);
	}
	mc_lru_done(&addresses->names);
	pthread_mutex_destroy(&addresses->lock);
}

static struct in6_addr number_of(const struct sockaddr *from)
{
	struct in6_addr number = { .s6_addr = { [10] = 0xff, [11] = 0xff } };

	if (from->sa_family == AF_INET6)
		return ((const struct sockaddr_in6 *)(const void *)from)
			->sin6_addr;
	memcpy(number.s6_addr + 12,
	       &((const struct sockaddr_in *)(const void *)from)->sin_addr, 4);
	return number;
}

/* Needs the lock. */
static struct address *find(const struct addresses *addresses,
			    const struct in6_addr *number)
{
	return (struct address *)mc_lru_find(&addresses->names, number,
					     sizeof(*number));
}

/* Needs the lock. */
static struct address *add(struct addresses *addresses,
			   const struct in6_addr *number)
{
	struct address *address = mc_alloc_zero(sizeof(*address));

	address->number = *number;
	mc_lru_add(&addresses->names, &address->node, &address->number,
		   sizeof(address->number));
	return address;
}

bool address_may_enter(struct addresses *addresses, const struct sockaddr *from)
{
	struct in6_addr number = number_of(from);
	const struct address *address;
	bool may;

	pthread_mutex_lock(&addresses->lock);
	address = find(addresses, &number);
	may = address == NULL || address->connections < addresses->max;
	pthread_mutex_unlock(&addresses->lock);
	return may;
}

struct address *address_enter(struct addresses *addresses,
			      const struct sockaddr *from)
{
	struct in6_addr number = number_of(from);
	struct address *address;

	pthread_mutex_lock(&addresses->lock);
	address = find(addresses, &number);
	if (address == NULL)
		address = add(addresses, &number);
	address->connections++;
	pthread_mutex_unlock(&addresses->lock);
	return address;
}

void address_leave(struct addresses *addresses, struct address *address)
{
	if (address == NULL)
		return;
	pthread_mutex_lock(&addresses->lock);
	if (--address->connections == 0) {
		mc_lru_remove(&addresses->names, &address->node);
		free(address);
	}
	pthread_mutex_unlock(&addresses->lock);
}
