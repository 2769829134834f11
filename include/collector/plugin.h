/* SPDX-License-Identifier: MIT */
/* collector/plugin.h - all that a plugin may know about the collector.
 *
 * A plugin is one constant, struct mc_plugin, and the functions it names.
 * No code of it runs before check() and start().
 *
 *   TYPE    what is measured: a row of types.db, one or more data sources
 *   SERIES  one measured thing: host, plugin, instance, type, instance
 *   SAMPLE  the values of a series at one time
 *   BATCH   the samples of one read; every writer gets it whole, and nobody
 *           changes it any more
 *
 * Callbacks return 0, or the negative errno that mc_fail() handed them.  Those
 * of one instance never run at the same time, except run(), log() and
 * reopen().  What the core passes in belongs to the core; what the core is
 * given it copies.  Allocation never fails: see <collector/kit/alloc.h>.
 */
#ifndef COLLECTOR_PLUGIN_H
#define COLLECTOR_PLUGIN_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Everything below is seen by plugins, whatever else the core hides. */
#pragma GCC visibility push(default)

#define MC_API 2 /* Bumped when plugins must be recompiled. */
#define MC_PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))

typedef int64_t mc_time; /* Nanoseconds: since 1970 UTC, or a duration. */
#define MC_SECOND INT64_C(1000000000)
#define MC_MILLISECOND INT64_C(1000000)

struct mc_batch;
struct mc_series;

struct mc_ctx {           /* A running instance, passed to every callback. */
	void *self;       /* Its state: self_size bytes, options filled in. */
	const char *name; /* As configured: "disk", or "csv.backup". */
	mc_time interval; /* Between two reads. */
};

/* --- What is measured --------------------------------------------------- */

/* The numbers are those of collectd's network protocol. */
enum mc_kind {
	MC_COUNTER,  /* uint64_t: only grows; wraps at 32 or 64 bits. */
	MC_GAUGE,    /* double: a level; NaN is "unknown". */
	MC_DERIVE,   /* int64_t: its change over time is what matters. */
	MC_ABSOLUTE, /* uint64_t: a counter that each read resets. */
};

union mc_value {
	double gauge;
	int64_t derive;
	uint64_t counter;
	uint64_t absolute;
};

struct mc_source {
	const char *name; /* "rx"; at most 19 characters, as in RRD files. */
	enum mc_kind kind;
	double min, max; /* Of the gauge, or of the rate; NaN: no bound. */
};

struct mc_type {
	const char *name;     /* "if_octets". */
	const char *unit;     /* Of the gauge, or of the rate: "bytes/s". */
	const char *help;     /* One sentence. */
	unsigned sources_len; /* 1 to MC_SOURCES_MAX. */
	struct mc_source sources[];
};
#define MC_SOURCES_MAX 64

struct mc_id { /* What is NULL: this host, this plugin, none. */
	const char *host, *plugin, *plugin_instance, *type, *type_instance;
};
#define MC_ID(...) ((struct mc_id){ __VA_ARGS__ })

/* The series of that name, made if it is new.  Lives at least until 'batch' is
 * committed; ask again for the next one (one hash probe), or hold it.  '/' in
 * a part becomes '_', as in collectd.  NULL, counted and logged once, if the
 * type is unknown, a part is empty, too long or has control characters, or
 * the limit of series is reached; mc_put() takes a NULL series. */
struct mc_series *mc_series(struct mc_batch *batch, struct mc_id id);

/* How many living series somebody may have made, such as a client of a server,
 * and how many new ones in a second, beside as many as that at once.  Those
 * made for a batch that is charged count; beyond the limits mc_series() is
 * NULL, which is counted.  A quota may be freed before its series end, but not
 * before the batches that are charged.  Any thread. */
struct mc_quota;
struct mc_quota *mc_quota_new(struct mc_ctx *, uint64_t series,
			      double per_second);
void mc_quota_free(struct mc_quota *); /* NULL is fine. */
void mc_charge(struct mc_batch *, struct mc_quota *);
uint64_t mc_quota_refused(const struct mc_quota *);

/* Keep a series beyond its batch, until it is released; NULL is fine.  Hold on
 * to what mc_hold() returns. */
struct mc_series *mc_hold(struct mc_series *);
void mc_release(struct mc_series *);

/* Adds a sample: one value per source of the type, in its order.  The other
 * forms are for types of a single source. */
