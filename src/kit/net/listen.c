/* SPDX-License-Identifier: MIT */
/* socket(7) for SO_REUSEADDR and SO_REUSEPORT, ipv6(7) for IPV6_V6ONLY, ip(7)
 * for groups, accept(2) for what may be short. */
#include <collector/kit/listen.h>

#include <errno.h>
#include <net/if.h>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "kit/net/descriptors.h"

#include "kit/net/accept.h"
#include "kit/net/share_port.h"

#define ANY_IPV6 "::"
#define ANY_IPV4 "0.0.0.0"
#define ACCEPT_MAX 64                  /* At once. */
#define STARVED_AGAIN (60 * MC_SECOND) /* Then that is news again. */

static int set(int fd, int level, int option, int value)
{
	if (setsockopt(fd, level, option, &value, sizeof(value)) != 0)
		return -errno;
	return 0;
}

static int join_group(int fd, const struct sockaddr_storage *address, unsigned interface)
{
	struct group_req request = { .gr_interface = interface };

	memcpy(&request.gr_group, address, mc_address_size(address));
	if (setsockopt(fd, address->ss_family == AF_INET6 ? IPPROTO_IPV6 : IPPROTO_IP,
		       MCAST_JOIN_GROUP, &request, sizeof(request)) != 0)
		return -errno;
	return 0;
}

static int use_interface(int fd, const struct sockaddr_storage *address, const char *interface)
{
	unsigned index = interface == NULL ? 0 : if_nametoindex(interface);

	if (interface != NULL && index == 0)
		return -ENODEV;
	if (mc_address_multicast(address))
		return join_group(fd, address, index);
	if (interface != NULL &&
	    setsockopt(fd, SOL_SOCKET, SO_BINDTODEVICE, interface, strlen(interface)) != 0)
		return -errno;
	return 0;
}

/* Of datagrams to one host, SO_REUSEADDR would leave them all to the process that came last. */
static int bind_to(int fd, const struct sockaddr_storage *address, int type)
{
	bool alone = type == SOCK_DGRAM && !mc_address_multicast(address);
	int rc = alone ? 0 : set(fd, SOL_SOCKET, SO_REUSEADDR, 1);

	if (rc != 0)
		return rc;
	if (bind(fd, (const struct sockaddr *)address, mc_address_size(address)) == 0)
		return 0;
	if (type == SOCK_DGRAM && errno == EADDRINUSE)
		return share_port_bind(fd, address);
	return -errno;
}

static int open_at(int fd, const struct sockaddr_storage *address, const struct mc_listen *how)
{
	int rc = how->shared ? set(fd, SOL_SOCKET, SO_REUSEPORT, 1) : 0;

	if (rc == 0 && address->ss_family == AF_INET6)
		rc = set(fd, IPPROTO_IPV6, IPV6_V6ONLY, !how->both_families);
	if (rc == 0)
		rc = bind_to(fd, address, how->type);
	if (rc == 0)
		rc = use_interface(fd, address, how->interface);
	if (rc == 0 && how->type == SOCK_STREAM && listen(fd, SOMAXCONN) != 0)
		rc = -errno;
	return rc;
}

