/* SPDX-License-Identifier: MIT */
/* recorder - the last minutes at a tenth of a second, in memory, and as a file when something
 * happens.
 *
 * record() is called by the threads that read, and notify() by the writer's; run() writes dumps, of
 * a copy of the ring, so that neither waits for a disk.
 *
 * When this process is killed, or crashes, nothing is to be done: the ring is a mapped file, and
 * the next process makes a dump of it. */
#include <collector/kit/alloc.h>
#include <collector/kit/lock.h>
#include <collector/kit/loop.h>
#include <collector/kit/once.h>
#include <collector/private/beneath.h>
#include <collector/private/otlp.h>
#include <collector/private/recorded.h>

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "dump.h"
#include "pages.h"
#include "ring.h"
#include "ring_file.h"
#include "ring_view.h"

#define WHY_SIZE 256
#define LEFT_WHY "the collector before was killed or has crashed"

enum on_notification { ON_FAILURE, ON_WARNING, ON_NONE };
static const char *const on_notification_words[] = { "failure", "warning", "none", NULL };

struct wanted_dump { /* Its file is written when its time has come. */
	bool wanted;
	mc_time due;   /* mc_now() */
	mc_time begin; /* mc_wall(): nothing older is written. */
	char name[DUMP_NAME_SIZE];
	char why[WHY_SIZE];
	struct order_subjects subjects;
};

struct recorder {
	struct mc_recorded recorded; /* First: see recorded.h. */
	mc_time before, after;
	int64_t memory_size, files, dump_size;
	int on_notification;
	const char *data_dir;

	int folder; /* DataDir, as it was at the start; of the ring. */
	struct ring_file file;
	struct mc_loop loop;
	struct mc_loop_timer timer;
	struct mc_loop_wakeup wakeup;
	struct mc_once failed; /* To write a dump. */
	bool initialized;      /* The lock, and what is above from 'folder' on. */

	pthread_mutex_t lock;
	struct ring *ring MC_GUARDED_BY(lock);
	struct mc_otlp_writer *otlp MC_GUARDED_BY(lock); /* Of notices. */
	struct wanted_dump dump MC_GUARDED_BY(lock);
	mc_time quiet_until MC_GUARDED_BY(lock); /* No notification has one dumped before. */
	bool complained MC_GUARDED_BY(lock);
};

static const struct mc_option options[] = {
	{ "Record", MC_OPT_STRINGS(struct recorder, recorded.readers),
	  .default_value = "contextswitch cpu disk interface load memory noisy_neighbour swap vmem",
	  .help = "Plugins that are read a second time, as far as they are loaded: those that read "
		  "within a millisecond." },
	{ "Interval", MC_OPT_TIME(struct recorder, recorded.interval), .default_value = "0.1",
	  .help = "Seconds between two of these reads.", .min = 0.01, .max = 60 },
	{ "Before", MC_OPT_TIME(struct recorder, before), .default_value = "600",
	  .help = "Seconds before the cause that a dump has.", .min = 1, .max = 86400 },
	{ "After", MC_OPT_TIME(struct recorder, after), .default_value = "60",
	  .help = "Seconds after the cause that a dump has.", .max = 3600 },
	{ "Memory", MC_OPT_INT(struct recorder, memory_size), .default_value = "4194304",
	  .help = "Bytes for what is recorded; where that is not enough, the oldest samples go.",
	  .min = RING_SIZE_MIN, .max = 1 << 30 },
	{ "OnNotification", MC_OPT_WORD(struct recorder, on_notification),
	  .default_value = "failure", .words = on_notification_words,
	  .help = "The least severity of a notification that causes a dump: failure, warning, or "
		  "none of them does." },
	{ "DataDir", MC_OPT_STRING(struct recorder, data_dir), .default_value = "recorder",
	  .help = "Directory of the dumps; a relative path starts at BaseDir." },
	{ "Files", MC_OPT_INT(struct recorder, files), .default_value = "10",
	  .help = "Number of dumps that are kept; the oldest are removed.", .min = 1,
	  .max = 10000 },
	{ "DumpBytes", MC_OPT_INT(struct recorder, dump_size), .default_value = "16777216",
	  .help = "Largest size of a dump on the disk; of more, series are left out: those of the "
		  "cause come first, then those of this host.",
	  .min = 1 << 20, .max = 1e12 },
	{ 0 },
};

