/* SPDX-License-Identifier: MIT */
/* getaddrinfo(3), ip(7), ipv6(7). */
#include <collector/kit/address.h>

#include <arpa/inet.h>
#include <errno.h>
#include <net/if.h>
#include <netdb.h>
#include <stdio.h>
#include <string.h>

#define V6_NETWORK_SIZE 8 /* A /64: RFC 4291, section 2.5.4. */
#define V4_IN_V6 12       /* Of an IPv4-mapped one: section 2.5.5.2. */

void mc_address_collect(const struct addrinfo *found, struct mc_addresses *list)
{
	list->len = 0;
	for (const struct addrinfo *a = found; a != NULL; a = a->ai_next) {
		if (list->len == MC_ADDRESSES_MAX || a->ai_addrlen > sizeof(*list->items))
			continue;
		memset(&list->items[list->len], 0, sizeof(*list->items));
		memcpy(&list->items[list->len++], a->ai_addr, a->ai_addrlen);
	}
}

int mc_address_find(const char *host, const char *port, int type, int flags,
		    struct mc_addresses *list)
{
	struct addrinfo hints = { .ai_family = AF_UNSPEC, .ai_socktype = type, .ai_flags = flags };
	struct addrinfo *found;
	int rc = getaddrinfo(host, port, &hints, &found);

	if (rc != 0)
		return rc;
	mc_address_collect(found, list);
	freeaddrinfo(found);
	return 0;
}

static const struct sockaddr_in *v4(const struct sockaddr_storage *address)
{
	return (const struct sockaddr_in *)address;
}

static const struct sockaddr_in6 *v6(const struct sockaddr_storage *address)
{
	return (const struct sockaddr_in6 *)address;
}

static bool is_v6(const struct sockaddr_storage *address)
{
	return address->ss_family == AF_INET6;
}

const char *mc_address_text(const struct sockaddr_storage *address, char out[MC_ADDRESS_TEXT_SIZE])
{
	char host[INET6_ADDRSTRLEN] = "?";

	if (is_v6(address)) {
		inet_ntop(AF_INET6, &v6(address)->sin6_addr, host, sizeof(host));
		snprintf(out, MC_ADDRESS_TEXT_SIZE, "[%s]:%u", host, ntohs(v6(address)->sin6_port));
	} else {
		inet_ntop(AF_INET, &v4(address)->sin_addr, host, sizeof(host));
		snprintf(out, MC_ADDRESS_TEXT_SIZE, "%s:%u", host, ntohs(v4(address)->sin_port));
	}
	return out;
}

const void *mc_address_client_bytes(const struct sockaddr_storage *address, size_t *size)
{
	*size = sizeof(struct in_addr);
	if (!is_v6(address))
		return &v4(address)->sin_addr;
	if (IN6_IS_ADDR_V4MAPPED(&v6(address)->sin6_addr))
		return &v6(address)->sin6_addr.s6_addr[V4_IN_V6];
	*size = V6_NETWORK_SIZE;
	return &v6(address)->sin6_addr;
}

const char *mc_address_client(const struct sockaddr_storage *address,
			      char out[MC_ADDRESS_TEXT_SIZE])
{
	size_t size;
	const void *bytes = mc_address_client_bytes(address, &size);
	struct in6_addr padded = { 0 };

	memcpy(&padded, bytes, size);
	inet_ntop(size == sizeof(struct in_addr) ? AF_INET : AF_INET6, &padded, out,
		  MC_ADDRESS_TEXT_SIZE);
	return out;
}

socklen_t mc_address_size(const struct sockaddr_storage *address)
{
	return is_v6(address) ? sizeof(struct sockaddr_in6) : sizeof(struct sockaddr_in);
}

bool mc_address_equal(const struct sockaddr_storage *a, const struct sockaddr_storage *b)
{
	return memcmp(a, b, sizeof(*a)) == 0;
}

bool mc_address_loopback(const struct sockaddr_storage *address)
{
	if (is_v6(address))
		return IN6_IS_ADDR_LOOPBACK(&v6(address)->sin6_addr);
	return ntohl(v4(address)->sin_addr.s_addr) >> 24 == IN_LOOPBACKNET;
}

bool mc_address_multicast(const struct sockaddr_storage *address)
{
	return is_v6(address) ? IN6_IS_ADDR_MULTICAST(&v6(address)->sin6_addr)
			      : IN_MULTICAST(ntohl(v4(address)->sin_addr.s_addr));
}

static int set(int fd, int level, int option, int value)
{
	if (setsockopt(fd, level, option, &value, sizeof(value)) != 0)
		return -errno;
	return 0;
}

/* The index of the interface, 0 if none is named, or -errno. */
static int index_of(const char *interface)
{
	unsigned index;

	if (interface == NULL)
		return 0;
	index = if_nametoindex(interface);
	return index != 0 ? (int)index : -ENODEV;
}

static int bind_to(int fd, const char *interface)
{
	if (interface != NULL &&
	    setsockopt(fd, SOL_SOCKET, SO_BINDTODEVICE, interface, strlen(interface)) != 0)
		return -errno;
	return 0;
}

int mc_address_leave_by(int fd, const struct sockaddr_storage *address, const char *interface)
{
	struct ip_mreqn request = { 0 };
	int index = index_of(interface);

	if (index <= 0)
		return index;
	if (!mc_address_multicast(address))
		return bind_to(fd, interface);
	if (is_v6(address))
		return set(fd, IPPROTO_IPV6, IPV6_MULTICAST_IF, index);
	request.imr_ifindex = index;
	if (setsockopt(fd, IPPROTO_IP, IP_MULTICAST_IF, &request, sizeof(request)) != 0)
		return -errno;
	return 0;
}

int mc_address_set_ttl(int fd, const struct sockaddr_storage *address, int ttl)
{
	bool group = mc_address_multicast(address);

	if (is_v6(address))
		return set(fd, IPPROTO_IPV6, group ? IPV6_MULTICAST_HOPS : IPV6_UNICAST_HOPS, ttl);
	return set(fd, IPPROTO_IP, group ? IP_MULTICAST_TTL : IP_TTL, ttl);
}