int mc_listen_at(const struct sockaddr_storage *address, const struct mc_listen *how)
{
	int fd = socket(address->ss_family, how->type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	int rc;

	if (fd < 0)
		return -errno;
	rc = open_at(fd, address, how);
	if (rc == 0)
		return fd;
	close(fd);
	return rc;
}

static int add_socket(struct mc_ctx *ctx, const struct sockaddr_storage *address,
		      const struct mc_listen *how, struct mc_listen_sockets *out)
{
	char text[MC_ADDRESS_TEXT_SIZE];
	int fd = mc_listen_at(address, how);

	if (fd < 0) {
		mc_log(ctx, MC_WARN, "cannot listen at %s: %s", mc_address_text(address, text),
		       strerror(-fd));
		return fd;
	}
	out->items[out->len++] = (struct mc_listen_socket){ .fd = fd, .address = *address };
	return 0;
}

/* /etc/hosts may give a name the same address twice. */
static bool is_open(const struct mc_listen_sockets *out, const struct sockaddr_storage *address)
{
	for (unsigned i = 0; i < out->len; i++)
		if (mc_address_equal(&out->items[i].address, address))
			return true;
	return false;
}

static void close_all(struct mc_listen_sockets *out)
{
	while (out->len > 0)
		close(out->items[--out->len].fd);
}

/* Whether this machine has the address and another process may listen there, but not we.  A
 * missing address, such as ::1 without IPv6, is not an error for a name that has others. */
static bool is_denied(int rc)
{
	return rc == -EADDRINUSE || rc == -EACCES || rc == -EPERM;
}

int mc_listen_host(struct mc_ctx *ctx, const char *host, const char *port,
		   const struct mc_listen *how, struct mc_listen_sockets *out)
{
	struct mc_addresses list;
	int rc = mc_address_find(host, port, how->type, AI_PASSIVE, &list);

	out->len = 0;
	if (rc != 0)
		return mc_fail(ctx, 0, "cannot find '%s' port '%s': %s", host, port,
			       gai_strerror(rc));
	for (unsigned i = 0; i < list.len && !is_denied(rc); i++)
		if ((!how->no_groups || !mc_address_multicast(&list.items[i])) &&
		    !is_open(out, &list.items[i]))
			rc = add_socket(ctx, &list.items[i], how, out);
	if (is_denied(rc))
		close_all(out);
	else if (out->len > 0 || rc == 0)
		return 0;
	if (rc == -EAFNOSUPPORT && strcmp(host, ANY_IPV6) == 0)
		return mc_listen_host(ctx, ANY_IPV4, port, how, out);
	return mc_fail(ctx, -rc, "cannot listen at '%s' port '%s'", host, port);
}

/* --- Taking in ----------------------------------------------------------- */

/* True if that is unknown, too. */
static bool is_awaited(int listener)
{
	struct pollfd waiting = { .fd = listener, .events = POLLIN };

	return poll(&waiting, 1, 0) != 0;
}

/* The descriptor; -EAGAIN: nobody waits; or what is short. */
static int take_one(const struct mc_accept *accept)
{
	int listener = accept->listener, fd;

	if (!mc_descriptors_left(accept->asks))
		return is_awaited(listener) ? -EMFILE : -EAGAIN;
	fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
	if (fd >= 0)
		return fd;
	if (errno == EMFILE || errno == ENFILE || errno == ENOMEM || errno == ENOBUFS)
		return -errno;
	return -EAGAIN;
}

static void begin_pause(struct mc_accept *accept, struct mc_ctx *ctx, mc_time now, int status)
{
	if (accept->starved != -status || now - accept->starved_at >= STARVED_AGAIN)
		mc_log(ctx, MC_WARN,
		       "cannot accept a client: %s; trying again as soon as "
		       "one has been idle for a moment",
		       strerror(-status));
	accept->starved = -status;
	accept->starved_at = now;
	accept->paused = true;
}

bool mc_accept_some(struct mc_accept *accept, struct mc_ctx *ctx, mc_time now,
		    const struct mc_accept_calls *calls)
{
	for (int i = 0; i < ACCEPT_MAX; i++) {
		int fd = take_one(accept);

		if (fd >= 0) {
			calls->add(calls->argument, fd);
			continue;
		}
		if (fd == -EAGAIN)
			return true;
		if (calls->make_room != NULL && calls->make_room(calls->argument))
			continue;
		begin_pause(accept, ctx, now, fd);
		return false;
	}
	return true;
}

bool mc_accept_resumes(struct mc_accept *accept, mc_time now)
{
	if (!accept->paused || now - accept->starved_at < MC_ACCEPT_PAUSE)
		return false;
	accept->paused = false;
	return true;
}
