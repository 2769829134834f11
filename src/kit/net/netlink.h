/* SPDX-License-Identifier: MIT */
/* kit/net/netlink.h - questions to the kernel by netlink(7), in libkit.
 * Its answers are for the plugin to parse.  Any thread. */
#pragma once

#include <stddef.h>
#include <sys/types.h>

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
