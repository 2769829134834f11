/* SPDX-License-Identifier: MIT */
/* Senders by address: their connections, and the quota of series that each may make.
 * Thread: one. */
#pragma once

#include <sys/socket.h>

#include <collector/kit/map.h>
#include <collector/quota.h>

struct sender {
	struct mc_lru_node node;
	uint64_t key;
	unsigned clients; /* Connections. */
	struct mc_quota *quota;
};

struct senders {
	struct mc_ctx *ctx;
	struct mc_quota_limits limits; /* Of each. */
	struct mc_lru known;
};

void sender_init(struct senders *, struct mc_ctx *, const struct mc_quota_limits *);
void sender_done(struct senders *);

/* The sender at that address, of IPv6 in that network.  It stays until the
 * batch of this time is over, and longer if it has connections. */
struct sender *sender_find(struct senders *, const struct sockaddr_storage *);

/* Forgets those who were not heard of for longest, if there are too many: while
 * no batch is charged. */
void sender_sweep(struct senders *);
