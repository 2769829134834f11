/* SPDX-License-Identifier: MIT */
/* Notifications are recognized by a 64-bit FNV-1a hash of all that they say. */
#include "seen.h"

#include <string.h>

#define FNV_OFFSET UINT64_C(0xcbf29ce484222325)
#define FNV_PRIME UINT64_C(0x100000001b3)

void seen_init(struct seen *seen)
{
	memset(seen->hashes, 0, sizeof(seen->hashes));
	pthread_mutex_init(&seen->lock, NULL);
}

void seen_done(struct seen *seen)
{
	pthread_mutex_destroy(&seen->lock);
}

static uint64_t add_bytes(uint64_t hash, const void *bytes, size_t size)
{
	const unsigned char *at = bytes;

	for (size_t i = 0; i < size; i++)
		hash = (hash ^ at[i]) * FNV_PRIME;
	return hash;
}

/* With its '\0', so that "ab", "c" is not "a", "bc". */
static uint64_t add_text(uint64_t hash, const char *text)
{
	if (text == NULL)
		text = "";
	return add_bytes(hash, text, strlen(text) + 1);
}

static uint64_t hash_of(const struct mc_notice *notice)
{
	uint64_t hash = FNV_OFFSET;

	hash = add_bytes(hash, &notice->time, sizeof(notice->time));
	hash = add_bytes(hash, &notice->severity, sizeof(notice->severity));
	hash = add_text(hash, notice->id.host);
	hash = add_text(hash, notice->id.plugin);
	hash = add_text(hash, notice->id.plugin_instance);
	hash = add_text(hash, notice->id.type);
	hash = add_text(hash, notice->id.type_instance);
	return add_text(hash, notice->message);
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
