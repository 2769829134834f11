/* SPDX-License-Identifier: MIT */
/* A leaky bucket for each sender, in a table of fixed size: when all slots of its hash are taken a
 * new sender gets that of the sender with the fewest series. */
#include "kit/net/sender_limit.h"

#include <errno.h>
#include <netinet/in.h>
#include <stdlib.h>

#include <collector/kit/address.h>
#include <collector/kit/alloc.h>
#include <collector/kit/hash.h>

#define SENDER_WAYS 4    /* Places of one hash. */
#define SENDER_LEN 16384 /* Remembered; more share slots with others. */
#define HOUR (3600 * MC_SECOND)

void mc_sender_limit_init(struct mc_sender_limit *sender, int64_t limit)
{
	*sender = (struct mc_sender_limit){ .limit = (double)limit };
	pthread_mutex_init(&sender->lock, NULL);
	sender->slots = mc_alloc_array(SENDER_LEN, sizeof(*sender->slots));
}

void mc_sender_limit_done(struct mc_sender_limit *sender)
{
	pthread_mutex_destroy(&sender->lock);
	free(sender->slots);
	sender->slots = NULL;
}

uint64_t mc_sender_limit_key(const struct sockaddr_storage *address, const char *user)
{
	uint64_t hash = mc_hash_start();
	size_t size;
	const void *bytes;

	if (user != NULL)
		return mc_hash_text(hash, user);
	bytes = mc_address_client_bytes(address, &size);
	return mc_hash_bytes(hash, bytes, size);
}

static double made_until(const struct mc_sender_limit *sender, const struct mc_sender_slot *slot,
			 mc_time now) MC_REQUIRES(sender->lock)
{
	double hours = (double)(now - slot->since) / HOUR;
	double made = slot->made - hours * sender->limit;

	return slot->since != 0 && made > 0 ? made : 0;
}

/* The slot of that sender, or the one that it gets. */
static struct mc_sender_slot *find(struct mc_sender_limit *sender, uint64_t key, mc_time now)
	MC_REQUIRES(sender->lock)
{
	struct mc_sender_slot *row = &sender->slots[key % (SENDER_LEN / SENDER_WAYS) * SENDER_WAYS];
	struct mc_sender_slot *least = row;

	for (unsigned i = 0; i < SENDER_WAYS; i++) {
		if (row[i].since != 0 && row[i].key == key)
			return &row[i];
		if (made_until(sender, &row[i], now) < made_until(sender, least, now))
			least = &row[i];
	}
	*least = (struct mc_sender_slot){ .key = key, .since = now };
	return least;
}

bool mc_sender_limit_may_make(struct mc_sender_limit *sender, uint64_t key, mc_time now)
{
	struct mc_sender_slot *slot;
	bool may;

	pthread_mutex_lock(&sender->lock);
	slot = find(sender, key, now);
	slot->made = made_until(sender, slot, now);
	slot->since = now;
	may = slot->made + 1 <= sender->limit;
	slot->made += may;
	pthread_mutex_unlock(&sender->lock);
	return may;
}
