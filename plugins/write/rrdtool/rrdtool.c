/* SPDX-License-Identifier: GPL-2.0-or-later */
/* rrdtool: one RRD file per series, with the options, the layout and the contents of collectd
 * 5.12's plugin of that name.
 *
 * write() only puts updates into the cache; run(), in a thread of its own, is the only one that
 * writes to the disk: it makes files, writes what is due, and keeps to WritesPerSecond.  A slow
 * disk, or ten thousand new files, delays nobody but itself.  Only with SinglePathTemplate write()
 * reads the disk, too, when a series is new: see kit/series/rrd_place.h.
 */
#include <collector/check.h>
#include <collector/kit/once.h>
#include <collector/kit/wait.h>
#include <collector/plugin.h>
#include <collector/private/beneath.h>
#include <collector/serve.h>
#include <collector/writer.h>

#include "kit/series/rrd_place.h"
#include "kit/series/stored_foreign.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "archive.h"
#include "cache_work.h"
#include "failure.h"
#include "fetch.h"

enum {
	WRITES_PER_CREATE = 16, /* With CreateFilesAsync. */
	ATTEMPTS = 3,           /* At a file that disappears. */
};

static const mc_time fetch_limit = 500 * MC_MILLISECOND;
/* The core gives all instances five seconds to end. */
static const mc_time stop_limit = 3500 * MC_MILLISECOND;

struct rrdtool {
	const char *data_dir;
	bool create_async, single;
	double writes_per_second;
	mc_time cache_timeout, cache_flush, random_timeout;
	int64_t cache_limit; /* MiB */
	struct mc_rrd_options options;

	int data_dir_size;
	struct mc_rrd_choice choice;
	struct cache cache;
	struct mc_once refused;         /* Files that have the labels of a service. */
	struct mc_path_missing missing; /* Only in write(). */
	int wake;                       /* eventfd: run() has something to do. */
	int folder;                     /* DataDir, or -1; only in run(), */
	struct mc_rrd_maker maker;      /* as is this. */

	struct failure failure; /* Only by run(), or by stop() after it. */
};

static const struct mc_option options[] = {
	{ "DataDir", MC_OPT_STRING(struct rrdtool, data_dir), .default_value = ".", .sample = "rrd",
	  .help = "Directory of the files; a relative path starts at "
		  "BaseDir." },
	{ "CreateFilesAsync", MC_OPT_BOOL(struct rrdtool, create_async), .default_value = "false",
	  .lenient = true, .help = "Makes new files only while few updates wait." },
	{ "RRASingle", MC_OPT_BOOL(struct rrdtool, single), .default_value = "false",
	  .help = "Keeps only averages, no minima and maxima." },
	MC_RRD_OPTIONS(struct rrdtool, options),
	{ "CacheTimeout", MC_OPT_TIME(struct rrdtool, cache_timeout), .default_value = "0",
	  .lenient = true, .max = 1e8, .sample = "120",
	  .help = "Seconds for which updates of a file are collected." },
	{ "CacheFlush", MC_OPT_TIME(struct rrdtool, cache_flush), .default_value = "0", .max = 1e8,
	  .sample = "900",
	  .help = "Seconds between searches for files without new updates; a "
		  "value below CacheTimeout counts as ten times "
		  "CacheTimeout." },
	{ "RandomTimeout", MC_OPT_TIME(struct rrdtool, random_timeout), .lenient = true,
	  .default_value = "0", .max = 1e8,
	  .help = "Seconds by which CacheTimeout varies, up or down." },
	{ "WritesPerSecond", MC_OPT_NUMBER(struct rrdtool, writes_per_second), .default_value = "0",
	  .max = 1e6, .help = "Largest number of files written per second; 0: no limit." },
	{ "CacheLimit", MC_OPT_INT(struct rrdtool, cache_limit), .default_value = "64", .min = 1,
	  .max = 1048576, .help = "MiB of updates that may wait; not in collectd." },
	MC_RRD_PATH_OPTIONS(struct rrdtool, options),
	{ 0 }
};

static void wake_run(struct rrdtool *rrdtool)
{
	eventfd_write(rrdtool->wake, 1);
}

/* --- What comes from the core -------------------------------------------- */

/* Where the file of the series of that name is. */
static bool find_place(struct mc_ctx *ctx, const char *name, struct mc_pnp_place *place, char *why)
{
	const struct rrdtool *rrdtool = ctx->self;

	return mc_pnp_place_find(ctx,
				 &(struct mc_pnp_options){ rrdtool->data_dir,
							   rrdtool->options.path_template,
							   rrdtool->options.single_template },
				 name, place, why);
}

