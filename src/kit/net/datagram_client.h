/* SPDX-License-Identifier: MIT */
/* kit/net/datagram_client.h - a server that is asked by UDP and waited for, in libkit: for the
 * ask() of a slow_source.
 *
 * Its socket is connected, so datagrams from elsewhere do not come through it.  No function logs.
 * Thread: any that may wait, one at a time. */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct datagram_client {
	const char *host, *port; /* The caller's. */
	int64_t timeout_ms;      /* Of an answer. */
	int fd;                  /* -1: none, at first as well. */
	int64_t deadline;        /* Of the answer to the last question. */
};

/* Has 'ask' ask by the socket of before, or else by that of each address of the host until one is
 * served: a name may have several addresses, and the server listen at one of them.  Returns 0; the
 * negative errno of 'ask' or of the socket, which is closed; or, > 0, the negative of what
 * gai_strerror() explains. */
int datagram_client_ask(struct datagram_client *, int (*ask)(void *argument), void *argument);

/* In ask(): sends a question; 0, or a negative errno. */
int datagram_client_send(struct datagram_client *, const void *bytes, size_t size);

/* In ask(): the next datagram, of up to 'size' bytes.  Returns its size; or a negative errno:
 * -ETIMEDOUT after the deadline. */
ssize_t datagram_client_receive(const struct datagram_client *, void *bytes, size_t size);

/* Closes the socket; without one it is fine. */
void datagram_client_close(struct datagram_client *);
