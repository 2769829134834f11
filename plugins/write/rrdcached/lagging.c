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

static const struct loss_cause no_journal = { ENOBUFS, "no answer, and no journal" };
static const mc_time read_again = MC_SECOND;
static const mc_time probe_pause = 600 * MC_SECOND;

static bool is_offset(struct mc_offset offset)
{
	return offset.seq != BACKLOG_NO_OFFSET.seq;
}

static void begin_pass(struct behind *behind, struct mc_offset from)
{
	behind->reading = true;
	behind->again = behind->probe = false;
	behind->pass++;
	behind->from = from;
	behind->left = BACKLOG_NO_OFFSET;
	behind->kept = 0;
}

void lagging_open(struct daemon *daemon)
{
	struct behind *behind = &daemon->behind;
	struct mc_offset from, end;

	behind->track = mc_consumer(daemon->shared->ctx, daemon->address.text, &from, &end);
	/* The only one gets what it has not taken from the writer's cursor. */
	if (behind->track == NULL || !daemon->shared->several)
		return;
	behind->active = behind->whole = from.seq < end.seq;
	behind->since = behind->end = end.seq;
	if (behind->active)
		begin_pass(behind, from);
}

/* --- With the lock ---------------------------------------------------- */

static bool begin(struct daemon *daemon) MC_REQUIRES(daemon->shared->lock)
{
	struct behind *behind = &daemon->behind;

	if (behind->track == NULL || !is_offset(daemon->shared->offset))
		return false;
	if (behind->active)
		return true;
	behind->active = true;
	behind->left = daemon->shared->offset;
	behind->since = behind->left.seq;
	behind->missing = behind->kept = 0;
	return true;
}

bool lagging_begin(struct daemon *daemon) MC_REQUIRES(daemon->shared->lock)
{
	struct behind *behind = &daemon->behind;

	if (!begin(daemon))
		return false;
	behind->whole = true;
	if (!behind->reading)
		begin_pass(behind, behind->left);
	return true;
}

/* A file of several series has no record that is its own. */
bool lagging_leave(struct daemon *daemon, const struct file *file) MC_REQUIRES(daemon->shared->lock)
{
	return file->row == NULL && begin(daemon);
}

bool lagging_holds(const struct daemon *daemon, const struct file *file)
	MC_REQUIRES(daemon->shared->lock)
{
	return daemon->behind.active && (daemon->behind.whole || file->ahead > file->second);
}

/* Samples in no journal would be newer than all that will come from there. */
uint64_t lagging_skip(struct daemon *daemon, struct file *file, int64_t second)
	MC_REQUIRES(daemon->shared->lock)
{
	struct behind *behind = &daemon->behind;
	size_t size;
	const char *path = file_path(file, &size);

	if (second <= file->ahead)
		return 0;
	if (!is_offset(daemon->shared->offset)) {
		loss_add(daemon, 1, no_journal, path, size);
		return 0;
	}
	file->ahead = second;
	behind->end = daemon->shared->end;
	behind->missing++;
	return 1;
}

void lagging_made(struct daemon *daemon, const struct file *file) MC_REQUIRES(daemon->shared->lock)
{
	if (lagging_holds(daemon, file))
		daemon->behind.again = true;
}

struct mc_offset lagging_oldest(const struct daemon *daemon) MC_REQUIRES(daemon->shared->lock)
{
	const struct behind *behind = &daemon->behind;

	if (!behind->active)
		return BACKLOG_NO_OFFSET;
	return behind->reading && behind->from.seq < behind->left.seq ? behind->from : behind->left;
}

/* --- By run() --------------------------------------------------------- */

static void say(struct daemon *daemon, bool active, bool whole)
{
	struct behind *behind = &daemon->behind;
	struct mc_ctx *ctx = daemon->shared->ctx;

	if (active && mc_once_failed(&behind->once, whole))
		mc_log(ctx, MC_WARN,
		       whole ? "updates for '%s' wait in the journal: it has "
			       "been away for too long"
			     : "updates of files that '%s' has still to make "
			       "wait in the journal",
		       daemon->address.text);
	else if (!active && mc_once_worked(&behind->once) > 0)
		mc_log(ctx, MC_NOTE, "'%s' has caught up", daemon->address.text);
}

static void tell_lost(struct daemon *daemon, uint64_t lost)
{
	if (lost == 0)
		return;
	mc_consumer_lost(daemon->behind.track, lost);
	mc_log(daemon->shared->ctx, MC_WARN,
	       "%" PRIu64 " updates for '%s' are lost: the journal has not "
	       "kept them",
	       lost, daemon->address.text);
}

/* The pass leaves an update of a file that cannot be made for the next one, and
 * with it all that come for the file. */
static void leave_again(struct daemon *daemon, struct file *file, int64_t second,
			struct mc_offset offset) MC_REQUIRES(daemon->shared->lock)
{
	struct behind *behind = &daemon->behind;

	if (file->pass == behind->pass && second <= file->kept)
		return; /* The record is read once more. */
	file->pass = behind->pass;
	file->kept = second;
	if (second > file->ahead)
		file->ahead = second;
	behind->kept += offset.seq >= behind->since;
	if (!is_offset(behind->left))
		behind->left = offset;
}