/* In a file of several series, if there is one that has its label. */
static void join_file(struct mc_ctx *ctx, struct cache_file *file, const struct mc_pnp_place *place,
		      mc_time interval)
{
	struct rrdtool *rrdtool = ctx->self;

	if (place->refused[0] != '\0')
		mc_complain(ctx, &rrdtool->refused, 0,
			    "'%s.rrd' is not in the file of its service: %s", place->own,
			    place->refused);
	else if (place->is_single)
		cache_join(&rrdtool->cache, file, place, &rrdtool->choice.usual, interval);
}

/* The file of a series that has none yet, or NULL, and why. */
static struct cache_file *open_file(struct mc_ctx *ctx, const struct mc_series *series,
				    mc_time interval, char *why)
{
	struct rrdtool *rrdtool = ctx->self;
	const struct mc_type *type = mc_type(series);
	struct mc_pnp_place place;
	struct cache_file *file;

	if (rrdtool->options.source_names.len > 0 &&
	    rrdtool->options.source_names.len != type->sources_len) {
		snprintf(why, MC_PATH_TEMPLATE_WHY,
			 "it has not as many sources as SourceNames has");
		return NULL;
	}
	if (!find_place(ctx, mc_name(series), &place, why))
		return NULL;
	file = cache_open(&rrdtool->cache, place.own,
			  mc_rrd_choice_of(ctx, &rrdtool->choice, &rrdtool->options, series), type,
			  interval);
	if (rrdtool->options.path_template == NULL)
		return file;
	if (cache_claim(&rrdtool->cache, file, mc_name(series))) {
		join_file(ctx, file, &place, interval);
		return file;
	}
	cache_forget(&rrdtool->cache, file);
	snprintf(why, MC_PATH_TEMPLATE_WHY, "it would share that of another series");
	return NULL;
}

static struct cache_file *file_of(struct mc_ctx *ctx, const struct mc_sample *sample)
{
	struct rrdtool *rrdtool = ctx->self;
	void **slot = mc_slot(ctx, sample->series);
	char why[MC_PATH_TEMPLATE_WHY];

	if (*slot == NULL)
		*slot = open_file(ctx, sample->series, sample->interval, why);
	if (*slot == NULL)
		mc_drop(ctx, 1, 0, "%s",
			mc_path_missing(&rrdtool->missing, mc_name(sample->series), why));
	return *slot;
}

static int rrdtool_write(struct mc_ctx *ctx, const struct mc_batch *batch)
{
	struct rrdtool *rrdtool = ctx->self;
	uint64_t lost = 0, late = 0;
	bool wake = false, full = cache_full(&rrdtool->cache, &lost);

	if (lost > 0)
		mc_drop(ctx, lost, 0,
			"the oldest updates of files that cannot be written "
			"are dropped");
	if (full)
		return mc_fail(ctx, EAGAIN, "%" PRId64 " MiB of updates wait for the disk",
			       rrdtool->cache_limit);
	MC_FOR_EACH_SAMPLE (sample, batch) {
		struct cache_file *file = file_of(ctx, sample);

		wake |= file != NULL &&
			cache_add(&rrdtool->cache, file, sample->time, sample->values);
	}
	if (rrdtool->options.single_template != NULL)
		wake |= cache_add_rows(&rrdtool->cache, &late);
	if (late > 0)
		mc_drop(ctx, late, 0,
			"values come when their file has an update of their "
			"second already");
	if (wake)
		wake_run(rrdtool);
	return 0;
}

static int rrdtool_flush(struct mc_ctx *ctx, mc_time age, const char *name)
{
	struct rrdtool *rrdtool = ctx->self;
	struct mc_pnp_place place;
	char why[MC_PATH_TEMPLATE_WHY];

	if (name != NULL && !find_place(ctx, name, &place, why))
		return 0; /* It has no file. */
	if (cache_flush(&rrdtool->cache, name != NULL ? place.path : NULL, age, mc_wall()))
		wake_run(rrdtool);
	return 0;
}

static void rrdtool_forget(struct mc_ctx *ctx, void *slot)
{
	struct rrdtool *rrdtool = ctx->self;

	if (cache_forget(&rrdtool->cache, slot))
		wake_run(rrdtool);
}

static void file_path(const struct rrdtool *rrdtool, const char *name, char *out, size_t size)
{
	snprintf(out, size, "%.*s/%s.rrd", rrdtool->data_dir_size, rrdtool->data_dir, name);
}

