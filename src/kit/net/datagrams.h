/* SPDX-License-Identifier: MIT */
/* kit/net/datagrams.h - receives datagrams, many by one system call, in libkit: recvmmsg(2).
 *  A sender that is faster than the reader fills the buffer of the socket; the kernel drops, and
 * counts, the excess.
 *
 * Thread: one at a time for each struct mc_datagrams; any number for a descriptor. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

#define MC_DATAGRAMS_MAX 32 /* Received at once. */

struct mc_datagrams; /* Room for what is received at once. */

struct mc_datagram {
	const struct sockaddr_storage *sender;
	void *bytes; /* The reader may change them; after them is room for a '\0'. */
	size_t size;
	bool cut; /* It was longer than there is room. */
};

/* For datagrams of at most 'size' bytes; memory is used only by those that come. */
struct mc_datagrams *mc_datagrams_new(size_t size);
void mc_datagrams_free(struct mc_datagrams *); /* NULL is fine. */

/* Takes what waits at the socket, without waiting: how many, at most
 * MC_DATAGRAMS_MAX; or a negative errno, -EAGAIN: nothing. */
int mc_datagrams_receive(struct mc_datagrams *, int fd);

/* One of those that were received last, from 0, until more are. */
struct mc_datagram mc_datagrams_get(const struct mc_datagrams *, int number);

/* Asks for a buffer of that many bytes in the kernel, also beyond
 * net.core.rmem_max, where that is allowed; returns how many it has now. */
int mc_datagrams_set_buffer(int fd, int size);

/* Bytes that wait in the kernel; and how many datagrams it has dropped since
 * the socket was made, a number that wraps. */
uint32_t mc_datagrams_waiting(int fd);
uint32_t mc_datagrams_dropped(int fd);
