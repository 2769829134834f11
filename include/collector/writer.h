/* SPDX-License-Identifier: MIT */
/* collector/writer.h - for plugins that take batches, notifications or log lines of others.
 *
 * A writer has a queue and a thread of its own.  The thread takes notifications
 * first, then batches and flushes in their order.
 */
#pragma once

#include <collector/plugin.h>

#pragma GCC visibility push(default)

struct mc_fetch;
struct mc_graph;
struct mc_history;
struct mc_metric;
struct mc_page;
struct mc_page_question;
struct mc_picture;

struct mc_stored { /* A series that a writer has files of. */
	const char *name;
	mc_time first, last; /* Of its first and its last value, as far as that is known. */
	mc_time interval;    /* 0: unknown. */
	const struct mc_metric *metric; /* Its labels, without which its file is not found, in
					   metric.h's terms; NULL: it has none. */
};
typedef bool mc_stored_show(void *argument, const struct mc_stored *stored);

struct mc_writer { /* A constant; struct mc_plugin points to it. */
	/* All callbacks may be NULL; those whose comment names no thread are
	 * called by the writer's. */

	/* Takes a batch.  -EAGAIN: it is offered again later.  Another error:
	 * its samples are dropped, and counted. */
	int (*write)(struct mc_ctx *ctx, const struct mc_batch *batch);

	/* Takes a notification; more with mc_next_notification().  -EAGAIN: it is offered again,
	 * before any batch.  Another error: it is dropped, and counted. */
	int (*notify)(struct mc_ctx *ctx, const struct mc_notification *notification);

	/* Sends the values of the series 'name' (NULL: all series) that have been buffered for
	 * longer than 'age'.  A failure is logged. */
	int (*flush)(struct mc_ctx *ctx, mc_time age, const char *name);

	/* Writes to 'out' where samples of the series 'name' go: a file, an address.  Thread: any,
	 * at any time: reads nothing but options. */
	void (*where)(struct mc_ctx *ctx, const char *name, char *out, size_t size);

	/* Adds its values of the series 'name' to 'history', by mc_history_add() of
	 * <collector/history.h>; having none is not a failure.  After a failure the reason is in
	 * 'why', of MC_HISTORY_WHY bytes.  Thread: any, several at once, beside all other
	 * callbacks but stop(). */
	int (*fetch)(struct mc_ctx *ctx, const char *name, struct mc_history *history, char *why);

	/* The same for several series at once, in place of fetch(), for a writer that would be slow
	 * one by one: it asks another program.  Threads as of fetch(). */
	int (*fetch_many)(struct mc_ctx *ctx, const struct mc_fetch *fetch, char *why);

	/* Draws: see mc_graph() of <collector/history.h>.  Returns 0, or a negative errno and
	 * 'why', of MC_HISTORY_WHY bytes.  Threads as of fetch(). */
	int (*draw)(struct mc_ctx *ctx, const struct mc_graph *graph, struct mc_picture *picture,
		    char *why);

	/* Has a page for the HTTP servers of other plugins: see mc_page() of <collector/serve.h>.
	 * Returns 0, or -ENOENT: it has none of that path.  Threads as of fetch(). */
	int (*page)(struct mc_ctx *ctx, const struct mc_page_question *question,
		    struct mc_page *page);

	/* Takes what an instance reads that is read a second time, at a shorter interval, for this
	 * one alone: see <collector/private/recorded.h>.  No other writer gets it, nor does the
	 * store: samples have no rates.  Series have the slot of the writer, all the same.  Must
	 * not wait.  Returns how many samples it has taken.  Thread: any, several at once, from
	 * start() to stop(). */
	unsigned (*record)(struct mc_ctx *ctx, const struct mc_batch *batch);

	/* Begins to write down what it has recorded, because of 'why', and returns at once; the
	 * name of the file that is to be is in 'where'.  0 or a negative errno.  Threads as of
	 * fetch(). */
	int (*dump)(struct mc_ctx *ctx, const char *why, char *where, size_t size);

	/* Reports that 'series' has had no value for 'silent', which is longer than Timeout
	 * intervals: it ends, or is missing if it is held.  'silent' is 0 when a missing series
	 * has values again.  Called after write() of all earlier batches; 'series' lives for this
	 * call. */
	void (*ended)(struct mc_ctx *ctx, struct mc_series *series, mc_time silent);

