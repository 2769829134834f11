/* SPDX-License-Identifier: MIT */
/* Notifications are recognized by a 64-bit FNV-1a hash of all that they say. */
#include "seen.h"

#include <string.h>

#include <collector/kit/hash.h>

void seen_init(struct seen *seen)
{
	memset(seen->hashes, 0, sizeof(seen->hashes));
	pthread_mutex_init(&seen->lock, NULL);
}

void seen_done(struct seen *seen)
{
	pthread_mutex_destroy(&seen->lock);
}

static uint64_t hash_of(const struct mc_notification *notification)
{
	uint64_t hash = mc_hash_start();

	hash = mc_hash_bytes(hash, &notification->time,
			     sizeof(notification->time));
	hash = mc_hash_bytes(hash, &notification->severity,
			     sizeof(notification->severity));
	hash = mc_hash_text(hash, notification->id.host);
	hash = mc_hash_text(hash, notification->id.plugin);
	hash = mc_hash_text(hash, notification->id.plugin_instance);
	hash = mc_hash_text(hash, notification->id.type);
	hash = mc_hash_text(hash, notification->id.type_instance);
	return mc_hash_text(hash, notification->message);
}

bool seen_add(struct seen *seen, const struct mc_notification *notification)
{
	uint64_t hash = hash_of(notification),
		 *slot = &seen->hashes[hash % SEEN_LEN];
	bool is_new;

	pthread_mutex_lock(&seen->lock);
	is_new = *slot != hash;
	*slot = hash;
	pthread_mutex_unlock(&seen->lock);
	return is_new;
}
