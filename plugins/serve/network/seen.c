/* SPDX-License-Identifier: MIT */
/* Notifications are recognized by a 64-bit FNV-1a hash of all that they say. */
#include "seen.h"

#include <string.h>

#include "hash.h"

void seen_init(struct seen *seen)
{
	memset(seen->hashes, 0, sizeof(seen->hashes));
	pthread_mutex_init(&seen->lock, NULL);
}

void seen_done(struct seen *seen)
{
	pthread_mutex_destroy(&seen->lock);
}

static uint64_t hash_of(const struct mc_notice *notice)
{
	uint64_t hash = hash_start();

	hash = hash_bytes(hash, &notice->time, sizeof(notice->time));
	hash = hash_bytes(hash, &notice->severity, sizeof(notice->severity));
	hash = hash_text(hash, notice->id.host);
	hash = hash_text(hash, notice->id.plugin);
	hash = hash_text(hash, notice->id.plugin_instance);
	hash = hash_text(hash, notice->id.type);
	hash = hash_text(hash, notice->id.type_instance);
	return hash_text(hash, notice->message);
}

bool seen_add(struct seen *seen, const struct mc_notice *notice)
{
	uint64_t hash = hash_of(notice), *slot = &seen->hashes[hash % SEEN_LEN];
	bool is_new;

	pthread_mutex_lock(&seen->lock);
	is_new = *slot != hash;
	*slot = hash;
	pthread_mutex_unlock(&seen->lock);
	return is_new;
}

bool seen_has(struct seen *seen, const struct mc_notice *notice)
{
	uint64_t hash = hash_of(notice);
	bool has;

	pthread_mutex_lock(&seen->lock);
	has = seen->hashes[hash % SEEN_LEN] == hash;
	pthread_mutex_unlock(&seen->lock);
	return has;
}