	/* Frees the target of mc_slot() of a series that has ended; NULL means free(slot).  For the
	 * slots that are left it is called after stop(). */
	void (*forget)(struct mc_ctx *ctx, void *slot);

	/* The user has taken out of service whatever has such names: forgets what it knows of
	 * those without values, such as alerts.  The glob is one of fnmatch().  Thread: any, beside
	 * all other callbacks. */
	void (*forgotten)(struct mc_ctx *ctx, const char *glob);

	/* Removes the files that it has of the series 'name', which has ended, and adds to '*len'
	 * how many there were; having none is not a failure.  After a failure the reason is in
	 * 'why', of MC_HISTORY_WHY bytes.  Threads as of fetch(). */
	int (*remove_files)(struct mc_ctx *ctx, const char *name, size_t *len, char *why);

	/* Shows the series that it has files of, in no order, one with several files as often,
	 * until 'show' returns false or mc_stopping().  Reads names and heads of files alone.
	 * Threads as of fetch(). */
	void (*each_stored)(struct mc_ctx *ctx, mc_stored_show *show, void *argument);

	/* Writes a line of the log.  Thread: any, beside all other callbacks, and one line at a
	 * time. */
	void (*log)(struct mc_ctx *ctx, enum mc_level level, const char *line);

	/* Opens its log files again: they were moved.  Thread: the main one, beside all other
	 * callbacks. */
	void (*reopen)(struct mc_ctx *ctx);

	/* write() and notify() are called only after mc_subscribe().  A log() beside them does not
	 * count as a log: standard error stays. */
	bool on_request;

	/* notify() and ended() are called all the same. */
	bool notify_always;

	/* write() returns 0 only when the batch is safe where it goes.  Batches that it has not
	 * taken stay in the journal, if there is one, over restarts.  After a crash a batch may
	 * come again. */
	bool durable;

	/* Durable, and a sample that comes again after a restart is recognized by itself, not by
	 * the batch that it came in: records of before the restart may be merged, too; see
	 * mc_linger(). */
	bool repeatable;

	/* Durable, but write() returns 0 before the batch is safe: mc_ack() reports that, and
	 * mc_set_waiting() the number of samples without acknowledgement.  See
	 * <collector/journal.h>. */
	bool acks_async;

	/* log() ends where systemd's journal reads, too: standard error is then left alone. */
	bool logs_to_syslog;
};

/* --- Samples of a batch --------------------------------------------------- */

struct mc_sample {
	struct mc_sample *next; /* The core's own: use MC_FOR_EACH_SAMPLE. */
	struct mc_series *series;
	mc_time time;
	mc_time interval;        /* At which the series is measured. */
	uint32_t values_len;     /* Sources of the type. */
	uint32_t flags;          /* The core's own. */
	union mc_value values[]; /* Raw, then as many rates: see mc_rate(). */
};

/* The core's own, for a 'sample' with flags: the first from there on that this writer gets. */
const struct mc_sample *mc_next_shown(const struct mc_batch *batch, const struct mc_sample *sample);

/* The sample after 'sample', or the first after NULL; NULL at the end.  A batch begins with its
 * first sample.  Thread: any, while the batch lives. */
static inline const struct mc_sample *mc_next(const struct mc_batch *batch,
					      const struct mc_sample *sample)
{
	sample = sample != NULL ? sample->next : *(const struct mc_sample *const *)batch;
	if (sample == NULL || sample->flags == 0)
		return sample;
	return mc_next_shown(batch, sample);
}
#define MC_FOR_EACH_SAMPLE(sample, batch)                                                          \
	for (const struct mc_sample *sample = mc_next(batch, NULL); sample != NULL;                \
	     sample = mc_next(batch, sample))

/* The gauge, or the change per second since the sample before; NaN for the
 * first sample, after a reset, and outside the range of the source. */
static inline double mc_rate(const struct mc_sample *sample, unsigned source)
{
	return sample->values[sample->values_len + source].gauge;
}

/* --- Series --------------------------------------------------------------- */

/* The type of a series, and its name, whole and in parts; "" where a part is missing.  They live
 * as long as the series.  Thread: any. */
const char *mc_name(const struct mc_series *series); /* "host/cpu-0/cpu-idle" */
const char *mc_host(const struct mc_series *series);
const char *mc_plugin(const struct mc_series *series);
const char *mc_plugin_instance(const struct mc_series *series);
const char *mc_type_instance(const struct mc_series *series);
static inline const struct mc_type *mc_type(const struct mc_series *series)
{
	return *(const struct mc_type *const *)series; /* It begins with it. */
}

