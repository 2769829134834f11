/* SPDX-License-Identifier: MIT */
/* Notifications are recognized by a 64-bit FNV-1a hash of all that they say. */
#include "seen.h"

#include <stdlib.h>

#include <collector/kit/alloc.h>
#include <collector/kit/hash.h>

struct notification {
	struct mc_lru_node node;
	uint64_t hash; /* Its key. */
	mc_time used;
};

void seen_init(struct seen *seen)
{
	*seen = (struct seen){ 0 };
	pthread_mutex_init(&seen->lock, NULL);
}

void seen_done(struct seen *seen) MC_NO_LOCK
{
	struct mc_lru_node *next;

	for (struct mc_lru_node *node = seen->notifications.oldest; node != NULL; node = next) {
		next = node->newer;
		free(node);
	}
	mc_lru_done(&seen->notifications);
	pthread_mutex_destroy(&seen->lock);
}

static uint64_t hash_of(const struct mc_notification *notification)
{
	uint64_t hash = mc_hash_start();

	hash = mc_hash_bytes(hash, &notification->time, sizeof(notification->time));
	hash = mc_hash_bytes(hash, &notification->severity, sizeof(notification->severity));
	hash = mc_hash_text(hash, notification->id.host);
	hash = mc_hash_text(hash, notification->id.plugin);
	hash = mc_hash_text(hash, notification->id.plugin_instance);
	hash = mc_hash_text(hash, notification->id.type);
	hash = mc_hash_text(hash, notification->id.type_instance);
	return mc_hash_text(hash, notification->message);
}

static enum seen_answer remember(struct mc_lru *notifications, uint64_t hash, mc_time now)
{
	struct notification *known;

	known = (struct notification *)mc_lru_find(notifications, &hash, sizeof(hash));
	if (known != NULL) {
		known->used = now;
		mc_lru_use(notifications, &known->node);
		return SEEN_BEFORE;
	}
	if (notifications->map.len < SEEN_LEN) {
		known = mc_alloc_zero(sizeof(*known));
	} else {
		known = (struct notification *)notifications->oldest;
		if (now - known->used < SEEN_TIME)
			return SEEN_TOO_MANY;
		mc_lru_remove(notifications, &known->node);
	}
	known->hash = hash;
	known->used = now;
	mc_lru_add(notifications, &known->node, &known->hash, sizeof(known->hash));
	return SEEN_NEW;
}

enum seen_answer seen_add(struct seen *seen, const struct mc_notification *notification,
			  mc_time now)
{
	uint64_t hash = hash_of(notification);
	enum seen_answer answer;

	pthread_mutex_lock(&seen->lock);
	answer = remember(&seen->notifications, hash, now);
	pthread_mutex_unlock(&seen->lock);
	return answer;
}
