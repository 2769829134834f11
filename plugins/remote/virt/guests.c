/* SPDX-License-Identifier: MIT */
/* guests: a hash table; a UUID is as good as random, so it is its own hash. */
#include "guests.h"

#include <stdlib.h>
#include <string.h>

#include <collector/kit/alloc.h>

#define BUCKETS_FIRST 64

static size_t bucket_of(const struct guests *guests,
			const unsigned char uuid[VIR_UUID_BUFLEN])
{
	uint64_t first, second;

	memcpy(&first, uuid, sizeof(first));
	memcpy(&second, uuid + sizeof(first), sizeof(second));
	/* UUIDs that somebody numbered differ in their last bytes only. */
	first ^= second;
	first ^= first >> 32;
	first *= UINT64_C(0x9e3779b97f4a7c15);
	return (first >> 32) & (guests->buckets_len - 1);
}

struct guest *guests_find(const struct guests *guests,
			  const unsigned char uuid[VIR_UUID_BUFLEN])
{
	struct guest *at;

	if (guests->buckets_len == 0)
		return NULL;
	at = guests->buckets[bucket_of(guests, uuid)];
	while (at != NULL && memcmp(at->uuid, uuid, sizeof(at->uuid)) != 0)
		at = at->next;
	return at;
}

static void insert(struct guests *guests, struct guest *guest)
{
	struct guest **bucket =
		&guests->buckets[bucket_of(guests, guest->uuid)];

	guest->next = *bucket;
	*bucket = guest;
}

static void grow(struct guests *guests)
{
	struct guests old = *guests;

	guests->buckets_len =
		old.buckets_len > 0 ? old.buckets_len * 2 : BUCKETS_FIRST;
	guests->buckets =
		mc_alloc_array(guests->buckets_len, sizeof(*guests->buckets));
	for (size_t i = 0; i < old.buckets_len; i++)
		while (old.buckets[i] != NULL) {
			struct guest *guest = old.buckets[i];

			old.buckets[i] = guest->next;
			insert(guests, guest);
		}
	free(old.buckets);
}

struct guest *guests_get(struct guests *guests,
			 const unsigned char uuid[VIR_UUID_BUFLEN])
{
	struct guest *guest = guests_find(guests, uuid);

	if (guest != NULL)
		return guest;
	if (guests->len == guests->buckets_len)
		grow(guests);
	guest = mc_alloc_zero(sizeof(*guest));
	memcpy(guest->uuid, uuid, sizeof(guest->uuid));
	guests_rename(guest, "", "", "", "");
	insert(guests, guest);
	guests->len++;
	return guest;
}

void guests_rename(struct guest *guest, const char *name, const char *metadata,
		   const char *host, const char *instance)
{
	const char *texts[] = { name, metadata, host, instance };
	const char **fields[] = { &guest->name, &guest->metadata, &guest->host,
				  &guest->instance };
	char *old = (char *)guest->name, *at;
	size_t size = 0;

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		size += strlen(texts[i]) + 1;
	at = mc_alloc(size);
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		size = strlen(texts[i]) + 1;
		*fields[i] = memcpy(at, texts[i], size);
		at += size;
	}
	free(old);
}

struct guest *guests_next(const struct guests *guests,
			  const struct guest *guest)
{
	size_t bucket = 0;

	if (guest != NULL) {
		if (guest->next != NULL)
			return guest->next;
		bucket = bucket_of(guests, guest->uuid) + 1;
	}
	for (; bucket < guests->buckets_len; bucket++)
		if (guests->buckets[bucket] != NULL)
			return guests->buckets[bucket];
	return NULL;
}

static void forget(struct guest *guest)
{
	describe_done(&guest->xml);
	kernel_forget(&guest->map);
	free((char *)guest->name);
	free(guest->pins);
	free(guest->watermarks);
	free(guest);
}

void guests_sweep(struct guests *guests, uint64_t seen)
{
	for (size_t i = 0; i < guests->buckets_len; i++)
		for (struct guest **at = &guests->buckets[i]; *at != NULL;) {
			struct guest *guest = *at;

			if (guest->seen == seen) {
				at = &guest->next;
				continue;
			}
			*at = guest->next;
			forget(guest);
			guests->len--;
		}
}

void guests_done(struct guests *guests)
{
	for (size_t i = 0; i < guests->buckets_len; i++)
		while (guests->buckets[i] != NULL) {
			struct guest *guest = guests->buckets[i];

			guests->buckets[i] = guest->next;
			forget(guest);
		}
	free(guests->buckets);
	*guests = (struct guests){ 0 };
}
