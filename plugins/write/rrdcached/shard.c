/* SPDX-License-Identifier: MIT */
#include "shard.h"

#include <stdlib.h>
#include <string.h>

#include <collector/kit/alloc.h>

/* FNV-1a, then the finish of MurmurHash3: FNV alone leaves names that differ in
 * their last letter close to each other. */
static uint64_t hash(const char *text, uint64_t number)
{
	uint64_t hash = UINT64_C(14695981039346656037);

	for (; *text != '\0'; text++)
		hash = (hash ^ (unsigned char)*text) * UINT64_C(1099511628211);
	hash ^= number * UINT64_C(0x9e3779b97f4a7c15);
	hash = (hash ^ hash >> 33) * UINT64_C(0xff51afd7ed558ccd);
	hash = (hash ^ hash >> 33) * UINT64_C(0xc4ceb9fe1a85ec53);
	return hash ^ hash >> 33;
}

static int compare(const void *a, const void *b)
{
	const struct shard_point *left = a, *right = b;

	if (left->place != right->place)
		return left->place < right->place ? -1 : 1;
	return (left->daemon > right->daemon) - (left->daemon < right->daemon);
}

void shard_init(struct shard *shard, const char *const *addresses, size_t len)
{
	shard->points_len = len * SHARD_POINTS;
	shard->points = mc_alloc_array(shard->points_len, sizeof(*shard->points));
	for (size_t i = 0; i < shard->points_len; i++)
		shard->points[i] = (struct shard_point){
			.place = hash(addresses[i / SHARD_POINTS], 1 + i % SHARD_POINTS),
			.daemon = (unsigned)(i / SHARD_POINTS),
		};
	qsort(shard->points, shard->points_len, sizeof(*shard->points), compare);
}

void shard_done(struct shard *shard)
{
	free(shard->points);
}

unsigned shard_of(const struct shard *shard, const char *name)
{
	uint64_t place = hash(name, 0);
	size_t low = 0, high = shard->points_len;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (shard->points[middle].place < place)
			low = middle + 1;
		else
			high = middle;
	}
	return shard->points[low % shard->points_len].daemon;
}
