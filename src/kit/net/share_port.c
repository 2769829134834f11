/* SPDX-License-Identifier: MIT */
/* socket(7) for SO_REUSEADDR, which the kernel looks at in bind(2) only: of the
 * new socket and of those that are there. */
#include "kit/net/share_port.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stdlib.h>

#include <collector/kit/address.h>

#define SOCKETS_MAX 64

struct owned { /* A socket of this process. */
	int fd;
	int reuse; /* Its SO_REUSEADDR. */
};

static in_port_t port_of(const struct sockaddr_storage *address)
{
	return address->ss_family == AF_INET6 ? ((const struct sockaddr_in6 *)address)->sin6_port
					      : ((const struct sockaddr_in *)address)->sin_port;
}

/* Whether it is a socket for datagrams that has the port at another address. */
static bool has_port(int fd, const struct sockaddr_storage *wanted)
{
	struct sockaddr_storage address = { 0 };
	socklen_t size = sizeof(address), type_size = sizeof(int);
	int type;

	return getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &type_size) == 0 && type == SOCK_DGRAM &&
	       getsockname(fd, (struct sockaddr *)&address, &size) == 0 &&
	       (address.ss_family == AF_INET || address.ss_family == AF_INET6) &&
	       port_of(&address) == port_of(wanted) && !mc_address_equal(&address, wanted);
}

static size_t find_owned(int fd, const struct sockaddr_storage *address,
			 struct owned owned[SOCKETS_MAX])
{
	const struct dirent *entry;
	DIR *folder = opendir("/proc/self/fd");
	size_t len = 0;

	while (folder != NULL && len < SOCKETS_MAX && (entry = readdir(folder)) != NULL) {
		socklen_t size = sizeof(int);
		int other = (int)strtol(entry->d_name, NULL, 10);

		if (!isdigit((unsigned char)entry->d_name[0]) || other == fd ||
		    !has_port(other, address))
			continue;
		owned[len].fd = other;
		if (getsockopt(other, SOL_SOCKET, SO_REUSEADDR, &owned[len].reuse, &size) == 0)
			len++;
	}
	if (folder != NULL)
		closedir(folder);
	return len;
}

static void set_reuse(int fd, int reuse)
{
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &reuse, sizeof(reuse));
}

int share_port_bind(int fd, const struct sockaddr_storage *address)
{
	struct owned owned[SOCKETS_MAX];
	size_t len = find_owned(fd, address, owned);
	int rc = 0;

	if (len == 0)
		return -EADDRINUSE;
	set_reuse(fd, 1);
	for (size_t i = 0; i < len; i++)
		set_reuse(owned[i].fd, 1);
	if (bind(fd, (const struct sockaddr *)address, mc_address_size(address)) != 0)
		rc = -errno;
	set_reuse(fd, mc_address_multicast(address));
	for (size_t i = 0; i < len; i++)
		set_reuse(owned[i].fd, owned[i].reuse);
	return rc;
}