void mc_put(struct mc_batch *, struct mc_series *, const union mc_value *values,
	    unsigned values_len);
void mc_gauge(struct mc_batch *, struct mc_series *, double);
void mc_derive(struct mc_batch *, struct mc_series *, int64_t);

/* The same for a sample that brings its own time, and the interval at which
 * its sender measures. */
struct mc_stamp {
	mc_time time, interval;
};
void mc_put_at(struct mc_batch *, struct mc_series *, struct mc_stamp,
	       const union mc_value *values, unsigned values_len);

/* --- What is configured ------------------------------------------------- */

enum mc_option_type {
	MC_BOOL,    /* bool */
	MC_INT,     /* int64_t, between min and max */
	MC_NUMBER,  /* double, between min and max */
	MC_TIME,    /* mc_time; seconds in the file, fractions allowed */
	MC_STRING,  /* const char *; NULL when not given and no preset */
	MC_WORD,    /* int: the index of the value in words[] */
	MC_STRINGS, /* struct mc_strings: every value of every occurrence */
	MC_INTS,    /* struct mc_ints: likewise */
	MC_SELECT,  /* struct mc_select *: names and /regexes/; see mc_selected
		     */
	MC_BLOCKS,  /* struct mc_blocks: nested blocks, see 'block' */
};

struct mc_strings {
	const char *const *items;
	size_t len;
};

struct mc_ints {
	const int64_t *items;
	size_t len;
};

struct mc_blocks { /* An array of len structs of block->size bytes each. */
	void *items;
	size_t len;
};

struct mc_block {
	size_t size;
	/* The option with the name "" is the block's own argument. */
	const struct mc_option *options;
};

struct mc_option {
	const char *name; /* As in the file; compared without case. */
	enum mc_option_type type;
	size_t offset; /* Of the field in self, or in the block. */
	const char
		*default_value; /* Default, written as in the file, or NULL. */
	const char *help;       /* One sentence: manual, example file. */
	double min, max;        /* Numbers; both 0: no bound. */
	const char *const *words;     /* MC_WORD; ends with NULL. */
	const struct mc_block *block; /* MC_BLOCKS. */
	bool required;
	bool secret;        /* No message shows its value. */
	const char *sample; /* Value for the example file; NULL: preset. */
	bool lenient;       /* A wrong value is a warning, not an error. */
	bool no_effect;     /* Accepted, with a warning: why is in the help. */
};

/* Type and offset of a field; will not compile for a field of another type. */
#define MC_OPTION(type, self, field, ctype)                                    \
	type, offsetof(self, field) +                                          \
		      0 * sizeof((ctype *)0 == &((self *)0)->field)
#define MC_OPT_BOOL(self, field) MC_OPTION(MC_BOOL, self, field, bool)
#define MC_OPT_INT(self, field) MC_OPTION(MC_INT, self, field, int64_t)
#define MC_OPT_NUMBER(self, field) MC_OPTION(MC_NUMBER, self, field, double)
#define MC_OPT_TIME(self, field) MC_OPTION(MC_TIME, self, field, mc_time)
#define MC_OPT_STRING(self, field)                                             \
	MC_OPTION(MC_STRING, self, field, const char *)
#define MC_OPT_WORD(self, field) MC_OPTION(MC_WORD, self, field, int)
#define MC_OPT_STRINGS(self, field)                                            \
	MC_OPTION(MC_STRINGS, self, field, struct mc_strings)
#define MC_OPT_INTS(self, field) MC_OPTION(MC_INTS, self, field, struct mc_ints)
#define MC_OPT_SELECT(self, field)                                             \
	MC_OPTION(MC_SELECT, self, field, struct mc_select *)
#define MC_OPT_BLOCKS(self, field)                                             \
	MC_OPTION(MC_BLOCKS, self, field, struct mc_blocks)

/* Whether collectd's ignore list lets 'name' through: 'ignore' is the plugin's
 * IgnoreSelected.  An empty list lets everything through. */
struct mc_select;
bool mc_selected(const struct mc_select *, bool ignore, const char *name);

/* --- What the core does for a plugin ------------------------------------ */

/* The time, which a test may have stopped: monotonic, for what lasts, and since
 * 1970 UTC.  Any thread. */
mc_time mc_now(void);
mc_time mc_wall(void);

