/* SPDX-License-Identifier: MIT */
/* collector/kit/datagram_sockets.h - the sockets of a server that takes
 * datagrams at all addresses of a name, in libkit. */
#ifndef COLLECTOR_KIT_DATAGRAM_SOCKETS_H
#define COLLECTOR_KIT_DATAGRAM_SOCKETS_H

#include <poll.h>
#include <stdint.h>

#include <collector/kit/address.h>
#include <collector/plugin.h>

struct mc_datagram_sockets {                   /* All zero: none. */
	struct pollfd items[MC_ADDRESSES_MAX]; /* For mc_wait(). */
	uint32_t drops[MC_ADDRESSES_MAX];      /* The kernel's counts. */
	size_t len;
};

/* Listens at each address of 'host'; of "::" also where IPv6 is not known. Asks
 * for 'buffer' bytes in the kernel for each.  Says where it listens, and where
 * it cannot.  Returns 0 if there is one, else what mc_fail() returned.  For
 * start(). */
int mc_datagram_sockets_open(struct mc_ctx *, struct mc_datagram_sockets *,
			     const char *host, const char *port, int buffer);
void mc_datagram_sockets_close(struct mc_datagram_sockets *);

/* How many datagrams the kernel has dropped since the last call.  One thread.
 */
uint64_t mc_datagram_sockets_dropped(struct mc_datagram_sockets *);

/* Bytes that wait in the kernel.  Any thread. */
uint64_t mc_datagram_sockets_waiting(const struct mc_datagram_sockets *);

#endif
