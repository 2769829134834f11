/* SPDX-License-Identifier: MIT */
/* Facts: recvmmsg(2), socket(7); SO_MEMINFO (linux/sock_diag.h). */
#include "kit/net/datagrams.h"

#include <errno.h>
#include <linux/sock_diag.h>
#include <stdlib.h>

#include <collector/kit/alloc.h>

struct mc_datagrams {
	struct mmsghdr headers[MC_DATAGRAMS_MAX];
	struct iovec vectors[MC_DATAGRAMS_MAX];
	struct sockaddr_storage senders[MC_DATAGRAMS_MAX];
	char *bytes;
};

struct mc_datagrams *mc_datagrams_new(size_t size)
{
	struct mc_datagrams *all = mc_alloc_zero(sizeof(*all));

	all->bytes = mc_alloc(MC_DATAGRAMS_MAX * (size + 1));
	for (size_t i = 0; i < MC_DATAGRAMS_MAX; i++) {
		all->vectors[i] = (struct iovec){ all->bytes + i * (size + 1), size };
		all->headers[i].msg_hdr = (struct msghdr){
			.msg_name = &all->senders[i],
			.msg_iov = &all->vectors[i],
			.msg_iovlen = 1,
		};
	}
	return all;
}

void mc_datagrams_free(struct mc_datagrams *all)
{
	if (all == NULL)
		return;
	free(all->bytes);
	free(all);
}

int mc_datagrams_receive(struct mc_datagrams *all, int fd)
{
	int len;

	for (int i = 0; i < MC_DATAGRAMS_MAX; i++)
		all->headers[i].msg_hdr.msg_namelen = sizeof(all->senders[i]);
	len = recvmmsg(fd, all->headers, MC_DATAGRAMS_MAX, MSG_DONTWAIT, NULL);
	return len < 0 ? -errno : len;
}

struct mc_datagram mc_datagrams_get(const struct mc_datagrams *all, int number)
{
	const struct mmsghdr *header = &all->headers[number];

	return (struct mc_datagram){
		.sender = &all->senders[number],
		.bytes = all->vectors[number].iov_base,
		.size = header->msg_len,
		.cut = (header->msg_hdr.msg_flags & MSG_TRUNC) != 0,
	};
}

int mc_datagrams_set_buffer(int fd, int wanted)
{
	int got = 0;
	socklen_t size = sizeof(int);

	/* The first goes beyond net.core.rmem_max, if we may. */
	if (setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &wanted, size) != 0)
		setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &wanted, size);
	getsockopt(fd, SOL_SOCKET, SO_RCVBUF, &got, &size);
	return got / 2; /* The kernel doubles it for itself: socket(7). */
}

/* One of the numbers of SO_MEMINFO. */
static uint32_t read_meminfo(int fd, unsigned which)
{
	uint32_t numbers[SK_MEMINFO_VARS] = { 0 };
	socklen_t size = sizeof(numbers);

	getsockopt(fd, SOL_SOCKET, SO_MEMINFO, numbers, &size);
	return numbers[which];
}

uint32_t mc_datagrams_waiting(int fd)
{
	return read_meminfo(fd, SK_MEMINFO_RMEM_ALLOC);
}

uint32_t mc_datagrams_dropped(int fd)
{
	return read_meminfo(fd, SK_MEMINFO_DROPS);
}
