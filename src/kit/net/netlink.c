/* SPDX-License-Identifier: MIT */
#include "kit/net/netlink.h"

#include <errno.h>
#include <linux/netlink.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

/* The kernel answers within the call; this is for one that does not. */
#define PATIENCE_S 1

int mc_netlink_open(int protocol)
{
	const struct timeval patience = { .tv_sec = PATIENCE_S };
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, protocol);

	if (fd < 0)
		return -errno;
	if (setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience)) != 0) {
		int error = errno;

		close(fd);
		return -error;
	}
	return fd;
}

int mc_netlink_send(int fd, const void *request, size_t size)
{
	const struct sockaddr_nl kernel = { .nl_family = AF_NETLINK };

	if (sendto(fd, request, size, 0, (const struct sockaddr *)&kernel, sizeof(kernel)) < 0)
		return -errno;
	return 0;
}

ssize_t mc_netlink_receive(int fd, void *buffer, size_t size)
{
	for (;;) {
		struct sockaddr_nl sender = { 0 };
		socklen_t sender_size = sizeof(sender);
		ssize_t received = recvfrom(fd, buffer, size, MSG_TRUNC, (struct sockaddr *)&sender,
					    &sender_size);

		if (received < 0 && errno == EINTR)
			continue;
		if (received < 0)
			return errno == EAGAIN ? -ETIMEDOUT : -errno;
		if (sender.nl_pid != 0) /* Anybody may send here. */
			continue;
		if (received == 0 || (size_t)received > size)
			return -EBADMSG;
		return received;
	}
}

int mc_netlink_answer_whole(int fd, struct mc_netlink_buffer buffer, uint32_t sequence,
			    mc_netlink_visit *visit, void *argument)
{
	bool is_torn = false;
	int rc = 0;

	while (rc == 0) {
		ssize_t size = mc_netlink_receive(fd, buffer.bytes, buffer.size);
		struct mc_netlink_part datagram = { buffer.bytes, (size_t)size };

		if (size < 0)
			return (int)size;
		if (mc_netlink_is_torn(datagram, sequence))
			is_torn = true;
		rc = mc_netlink_walk(datagram, sequence, visit, argument);
	}
	return rc < 0 ? rc : is_torn;
}

int mc_netlink_answer(int fd, struct mc_netlink_buffer buffer, uint32_t sequence,
		      mc_netlink_visit *visit, void *argument)
{
	int rc = mc_netlink_answer_whole(fd, buffer, sequence, visit, argument);

	return rc < 0 ? rc : 0;
}
