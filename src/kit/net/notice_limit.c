/* SPDX-License-Identifier: MIT */
/* A leaky bucket for each known sender, and one for all unknown ones. */
#include "kit/net/notice_limit.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <collector/kit/alloc.h>
#include <collector/kit/hash.h>
#include <collector/writer.h>

#define UNKNOWN 0 /* Their key, one for all. */
#define TEXT_SIZE 256
#define FIRST_SUMMARY (10 * MC_SECOND)
#define NEXT_SUMMARY (600 * MC_SECOND)

struct heard { /* An address that has sent. */
	struct mc_lru_node node;
	uint64_t key;
	mc_time first;
};

void mc_notice_limit_init(struct mc_notice_limit *limit, int64_t len)
{
	limit->limited = len > 0;
	pthread_mutex_init(&limit->lock, NULL);
	mc_sender_limit_init(&limit->known, len);
	mc_sender_limit_init(&limit->unknown, (len + 1) / 2);
}

static void forget(struct mc_notice_limit *limit, struct heard *heard) MC_REQUIRES(limit->lock)
{
	mc_lru_remove(&limit->heard, &heard->node);
	free(heard);
}

void mc_notice_limit_done(struct mc_notice_limit *limit) MC_NO_LOCK
{
	if (limit->known.slots == NULL)
		return;
	while (limit->heard.oldest != NULL)
		forget(limit, (struct heard *)limit->heard.oldest);
	mc_lru_done(&limit->heard);
	mc_hash_set_done(&limit->sent);
	mc_hash_set_done(&limit->senders);
	mc_sender_limit_done(&limit->known);
	mc_sender_limit_done(&limit->unknown);
	pthread_mutex_destroy(&limit->lock);
}

/* --- Addresses that were heard before ------------------------------------ */

static bool was_heard(struct mc_notice_limit *limit, uint64_t key, mc_time now)
	MC_REQUIRES(limit->lock)
{
	struct heard *heard = (struct heard *)mc_lru_find(&limit->heard, &key, sizeof(key));

	if (heard == NULL)
		return false;
	mc_lru_use(&limit->heard, &heard->node);
	return now - heard->first >= MC_NOTICE_PROBATION;
}

static bool goes_on(const struct mc_notice_limit *limit, mc_time now) MC_REQUIRES(limit->lock)
{
	return limit->unknown_held != 0 && now - limit->unknown_held < MC_NOTICE_PROBATION;
}

/* No address becomes known by a storm. */
static void remember(struct mc_notice_limit *limit, uint64_t key, mc_time now)
	MC_REQUIRES(limit->lock)
{
	struct heard *heard;

	if (goes_on(limit, now) || mc_lru_find(&limit->heard, &key, sizeof(key)) != NULL)
		return;
	if (limit->heard.map.len == MC_NOTICE_HEARD_MAX)
		forget(limit, (struct heard *)limit->heard.oldest);
	heard = mc_alloc_zero(sizeof(*heard));
	heard->key = key;
	heard->first = now;
	mc_lru_add(&limit->heard, &heard->node, &heard->key, sizeof(heard->key));
}

/* Addresses that came lately were its beginning. */
static void begin(struct mc_notice_limit *limit, mc_time now) MC_REQUIRES(limit->lock)
{
	struct mc_lru_node *node = limit->heard.oldest, *next;

	for (; node != NULL; node = next) {
		struct heard *heard = (struct heard *)node;

		next = node->newer;
		if (now - heard->first < MC_NOTICE_PROBATION)
			forget(limit, heard);
	}
}

/* --- What is sent --------------------------------------------------------- */

static uint64_t hash_of(const struct mc_id *id)
{
	uint64_t hash = mc_hash_text(mc_hash_start(), id->host);

	hash = mc_hash_text(hash, id->plugin);
	hash = mc_hash_text(hash, id->plugin_instance);
	hash = mc_hash_text(hash, id->type);
	return mc_hash_text(hash, id->type_instance);
}

