/* SPDX-License-Identifier: MIT */
/* The thread that packets are received in. */
#ifndef NETWORK_RECEIVE_H
#define NETWORK_RECEIVE_H

#include <collector/plugin.h>

#include "listen.h"
#include "take.h"

struct receive {
	struct mc_ctx *ctx;
	const void *mark; /* Of its batches: mc_mark(). */
	struct listen *listen;
	struct take *take;
	struct count *count;
	size_t packet_size;
	int timer;       /* A timerfd that says: flush; or -1. */
	mc_time checked; /* When drops were last looked at. */
};

/* Receives until the instance must stop.  Returns 0, or what mc_fail()
 * returned. */
int receive_run(struct receive *);

#endif
