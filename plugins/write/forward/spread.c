/* SPDX-License-Identifier: MIT */
#include "spread.h"

#include <collector/kit/hash.h>

/* FNV leaves the upper bits of texts that end alike too much alike: the finalizer of MurmurHash3
 * by Austin Appleby, which is in the public domain. */
static uint64_t mix(uint64_t hash)
{
	hash ^= hash >> 33;
	hash *= UINT64_C(0xff51afd7ed558ccd);
	hash ^= hash >> 33;
	hash *= UINT64_C(0xc4ceb9fe1a85ec53);
	return hash ^ hash >> 33;
}

static uint64_t weight_of(const char *host, const char *url)
{
	return mix(mc_hash_text(mc_hash_text(mc_hash_start(), host), url));
}

unsigned spread_shard(const struct spread *spread, const char *host)
{
	unsigned first = 0, second = 0;
	uint64_t most = 0, next = 0;

	for (unsigned i = 0; i < spread->targets_len; i++) {
		uint64_t weight = weight_of(host, spread->urls[i]);

		if (i == 0 || weight > most) {
			second = first;
			next = most;
			first = i;
			most = weight;
		} else if (i == 1 || weight > next || second == first) {
			second = i;
			next = weight;
		}
	}
	return first * spread->targets_len + second;
}

unsigned spread_target(const struct spread *spread, unsigned shard, unsigned attempt)
{
	unsigned first = shard / spread->targets_len, second = shard % spread->targets_len;

	if (attempt == 0 || spread->targets_len == 1)
		return first;
	if (attempt == 1)
		return second;
	for (unsigned i = 0, left = attempt - 2;; i++)
		if (i != first && i != second && left-- == 0)
			return i;
}
