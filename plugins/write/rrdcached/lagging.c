/* SPDX-License-Identifier: MIT */
#include "lagging.h"

#include <errno.h>
#include <inttypes.h>

#include <collector/journal.h>
#include <collector/serve.h>
#include <collector/writer.h>

#include "daemon.h"
#include "deferred.h"
#include "enqueue.h"
#include "loss.h"

static const struct loss_cause no_journal = { ENOBUFS,
					      "no answer, and no journal" };
static const struct loss_cause not_kept = { ENOBUFS,
					    "the journal has not kept them" };
static const mc_time read_again = MC_SECOND;

void lagging_open(struct daemon *daemon)
{
	struct behind *behind = &daemon->behind;
	struct mc_offset end;

	behind->track = mc_consumer(daemon->shared->ctx, daemon->address.text,
				    &behind->from, &end);
	behind->active = behind->track != NULL && behind->from.seq < end.seq;
	behind->since = behind->end = end.seq;
}

bool lagging_begin(struct daemon *daemon) MC_REQUIRES(daemon->shared->lock)
{
	struct behind *behind = &daemon->behind;

	if (behind->track == NULL ||
	    daemon->shared->offset.seq == BACKLOG_NO_OFFSET.seq)
		return false;
	behind->active = true;
	behind->from = daemon->shared->offset;
	behind->since = behind->from.seq;
	behind->missing = 0;
	return true;
}

/* What is in no journal would be newer than all that is to come from there. */
void lagging_skip(struct daemon *daemon, struct file *file, int64_t second)
	MC_REQUIRES(daemon->shared->lock)
{
	struct behind *behind = &daemon->behind;
	size_t size;
	const char *path = file_path(file, &size);

	if (second <= file->ahead)
		return;
	if (daemon->shared->offset.seq == BACKLOG_NO_OFFSET.seq) {
		loss_add(daemon, 1, no_journal, path, size);
		return;
	}
	file->ahead = second;
	behind->end = daemon->shared->end;
	behind->missing++;
}

static void say(struct daemon *daemon)
{
	struct behind *behind = &daemon->behind;
	struct mc_ctx *ctx = daemon->shared->ctx;

	if (behind->active && mc_once_failed(&behind->once, 0))
		mc_log(ctx, MC_WARN,
		       "updates for '%s' wait in the journal: it has been away "
		       "for too long",
		       daemon->address.text);
	else if (!behind->active && mc_once_worked(&behind->once) > 0)
		mc_log(ctx, MC_NOTE, "'%s' has caught up",
		       daemon->address.text);
}

/* False if the record must be read again: there was no room for all of it. */
static bool put_record(struct daemon *daemon, const struct mc_batch *batch,
		       struct mc_offset offset,
		       struct file *(*find)(struct mc_ctx *,
					    const struct mc_sample *))
	MC_REQUIRES(daemon->shared->lock)
{
	struct behind *behind = &daemon->behind;

	MC_FOR_EACH_SAMPLE (sample, batch) {
		struct file *file = find(daemon->shared->ctx, sample);
		int64_t second = mc_rrd_second(sample->time);

		if (file == NULL || file->daemon != daemon ||
		    second <= file->second)
			continue;
		/* One that is about to be made: when it is, there is room. */
		if (file->missing && file->failures == 0 &&
		    !deferred_fits(daemon, file))
			return false;
		if (!enqueue_update(daemon, file, second, sample->values,
				    offset))
			return false;
		if (offset.seq >= behind->since && behind->missing > 0)
			behind->missing--;
	}
	return true;
}

/* What should have come and has not is lost. */
static void finish(struct daemon *daemon) MC_REQUIRES(daemon->shared->lock)
{
	struct behind *behind = &daemon->behind;
	static const char what[] = "the oldest";

	behind->active = false;
	loss_add(daemon, behind->missing, not_kept, what, sizeof(what) - 1);
	behind->missing = 0;
}

mc_time lagging_step(struct daemon *daemon, mc_time now,
		     struct file *(*find)(struct mc_ctx *,
					  const struct mc_sample *))
{
	struct behind *behind = &daemon->behind;
	struct mc_batch *batch = NULL;
	struct mc_offset next;
	uint64_t end;
	bool ready, failed, whole;

	pthread_mutex_lock(&daemon->shared->lock);
	ready = behind->active && daemon->up &&
		!backlog_is_full(&daemon->backlog);
	next = behind->from;
	end = behind->end;
	pthread_mutex_unlock(&daemon->shared->lock);
	say(daemon);
	if (!ready)
		return INT64_MAX;
	if (next.seq < end)
		batch = mc_consumer_read(behind->track, &next, end);
	failed = batch == NULL && next.seq < end;
	pthread_mutex_lock(&daemon->shared->lock);
	whole = batch == NULL || put_record(daemon, batch, behind->from, find);
	if (whole)
		behind->from = next;
	if (behind->from.seq >= behind->end)
		finish(daemon);
	ready = behind->active && batch != NULL && whole &&
		!backlog_is_full(&daemon->backlog); /* Else woken. */
	pthread_mutex_unlock(&daemon->shared->lock);
	if (batch != NULL)
		mc_discard(batch);
	if (failed)
		return now + read_again;
	return ready ? 0 : INT64_MAX;
}

void lagging_tell_safe(struct daemon *daemon)
{
	struct behind *behind = &daemon->behind;
	struct mc_offset oldest;

	if (behind->track == NULL)
		return;
	pthread_mutex_lock(&daemon->shared->lock);
	oldest = enqueue_oldest(daemon);
	if (behind->active && behind->from.seq < oldest.seq)
		oldest = behind->from;
	if (oldest.seq == BACKLOG_NO_OFFSET.seq)
		oldest = daemon->shared->offset;
	pthread_mutex_unlock(&daemon->shared->lock);
	if (oldest.seq == BACKLOG_NO_OFFSET.seq ||
	    oldest.seq <= behind->safe.seq)
		return;
	behind->safe = oldest;
	mc_consumer_ack(behind->track, oldest);
}
