/* SPDX-License-Identifier: MIT */
/* rrdcached: updates of RRD files by way of rrdcached(1), with the options of
 * collectd 5.12's plugin of that name, and without librrd.
 *
 * write() turns samples into the text of updates, in the place from which they
 * are sent.  run() alone talks to the daemons; it never blocks on one of them,
 * so one that is dead delays nothing but its own files. */
#include <collector/journal.h>
#include <collector/kit/alloc.h>
#include <collector/kit/condition.h>
#include <collector/kit/lock.h>
#include <collector/plugin.h>
#include <collector/serve.h>
#include <collector/writer.h>

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "enqueue.h"
#include "options.h"
#include "place.h"
#include "rrdcached.h"
#include "series_file.h"

/* The core gives all instances five seconds to end. */
static const mc_time stop_limit = 3500 * MC_MILLISECOND;
/* How long write() waits for a daemon that takes updates. */
static const mc_time room_limit = 200 * MC_MILLISECOND;
/* How often offsets are acknowledged to the journal. */
static const mc_time safe_pause = 5 * MC_SECOND;

/* --- What comes from the core ----------------------------------------- */

/* Needs the lock, as series_file_open().  The file of a series, or NULL if it has no sound path. */
static inline struct file *file_of(struct mc_ctx *ctx, const struct mc_sample *sample)
{
	void **slot = mc_slot(ctx, sample->series);

	return *slot != NULL ? *slot : series_file_open(ctx, sample, slot);
}

static bool all_full(const struct rrdcached *rrdcached) MC_REQUIRES(rrdcached->shared.lock)
{
	for (size_t i = 0; i < rrdcached->daemons_len; i++)
		if (!backlog_is_full(&rrdcached->daemons[i].backlog))
			return false;
	return true;
}

/* Whether run() must be woken. */
static bool must_wake(struct rrdcached *rrdcached) MC_REQUIRES(rrdcached->shared.lock)
{
	bool wake = false;

	if (rrdcached->shared.woken)
		return false;
	for (size_t i = 0; i < rrdcached->daemons_len; i++)
		wake |= daemon_wants_wake(&rrdcached->daemons[i]);
	rrdcached->shared.woken = wake;
	return wake;
}

/* Gives the lock up meanwhile.  A daemon that takes updates soon has room. */
static bool wait_for_room(struct rrdcached *rrdcached) MC_REQUIRES(rrdcached->shared.lock)
{
	struct timespec until;
	bool up = false;

	if (!all_full(rrdcached))
		return true;
	for (size_t i = 0; i < rrdcached->daemons_len; i++)
		up |= rrdcached->daemons[i].up;
	if (must_wake(rrdcached))
		mc_loop_wake(&rrdcached->shared.wakeup);
	until = mc_condition_until(room_limit);
	while (up && all_full(rrdcached))
		if (pthread_cond_timedwait(&rrdcached->shared.room, &rrdcached->shared.lock,
					   &until) != 0)
			break;
	return !all_full(rrdcached);
}

/* As wait_for_room(), of joined_put. */
static bool put_update(void *argument, struct file *file, int64_t second,
		       const union mc_value *values) MC_NO_LOCK
{
	while (!daemon_put(file->daemon, file, second, values))
		if (!wait_for_room(argument))
			return false;
	return true;
}

/* As wait_for_room().  '*lost' is how many have no file.  False: not all of it had room.  Samples
 * put before are not put again when the batch is offered again, for nothing of it is newer than
 * the file's latest. */
static bool put_batch(struct rrdcached *rrdcached, struct mc_ctx *ctx, const struct mc_batch *batch,
		      uint64_t *lost) MC_REQUIRES(rrdcached->shared.lock)
{
	struct mc_records records;

	mc_records(ctx, &records);
	if (!mc_offset(ctx, &rrdcached->shared.offset))
		rrdcached->shared.offset = BACKLOG_NO_OFFSET;
	rrdcached->shared.end = records.last + 1;
	joined_reset(&rrdcached->joined);
	MC_FOR_EACH_SAMPLE (sample, batch) {
		struct file *file = file_of(ctx, sample);
		int64_t second = mc_rrd_second(sample->time);

		if (file == NULL)
			++*lost;
		else if (file->whole == NULL ? !put_update(rrdcached, file, second, sample->values)
					     : !joined_value(&rrdcached->joined, file, second,
							     sample->values[0]))
			return false;
	}
	return joined_end(&rrdcached->joined);
}