/* --- Recording -------------------------------------------------------------- */

/* False if its series cannot be recorded, for now. */
static bool record_sample(const struct mc_ctx *ctx, struct recorder *self,
			  const struct mc_sample *sample) MC_REQUIRES(self->lock)
{
	void **slot = mc_slot(ctx, sample->series);

	if (*slot == NULL)
		*slot = ring_begin_series(self->ring, sample->series);
	if (*slot == NULL)
		return false;
	if (sample->values_len == mc_type(sample->series)->sources_len) {
		ring_set_time(self->ring, sample->time);
		ring_put(self->ring, *slot, sample->values);
	}
	return true;
}

static unsigned recorder_record(struct mc_ctx *ctx, const struct mc_batch *batch)
{
	struct recorder *self = ctx->self;
	const struct mc_series *unrecorded = NULL;
	unsigned recorded = 0;

	pthread_mutex_lock(&self->lock);
	MC_FOR_EACH_SAMPLE (sample, batch)
		if (record_sample(ctx, self, sample))
			recorded++;
		else
			unrecorded = sample->series;
	if (self->complained)
		unrecorded = NULL;
	self->complained |= unrecorded != NULL;
	pthread_mutex_unlock(&self->lock);
	if (unrecorded != NULL)
		mc_log(ctx, MC_WARN,
		       "'%s' and maybe others are not recorded: there are too many series for "
		       "Memory %lld, or its name is too long",
		       mc_name(unrecorded), (long long)self->memory_size);
	return recorded;
}

/* The series has ended.  After stop() there is no ring, and what was in it is freed. */
static void recorder_forget(struct mc_ctx *ctx, void *slot)
{
	struct recorder *self = ctx->self;

	pthread_mutex_lock(&self->lock);
	if (self->ring != NULL)
		ring_end_series(self->ring, slot);
	pthread_mutex_unlock(&self->lock);
}

/* --- Causes ----------------------------------------------------------------- */

/* One that is wanted already has this cause among its notices. */
static void want(struct recorder *self, const char *why) MC_REQUIRES(self->lock)
{
	struct wanted_dump *dump = &self->dump;
	mc_time now = mc_now(), wall = mc_wall();

	if (dump->wanted)
		return;
	dump->wanted = true;
	dump->subjects.len = 0;
	dump->due = now + self->after;
	dump->begin = wall - self->before;
	dump_name(dump->name, wall);
	snprintf(dump->why, sizeof(dump->why), "%s", why);
	mc_loop_wake(&self->wakeup);
}

static bool causes(const struct recorder *self, const struct mc_notification *notification)
{
	switch ((enum on_notification)self->on_notification) {
	case ON_FAILURE:
		return notification->severity == MC_FAILURE;
	case ON_WARNING:
		return notification->severity != MC_OKAY;
	default:
		return false;
	}
}

static int recorder_notify(struct mc_ctx *ctx, const struct mc_notification *notification)
{
	struct recorder *self = ctx->self;
	struct mc_otlp_bytes bytes;
	char why[WHY_SIZE];

	mc_notification_text(notification, why, sizeof(why));
	pthread_mutex_lock(&self->lock);
	mc_otlp_write_notification(self->otlp, notification, &bytes);
	ring_put_note(self->ring, notification->time, bytes.at, bytes.size);
	if (causes(self, notification) && (self->dump.wanted || mc_now() >= self->quiet_until)) {
		want(self, why);
		order_add_subject(&self->dump.subjects, notification);
	}
	pthread_mutex_unlock(&self->lock);
	return 0;
}

static int recorder_dump(struct mc_ctx *ctx, const char *why, char *where, size_t size)
{
	struct recorder *self = ctx->self;

	pthread_mutex_lock(&self->lock);
	want(self, why);
	snprintf(where, size, "%s/%s", self->data_dir, self->dump.name);
	pthread_mutex_unlock(&self->lock);
	return 0;
}

static int recorder_page(struct mc_ctx *ctx, const struct mc_page_question *question,
			 struct mc_page *page)
{
	const struct recorder *self = ctx->self;