static void rrdtool_where(struct mc_ctx *ctx, const char *name, char *out, size_t size)
{
	struct mc_pnp_place place;
	char why[MC_PATH_TEMPLATE_WHY];

	if (find_place(ctx, name, &place, why))
		file_path(ctx->self, place.path, out, size);
	else
		snprintf(out, size, "no file: %s", why);
}

/* Cached values are written first; but a viewer of a graph does not wait long for a busy disk. */
static void flush_before_fetch(struct rrdtool *rrdtool, const char *name)
{
	mc_time until = mc_now() + fetch_limit;

	if (cache_flush(&rrdtool->cache, name, 0, mc_wall()))
		wake_run(rrdtool);
	while (!cache_is_flushed(&rrdtool->cache, name) && mc_now() < until)
		poll(NULL, 0, 1);
}

static int rrdtool_fetch(struct mc_ctx *ctx, const char *name, struct mc_history *history,
			 char *why)
{
	struct rrdtool *rrdtool = ctx->self;
	char path[PATH_MAX], reason[MC_PATH_TEMPLATE_WHY];
	struct mc_rrd_rules rules = rrdtool->choice.usual;
	struct mc_pnp_place place;
	const char *source = place.source_name;

	if (!find_place(ctx, name, &place, reason) ||
	    (rrdtool->options.path_template != NULL &&
	     !cache_may_have(&rrdtool->cache, place.own, name)))
		return 0;
	if (place.is_single) {
		rules.source_names = &source;
		rules.source_names_len = 1;
	}
	flush_before_fetch(rrdtool, place.path);
	file_path(rrdtool, place.path, path, sizeof(path));
	return fetch_file(path, &rules, history, why);
}

static int rrdtool_remove_files(struct mc_ctx *ctx, const char *name, size_t *len, char *why)
{
	struct rrdtool *rrdtool = ctx->self;
	char path[PATH_MAX], reason[MC_PATH_TEMPLATE_WHY];
	struct mc_pnp_place place;
	int rc;

	if (!find_place(ctx, name, &place, reason) ||
	    (rrdtool->options.path_template != NULL &&
	     !cache_may_have(&rrdtool->cache, place.own, name)))
		return 0;
	snprintf(path, sizeof(path), "%s.rrd", place.path);
	if (place.is_single)
		return mc_rrd_unremoved(path, -ENOTSUP, why);
	flush_before_fetch(rrdtool, place.path); /* Or its updates would make it again. */
	if (!cache_is_flushed(&rrdtool->cache, place.path))
		return mc_rrd_unremoved(path, -EBUSY, why);
	rc = mc_remove_file(rrdtool->data_dir, path);
	*len += rc == 0;
	return rc == 0 || rc == -ENOENT ? 0 : mc_rrd_unremoved(path, rc, why);
}

/* A file that a living series has is not that of another, which its path might be of, too. */
static bool is_taken(struct mc_ctx *ctx, const char *name)
{
	struct rrdtool *rrdtool = ctx->self;
	char why[MC_PATH_TEMPLATE_WHY];
	struct mc_pnp_place place;

	return find_place(ctx, name, &place, why) &&
	       !cache_may_have(&rrdtool->cache, place.own, name);
}

static void rrdtool_each_stored(struct mc_ctx *ctx, mc_stored_show *show, void *argument)
{
	const struct rrdtool *rrdtool = ctx->self;

	mc_stored_foreign(
		ctx, &(struct mc_foreign_tree){ rrdtool->data_dir, &rrdtool->options, is_taken },
		show, argument);
}

/* --- The disk ------------------------------------------------------------ */

static void fail(struct mc_ctx *ctx, struct cache_work *work, const char *path, int error,
		 const char *reason)
{
	struct rrdtool *rrdtool = ctx->self;
	uint64_t lost = cache_work_failed(&rrdtool->cache, work, mc_now(), error != -EINVAL);

	failure_describe(&rrdtool->failure, path, -error, reason);
	mc_drop(ctx, lost, rrdtool->failure.errnum, "%s", rrdtool->failure.text);
}

static int open_folder(struct rrdtool *rrdtool, char *reason)
{
	int fd = mc_open_folder(rrdtool->data_dir, 0777);

	if (fd < 0) {
		snprintf(reason, ARCHIVE_REASON_SIZE, "%s", strerror(-fd));
		return fd;
	}
	if (rrdtool->folder >= 0)
		close(rrdtool->folder);
	rrdtool->folder = fd;
	return 0;
}

