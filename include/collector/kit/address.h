/* SPDX-License-Identifier: MIT */
/* collector/kit/address.h - addresses of IPv4 and IPv6, how they are found, and what is set on
 * a socket for one, in libkit.  No function logs; any thread. */
#pragma once

#include <netdb.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/socket.h>

#define MC_ADDRESS_TEXT_SIZE (INET6_ADDRSTRLEN + 40)
#define MC_ADDRESSES_MAX 16 /* Of one name that are looked at. */

struct mc_addresses {
	struct sockaddr_storage items[MC_ADDRESSES_MAX];
	unsigned len;
};

/* Looks a name or number up, for sockets of 'type', SOCK_STREAM or SOCK_DGRAM; 'port' may be NULL.
 * 'flags' are getaddrinfo()'s; without AI_NUMERICHOST it may wait long for an answer.  Returns 0,
 * and at least one address; or getaddrinfo()'s error. */
int mc_address_find(const char *host, const char *port, int type, int flags, struct mc_addresses *);

/* The result of getaddrinfo(). */
void mc_address_collect(const struct addrinfo *, struct mc_addresses *);

/* "192.0.2.1:25826", "[::1]:25826"; returns 'out'. */
const char *mc_address_text(const struct sockaddr_storage *, char out[MC_ADDRESS_TEXT_SIZE]);

/* The client at an address, for limits: without the port; of IPv6 the network, as a host may have
 * as many addresses as it likes.  An IPv4 address that comes by a socket of IPv6 is the same one.
 * The bytes are those of 'address'; mc_address_client() returns 'out'. */
const void *mc_address_client_bytes(const struct sockaddr_storage *address, size_t *size);
const char *mc_address_client(const struct sockaddr_storage *, char out[MC_ADDRESS_TEXT_SIZE]);

/* For bind(2) and connect(2). */
socklen_t mc_address_size(const struct sockaddr_storage *);

/* Whether two results of mc_address_find() are the same. */
bool mc_address_equal(const struct sockaddr_storage *, const struct sockaddr_storage *);

/* Whether only this host can reach it; whether it is a group's. */
bool mc_address_loopback(const struct sockaddr_storage *);
bool mc_address_multicast(const struct sockaddr_storage *);

/* For a socket that sends to the address: by which interface; NULL: as routes
 * say.  Returns 0 or -errno. */
int mc_address_leave_by(int fd, const struct sockaddr_storage *, const char *interface);

/* The same: the number of routers that it may pass. */
int mc_address_set_ttl(int fd, const struct sockaddr_storage *, int ttl);

/* --- Beside the thread that asks --------------------------------------------- */

/* A name is looked up beside the caller: a resolver that does not answer holds up nobody.  One
 * thread at a time. */

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
