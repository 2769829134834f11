/* SPDX-License-Identifier: MIT */
#include "senders.h"

#include <stdlib.h>

#include <collector/kit/alloc.h>
#include <collector/kit/sender_limit.h>

void senders_init(struct senders *senders, double limit)
{
	senders->limit = limit;
	senders->seed = (uint64_t)mc_wall() | 1;
	senders->slots = mc_alloc_array(SENDERS_SLOTS, sizeof(*senders->slots));
}

void senders_done(struct senders *senders)
{
	free(senders->slots);
	senders->slots = NULL;
}

bool senders_may_send(struct senders *senders,
		      const struct sockaddr_storage *sender, mc_time now)
{
	uint64_t key = mc_sender_limit_key(sender, NULL) * senders->seed;
	struct senders_slot *slot =
		&senders->slots[(key >> 32) % SENDERS_SLOTS];

	if (slot->since != 0) {
		double seconds = (double)(now - slot->since) / MC_SECOND;

		slot->sent -= seconds * senders->limit;
		if (slot->sent < 0)
			slot->sent = 0;
	}
	slot->since = now;
	if (slot->sent + 1 > senders->limit * SENDERS_BURST)
		return false;
	slot->sent++;
	return true;
}