static void hold(struct mc_notice_limit *limit, const struct mc_notice_sender *sender,
		 enum mc_severity severity, mc_time now) MC_REQUIRES(limit->lock)
{
	if (!sender->is_known) {
		if (!goes_on(limit, now))
			begin(limit, now);
		limit->unknown_held = now;
	}
	limit->held[severity]++;
	mc_hash_set_add(&limit->senders, sender->key);
	if (limit->summary_due != 0)
		return;
	limit->summary_due = now + FIRST_SUMMARY;
	if (limit->summary != 0 && limit->summary_due < limit->summary + NEXT_SUMMARY)
		limit->summary_due = limit->summary + NEXT_SUMMARY;
}

bool mc_notice_limit_takes(struct mc_notice_limit *limit, struct mc_notice_sender sender,
			   const struct mc_notification *notification, mc_time now)
{
	bool okay = notification->severity == MC_OKAY, recovers, taken;
	uint64_t hash = hash_of(&notification->id);

	if (!limit->limited)
		return true;
	pthread_mutex_lock(&limit->lock);
	recovers = okay && mc_hash_set_remove(&limit->sent, hash);
	sender.is_known = sender.is_known || (!recovers && was_heard(limit, sender.key, now));
	pthread_mutex_unlock(&limit->lock);
	if (recovers)
		return true;
	taken = sender.is_known ? mc_sender_limit_may_make(&limit->known, sender.key, now)
				: mc_sender_limit_may_make(&limit->unknown, UNKNOWN, now);
	pthread_mutex_lock(&limit->lock);
	if (!taken)
		hold(limit, &sender, notification->severity, now);
	else if (!sender.is_known)
		remember(limit, sender.key, now);
	if (taken && !okay)
		mc_hash_set_add(&limit->sent, hash);
	pthread_mutex_unlock(&limit->lock);
	return taken;
}

/* --- The summary ---------------------------------------------------------- */

/* Writes its text, and begins to count anew; returns its severity. */
static enum mc_severity write_summary(struct mc_notice_limit *limit, char out[TEXT_SIZE],
				      mc_time now) MC_REQUIRES(limit->lock)
{
	const uint64_t *held = limit->held;
	size_t senders = limit->senders.len;
	enum mc_severity worst = held[MC_FAILURE] > 0   ? MC_FAILURE
				 : held[MC_WARNING] > 0 ? MC_WARNING
							: MC_OKAY;

	snprintf(out, TEXT_SIZE,
		 "%" PRIu64 " more notifications of %s%zu sender%s: %" PRIu64 " FAILURE, %" PRIu64
		 " WARNING, %" PRIu64 " OKAY; see NoticeLimit",
		 held[MC_FAILURE] + held[MC_WARNING] + held[MC_OKAY],
		 senders == MC_HASH_SET_MAX ? "at least " : "", senders, senders == 1 ? "" : "s",
		 held[MC_FAILURE], held[MC_WARNING], held[MC_OKAY]);
	memset(limit->held, 0, sizeof(limit->held));
	mc_hash_set_done(&limit->senders);
	limit->summary_due = 0;
	limit->summary = now;
	return worst;
}

void mc_notice_limit_sum_up(struct mc_notice_limit *limit, struct mc_ctx *ctx, mc_time now)
{
	const struct mc_field field = { MC_SUMMARY_FIELD, "true" };
	char text[TEXT_SIZE];
	struct mc_notification summary = {
		.id = { .host = ctx->host, .plugin = ctx->name },
		.message = text,
		.fields = &field,
		.fields_len = 1,
	};
	bool due;

	pthread_mutex_lock(&limit->lock);
	due = limit->summary_due != 0 && now >= limit->summary_due;
	if (due)
		summary.severity = write_summary(limit, text, now);
	pthread_mutex_unlock(&limit->lock);
	if (due)
		mc_notify(ctx, &summary);
}
