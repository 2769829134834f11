/* SPDX-License-Identifier: MIT */
#include "datagrams.h"

/* The datagrams of one system call are one batch. */
static void take(void *argument, int fd, const struct mc_datagrams *all, int len)
{
	struct datagrams *datagrams = argument;
	struct mc_batch *batch = mc_begin(datagrams->ctx);

	(void)fd;
	mc_charge(batch, datagrams->quota);
	for (int i = 0; i < len; i++) {
		struct mc_datagram datagram = mc_datagrams_get(all, i);
		struct points_result result;

		points_put(datagrams->points, batch,
			   &(struct points_text){ datagram.bytes, datagram.size, 1 }, &result);
		datagrams->cut += datagram.cut;
	}
	mc_commit(batch);
}

static void take_drops(void *argument, uint64_t number)
{
	struct datagrams *datagrams = argument;

	datagrams->dropped += number;
}

void datagrams_run(struct datagrams *datagrams)
{
	const struct mc_datagram_calls calls = { datagrams, take, take_drops };

	mc_datagram_sockets_run(datagrams->ctx, &datagrams->sockets, &calls);
}

void datagrams_done(struct datagrams *datagrams)
{
	mc_datagram_sockets_close(&datagrams->sockets);
	mc_quota_free(datagrams->quota);
	datagrams->quota = NULL;
}