static void tell_refused(struct mc_ctx *ctx)
{
	struct rrdcached *rrdcached = ctx->self;
	char text[sizeof(rrdcached->refused)];

	if (rrdcached->options.single_template == NULL)
		return;
	pthread_mutex_lock(&rrdcached->shared.lock);
	memcpy(text, rrdcached->refused, sizeof(text));
	rrdcached->refused[0] = '\0';
	pthread_mutex_unlock(&rrdcached->shared.lock);
	if (text[0] != '\0')
		mc_complain(ctx, &rrdcached->refused_once, 0, "%s", text);
}

/* Reports to the core the samples that the daemons have not acknowledged; those put from a batch
 * that is not taken wait in the core. */
static void tell_waiting(struct rrdcached *rrdcached) MC_REQUIRES(rrdcached->shared.lock)
{
	uint64_t waiting = 0, begun = rrdcached->shared.begun;

	for (size_t i = 0; i < rrdcached->daemons_len; i++)
		waiting +=
			daemon_waiting(&rrdcached->daemons[i]) + rrdcached->daemons[i].loss.samples;
	mc_set_waiting(rrdcached->shared.ctx, waiting > begun ? waiting - begun : 0);
}

static int rrdcached_write(struct mc_ctx *ctx, const struct mc_batch *batch)
{
	struct rrdcached *rrdcached = ctx->self;
	struct daemon_shared *shared = &rrdcached->shared;
	char last_error[LOSS_TEXT_SIZE];
	struct mc_path_missing missing;
	bool wake, room, losses = false;
	uint64_t lost = 0, late;

	pthread_mutex_lock(&rrdcached->shared.lock);
	room = wait_for_room(rrdcached) && put_batch(rrdcached, ctx, batch, &lost);
	if (room)
		shared->begun = 0;
	tell_waiting(rrdcached);
	wake = must_wake(rrdcached);
	for (size_t i = 0; i < rrdcached->daemons_len; i++)
		losses |= rrdcached->daemons[i].loss.samples > 0;
	if (!room)
		memcpy(last_error, rrdcached->daemons[0].last_error, sizeof(last_error));
	missing = rrdcached->missing;
	late = rrdcached->joined.late;
	rrdcached->joined.late = 0;
	pthread_mutex_unlock(&rrdcached->shared.lock);
	if (wake || losses)
		mc_loop_wake(&shared->wakeup);
	tell_refused(ctx);
	if (late > 0)
		mc_drop(ctx, late, 0,
			"values come when their file has an update of their "
			"second already");
	if (!room)
		return mc_fail(ctx, EAGAIN, "updates wait: %s",
			       last_error[0] != '\0' ? last_error : "rrdcached is slow");
	if (lost > 0)
		mc_drop(ctx, lost, 0, "%s", missing.text);
	return 0;
}

/* rrdcached writes its updates when it thinks fit: a flush of everything, as at the end, does not
 * make it write each file. */
static int rrdcached_flush(struct mc_ctx *ctx, mc_time age, const char *name)
{
	struct rrdcached *rrdcached = ctx->self;
	struct daemon_shared *shared = &rrdcached->shared;
	char prefix[FILE_PREFIX_MAX], why[MC_PATH_TEMPLATE_WHY];
	size_t size, verb = strlen("UPDATE ");
	struct mc_pnp_place place;

	(void)age; /* rrdcached does not report the age of its updates. */
	if (name == NULL || !place_find(ctx, name, &place, why))
		return 0;
	size = place_prefix(rrdcached, place.path, prefix, why);
	if (size == 0)
		return 0;
	pthread_mutex_lock(&rrdcached->shared.lock);
	daemon_flush(&rrdcached->daemons[shard_of(&rrdcached->shard, name)], prefix + verb,
		     size - verb - 1);
	pthread_mutex_unlock(&rrdcached->shared.lock);
	mc_loop_wake(&shared->wakeup);
	return 0;
}