/* Says what is not as the options would have it. */
static void check_facts(struct mc_ctx *ctx, const struct cache_file *file,
			const struct archive_facts *facts)
{
	struct rrdtool *rrdtool = ctx->self;
	char path[PATH_MAX];

	file_path(rrdtool, file->name, path, sizeof(path));
	if (file->row != NULL)
		return;
	if (facts->heartbeat > 0)
		failure_unheld(&rrdtool->failure, ctx, path, facts->heartbeat,
			       file->interval * MC_SECOND);
	failure_kept(&rrdtool->failure, ctx, path, file->layout, facts->rows);
}

/* Finds the file, or makes it; -ENOENT: it is to be tried again. */
static int provide_file(struct mc_ctx *ctx, const char *path, const struct cache_work *work,
			char *reason)
{
	struct rrdtool *rrdtool = ctx->self;
	struct archive archive = { rrdtool->folder, path, work->file->layout };
	int64_t last;
	int error = archive_look(&archive, &last, reason);
	bool is_new = error == -ENOENT;

	if (is_new)
		error = archive_create(&archive, &rrdtool->maker, mc_rrd_second(work->first) - 1,
				       reason);
	if (error == 0) {
		struct archive_facts facts = { archive.layout->heartbeat, archive.layout->rows };

		if (!is_new)
			facts = archive_facts(&archive);
		check_facts(ctx, work->file, &facts);
	}
	if (error != -ENOENT && error != -EBADF)
		return error;
	error = open_folder(rrdtool, reason); /* It was removed, or never open. */
	return error != 0 ? error : -ENOENT;
}

/* Files may be removed under us at any moment: then a new one is begun. */
static int write_records(struct mc_ctx *ctx, const char *path, struct cache_work *work,
			 char *reason)
{
	struct rrdtool *rrdtool = ctx->self;
	struct archive archive = { .path = path, .layout = work->file->layout };
	int error = -ENOENT;

	for (int i = 0; error == -ENOENT && i < ATTEMPTS; i++) {
		error = 0;
		if (i > 0 || work->records == NULL)
			error = provide_file(ctx, path, work, reason);
		if (error == 0 && work->records == NULL && !cache_work_take(&rrdtool->cache, work))
			return 0;
		archive.folder = rrdtool->folder;
		if (error == 0)
			error = archive_update(&archive, work->records, work->records_len, reason);
	}
	return error;
}

/* Returns false when there is nothing to do until '*wake'. */
static bool work_once(struct mc_ctx *ctx, bool urgent, mc_time *wake)
{
	struct rrdtool *rrdtool = ctx->self;
	struct cache_moment now = { mc_wall(), mc_now() };
	char path[PATH_MAX], below[PATH_MAX], reason[ARCHIVE_REASON_SIZE] = "";
	struct cache_work work;
	int error;

	cache_work_next(&rrdtool->cache, now, urgent, &work);
	if (work.file == NULL) {
		*wake = work.wake;
		return false;
	}
	file_path(rrdtool, work.file->name, path, sizeof(path));
	snprintf(below, sizeof(below), "%s.rrd", work.file->name);
	error = write_records(ctx, below, &work, reason);
	if (error != 0) {
		fail(ctx, &work, path, error, reason);
	} else if (cache_work_done(&rrdtool->cache, &work)) {
		rrdtool->failure.errnum = 0; /* Name the next file again. */
		mc_log(ctx, MC_NOTE, "all files are written again");
	}
	return true;
}

/* Sleeps until 'wake'; true if the instance must stop. */
static bool wait_for_work(struct mc_ctx *ctx, mc_time wake)
{
	struct rrdtool *rrdtool = ctx->self;
	struct pollfd fd = { .fd = rrdtool->wake, .events = POLLIN };
	int ready = mc_wait(ctx, &fd, 1, wake);
	eventfd_t count;

	if ((fd.revents & POLLIN) != 0)
		eventfd_read(rrdtool->wake, &count);
	return ready == -ECANCELED;
}

static void write_rest(struct mc_ctx *ctx)
{
	struct rrdtool *rrdtool = ctx->self;
	mc_time until = mc_now() + stop_limit, wake;

	cache_retry(&rrdtool->cache);
	cache_flush(&rrdtool->cache, NULL, 0, 0);
	while (mc_now() < until && work_once(ctx, true, &wake))
		;
}

static int rrdtool_run(struct mc_ctx *ctx)
{
	bool stop = false;
	mc_time wake;

	while (!stop) {
		if (work_once(ctx, false, &wake))
			wake = 0; /* There may be more: only look. */
		stop = wait_for_work(ctx, wake);
	}
	write_rest(ctx);
	return 0;
}

