/* SPDX-License-Identifier: MIT */
/* Sockets that packets come in by, of one receiving thread.  With several, each
 * has sockets of its own at the same addresses, among which the kernel divides
 * the senders: one sender's packets come in by one thread, in order. */
#pragma once

#include <collector/kit/loop.h>

#include "network.h"
#include "users.h"

struct receive;

struct listen_socket {
	struct mc_loop_file file;
	struct receive *receive; /* Whose loop it is in. */
	enum network_level level;
	struct users *users;
	uint32_t drops; /* The kernel's count when it was last read. */
};

struct listen { /* All of one thread. */
	struct listen_socket *sockets;
	size_t len;
	struct users *users; /* One per block. */
	size_t users_len;
};

/* Opens all that the options ask for, for the thread of that number, from 0.  Packets for a
 * multicast group come in at every socket there, so only the first joins.  Returns 0, or the
 * result of mc_fail(); listen_stop() is due in any case. */
int listen_start(struct listen *, struct mc_ctx *, const struct network_options *, unsigned thread);
void listen_stop(struct listen *);

/* Bytes that wait in the kernel, of all sockets.  Thread: any. */
uint64_t listen_queued(const struct listen *);

/* Packets that the kernel has dropped at this socket since the last call. */
uint32_t listen_dropped(struct listen_socket *);