static void end_use(struct rrdcached *rrdcached, struct file *file)
	MC_REQUIRES(rrdcached->shared.lock)
{
	file->users--;
	if (file->users == 0 && (rrdcached->daemons == NULL || daemon_file_is_over(file)))
		file_remove(&rrdcached->shared.files, file);
}

static void rrdcached_forget(struct mc_ctx *ctx, void *slot)
{
	struct rrdcached *rrdcached = ctx->self;
	struct file *file = slot, *whole;

	pthread_mutex_lock(&rrdcached->shared.lock);
	whole = file->users == 1 ? file->whole : NULL;
	if (whole != NULL) {
		file->whole = NULL; /* It may stay, for its own updates. */
		end_use(rrdcached, whole);
	}
	end_use(rrdcached, file);
	if (rrdcached->daemons == NULL && rrdcached->shared.files.len == 0)
		file_done(&rrdcached->shared.files);
	pthread_mutex_unlock(&rrdcached->shared.lock);
}

/* --- The daemons ------------------------------------------------------ */

static void on_wake(void *argument)
{
	struct rrdcached *rrdcached = argument;

	pthread_mutex_lock(&rrdcached->shared.lock);
	rrdcached->shared.woken = false;
	pthread_mutex_unlock(&rrdcached->shared.lock);
}

/* Serves daemons that get lines later than the others.  Returns when to look for more. */
static mc_time catch_up(struct rrdcached *rrdcached)
{
	mc_time now = mc_now(), wake = INT64_MAX;

	for (size_t i = 0; i < rrdcached->daemons_len; i++) {
		mc_time again = lagging_step(&rrdcached->daemons[i], now, file_of);

		if (again < wake)
			wake = again;
	}
	return wake;
}

static bool all_idle(const struct rrdcached *rrdcached)
{
	for (size_t i = 0; i < rrdcached->daemons_len; i++)
		if (!daemon_is_idle(&rrdcached->daemons[i]))
			return false;
	return true;
}

/* Reports to the journal from where on it must keep samples: a rrdcached that is killed may have
 * lost it. */
static void tell_safe(struct rrdcached *rrdcached)
{
	struct mc_offset oldest = BACKLOG_NO_OFFSET;
	bool several = rrdcached->shared.several;

	pthread_mutex_lock(&rrdcached->shared.lock);
	for (size_t i = 0; i < rrdcached->daemons_len; i++) {
		struct daemon *daemon = &rrdcached->daemons[i];
		struct mc_offset offset = daemon_oldest(daemon);

		if (offset.seq < oldest.seq && !(several && daemon->behind.active))
			oldest = offset;
	}
	if (oldest.seq == BACKLOG_NO_OFFSET.seq && several)
		oldest = rrdcached->shared.offset; /* Their consumers keep all. */
	pthread_mutex_unlock(&rrdcached->shared.lock);
	for (size_t i = 0; i < rrdcached->daemons_len; i++)
		daemon_tell_safe(&rrdcached->daemons[i]);
	if (oldest.seq == BACKLOG_NO_OFFSET.seq || oldest.seq <= rrdcached->safe.seq)
		return;
	rrdcached->safe = oldest;
	mc_ack(rrdcached->shared.ctx, oldest);
}

/* Acknowledges the new replies, and reports why the rest waits. */
static void tell_state(struct rrdcached *rrdcached)
{
	char failure[LOSS_TEXT_SIZE] = "";

	pthread_mutex_lock(&rrdcached->shared.lock);
	tell_waiting(rrdcached);
	for (size_t i = 0; i < rrdcached->daemons_len && failure[0] == '\0'; i++)
		snprintf(failure, sizeof(failure), "%s", daemon_failure(&rrdcached->daemons[i]));
	pthread_mutex_unlock(&rrdcached->shared.lock);
	if (strcmp(failure, rrdcached->failure) == 0)
		return;
	memcpy(rrdcached->failure, failure, sizeof(failure));
	mc_set_failure(rrdcached->shared.ctx, failure);
}

