/* SPDX-License-Identifier: MIT */
/* collector/private/status.h - the collector's own figures, and what its judges and writers say of
 * a series.  kit/base/report.h makes records of them.
 *
 * All functions may be called from any thread of the instance.  Visitors are called without a lock
 * held; what they are shown is theirs for that call.
 */
#pragma once

#include <collector/control.h>

#pragma GCC visibility push(default)

struct mc_reader_status { /* An instance that reads or runs. */
	const char *name;
	mc_time interval;
	mc_time duration;                  /* Duration of the last read. */
	mc_time cpu;                       /* Used by all reads. */
	mc_time due;                       /* Until the next read; negative: it is late. */
	uint64_t reads, failures, skipped; /* Skipped: cycles it missed. */
	uint64_t values;                   /* Samples it committed. */
	uint64_t refused;                  /* Samples not accepted: bad name, too old, ... */
	bool stuck;                        /* The last read has not returned in time. */
	const char *failure;               /* Why it fails now, or "". */
};

struct mc_writer_status { /* An instance that writes. */
	const char *name;
	uint64_t accepted; /* = delivered + queued + the sum of dropped; with the samples that a
			      journal held for it at the start. */
	uint64_t delivered, queued;
	uint64_t dropped_full;    /* The queue was full: the oldest went. */
	uint64_t dropped_refused; /* write() failed for good. */
	uint64_t dropped_stop;    /* Still queued at the end. */
	uint64_t queued_bytes, limit_bytes;
	uint64_t lost_notifications;       /* Too many waited, or refused. */
	uint64_t suppressed_notifications; /* Only reported by summaries. */
	bool durable;                      /* It takes from the journal. */
	uint64_t queued_journal;           /* Of those queued, only on disk. */
	uint64_t dropped_quota;            /* The journal was full. */
	uint64_t dropped_damaged;          /* Could not be read from it. */
	mc_time cpu;
	uint64_t failures;
	const char *failure;
};

struct mc_status { /* All figures since the start. */
	const char *version, *host;
	mc_time started; /* Since 1970. */
	mc_time cpu;     /* CPU time of the whole process. */
	uint64_t memory; /* Resident, in bytes. */
	uint64_t series, series_limit, series_refused;
	uint64_t series_warning, series_failure; /* In these states. */
	uint64_t rules;                          /* By which judges judge values. */
	uint64_t samples, samples_refused, notifications;
	uint64_t samples_filtered; /* Judges have dropped them. */
	uint64_t samples_late;     /* Only writers that take the past have them. */
	unsigned threads, threads_stuck;
	struct mc_journal_status {
		bool open;             /* There is a journal; else all is 0. */
		bool failing;          /* It cannot be written now, or hangs, ... */
		mc_time failing_since; /* ... since then (1970); or 0. */
		uint64_t queued;       /* Samples that wait to be written. */
		uint64_t bytes, limit_bytes;
		uint64_t records;       /* Written; of this epoch. */
		uint64_t bypassed;      /* Samples that went without it. */
		uint64_t damaged_bytes; /* Bytes outside of valid records. */
		uint64_t failures;      /* To write, and to sync. */
	} journal;
	struct mc_reload_status {  /* The configuration, read anew. */
		uint64_t count;    /* Times that it was read, ... */
		uint64_t refused;  /* ... and that the old one stayed. */
		mc_time time;      /* The last time, since 1970; 0: never. */
		char failure[512]; /* The error of that time, or "". */
	} reload;
};

void mc_status(struct mc_ctx *, struct mc_status *);
void mc_each_reader(struct mc_ctx *, void (*visit)(void *argument, const struct mc_reader_status *),
		    void *argument);
void mc_each_writer(struct mc_ctx *, void (*visit)(void *argument, const struct mc_writer_status *),
		    void *argument);

struct mc_quota_status {    /* Quota of a client or source: see quota.h. */
	const char *plugin; /* Name of the instance. */
	const char *name;
	enum mc_quota_kind kind;
	uint64_t series, series_limit; /* How many may live now. */
	uint64_t series_refused;       /* Times that one was not made. */
	/* Described sources of series, bytes of their metadata, and the present limits of both. */
	uint64_t metadata, metadata_limit;
	uint64_t metadata_bytes, metadata_bytes_limit;
	uint64_t metadata_refused; /* Times that a text was not kept. */
};

/* Shows the quotas that have used most of one of their limits, the fullest
 * first, but no more than MC_QUOTAS_SHOWN. */
#define MC_QUOTAS_SHOWN 1000
void mc_each_quota(struct mc_ctx *, void (*visit)(void *argument, const struct mc_quota_status *),
		   void *argument);

/* Shows which writers get the series of that name, as far as judges do not look at each sample,
 * and where each puts it ("" if that is unknown). */
void mc_each_destination(struct mc_ctx *, const char *name,
			 void (*visit)(void *argument, const char *writer, const char *where),
			 void *argument);

/* Shows which writers that keep values have some of the series of that name: asks each, and waits
 * for disks, and up to five seconds for each program that answers one. */
struct mc_keeper {
	const char *writer;
	bool has;
	const char *why; /* Why it could not be asked, or "". */
};
void mc_each_keeper(struct mc_ctx *, const char *name,
		    void (*visit)(void *argument, const struct mc_keeper *), void *argument);

/* Shows the explanations of judges, and of other plugins, about a series that the caller reads or
 * holds, a line each. */
void mc_each_explanation(struct mc_ctx *, const struct mc_series *series,
			 void (*visit)(void *argument, const char *judge, const char *text),
			 void *argument);

/* Has 'explain' answer people, too, by mc_explain(), about any series: for a plugin that is no
 * judge.  A reload waits for it.  It is called on any thread.  Thread: start()'s. */
void mc_explain_with(struct mc_ctx *ctx,
		     void (*explain)(struct mc_ctx *ctx, const struct mc_series *series,
				     struct mc_answer *answer));

/* Shows the thresholds of judges for the series of that name, which need not exist; no part of
 * 'id' is NULL. */
void mc_each_threshold(struct mc_ctx *, const struct mc_id *id,
		       void (*visit)(void *argument, const char *judge,
				     const struct mc_threshold *threshold),
		       void *argument);

/* Shows all series that a judge reports in a bad state. */
void mc_each_alert(struct mc_ctx *,
		   void (*visit)(void *argument, const char *judge, const struct mc_alert *alert),
		   void *argument);

/* Has the configuration read anew, as SIGHUP does, and returns at once; the result is in struct
 * mc_status. */
void mc_reload(struct mc_ctx *);

/* Counts a failure of what is tried beside callbacks, such as a question of run(), with those of
 * read(): for mc_complain() of <collector/kit/once.h>. */
void mc_count_failure(struct mc_ctx *);

#pragma GCC visibility pop
