/* SPDX-License-Identifier: MIT */
#include "sender.h"

#include <collector/kit/address.h>
#include <collector/kit/alloc.h>

#include "kit/net/sender_limit.h"

#define SENDERS_MAX 16384 /* That are remembered without a connection. */

void sender_init(struct senders *senders, struct mc_ctx *ctx, const struct mc_quota_limits *limits)
{
	*senders = (struct senders){ .ctx = ctx, .limits = *limits };
}

static void forget(struct senders *senders, struct sender *sender)
{
	mc_lru_remove(&senders->known, &sender->node);
	mc_quota_free(sender->quota);
	free(sender);
}

void sender_done(struct senders *senders)
{
	while (senders->known.oldest != NULL)
		forget(senders, (struct sender *)senders->known.oldest);
	mc_lru_done(&senders->known);
}

struct sender *sender_find(struct senders *senders, const struct sockaddr_storage *address)
{
	uint64_t key = mc_sender_limit_key(address, NULL);
	struct sender *sender = (struct sender *)mc_lru_find(&senders->known, &key, sizeof(key));
	char name[MC_ADDRESS_TEXT_SIZE];

	if (sender != NULL) {
		mc_lru_use(&senders->known, &sender->node);
		return sender;
	}
	sender = mc_alloc_zero(sizeof(*sender));
	sender->key = key;
	mc_address_client(address, name);
	sender->quota = mc_quota_new(senders->ctx, MC_QUOTA_CLIENT, name, &senders->limits);
	mc_lru_add(&senders->known, &sender->node, &sender->key, sizeof(sender->key));
	return sender;
}

void sender_sweep(struct senders *senders)
{
	struct mc_lru_node *node = senders->known.oldest, *next;

	for (; node != NULL && senders->known.map.len > SENDERS_MAX; node = next) {
		next = node->newer;
		if (((struct sender *)node)->clients == 0)
			forget(senders, (struct sender *)node);
	}
}