static void nothing(void *argument)
{
	(void)argument; /* after_round() does it. */
}

static void after_round(void *argument)
{
	struct rrdcached *rrdcached = argument;
	mc_time wake = INT64_MAX, now;

	if (!mc_stopping(rrdcached->shared.ctx))
		wake = catch_up(rrdcached);
	now = mc_now();
	for (size_t i = 0; i < rrdcached->daemons_len; i++)
		daemon_step(&rrdcached->daemons[i], now, &wake);
	mc_loop_set_timer(&rrdcached->loop, &rrdcached->step, wake);
	tell_state(rrdcached);
	if (now < rrdcached->safe_at)
		return;
	tell_safe(rrdcached);
	rrdcached->safe_at = now + safe_pause;
}

static int rrdcached_run(struct mc_ctx *ctx)
{
	struct rrdcached *rrdcached = ctx->self;
	int rc = mc_loop_run(&rrdcached->loop);
	mc_time until = mc_now() + stop_limit;

	while (rc == 0 && mc_now() < until && !all_idle(rrdcached))
		rc = mc_loop_round(&rrdcached->loop, until);
	tell_state(rrdcached);
	tell_safe(rrdcached);
	return rc;
}

/* --- Life ------------------------------------------------------------- */

static int make_daemons(struct mc_ctx *ctx)
{
	struct rrdcached *rrdcached = ctx->self;
	size_t len = rrdcached->addresses.len;
	const char *const *addresses = rrdcached->addresses.items;
	struct daemon_rules rules = {
		.limit = (size_t)rrdcached->buffer_limit << 20,
		.replay_limit = (size_t)rrdcached->replay_limit << 10,
		.joined = rrdcached->options.single_template != NULL,
		.timeout = rrdcached->timeout,
		.create_pause = rrdcached->create_rate > 0
					? (mc_time)(MC_SECOND / rrdcached->create_rate)
					: 0,
	};

	rrdcached->daemons = mc_alloc_array(len, sizeof(*rrdcached->daemons));
	for (size_t i = 0; i < len; i++) {
		rrdcached->daemons_len++;
		if (!daemon_init(&rrdcached->daemons[i], &rrdcached->shared, addresses[i],
				 &rules) ||
		    options_is_again(&rrdcached->addresses, i))
			return mc_fail(ctx, 0, "invalid DaemonAddress '%s', or given twice",
				       addresses[i]);
	}
	for (size_t i = 0; i < len; i++)
		lagging_open(&rrdcached->daemons[i]);
	shard_init(&rrdcached->shard, addresses, len);
	return 0;
}

static int make_loop(struct rrdcached *rrdcached)
{
	struct daemon_shared *shared = &rrdcached->shared;
	struct mc_loop *loop = &rrdcached->loop;
	int rc;

	loop->ctx = shared->ctx;
	loop->after_round = after_round;
	loop->argument = rrdcached;
	rc = mc_loop_init(loop);
	if (rc < 0)
		return rc;
	shared->streams.loop = loop;
	mc_stream_client_room_init(&shared->streams);
	rc = mc_loop_wakeup_init(&shared->wakeup);
	shared->wakeup.woken = on_wake;
	shared->wakeup.argument = rrdcached;
	if (rc == 0)
		rc = mc_loop_watch_wakeup(loop, &shared->wakeup);
	if (rc < 0)
		return mc_fail(shared->ctx, -rc, "cannot make an event descriptor");
	rrdcached->step.expired = nothing;
	mc_loop_set_timer(loop, &rrdcached->step, mc_now());
	return 0;
}

static void make_rules(struct mc_ctx *ctx)
{
	struct rrdcached *rrdcached = ctx->self;

	/* As collectd's plugin; rrdtool sorts. */
	mc_rrd_choice_init(ctx, &rrdcached->options, (struct mc_rrd_rules){ .as_given = true },
			   &rrdcached->choice);
}