	return pages_answer(self->data_dir, question, page);
}

/* --- Dumps ------------------------------------------------------------------ */

static int write_file(const struct recorder *self, struct dump *dump, const struct ring_view *view,
		      struct dump_result *result)
{
	int rc;

	/* Somebody may have removed it since the start. */
	dump->folder = mc_open_folder(self->data_dir, 0750);
	if (dump->folder < 0)
		return dump->folder;
	rc = dump_write(dump, view, result);
	if (rc == 0)
		rc = dump_prune(dump->folder, self->files);
	close(dump->folder);
	return rc;
}

/* Writes the file, and reports it.  False if that failed. */
static bool write_dump(struct mc_ctx *ctx, struct dump *dump, const struct ring_view *view)
{
	struct recorder *self = ctx->self;
	struct dump_result result;
	char cut[DUMP_CUT_SIZE];
	int rc = write_file(self, dump, view, &result);

	if (rc < 0) {
		mc_complain(ctx, &self->failed, -rc, "cannot write the dump '%s/%s'",
			    self->data_dir, dump->name);
		return false;
	}
	mc_works(ctx, &self->failed, "dumps can be written again");
	if (result.unknown > 0)
		mc_log(ctx, MC_WARN,
		       "the dump '%s/%s' lacks %llu series, whose types are other ones now, or "
		       "unknown",
		       self->data_dir, dump->name, (unsigned long long)result.unknown);
	mc_log(ctx, MC_NOTE, "dump '%s/%s': %llu samples of %llu series, %llu notices%s: %s",
	       self->data_dir, dump->name, (unsigned long long)result.samples,
	       (unsigned long long)result.series, (unsigned long long)result.notices,
	       dump_cut_text(&result, cut), dump->why);
	return true;
}

/* Writes the one that is wanted, if any.  A notification that comes meanwhile is of the same
 * cause. */
static void write_wanted(struct mc_ctx *ctx)
{
	struct recorder *self = ctx->self;
	struct wanted_dump wanted;
	struct ring_view view;
	bool written = false;
	mc_time quiet_until;
	size_t size;
	void *copy;

	pthread_mutex_lock(&self->lock);
	wanted = self->dump;
	if (!wanted.wanted) {
		pthread_mutex_unlock(&self->lock);
		return;
	}
	copy = ring_copy(self->ring, &size);
	self->dump.wanted = false;
	quiet_until = self->quiet_until;
	self->quiet_until = INT64_MAX;
	pthread_mutex_unlock(&self->lock);
	if (ring_view_open(&view, copy, size) == 0)
		written = write_dump(ctx,
				     &(struct dump){ .ctx = ctx,
						     .name = wanted.name,
						     .why = wanted.why,
						     .since = wanted.begin,
						     .subjects = &wanted.subjects,
						     .size_max = (uint64_t)self->dump_size },
				     &view);
	free(copy);
	pthread_mutex_lock(&self->lock);
	self->quiet_until = written ? mc_now() + self->before : quiet_until;
	pthread_mutex_unlock(&self->lock);
}

/* The recording of a process that did not end as it should. */
static void write_left(struct mc_ctx *ctx)
{
	struct recorder *self = ctx->self;
	char name[DUMP_NAME_SIZE];
	struct ring_view view;
	size_t size;
	void *left = ring_file_take_left(self->folder, &size);
	mc_time newest = 0;

	if (left == NULL)
		return;
	if (ring_view_open(&view, left, size) < 0)
		mc_log(ctx, MC_WARN,
		       "the recording of the collector before is damaged, or of another version, "
		       "and is removed");
	else
		newest = ring_view_newest(&view);
	dump_name(name, newest > 0 ? newest : mc_wall());
	if (newest > 0)
		write_dump(ctx,
			   &(struct dump){ .ctx = ctx,
					   .name = name,
					   .why = LEFT_WHY,
					   .since = newest - self->before,
					   .size_max = (uint64_t)self->dump_size },
			   &view);
	if (self->failed.failures == 0)
		ring_file_forget_left(self->folder);
	else
		ring_file_keep_left(self->folder);
	free(left);
}

