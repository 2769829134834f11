/* SPDX-License-Identifier: MIT */
/* kit/net/netlink.h - questions to the kernel by netlink(7), in libkit.
 * Any thread. */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "kit/net/netlink_message.h"

/* The kernel fills datagrams of up to this size, if the buffer is so large. */
#define MC_NETLINK_SIZE 32768

/* A socket of that protocol, such as NETLINK_SOCK_DIAG, for close(); or a negative errno. */
int mc_netlink_open(int protocol);

/* Sends a request, all of it.  Returns 0 or a negative errno. */
int mc_netlink_send(int fd, const void *request, size_t size);

/* One datagram of the kernel's; those of others are passed over.  Returns its
 * size, or a negative errno: -ETIMEDOUT if none comes within a second, as the
 * kernel answers at once; -EBADMSG if it is empty or does not fit. */
ssize_t mc_netlink_receive(int fd, void *buffer, size_t size);

struct mc_netlink_buffer { /* Room for a datagram: MC_NETLINK_SIZE, or more. */
	void *bytes;
	size_t size;
};

/* Receives datagrams until the answer to the request with that number ends, and visits its
 * messages. Returns 0 or a negative errno, as above or as of mc_netlink_walk(): the rest of the
 * answer is then still to come. */
int mc_netlink_answer(int fd, struct mc_netlink_buffer buffer, uint32_t sequence,
		      mc_netlink_visit *visit, void *argument);

/* The same for an answer that lists what may change meanwhile (NLM_F_DUMP): receives all of it, and
 * returns 1 if the kernel says that it did change, so that some of the list may lack, or have come
 * twice. */
int mc_netlink_answer_whole(int fd, struct mc_netlink_buffer buffer, uint32_t sequence,
			    mc_netlink_visit *visit, void *argument);
