/* SPDX-License-Identifier: MIT */
#include "engine/write/notification_limit.h"

#include <stdio.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "base/clock.h"

void notification_limit_done(struct notification_limit *limit)
{
	mc_hash_set_done(&limit->known_failures);
	mc_hash_set_done(&limit->held_hosts);
	*limit = (struct notification_limit){ 0 };
}

static uint64_t hash_text(const char *text, uint64_t seed)
{
	return text != NULL ? XXH3_64bits_withSeed(text, strlen(text) + 1, seed)
			    : XXH3_64bits_withSeed("", 1, seed);
}

static uint64_t hash_of(const struct mc_id *id)
{
	const char *parts[] = { id->host, id->plugin, id->plugin_instance, id->type,
				id->type_instance };
	uint64_t hash = 0;

	for (unsigned i = 0; i < sizeof(parts) / sizeof(*parts); i++)
		hash = hash_text(parts[i], hash);
	return hash;
}

/* --- Periods -------------------------------------------------------------- */

static void begin_period(struct notification_limit *limit, mc_time begun)
{
	limit->begun = begun;
	memset(limit->sources, 0, sizeof(limit->sources));
}

/* The share of the source; those beyond the table share its last place. */
static struct notification_limit_source *find_source(struct notification_limit *limit,
						     const void *source)
{
	struct notification_limit_source *at = limit->sources;
	struct notification_limit_source *last = at + NOTIFICATION_LIMIT_SOURCES - 1;

	while (at < last && at->passed > 0 && at->source != source)
		at++;
	at->source = source;
	return at;
}

static void hold(struct notification_limit *limit, const struct mc_notification *notification)
{
	limit->held[notification->severity]++;
	mc_hash_set_add(&limit->held_hosts, hash_text(notification->id.host, 0));
}

bool notification_limit_passes(struct notification_limit *limit, const void *source,
			       const struct mc_notification *notification, mc_time now)
{
	bool okay = notification->severity == MC_OKAY;
	struct notification_limit_source *share;
	uint64_t hash;

	if (limit->len == 0)
		return true;
	hash = hash_of(&notification->id);
	if (okay && mc_hash_set_remove(&limit->known_failures, hash))
		return true;
	if (notification_limit_due(limit) == CLOCK_NEVER &&
	    now - limit->begun >= NOTIFICATION_LIMIT_PERIOD)
		begin_period(limit, now);
	share = find_source(limit, source);
	if (share->passed >= limit->len) {
		hold(limit, notification);
		return false;
	}
	share->passed++;
	if (!okay)
		mc_hash_set_add(&limit->known_failures, hash);
	return true;
}

static uint64_t held_len(const struct notification_limit *limit)
{
	return limit->held[MC_FAILURE] + limit->held[MC_WARNING] + limit->held[MC_OKAY];
}

mc_time notification_limit_due(const struct notification_limit *limit)
{
	return held_len(limit) > 0 ? limit->begun + NOTIFICATION_LIMIT_PERIOD : CLOCK_NEVER;
}

enum mc_severity notification_limit_sum_up(struct notification_limit *limit,
					   char text[NOTIFICATION_LIMIT_TEXT_SIZE])
{
	const uint64_t *held = limit->held;
	enum mc_severity worst = held[MC_FAILURE] > 0   ? MC_FAILURE
				 : held[MC_WARNING] > 0 ? MC_WARNING
							: MC_OKAY;
	size_t hosts = limit->held_hosts.len;

	snprintf(text, NOTIFICATION_LIMIT_TEXT_SIZE,
		 "%llu more notifications of %s%zu host%s: %llu FAILURE, %llu "
		 "WARNING, %llu OKAY; see NoticeRate",
		 (unsigned long long)held_len(limit), hosts == MC_HASH_SET_MAX ? "at least " : "",
		 hosts, hosts == 1 ? "" : "s", (unsigned long long)held[MC_FAILURE],
		 (unsigned long long)held[MC_WARNING], (unsigned long long)held[MC_OKAY]);
	memset(limit->held, 0, sizeof(limit->held));
	mc_hash_set_done(&limit->held_hosts);
	begin_period(limit, limit->begun + NOTIFICATION_LIMIT_PERIOD);
	return worst;
}