static void timer_expired(void *argument)
{
	write_wanted(argument);
}

static void woken(void *argument)
{
	struct mc_ctx *ctx = argument;
	struct recorder *self = ctx->self;
	mc_time due = 0;

	pthread_mutex_lock(&self->lock);
	if (self->dump.wanted)
		due = self->dump.due;
	pthread_mutex_unlock(&self->lock);
	if (due != 0)
		mc_loop_set_timer(&self->loop, &self->timer, due);
}

static int recorder_run(struct mc_ctx *ctx)
{
	struct recorder *self = ctx->self;
	int rc;

	write_left(ctx);
	rc = mc_loop_run(&self->loop);
	write_wanted(ctx); /* Of a shorter time. */
	return rc;
}

/* --- Life ------------------------------------------------------------------- */

static int open_ring(struct mc_ctx *ctx)
{
	struct recorder *self = ctx->self;
	const struct ring_settings settings = { self->recorded.interval,
						self->before + self->after };
	int rc = ring_file_open(&self->file, self->folder, (size_t)self->memory_size);

	if (rc == -EBUSY)
		return mc_fail(ctx, 0, "'%s' is that of another collector", self->data_dir);
	if (rc < 0)
		mc_log(ctx, MC_WARN,
		       "what is recorded is lost if the collector is killed: cannot make a file of "
		       "%lld bytes in '%s': %s",
		       (long long)self->memory_size, self->data_dir, strerror(-rc));
	if (self->file.gave_up)
		mc_log(ctx, MC_WARN,
		       "a recording could not be made a dump, and is not tried again: '%s/%s'",
		       self->data_dir, RING_FILE_FAILED);
	dump_clean(self->folder);
	pthread_mutex_lock(&self->lock);
	self->ring = ring_new(self->file.memory, self->file.size, &settings);
	self->otlp = mc_otlp_writer_new(MC_OTLP_SIZE_MIN);
	pthread_mutex_unlock(&self->lock);
	return 0;
}

static int recorder_start(struct mc_ctx *ctx)
{
	struct recorder *self = ctx->self;
	int rc;

	pthread_mutex_init(&self->lock, NULL);
	self->initialized = true;
	self->file.fd = -1;
	self->folder = mc_open_folder(self->data_dir, 0750);
	if (self->folder < 0)
		return mc_fail(ctx, -self->folder, "cannot open '%s'", self->data_dir);
	self->loop.ctx = ctx;
	self->timer.expired = timer_expired;
	self->timer.argument = ctx;
	self->wakeup.woken = woken;
	self->wakeup.argument = ctx;
	rc = mc_loop_init(&self->loop);
	if (rc < 0)
		return rc;
	rc = mc_loop_wakeup_init(&self->wakeup);
	if (rc == 0)
		rc = mc_loop_watch_wakeup(&self->loop, &self->wakeup);
	if (rc < 0)
		return mc_fail(ctx, -rc, "cannot make an eventfd");
	return open_ring(ctx);
}

/* The lock stays: forget() takes it after this. */
static void recorder_stop(struct mc_ctx *ctx)
{
	struct recorder *self = ctx->self;

	if (!self->initialized)
		return;
	pthread_mutex_lock(&self->lock);
	ring_free(self->ring);
	self->ring = NULL;
	mc_otlp_writer_free(self->otlp);
	self->otlp = NULL;
	pthread_mutex_unlock(&self->lock);
	mc_loop_done(&self->loop);
	mc_loop_wakeup_done(&self->wakeup);
	if (self->folder >= 0) {
		ring_file_close(&self->file, self->folder);
		close(self->folder);
	}
}

MC_PLUGIN(recorder) = {
	MC_NAMED(recorder),
	.help = "Keeps the last minutes at a tenth of a second, for a file when something happens.",
	.self_size = sizeof(struct recorder),
	.options = options,
	.start = recorder_start,
	.writer =
		&(const struct mc_writer){
			.notify = recorder_notify,
			.record = recorder_record,
			.dump = recorder_dump,
			.page = recorder_page,
			.forget = recorder_forget,
			.notify_always = true,
		},
	.run = recorder_run,
	.stop = recorder_stop,
};
