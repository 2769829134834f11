/* SPDX-License-Identifier: MIT */
/* From a received packet to samples in a batch, and notifications. */
#pragma once

#include <sys/socket.h>

#include <collector/plugin.h>
#include <collector/quota.h>

#include "kit/net/notice_limit.h"
#include "kit/net/sender_limit.h"

#include "allow.h"
#include "count.h"
#include "network.h"
#include "newest.h"
#include "seen.h"
#include "times.h"
#include "users.h"

struct take { /* Shared by all packets. */
	struct mc_ctx *ctx;
	mc_time window; /* 0: see manual.txt. */
	struct allow allow;
	struct count *count;
	struct seen *seen;
	struct mc_sender_limit sender;
	struct mc_notice_limit notices;
	struct mc_quota *quotas[2]; /* Unsigned packets, signed ones. */
	/* Only if a Listen has a SecurityLevel: */
	struct times times;
	struct newest newest;
};

struct take_origin { /* How a packet came in. */
	enum network_level level;
	struct users *users;
	const struct sockaddr_storage *sender;
	mc_time now; /* The time of day. */
};

/* Puts the samples of a packet into the batch and sends its notifications on.  Errors are counted.
 *  The packet is decrypted in place. */
void ingest_packet(struct take *, const struct take_origin *, struct mc_batch *,
		   unsigned char *packet, size_t size);
