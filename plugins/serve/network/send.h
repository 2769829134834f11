/* SPDX-License-Identifier: MIT */
/* From samples to packets, which go to every server.  All functions but start, watch and stop are
 * for the writer's thread. */
#pragma once

#include <collector/kit/loop.h>

#include "count.h"
#include "formats/binary/binary.h"
#include "network.h"
#include "server.h"

struct send {
	struct mc_ctx *ctx;
	struct count *count;
	struct server *servers;
	size_t servers_len;
	struct mc_binary_packet packets[SERVER_PACKETS];
	unsigned packets_len; /* In use; the last is being filled. */
	unsigned char *bytes;
	struct mc_loop_wakeup holds; /* The loop: packets are held. */
	struct mc_loop *loop;
	struct mc_loop_timer timer; /* Held packets must go. */
};

/* Return 0, or what mc_fail() returned; send_stop() is due in any case, and
 * does nothing if it was only zeroed. */
int send_start(struct send *, struct mc_ctx *, const struct network_options *, struct count *);
void send_stop(struct send *);

/* Has a loop see that what is held goes in time.  0, or a negative errno. */
int send_watch(struct send *, struct mc_loop *);

/* Return 0, or the result of mc_fail(): -EAGAIN if no server has an address.  Values that do not
 * fill a packet are held until the timer ends. */
int send_batch(struct send *, const struct mc_batch *);
int send_notification(struct send *, const struct mc_notification *);

/* Sends what is held. */
void send_flush(struct send *);