/* --- Life ---------------------------------------------------------------- */

/* As collectd corrects them. */
static void correct_times(struct mc_ctx *ctx)
{
	struct rrdtool *rrdtool = ctx->self;

	if (rrdtool->cache_timeout == 0) {
		rrdtool->cache_flush = 0;
		rrdtool->random_timeout = 0;
	} else if (rrdtool->cache_flush < rrdtool->cache_timeout) {
		if (rrdtool->cache_flush > 0)
			mc_log(ctx, MC_INFO,
			       "CacheFlush is less than CacheTimeout: ten "
			       "times CacheTimeout is used");
		rrdtool->cache_flush = 10 * rrdtool->cache_timeout;
	}
	if (rrdtool->random_timeout > rrdtool->cache_timeout) {
		rrdtool->random_timeout = rrdtool->cache_timeout;
		mc_log(ctx, MC_INFO,
		       "RandomTimeout is more than CacheTimeout, which is "
		       "used instead");
	}
}

/* Without slashes at its end. */
static int data_dir_size(const char *data_dir)
{
	size_t size = strlen(data_dir);

	while (size > 1 && data_dir[size - 1] == '/')
		size--;
	return (int)size;
}

static void rrdtool_check(struct mc_ctx *ctx)
{
	struct rrdtool *rrdtool = ctx->self;
	char key[PATH_MAX + 16];

	mc_check_data_dir(ctx, &rrdtool->data_dir);
	snprintf(key, sizeof(key), "RRD files in %.*s", data_dir_size(rrdtool->data_dir),
		 rrdtool->data_dir);
	mc_check_only(ctx, &rrdtool->data_dir, key);
	mc_rrd_options_check(ctx, &rrdtool->options,
			     (struct mc_rrd_rules){ .single = rrdtool->single });
}

static int rrdtool_start(struct mc_ctx *ctx)
{
	struct rrdtool *rrdtool = ctx->self;
	double rate = rrdtool->writes_per_second;
	char reason[ARCHIVE_REASON_SIZE];

	rrdtool->folder = -1;
	correct_times(ctx);
	cache_init(&rrdtool->cache,
		   &(struct cache_rules){
			   .timeout = rrdtool->cache_timeout,
			   .flush = rrdtool->cache_flush,
			   .random = rrdtool->random_timeout,
			   .write_pause = rate > 0 ? (mc_time)(MC_SECOND / rate) : 0,
			   .writes_per_create = rrdtool->create_async ? WRITES_PER_CREATE : 1,
			   .limit = (size_t)rrdtool->cache_limit << 20,
		   },
		   (uint64_t)mc_wall() ^ (uint64_t)getpid() << 32);
	rrdtool->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (rrdtool->wake < 0)
		return mc_fail(ctx, errno, "cannot make an event descriptor");
	rrdtool->data_dir_size = data_dir_size(rrdtool->data_dir);
	/* Another collector sees by it that we write there.  It may be mounted or made writable
	 * later: then the first file opens it. */
	open_folder(rrdtool, reason);
	mc_rrd_choice_init(ctx, &rrdtool->options,
			   (struct mc_rrd_rules){ .single = rrdtool->single }, &rrdtool->choice);
	return 0;
}

static void rrdtool_stop(struct mc_ctx *ctx)
{
	struct rrdtool *rrdtool = ctx->self;
	uint64_t lost = cache_close(&rrdtool->cache);

	mc_rrd_maker_done(&rrdtool->maker);
	if (lost > 0)
		mc_drop(ctx, lost, 0, "%" PRIu64 " updates are not on disk at the end", lost);
	if (rrdtool->folder >= 0)
		close(rrdtool->folder);
	if (rrdtool->wake >= 0)
		close(rrdtool->wake);
	mc_rrd_choice_done(&rrdtool->choice, &rrdtool->options);
}

static const struct mc_writer writer = {
	.write = rrdtool_write,
	.flush = rrdtool_flush,
	.fetch = rrdtool_fetch,
	.remove_files = rrdtool_remove_files,
	.each_stored = rrdtool_each_stored,
	.where = rrdtool_where,
	.forget = rrdtool_forget,
};

MC_PLUGIN(rrdtool) = {
	MC_NAMED(rrdtool),
	.help = "Writes samples to RRD files, one per series.",
	.self_size = sizeof(struct rrdtool),
	.options = options,
	.check = rrdtool_check,
	.start = rrdtool_start,
	.writer = &writer,
	.run = rrdtool_run,
	.stop = rrdtool_stop,
	.in_example = true,
};