/* The writer's own pointer at a series (a path, a prefix), NULL at first; forget() gets it when
 * the series has ended.  Thread: write()'s, or any that holds a lock which write() takes for it,
 * too. */
static inline void **mc_slot(const struct mc_ctx *ctx, const struct mc_series *series)
{
	return (void **)series - ctx->slot; /* Slots are in front of it. */
}

/* --- The queue ------------------------------------------------------------ */

/* Has small batches that come within 'time' of each other handed to write() as one, and also
 * records that wait in the journal alone.  Thread: start()'s. */
void mc_linger(struct mc_ctx *ctx, mc_time time);

/* Has samples handed to write(), too, that judges keep from the store, as newer ones of their
 * series are there: those that are late by 'window' at most; 0: none.  They come in batches of
 * their own, in the order of their times as far as their sender keeps that, and have no rates of
 * counters. See mc_admit_late_sample() of <collector/judge.h>.  Thread: start()'s. */
void mc_accept_late(struct mc_ctx *ctx, mc_time window);

/* Whether the instance is about to stop: long tasks are then given up.  Thread: any. */
bool mc_stopping(struct mc_ctx *ctx);

/* Counts 'samples' that write() had accepted, and that are lost for good, as dropped, not as
 * delivered; and logs why, once.  Thread: any. */
void mc_drop(struct mc_ctx *ctx, uint64_t samples, int errnum, const char *fmt, ...)
	MC_PRINTF(4, 5);

/* Sets how many of the samples that write() has taken the destination has not acknowledged yet:
 * these count as queued, not as delivered.  For writers with acks_async.  Takes no lock.
 * Thread: any. */
void mc_set_waiting(struct mc_ctx *ctx, uint64_t samples);

/* Sets the reason why samples wait that write() has taken, for `status`; "": none wait.  The
 * plugin logs it.  Thread: any. */
void mc_set_failure(struct mc_ctx *ctx, const char *why);

/* How many samples for this writer were dropped since the start, before they could be offered to
 * it: its queue or the journal was full, or the journal was damaged.  Includes those that the
 * writer before it, of the same name, was not offered since it delivered something.
 * Thread: any. */
uint64_t mc_dropped_before(struct mc_ctx *ctx);

/* --- Notifications ------------------------------------------------------- */

/* The next notification that waits, or NULL.  The result of notify() holds for it, too.
 * notify(). */
const struct mc_notification *mc_next_notification(struct mc_ctx *ctx);

/* Has notifications wait for 'time' for others, which mc_next_notification() then returns.
 * Thread: start()'s. */
void mc_linger_notifications(struct mc_ctx *ctx, mc_time time);

/* Has only those notifications handed to notify() that 'wants' returns true for; the others are
 * neither limited nor counted.  'wants' reads nothing but options, on any thread.
 * Thread: start()'s. */
typedef bool mc_notification_wanted(struct mc_ctx *ctx, const struct mc_notification *notification);
void mc_select_notifications(struct mc_ctx *ctx, mc_notification_wanted *wants);

/* Has at most 'len' notifications of each plugin that sends some, or any number if that is 0,
 * handed to notify() in ten seconds.  Further ones are counted, and a notification about this
 * instance reports their number, at the end of the ten seconds.  The recovery of a failure that
 * was handed over does not count. start(). */
void mc_limit_notifications(struct mc_ctx *ctx, uint64_t len);

/* The field of such a notification: nothing recovers from it. */
#define MC_SUMMARY_FIELD "Summary"

/* The row of an option table for that number, an int64_t. */
#define MC_NOTICE_RATE(self, field)                                                                \
	{                                                                                          \
		"NoticeRate", MC_OPT_INT(self, field),                                             \
			.default_value = "100",                                                    \
			.help = "Largest number of notifications of each "                         \
				"plugin in ten seconds; one more reports the "                     \
				"number of the others.  0: no limit.",                             \
			.max = 1e9                                                                 \
	}

/* "FAILURE".  Thread: any. */
const char *mc_severity_name(enum mc_severity severity);

/* Writes a notification as a line of a log, the way collectd does, cut at 'size' bytes.
 * Thread: any. */
void mc_notification_text(const struct mc_notification *notification, char *out, size_t size);

#pragma GCC visibility pop