enum mc_level { MC_ERROR, MC_WARN, MC_NOTE, MC_INFO, MC_DEBUG };
void mc_log(struct mc_ctx *, enum mc_level, const char *fmt, ...)
	MC_PRINTF(3, 4);

/* Says why a callback fails, ": " and the text of errnum appended (but of
 * EAGAIN, which says what to do, not why), and returns -errnum.  A verdict of
 * the plugin's own has an errnum of 0: it stands alone, -EINVAL is returned.
 * The core logs it once, and again when it changes or goes away. */
int mc_fail(struct mc_ctx *, int errnum, const char *fmt, ...) MC_PRINTF(3, 4);

/* The text of a small file, below the root that a test may have set (it has its
 * own /proc), ended by '\0' and the plugin's to split until its next call.
 * Files in /proc and /sys stay open between reads.  Returns the size, or what
 * mc_fail() returned. */
ssize_t mc_read_file(struct mc_ctx *, const char *path, char **text);

/* 'path' below that root, for what mc_read_file() cannot do.  Written to 'out',
 * which it returns. */
const char *mc_path(struct mc_ctx *, const char *path, char *out, size_t size);

/* Runs call(argument) on a helper thread and waits for it, but no longer than
 * 'limit': for a system or library call that can hang.  Returns its result, or
 * -ETIMEDOUT: it then goes on alone, and 'argument' is freed when it is done.
 * -EAGAIN: too many calls of this instance hang already.  'argument' is from
 * malloc() and is the plugin's again unless -ETIMEDOUT is returned. */
int mc_timed_call(struct mc_ctx *, mc_time limit, int (*call)(void *argument),
		  void *argument);

/* What programs look for in a notification: key and value. */
struct mc_field {
	const char *name, *value; /* Never NULL. */
};
#define MC_FIELDS_MAX 32

/* What is known of a host besides its values, such as the UUID of a guest: for
 * all its series at once, whoever measures it.  Replaces its labels; none:
 * forgets them.  Names and values are cut after MC_LABEL_SIZE - 1 bytes. */
#define MC_LABELS_MAX 8
#define MC_LABEL_SIZE 128
void mc_label(struct mc_ctx *, const char *host, const struct mc_field *labels,
	      unsigned labels_len);

/* Shows the labels of a host; returns how many it has.  Any thread. */
unsigned mc_each_label(struct mc_ctx *, const char *host,
		       void (*visit)(void *argument,
				     const struct mc_field *label),
		       void *argument);

enum mc_severity { MC_FAILURE = 1, MC_WARNING = 2, MC_OKAY = 4 };
struct mc_notification { /* A notification.  Strings may be NULL; all are
			    copied. */
	enum mc_severity severity;
	mc_time time;    /* 0: now. */
	struct mc_id id; /* What it is about. */
	const char *message;
	const struct mc_field *fields; /* Those beyond the limit are cut. */
	unsigned fields_len;
};
void mc_notify(struct mc_ctx *, const struct mc_notification *);

/* "FAILURE", and a notification as a line of a log, the way collectd writes it;
 * cut at 'size' bytes.  Pure. */
const char *mc_severity_name(enum mc_severity);
void mc_notification_text(const struct mc_notification *, char *out,
			  size_t size);

/* For run(): samples that come when they come; a descriptor that is readable
 * from the moment the instance must stop. */
struct mc_batch *mc_begin(struct mc_ctx *);
void mc_commit(struct mc_batch *);

/* Commits, and waits until the batch is as safe as the journal makes it
 * (JournalSync), at the longest 'limit' of real time.  0; else it is not known
 * to be safe, but went its way all the same: -ENOTSUP, there is no journal;
 * -EIO, it cannot be written; -ETIMEDOUT. */
int mc_commit_safely(struct mc_batch *, mc_time limit);

/* The same without waiting: done() is told, once, the result of
 * mc_commit_safely().  It is called by a thread of the core, or by this one
 * before mc_commit_then() returns, and must not block.  When the disk hangs it
 * may take longer than 'limit', until the next batch is committed. */
typedef void mc_committed(void *argument, int rc);
void mc_commit_then(struct mc_batch *, mc_time limit, mc_committed *done,
		    void *argument);

/* False when the journal is nearly full of what some writer has not taken: who
 * is asked to take something that the sender can keep itself says no then, as
 * the journal drops its oldest records, acknowledged or not, when it is full.
 * True without a journal. */
bool mc_journal_has_room(struct mc_ctx *);

