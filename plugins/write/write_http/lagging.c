/* SPDX-License-Identifier: MIT */
#include "lagging.h"

#include <inttypes.h>
#include <string.h>

#include <collector/serve.h>

void lagging_init(struct lagging *lagging, struct node *node, pthread_mutex_t *lock)
{
	struct mc_offset from = { 0, 0 }, end = { 0, 0 };
	const char *name = node->options->name;

	lagging->node = node;
	lagging->lock = lock;
	lagging->consumer = mc_consumer(
		node->ctx, name != NULL ? name : mc_http_client_url(node->client), &from, &end);
	pthread_mutex_lock(lock);
	lagging->lags = lagging->consumer != NULL && from.seq < end.seq;
	lagging->from = from;
	lagging->end = end;
	pthread_mutex_unlock(lock);
}

void lagging_done(struct lagging *lagging)
{
	if (lagging->batch != NULL)
		mc_discard(lagging->batch);
}

/* --- write()'s -------------------------------------------------------------- */

bool lagging_lags(struct lagging *lagging)
{
	bool lags;

	pthread_mutex_lock(lagging->lock);
	lags = lagging->lags;
	pthread_mutex_unlock(lagging->lock);
	return lags;
}

bool lagging_leave(struct lagging *lagging)
{
	struct mc_offset end;
	bool lags;

	if (!mc_offset_end(lagging->node->ctx, &end))
		return false;
	pthread_mutex_lock(lagging->lock);
	lags = lagging->lags;
	if (lags)
		lagging->end = end;
	pthread_mutex_unlock(lagging->lock);
	return lags;
}

bool lagging_begin(struct lagging *lagging)
{
	struct mc_ctx *ctx = lagging->node->ctx;
	struct mc_offset begin, end;

	if (lagging->consumer == NULL || !mc_offset(ctx, &begin) || !mc_offset_end(ctx, &end))
		return false;
	mc_bisection_clear(&lagging->node->bisection);
	pthread_mutex_lock(lagging->lock);
	lagging->lags = true;
	lagging->from = begin;
	lagging->end = end;
	pthread_mutex_unlock(lagging->lock);
	return true;
}

void lagging_keeps_up(struct lagging *lagging)
{
	struct mc_offset end;

	if (lagging->consumer != NULL && mc_offset_end(lagging->node->ctx, &end))
		mc_consumer_ack(lagging->consumer, end);
}

/* --- run()'s ---------------------------------------------------------------- */

static void say(struct lagging *lagging)
{
	struct node *node = lagging->node;
	const struct mc_http_reply *reply = &node->values.reply;
	const char *url = mc_http_client_url(node->client);

	if (!mc_once_failed(&lagging->once, (uint64_t)reply->status))
		return;
	if (reply->status == 0)
		mc_log(node->ctx, MC_WARN, "values for '%s' wait in the journal: %s", url,
		       reply->why);
	else
		mc_log(node->ctx, MC_WARN,
		       "values for '%s' wait in the journal: it answers with status %ld", url,
		       reply->status);
}

/* Counts what the journal has not kept of what was left to it. */
static void count_lost(struct lagging *lagging, struct mc_offset from, struct mc_offset next)
{
	uint64_t found = lagging->batch != NULL ? lagging->node->samples_len : 0;
	uint64_t lacks = next.samples - from.samples;

	if (next.seq == from.seq + 1 || lacks <= found)
		return;
	mc_consumer_lost(lagging->consumer, lacks - found);
	mc_log(lagging->node->ctx, MC_WARN,
	       "%" PRIu64 " values for '%s' are lost: the journal has not kept them", lacks - found,
	       mc_http_client_url(lagging->node->client));
}

/* Reads the next record; false if it cannot be read now. */
static bool read_next(struct lagging *lagging, struct mc_offset from, struct mc_offset end)
{
	lagging->next = from;
	if (from.seq >= end.seq)
		return true;
	lagging->batch = mc_consumer_read(lagging->consumer, &lagging->next, end.seq);
	if (lagging->batch == NULL && lagging->next.seq < end.seq)
		return false;
	if (lagging->batch != NULL)
		node_begin(lagging->node, lagging->batch);
	count_lost(lagging, from, lagging->next);
	return true;
}

/* The values that were read are delivered; the node keeps up again if none is left. */
static void move_on(struct lagging *lagging)
{
	bool caught_up;

	if (lagging->batch != NULL)
		mc_discard(lagging->batch);
	lagging->batch = NULL;
	mc_consumer_ack(lagging->consumer, lagging->next);
	pthread_mutex_lock(lagging->lock);
	lagging->from = lagging->next;
	caught_up = lagging->from.seq >= lagging->end.seq;
	lagging->lags = !caught_up;
	pthread_mutex_unlock(lagging->lock);
	if (caught_up && mc_once_worked(&lagging->once) > 0)
		mc_log(lagging->node->ctx, MC_NOTE, "'%s' has all values again",
		       mc_http_client_url(lagging->node->client));
}

bool lagging_step(struct lagging *lagging)
{
	struct mc_offset from, end;
	bool lags;

	pthread_mutex_lock(lagging->lock);
	lags = lagging->lags;
	from = lagging->from;
	end = lagging->end;
	pthread_mutex_unlock(lagging->lock);
	if (!lags)
		return false;
	if (lagging->batch == NULL && !read_next(lagging, from, end))
		return false;
	if (lagging->batch != NULL && !node_go_on(lagging->node, false)) {
		say(lagging);
		return false;
	}
	move_on(lagging);
	return true;
}
