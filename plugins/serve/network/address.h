/* SPDX-License-Identifier: MIT */
/* Addresses of UDP sockets, and what is set on a socket for one. */
#ifndef NETWORK_ADDRESS_H
#define NETWORK_ADDRESS_H

#include <netinet/in.h>
#include <sys/socket.h>

#include <collector/plugin.h>

#define ADDRESS_TEXT_SIZE (INET6_ADDRSTRLEN + 40)
#define ADDRESS_MAX 16 /* Of one name that are looked at. */

struct address_list {
	struct sockaddr_storage items[ADDRESS_MAX];
	unsigned len;
};

/* Looks a name or number up.  'flags' are getaddrinfo()'s.  Returns 0 or
 * getaddrinfo()'s error. */
int address_find(const char *host, const char *port, int flags,
		 struct address_list *);

/* "192.0.2.1:25826", "[::1]:25826"; returns 'out'. */
const char *address_text(const struct sockaddr_storage *,
			 char out[ADDRESS_TEXT_SIZE]);

socklen_t address_size(const struct sockaddr_storage *);
bool address_equal(const struct sockaddr_storage *,
		   const struct sockaddr_storage *);
bool address_multicast(const struct sockaddr_storage *);

/* For a socket that listens at the address: joins the group, if it is one, on
 * the interface; or takes only what comes in by that interface.  'interface'
 * may be NULL.  Returns 0 or -errno. */
int address_join(int fd, const struct sockaddr_storage *,
		 const char *interface);

/* For a socket that sends to the address: by which interface. */
int address_leave_by(int fd, const struct sockaddr_storage *,
		     const char *interface);

/* Likewise: how many routers it may pass. */
int address_set_ttl(int fd, const struct sockaddr_storage *, int ttl);

#endif