static void release(struct rrdcached *rrdcached)
{
	free(rrdcached->daemons);
	rrdcached->daemons = NULL; /* See rrdcached_forget(). */
	mc_rrd_choice_done(&rrdcached->choice, &rrdcached->options);
	free(rrdcached->directory);
	shard_done(&rrdcached->shard);
	mc_rrd_layouts_free(rrdcached->layouts);
	mc_stream_room_done(&rrdcached->shared.streams);
	mc_loop_done(&rrdcached->loop);
	mc_loop_wakeup_done(&rrdcached->shared.wakeup);
}

static void rrdcached_check(struct mc_ctx *ctx)
{
	struct rrdcached *rrdcached = ctx->self;

	options_check(ctx, rrdcached);
}

static int rrdcached_start(struct mc_ctx *ctx) MC_NO_LOCK
{
	struct rrdcached *rrdcached = ctx->self;
	struct daemon_shared *shared = &rrdcached->shared;
	int rc;

	shared->ctx = ctx;
	shared->offset = BACKLOG_NO_OFFSET;
	shared->started = mc_wall() / MC_SECOND;
	shared->create_files = rrdcached->create_files;
	shared->statistics = rrdcached->statistics;
	shared->several = rrdcached->addresses.len > 1;
	pthread_mutex_init(&shared->lock, NULL);
	mc_condition_init(&shared->room);
	rrdcached->joined.put = put_update;
	rrdcached->joined.argument = rrdcached;
	rrdcached->directory = file_directory(rrdcached->data_dir);
	rc = make_loop(rrdcached);
	if (rc == 0)
		rc = make_daemons(ctx);
	if (rc == 0)
		make_rules(ctx);
	return rc;
}

static bool always(const struct file *file)
{
	(void)file;
	return true;
}

/* How many samples are lost with the daemons; not those of a batch that the core still has. */
static uint64_t end_daemons(struct rrdcached *rrdcached) MC_NO_LOCK
{
	uint64_t lost = 0, begun = rrdcached->shared.begun;

	for (size_t i = 0; i < rrdcached->daemons_len; i++)
		lost += daemon_done(&rrdcached->daemons[i]);
	return lost > begun ? lost - begun : 0;
}

static void rrdcached_stop(struct mc_ctx *ctx) MC_NO_LOCK
{
	struct rrdcached *rrdcached = ctx->self;
	const struct daemon_shared *shared = &rrdcached->shared;
	uint64_t lost = end_daemons(rrdcached);

	if (lost > 0 && shared->offset.seq != BACKLOG_NO_OFFSET.seq)
		mc_log(ctx, MC_NOTE,
		       "%" PRIu64 " values have not been sent at the end; "
		       "they stay in the journal",
		       lost);
	else if (lost > 0)
		mc_drop(ctx, lost, 0, "%" PRIu64 " values have not been sent at the end", lost);
	if (shared->offset.seq == BACKLOG_NO_OFFSET.seq)
		mc_set_waiting(ctx, 0);
	file_sweep(&rrdcached->shared.files, always);
	if (rrdcached->shared.files.len == 0)
		file_done(&rrdcached->shared.files);
	release(rrdcached);
}

static const struct mc_writer writer = {
	.write = rrdcached_write,
	.flush = rrdcached_flush,
	.fetch = place_fetch,
	.remove_files = place_remove_files,
	.each_stored = place_each_stored,
	.where = place_where,
	.forget = rrdcached_forget,
	.durable = true,
	.acks_async = true,
};

MC_PLUGIN(rrdcached) = {
	MC_NAMED(rrdcached),
	.help = "Writes samples to RRD files through rrdcached.",
	.self_size = sizeof(struct rrdcached),
	.options = options_table,
	.types = (const char *const[]){ "queue_length", "operations", "gauge", "counter", NULL },
	.check = rrdcached_check,
	.start = rrdcached_start,
	.writer = &writer,
	.run = rrdcached_run,
	.stop = rrdcached_stop,
	.wants_journal = true,
	.lenient = true,
};