/* Tells -ECANCELED to all who still wait of this instance.  When it returns, no
 * done() of theirs runs any more. */
void mc_commit_cancel(struct mc_ctx *);

/* Who sent a batch, and under which number: kept in the journal with it, so
 * that what is sent again is known, after a crash as well.  The name is
 * "SENDER/RUN", of at most 64 characters; numbers of a run only grow, and
 * another run of a sender takes the place of the one before. */
#define MC_DEDUP_ID_MAX 64
struct mc_dedup_id {
	char name[MC_DEDUP_ID_MAX + 1];
	uint64_t number;
};

/* Before the batch is committed safely; the dedup id is copied. */
void mc_set_dedup_id(struct mc_batch *, const struct mc_dedup_id *);

/* Shows the last dedup id of every sender that the journal knows.  In start().
 */
void mc_each_dedup_id(struct mc_ctx *,
		      void (*show)(void *argument, const struct mc_dedup_id *),
		      void *argument);
int mc_stop_fd(struct mc_ctx *);

/* --- For writers -------------------------------------------------------- */

struct mc_sample {
	struct mc_sample *next; /* The core's own: use MC_FOR_EACH_SAMPLE. */
	struct mc_series *series;
	mc_time time;
	mc_time interval;        /* At which the series is measured. */
	uint32_t values_len;     /* Sources of the type. */
	uint32_t flags;          /* The core's own. */
	union mc_value values[]; /* Raw, then as many rates: see mc_rate(). */
};

/* The sample after 'sample', or the first after NULL; NULL at the end. */
const struct mc_sample *mc_next(const struct mc_batch *,
				const struct mc_sample *sample);
#define MC_FOR_EACH_SAMPLE(sample, batch)                                      \
	for (const struct mc_sample *sample = mc_next(batch, NULL);            \
	     sample != NULL; sample = mc_next(batch, sample))

/* The gauge, or change per second since the sample before; NaN at first, after
 * a reset, and outside the range of the source. */
static inline double mc_rate(const struct mc_sample *sample, unsigned source)
{
	return sample->values[sample->values_len + source].gauge;
}

/* In start(): small batches that come within that time of each other are to be
 * handed to write() as one. */
void mc_linger(struct mc_ctx *, mc_time time);

/* In notify(): the next notification that waits, which then shares the fate of
 * the first; NULL: there is none. */
const struct mc_notification *mc_next_notification(struct mc_ctx *);

/* Whether the instance is about to be stopped: what takes long is to be given
 * up soon.  Any thread. */
bool mc_stopping(struct mc_ctx *);

/* Where a batch begins in the journal: the core's own, but that one with a
 * smaller 'seq' came before. */
struct mc_place {
	uint64_t seq, before;
};

/* For durable writers that are 'late'.  The place of the batch of this write();
 * false: it is in no journal.  And that all before a place is safe, so that a
 * restart begins there: from one thread at a time, the latest of them in run()
 * at its end. */
bool mc_place(struct mc_ctx *, struct mc_place *place);
void mc_ack(struct mc_ctx *, struct mc_place place);

/* For durable writers that are 'late' and have parts that may fall behind
 * alone, as one of several destinations does: a part keeps what it may need
 * again by a place of its own, under its name, while the writer's goes on.  In
 * start(): '*from' is where the part stood, '*end' where write() begins.  NULL:
 * there is no journal.  Lives as long as the instance. */
struct mc_consumer;
struct mc_consumer *mc_consumer(struct mc_ctx *, const char *name,
				struct mc_place *from, struct mc_place *end);
void mc_consumer_ack(struct mc_consumer *, struct mc_place); /* As mc_ack(). */

/* The record at '*from', or the first one there is behind it and before that of
 * number 'end', as a batch, for mc_discard(); '*from' is then behind it.  NULL:
 * it cannot be read now, or '*from' is 'end'.  By one thread. */
struct mc_batch *mc_consumer_read(struct mc_consumer *, struct mc_place *from,
				  uint64_t end);

/* The records of the batch of this write(), in the journal of that epoch: after
 * a crash they come again under the same numbers, but each as a batch of its
 * own.  False: it is in no journal, and all is 0. */
struct mc_records {
	uint64_t epoch, first, last;
};
bool mc_records(struct mc_ctx *, struct mc_records *);

