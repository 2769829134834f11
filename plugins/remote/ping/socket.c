/* SPDX-License-Identifier: MIT */
/* Facts: icmp(7), raw(7), socket(7), cmsg(3); RFC 3542 for ICMP6_FILTER. */
#include "socket.h"

#include <errno.h>
#include <netinet/icmp6.h>
#include <netinet/in.h>
#include <netinet/ip_icmp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#include <collector/kit/address.h>
#include <collector/kit/alloc.h>

#define IP_HEADER_MAX 60

/* Of raw(7); <linux/icmp.h> does not go with every libc's headers. */
#ifndef ICMP_FILTER
#define ICMP_FILTER 1
#endif

#define RECEIVED_MAX 64 /* Packets that are not replies, in one call. */

static int open_type(int family, int type)
{
	int protocol = family == AF_INET6 ? (int)IPPROTO_ICMPV6 : (int)IPPROTO_ICMP;
	int fd = socket(family, type | SOCK_CLOEXEC | SOCK_NONBLOCK, protocol);

	return fd >= 0 ? fd : -errno;
}

static int open_any(int family, bool *raw)
{
	int fd = open_type(family, SOCK_DGRAM);

	*raw = fd == -EACCES || fd == -EPERM || fd == -EPROTONOSUPPORT;
	return *raw ? open_type(family, SOCK_RAW) : fd;
}

int socket_may_open(int family)
{
	bool raw;
	int fd = open_any(family, &raw);

	if (fd < 0)
		return fd;
	close(fd);
	return raw;
}

/* All other messages to this host would come, too. */
static int set_filter(int fd, int family)
{
	struct icmp6_filter v6;
	uint32_t v4 = ~(UINT32_C(1) << ICMP_ECHOREPLY);

	if (family == AF_INET6) {
		ICMP6_FILTER_SETBLOCKALL(&v6);
		ICMP6_FILTER_SETPASS(ICMP6_ECHO_REPLY, &v6);
		return setsockopt(fd, IPPROTO_ICMPV6, ICMP6_FILTER, &v6, sizeof(v6));
	}
	return setsockopt(fd, SOL_RAW, ICMP_FILTER, &v4, sizeof(v4));
}

static int set_options(int fd, int family, const struct socket_options *options)
{
	struct sockaddr_storage any = { .ss_family = (sa_family_t)family };
	const int on = 1;
	int rc = mc_address_set_ttl(fd, &any, options->ttl);

	if (rc < 0)
		return rc;
	if (setsockopt(fd, SOL_SOCKET, SO_TIMESTAMPNS, &on, sizeof(on)) != 0)
		return -errno;
	rc = mc_address_leave_by(fd, &any, options->device);
	if (rc < 0)
		return rc;
	if (options->source != NULL && bind(fd, (const struct sockaddr *)options->source,
					    mc_address_size(options->source)) != 0)
		return -errno;
	return 0;
}

int socket_open(struct socket *socket, int family, const struct socket_options *options)
{
	bool raw;
	int rc = 0, fd = open_any(family, &raw);

	socket->fd = -1;
	if (fd < 0)
		return fd;
	if (raw && set_filter(fd, family) != 0)
		rc = -errno;
	if (rc == 0)
		rc = set_options(fd, family, options);
	if (rc < 0) {
		close(fd);
		return rc;
	}
	*socket = (struct socket){
		.fd = fd,
		.how = { .with_ip = raw && family == AF_INET, .any_id = !raw },
		.echo = { .v6 = family == AF_INET6, .data_size = options->data_size },
		/* Longer ones are seen to be longer. */
		.room = IP_HEADER_MAX + ECHO_HEADER_SIZE + options->data_size + 1,
	};
	socket->packet = mc_alloc(socket->room);
	/* It does not fail for so few bytes, once the system has started. */
	if (getrandom(&socket->echo.token, sizeof(socket->echo.token), 0) < 0)
		socket->echo.token = (uint64_t)mc_wall();
	socket->echo.id = (uint16_t)socket->echo.token;
	return 0;
}

void socket_close(struct socket *socket)
{
	if (socket->fd >= 0 && socket->packet != NULL)
		close(socket->fd);
	free(socket->packet);
	socket->packet = NULL;
	socket->fd = -1;
}

int socket_send(struct socket *socket, const struct sockaddr_storage *to, uint16_t sequence)
{
	size_t size;

	socket->echo.sequence = sequence;
	size = echo_write(&socket->echo, socket->packet);
	if (sendto(socket->fd, socket->packet, size, 0, (const struct sockaddr *)to,
		   mc_address_size(to)) < 0)
		return -errno;
	return 0;
}

/* How long ago the kernel has got it; 0: it does not say, or the clock was set meanwhile. */
static mc_time waited(struct msghdr *message)
{
	struct cmsghdr *control = CMSG_FIRSTHDR(message);
	struct timespec stamp;
	mc_time since;

	for (; control != NULL; control = CMSG_NXTHDR(message, control)) {
		if (control->cmsg_level != SOL_SOCKET || control->cmsg_type != SCM_TIMESTAMPNS)
			continue;
		memcpy(&stamp, CMSG_DATA(control), sizeof(stamp));
		since = mc_wall() - (stamp.tv_sec * MC_SECOND + stamp.tv_nsec);
		return since > 0 && since < MC_SECOND ? since : 0;
	}
	return 0;
}

bool socket_receive(struct socket *socket, struct socket_reply *reply)
{
	for (int i = 0; i < RECEIVED_MAX; i++) {
		union {
			struct cmsghdr header; /* Aligns it. */
			char bytes[256];
		} control;
		struct iovec vector = { socket->packet, socket->room };
		struct msghdr message = {
			.msg_name = &reply->sender,
			.msg_namelen = sizeof(reply->sender),
			.msg_iov = &vector,
			.msg_iovlen = 1,
			.msg_control = &control,
			.msg_controllen = sizeof(control),
		};
		ssize_t size = recvmsg(socket->fd, &message, MSG_DONTWAIT);

		if (size < 0)
			return false;
		reply->waited = waited(&message);
		if (echo_read(socket->packet, (size_t)size, socket->how, &socket->echo,
			      &reply->sequence))
			return true;
	}
	return false;
}
