/* SPDX-License-Identifier: MIT */
/* The threads that packets are received in. */
#pragma once

#include <pthread.h>

#include <collector/kit/loop.h>

#include "kit/net/datagrams.h"

#include "ingest.h"
#include "listen.h"
#include "send.h"

struct receive {
	struct mc_ctx *ctx;
	const void *mark; /* Of its batches: mc_set_origin(). */
	struct listen *listen;
	struct take *take;
	struct count *count;
	size_t packet_size;
	struct send *send; /* Whose held packets this thread has sent, or NULL. */

	struct mc_loop loop; /* receive.c's own, as the next. */
	struct mc_datagrams *round;
	mc_time checked;  /* When drops were last looked at. */
	pthread_t thread; /* Its own, but the first's. */
};

/* Receives until the instance must stop: the first of 'len' in this thread, the
 * others in threads of their own.  Returns 0, or what mc_fail() returned. */
int receive_run(struct receive *, unsigned len);