/* False if there is no room now, but soon. */
static bool put_sample(struct daemon *daemon, struct file *file, const struct mc_sample *sample,
		       struct mc_offset offset) MC_REQUIRES(daemon->shared->lock)
{
	struct behind *behind = &daemon->behind;
	int64_t second = mc_rrd_second(sample->time);
	bool fits = !file->missing || deferred_fits(daemon, file);

	if (second <= file->second || !lagging_holds(daemon, file))
		return true;
	/* When one is made that is about to be, there is room. */
	if (file->pass != behind->pass && !fits && file->failures == 0)
		return false;
	if (file->pass == behind->pass || !fits) {
		leave_again(daemon, file, second, offset);
		return true;
	}
	if (!enqueue_update(daemon, file, second, sample->values, offset))
		return false;
	if (offset.seq >= behind->since && behind->missing > 0)
		behind->missing--;
	return true;
}

/* False if the record must be read again: there was no room for all of it. */
static bool put_record(struct daemon *daemon, const struct mc_batch *batch, struct mc_offset offset,
		       struct file *(*find)(struct mc_ctx *, const struct mc_sample *))
	MC_REQUIRES(daemon->shared->lock)
{
	MC_FOR_EACH_SAMPLE (sample, batch) {
		struct file *file = find(daemon->shared->ctx, sample);

		if (file != NULL && file->daemon == daemon && file->whole == NULL &&
		    !put_sample(daemon, file, sample, offset))
			return false;
	}
	return true;
}

/* Samples that should have come and have not are lost. */
static void end_pass(struct daemon *daemon, mc_time now) MC_REQUIRES(daemon->shared->lock)
{
	struct behind *behind = &daemon->behind;

	if (behind->missing > behind->kept)
		behind->lost += behind->missing - behind->kept;
	behind->missing = behind->kept;
	behind->reading = behind->whole = false;
	behind->active = is_offset(behind->left);
	behind->due = now + probe_pause;
}

/* Whether there is a record to read now. */
static bool is_ready(struct daemon *daemon, mc_time now) MC_REQUIRES(daemon->shared->lock)
{
	struct behind *behind = &daemon->behind;
	bool probe = now >= behind->due;

	if (!behind->active || !daemon->up || backlog_is_full(&daemon->backlog))
		return false;
	if (!behind->reading && (behind->again || probe)) {
		probe = !behind->again;
		begin_pass(behind, behind->left);
		behind->probe = probe;
	}
	return behind->reading;
}

/* The record at behind->from was read, 'next' is after it; or the end is reached, and 'batch' is
 * NULL.  Returns whether all of it was put. */
static bool take_record(struct daemon *daemon, const struct mc_batch *batch, struct mc_offset next,
			mc_time now,
			struct file *(*find)(struct mc_ctx *, const struct mc_sample *))
	MC_REQUIRES(daemon->shared->lock)
{
	struct behind *behind = &daemon->behind;

	if (behind->probe && batch != NULL &&
	    next.seq == behind->from.seq + 1) { /* The quota took nothing. */
		behind->left = behind->from;
		behind->kept = behind->missing;
		end_pass(daemon, now);
		return true;
	}
	behind->probe = false;
	if (batch != NULL && !put_record(daemon, batch, behind->from, find))
		return false;
	behind->from = next;
	if (behind->from.seq >= behind->end)
		end_pass(daemon, now);
	return true;
}

mc_time lagging_step(struct daemon *daemon, mc_time now,
		     struct file *(*find)(struct mc_ctx *, const struct mc_sample *))
{
	struct behind *behind = &daemon->behind;
	struct mc_batch *batch = NULL;
	struct mc_offset next;
	bool ready, active, whole, failed;
	uint64_t end, lost;
	mc_time due;

	pthread_mutex_lock(&daemon->shared->lock);
	ready = is_ready(daemon, now);
	active = behind->active;
	whole = behind->whole;
	next = behind->from;
	end = behind->end;
	due = active && !behind->reading ? behind->due : INT64_MAX;
	pthread_mutex_unlock(&daemon->shared->lock);
	say(daemon, active, whole);
	if (!ready)
		return due > now ? due : INT64_MAX;
	if (next.seq < end)
		batch = mc_consumer_read(behind->track, &next, end);
	failed = batch == NULL && next.seq < end;
	if (failed)
		return now + read_again;
	pthread_mutex_lock(&daemon->shared->lock);
	ready = take_record(daemon, batch, next, now, find) &&
		is_ready(daemon, now); /* Else woken. */
	lost = behind->lost;
	behind->lost = 0;
	pthread_mutex_unlock(&daemon->shared->lock);
	tell_lost(daemon, lost);
	if (batch != NULL)
		mc_discard(batch);
	return ready ? 0 : INT64_MAX;
}

void lagging_tell_safe(struct daemon *daemon, struct mc_offset oldest)
{
	struct behind *behind = &daemon->behind;

	if (behind->track == NULL || !is_offset(oldest) || oldest.seq <= behind->safe.seq)
		return;
	behind->safe = oldest;
	mc_consumer_ack(behind->track, oldest);
}
