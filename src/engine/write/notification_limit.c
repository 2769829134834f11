/* SPDX-License-Identifier: MIT */
#include "engine/write/notification_limit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "base/alloc.h"
#include "base/clock.h"

void notification_limit_done(struct notification_limit *limit)
{
	free(limit->told);
	*limit = (struct notification_limit){ 0 };
}

/* --- What is failing: a hash table with linear probing --------------------
 */

#define SLOTS ((size_t)2 * NOTIFICATION_LIMIT_TOLD_MAX) /* A power of two. */

/* Never 0, which is an empty slot. */
static uint64_t hash_of(const struct mc_id *id)
{
	const char *parts[] = { id->host, id->plugin, id->plugin_instance,
				id->type, id->type_instance };
	uint64_t hash = 0;

	for (unsigned i = 0; i < sizeof(parts) / sizeof(*parts); i++) {
		const char *part = parts[i] != NULL ? parts[i] : "";

		hash = XXH3_64bits_withSeed(part, strlen(part) + 1, hash);
	}
	return hash | 1;
}

/* Where it is, or where there is room for it. */
static size_t find(const struct notification_limit *limit, uint64_t hash)
{
	size_t slot = (hash >> 1) % SLOTS;

	while (limit->told[slot] != 0 && limit->told[slot] != hash)
		slot = (slot + 1) % SLOTS;
	return slot;
}

static void add(struct notification_limit *limit, uint64_t hash)
{
	size_t slot;

	if (limit->told == NULL)
		limit->told = alloc_array(SLOTS, sizeof(*limit->told));
	slot = find(limit, hash);
	if (limit->told[slot] == hash ||
	    limit->told_len == NOTIFICATION_LIMIT_TOLD_MAX)
		return;
	limit->told[slot] = hash;
	limit->told_len++;
}

/* Returns whether it was there. */
static bool take_out(struct notification_limit *limit, uint64_t hash)
{
	size_t slot;

	if (limit->told == NULL)
		return false;
	slot = find(limit, hash);
	if (limit->told[slot] == 0)
		return false;
	limit->told[slot] = 0;
	limit->told_len--;
	/* Those behind it may now lie nearer to their own slot. */
	for (slot = (slot + 1) % SLOTS; limit->told[slot] != 0;
	     slot = (slot + 1) % SLOTS) {
		uint64_t moved = limit->told[slot];

		limit->told[slot] = 0;
		limit->told[find(limit, moved)] = moved;
	}
	return true;
}

/* --- Periods -------------------------------------------------------------- */

bool notification_limit_passes(struct notification_limit *limit,
			       const struct mc_notification *notification,
			       mc_time now)
{
	bool okay = notification->severity == MC_OKAY;
	uint64_t hash;

	if (limit->len == 0)
		return true;
	hash = hash_of(&notification->id);
	if (okay && take_out(limit, hash))
		return true;
	if (notification_limit_due(limit) == CLOCK_NEVER &&
	    now - limit->begun >= NOTIFICATION_LIMIT_PERIOD) {
		limit->begun = now;
		limit->passed = 0;
	}
	if (limit->passed >= limit->len) {
		limit->held[notification->severity]++;
		return false;
	}
	limit->passed++;
	if (!okay)
		add(limit, hash);
	return true;
}

static uint64_t held_len(const struct notification_limit *limit)
{
	return limit->held[MC_FAILURE] + limit->held[MC_WARNING] +
	       limit->held[MC_OKAY];
}

mc_time notification_limit_due(const struct notification_limit *limit)
{
	return held_len(limit) > 0 ? limit->begun + NOTIFICATION_LIMIT_PERIOD
				   : CLOCK_NEVER;
}

enum mc_severity notification_limit_sum_up(
	struct notification_limit *limit,
	char text[NOTIFICATION_LIMIT_TEXT_SIZE])
{
	const uint64_t *held = limit->held;
	enum mc_severity worst = held[MC_FAILURE] > 0   ? MC_FAILURE
				 : held[MC_WARNING] > 0 ? MC_WARNING
							: MC_OKAY;

	snprintf(text, NOTIFICATION_LIMIT_TEXT_SIZE,
		 "%llu more notifications: %llu FAILURE, %llu WARNING, "
		 "%llu OKAY; see NoticeRate",
		 (unsigned long long)held_len(limit),
		 (unsigned long long)held[MC_FAILURE],
		 (unsigned long long)held[MC_WARNING],
		 (unsigned long long)held[MC_OKAY]);
	memset(limit->held, 0, sizeof(limit->held));
	limit->begun += NOTIFICATION_LIMIT_PERIOD;
	limit->passed = 0;
	return worst;
}
