/* SPDX-License-Identifier: MIT */
#include "storm.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <collector/kit/alloc.h>
#include <collector/kit/hash.h>
#include <collector/writer.h>

#define UNKNOWN 0 /* Their key, one for all. */
#define TEXT_SIZE 256

struct storm_heard { /* An address that has sent. */
	struct mc_lru_node node;
	uint64_t key;
	mc_time first;
};

void storm_init(struct storm *storm, int64_t limit)
{
	storm->limited = limit > 0;
	pthread_mutex_init(&storm->lock, NULL);
	mc_sender_limit_init(&storm->known, limit);
	mc_sender_limit_init(&storm->unknown, (limit + 1) / 2);
}

static void forget(struct storm *storm, struct storm_heard *heard)
{
	mc_lru_remove(&storm->heard, &heard->node);
	free(heard);
}

void storm_done(struct storm *storm) MC_NO_LOCK
{
	if (storm->known.slots == NULL)
		return;
	while (storm->heard.oldest != NULL)
		forget(storm, (struct storm_heard *)storm->heard.oldest);
	mc_lru_done(&storm->heard);
	mc_hash_set_done(&storm->known_failures);
	mc_hash_set_done(&storm->senders);
	mc_sender_limit_done(&storm->known);
	mc_sender_limit_done(&storm->unknown);
	pthread_mutex_destroy(&storm->lock);
}

/* --- Who was heard before ------------------------------------------------- */

static bool was_heard(struct storm *storm, uint64_t key, mc_time now)
{
	struct storm_heard *heard =
		(struct storm_heard *)mc_lru_find(&storm->heard, &key, sizeof(key));

	if (heard == NULL)
		return false;
	mc_lru_use(&storm->heard, &heard->node);
	return now - heard->first >= STORM_PROBATION;
}

static bool goes_on(const struct storm *storm, mc_time now)
{
	return storm->unknown_held != 0 && now - storm->unknown_held < STORM_PROBATION;
}

/* Nobody becomes known by a storm. */
static void remember(struct storm *storm, uint64_t key, mc_time now)
{
	struct storm_heard *heard;

	if (goes_on(storm, now) || mc_lru_find(&storm->heard, &key, sizeof(key)) != NULL)
		return;
	if (storm->heard.map.len == STORM_HEARD_MAX)
		forget(storm, (struct storm_heard *)storm->heard.oldest);
	heard = mc_alloc_zero(sizeof(*heard));
	heard->key = key;
	heard->first = now;
	mc_lru_add(&storm->heard, &heard->node, &heard->key, sizeof(heard->key));
}

/* Those who came lately were its beginning. */
static void begin(struct storm *storm, mc_time now)
{
	struct mc_lru_node *node = storm->heard.oldest, *next;

	for (; node != NULL; node = next) {
		struct storm_heard *heard = (struct storm_heard *)node;

		next = node->newer;
		if (now - heard->first < STORM_PROBATION)
			forget(storm, heard);
	}
}

/* --- What is sent --------------------------------------------------------- */

static uint64_t hash_of(const struct mc_id *id)
{
	uint64_t hash = mc_hash_text(mc_hash_start(), id->host);

	hash = mc_hash_text(hash, id->plugin_instance);
	return mc_hash_text(hash, id->type_instance);
}

static void count(struct storm *storm, struct storm_sender sender, enum mc_severity severity,
		  mc_time now) MC_REQUIRES(storm->lock)
{
	storm->held[severity]++;
	mc_hash_set_add(&storm->senders, sender.key);
	if (storm->summary_due != 0)
		return;
	storm->summary_due = now + STORM_FIRST_SUMMARY;
	if (storm->summary != 0 && storm->summary_due < storm->summary + STORM_NEXT_SUMMARY)
		storm->summary_due = storm->summary + STORM_NEXT_SUMMARY;
}

static void hold(struct storm *storm, struct storm_sender sender, enum mc_severity severity,
		 mc_time now)
{
	if (!sender.is_known) {
		if (!goes_on(storm, now))
			begin(storm, now);
		storm->unknown_held = now;
	}
	pthread_mutex_lock(&storm->lock);
	count(storm, sender, severity, now);
	pthread_mutex_unlock(&storm->lock);
}

bool storm_takes(struct storm *storm, struct storm_sender sender,
		 const struct mc_notification *notification, mc_time now)
{
	bool okay = notification->severity == MC_OKAY, taken;
	uint64_t hash = hash_of(&notification->id);

	if (!storm->limited || (okay && mc_hash_set_remove(&storm->known_failures, hash)))
		return true;
	if (!sender.is_known)
		sender.is_known = was_heard(storm, sender.key, now);
	taken = sender.is_known ? mc_sender_limit_may_make(&storm->known, sender.key, now)
				: mc_sender_limit_may_make(&storm->unknown, UNKNOWN, now);
	if (!taken) {
		hold(storm, sender, notification->severity, now);
		return false;
	}
	if (!sender.is_known)
		remember(storm, sender.key, now);
	if (!okay)
		mc_hash_set_add(&storm->known_failures, hash);
	return true;
}

/* --- The summary ---------------------------------------------------------- */

/* Writes its text, and begins to count anew; returns its severity. */
static enum mc_severity write_summary(struct storm *storm, char out[TEXT_SIZE], mc_time now)
	MC_REQUIRES(storm->lock)
{
	const uint64_t *held = storm->held;
	size_t senders = storm->senders.len;
	enum mc_severity worst = held[MC_FAILURE] > 0   ? MC_FAILURE
				 : held[MC_WARNING] > 0 ? MC_WARNING
							: MC_OKAY;

	snprintf(out, TEXT_SIZE,
		 "%" PRIu64 " more notifications of %s%zu sender%s: %" PRIu64 " FAILURE, %" PRIu64
		 " WARNING, %" PRIu64 " OKAY; see NoticeLimit",
		 held[MC_FAILURE] + held[MC_WARNING] + held[MC_OKAY],
		 senders == MC_HASH_SET_MAX ? "at least " : "", senders, senders == 1 ? "" : "s",
		 held[MC_FAILURE], held[MC_WARNING], held[MC_OKAY]);
	memset(storm->held, 0, sizeof(storm->held));
	mc_hash_set_done(&storm->senders);
	storm->summary_due = 0;
	storm->summary = now;
	return worst;
}

void storm_sum_up(struct storm *storm, struct mc_ctx *ctx, mc_time now)
{
	const struct mc_field field = { MC_SUMMARY_FIELD, "true" };
	char text[TEXT_SIZE];
	struct mc_notification summary = {
		.id = { .host = ctx->host, .plugin = "snmptrap" },
		.message = text,
		.fields = &field,
		.fields_len = 1,
	};
	bool due;

	pthread_mutex_lock(&storm->lock);
	due = storm->summary_due != 0 && now >= storm->summary_due;
	if (due)
		summary.severity = write_summary(storm, text, now);
	pthread_mutex_unlock(&storm->lock);
	if (due)
		mc_notify(ctx, &summary);
}