/* Samples for this writer, since the start, that were dropped before they could
 * be offered to it: its queue or the journal was full, or that was damaged.  Of
 * the writer before it those count, too, that were dropped since it delivered
 * something. */
uint64_t mc_dropped_before(struct mc_ctx *);

/* Takes back samples that write() had accepted and that are lost for good: they
 * count as dropped, not as delivered.  Logs why, once.  Any thread. */
void mc_drop(struct mc_ctx *, uint64_t samples, int errnum, const char *fmt,
	     ...) MC_PRINTF(4, 5);

/* Of a series, as long as it lives; "" where a part is missing. */
const struct mc_type *mc_type(const struct mc_series *);
const char *mc_name(const struct mc_series *); /* "host/cpu-0/cpu-idle" */
const char *mc_host(const struct mc_series *);
const char *mc_plugin(const struct mc_series *);
const char *mc_plugin_instance(const struct mc_series *);
const char *mc_type_instance(const struct mc_series *);

/* The writer's own pointer at the series (a path, a prefix), NULL at first;
 * handed to forget() when the series has ended.  Only inside write(), or under
 * a lock of the plugin's that write() takes for it, too. */
void **mc_slot(struct mc_ctx *, const struct mc_series *);

/* --- The plugin ---------------------------------------------------------- */

struct mc_plugin {
	unsigned api;
	const char *name;
	const char *help; /* One sentence. */
	size_t self_size;
	const struct mc_option *options; /* Ends with {0}. */
	const char *const *types;        /* What it emits; ends with NULL. */

	/* Types that no types.db has and that it brings along, with unit and
	 * help; ends with NULL.  A row of a TypesDB takes their place. */
	const struct mc_type *const *new_types;

	/* All optional, in order of life. */
	void (*check)(struct mc_ctx *); /* Says what is wrong with the options,
					 * without side effects: see
					 * <collector/check.h>. */
	int (*start)(struct mc_ctx *);  /* Failed: unused. */
	int (*read)(struct mc_ctx *, struct mc_batch *out);
	/* What was put counts, even if it fails; then the next read comes later
	 * each time, but for -EAGAIN. */
	int (*write)(struct mc_ctx *, const struct mc_batch *);
	/* -EAGAIN: offer the batch again later; else it is dropped, counted. */
	int (*notify)(struct mc_ctx *, const struct mc_notification *);
	/* Comes before batches that wait.  -EAGAIN as of write(). */
	int (*flush)(struct mc_ctx *, mc_time age, const char *name);
	/* Send what is buffered for longer than 'age', of the series of that
	 * name or, if NULL, of all. */
	void (*where)(struct mc_ctx *, const char *name, char *out,
		      size_t size);
	/* Says where samples of the series of that name go: a file, an address.
	 * From any thread: reads nothing but options. */
	int (*run)(struct mc_ctx *); /* A thread of its own until stop; that of
				      * a writer ends after the last flush. */
	void (*log)(struct mc_ctx *, enum mc_level, const char *line);
	void (*reopen)(struct mc_ctx *); /* Log files were moved. */
	void (*stop)(struct mc_ctx *);
	void (*forget)(struct mc_ctx *, void *slot); /* NULL: free(slot).  For
						      * what is left, after
						      * stop(). */
	bool on_request; /* write(), notify() only after mc_subscribe(). */
	bool durable; /* write() returns 0 only when the batch is safe where it
		       * goes.  What was not taken stays in the journal, if
		       * there is one, over restarts; a batch may come again
		       * after a crash. */
	bool late; /* Durable, but write() returns 0 before the batch is safe:
		    * mc_ack() tells. */
	bool wants_journal;  /* With Journal auto there is one, if a writer is
			      * durable. */
	bool logs_to_syslog; /* log() ends where the journal of systemd reads,
			      * too: standard error is then left alone. */
	bool lenient;    /* An unknown option is a warning; else an error. */
	bool in_example; /* The example configuration loads it; it loads every
			  * reader without run() anyway. */
};

/* The constant's symbol carries the plugin's name, so that the same objects
 * can be a loadable module or be linked into a test. */
#define MC_PLUGIN(ident)                                                       \
	extern const struct mc_plugin mc_plugin_##ident;                       \
	__attribute__((visibility("default")))                                 \
	const struct mc_plugin mc_plugin_##ident
#define MC_NAMED(ident) .api = MC_API, .name = #ident

#pragma GCC visibility pop

#endif /* COLLECTOR_PLUGIN_H */
