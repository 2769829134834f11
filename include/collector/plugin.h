/* SPDX-License-Identifier: MIT */
/* collector/plugin.h - what every plugin needs, and all that a reader needs.
 *
 * A plugin is one constant, struct mc_plugin, and the functions it names.
 * No code of it runs before check() and start().
 *
 *   TYPE    what is measured: a row of types.db, one or more data sources
 *   SERIES  one measured thing: host, plugin, instance, type, instance
 *   SAMPLE  the values of a series at one time
 *   BATCH   the samples of one read; every writer gets all of it, and it does
 *           not change after it is committed
 *
 * A callback returns 0, or the negative errno of mc_fail().  Callbacks of one instance never run
 * at the same time, except run(), log(), reopen() and renew(), and read() beside a writer's.  The
 * last line of a contract names the thread: "Thread: any" includes the plugin's own threads, from
 * start() to stop(); "Thread: read()'s" means inside of that callback.  The core owns what it
 * passes in, and copies what it is given.  Allocation never fails: see kit/alloc.h.
 *
 * Other headers are for other plugins: writer.h to take samples, notifications or log lines,
 * serve.h to receive samples, judge.h, journal.h, label.h, metadata.h, control.h to answer for the
 * collector, check.h, kit/. */
#pragma once

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <collector/option.h>

/* Plugins see everything below, whatever else the core hides. */
#pragma GCC visibility push(default)

#define MC_API 10 /* Another number: plugins must be compiled again. */
#define MC_PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))

typedef int64_t mc_time; /* Nanoseconds: since 1970 UTC, or a duration. */
#define MC_SECOND INT64_C(1000000000)
#define MC_MILLISECOND INT64_C(1000000)

struct mc_batch;
struct mc_series;

struct mc_ctx {           /* A running instance, passed to every callback. */
	void *self;       /* Its state: self_size bytes, options filled in. */
	const char *name; /* As configured: "disk", or "csv.backup". */
	const char *host; /* The name of this host. */
	mc_time interval; /* Between two reads. */
	size_t slot;      /* The core's own: see mc_slot(). */
};

/* --- What is measured --------------------------------------------------- */

enum mc_kind {              /* The numbers of collectd's network protocol. */
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
	double min, max; /* Bounds of the gauge, or of the rate; NaN: no bound. */
};

struct mc_type {
	const char *name;     /* "if_octets". */
	const char *unit;     /* Unit of the gauge, or of the rate: "bytes/s". */
	const char *help;     /* One sentence. */
	unsigned sources_len; /* 1 to MC_SOURCES_MAX. */
	struct mc_source sources[];
};
#define MC_SOURCES_MAX 64

struct mc_id { /* NULL: this host, this plugin, no instance. */
	const char *host, *plugin, *plugin_instance, *type, *type_instance;
};
#define MC_ID(...) ((struct mc_id){ __VA_ARGS__ })

/* Finds the series 'id', or makes it.  It lives at least until 'batch' is committed: ask again for
 * the next one, or hold it.  '/' becomes '_'.  NULL, counted and logged once: the type is unknown,
 * a part is empty, too long or has control characters, or there are too many.  Thread: the one
 * that fills 'batch'. */
struct mc_series *mc_series(struct mc_batch *batch, struct mc_id id);

/* Keeps 'series' beyond its batch, until mc_release(); returns 'series', or the one that has taken
 * its place.  NULL is fine.  Thread: any. */
struct mc_series *mc_hold(struct mc_series *series);
void mc_release(struct mc_series *series);

/* Adds a sample of 'series': one value per source of its type, in their order. mc_gauge() and
 * mc_derive() are for types of a single source.  A NULL series is fine: no sample is added.
 * Thread: the one that fills 'batch'. */
void mc_put(struct mc_batch *batch, struct mc_series *series, const union mc_value *values,
	    unsigned values_len);
void mc_gauge(struct mc_batch *batch, struct mc_series *series, double level);
void mc_derive(struct mc_batch *batch, struct mc_series *series, int64_t total);

/* The same for the series of these parts, as in MC_ID(): mc_put_gauge(out, 3, .type = "users").
 * 'batch' is evaluated twice. */
#define mc_put_gauge(batch, level, ...) mc_gauge(batch, mc_series(batch, MC_ID(__VA_ARGS__)), level)
#define mc_put_derive(batch, total, ...)                                                           \
	mc_derive(batch, mc_series(batch, MC_ID(__VA_ARGS__)), total)

/* As mc_put(), for a sample that has a time and an interval of its own. */
struct mc_stamp {
	mc_time time, interval;
};
void mc_put_at(struct mc_batch *batch, struct mc_series *series, struct mc_stamp stamp,
	       const union mc_value *values, unsigned values_len);

/* --- What the core does for a plugin ------------------------------------ */

/* The monotonic time, and the time since 1970 UTC.  A test may have stopped both.  Thread: any. */
mc_time mc_now(void);
mc_time mc_wall(void);

/* Writes a line to the log, after the name of the instance.  Thread: any. */
enum mc_level { MC_ERROR, MC_WARN, MC_NOTE, MC_INFO, MC_DEBUG };
void mc_log(struct mc_ctx *ctx, enum mc_level level, const char *fmt, ...) MC_PRINTF(3, 4);

/* Reports why a callback fails, and returns -errnum for it to return; with errnum 0, for a verdict
 * of the plugin's own, -EINVAL.  The core appends ": " and the text of 'errnum' (except 0 and
 * EAGAIN), logs the reason once, and again when it changes or goes away.  Callbacks; of several
 * calls in one callback the first gives the reason, and the number of the others is added. */
int mc_fail(struct mc_ctx *ctx, int errnum, const char *fmt, ...) MC_PRINTF(3, 4);

/* Reads a small file, below the root that a test may have set.  '*text' ends with '\0'; the plugin
 * may change it, until its next call.  Files in /proc and /sys stay open between reads.  Returns
 * the size, or what mc_fail() returned ('*text' is then unchanged); mc_read_optional() just -ENOENT
 * of a missing file.  Callbacks but log() and reopen(); run() has its own text. */
ssize_t mc_read_file(struct mc_ctx *ctx, const char *path, char **text);
ssize_t mc_read_optional(struct mc_ctx *ctx, const char *path, char **text);

/* Writes 'path' below that root to 'out', cut at 'size' bytes, and returns 'out': for what
 * mc_read_file() cannot do.  Thread: any. */
const char *mc_path(struct mc_ctx *ctx, const char *path, char *out, size_t size);

struct mc_field {                 /* A value in a notification, for programs. */
	const char *name, *value; /* Never NULL. */
};
#define MC_FIELDS_MAX 32 /* Further ones are cut. */

enum mc_severity { MC_FAILURE = 1, MC_WARNING = 2, MC_OKAY = 4 };
struct mc_notification { /* Strings may be NULL. */
	enum mc_severity severity;
	mc_time time;    /* 0: now. */
	struct mc_id id; /* Its subject. */
	const char *message;
	const struct mc_field *fields;
	unsigned fields_len;
};

/* Sends a copy of 'notification' to all writers that take notifications.  Where too many wait, the
 * oldest is dropped and counted.  Thread: any. */
void mc_notify(struct mc_ctx *ctx, const struct mc_notification *notification);

/* --- The plugin ---------------------------------------------------------- */

struct mc_plugin {
	unsigned api; /* MC_NAMED() sets both. */
	const char *name;
	const char *help; /* One sentence. */
	size_t self_size;
	const struct mc_option *options; /* Ends with {0}. */
	const char *const *types;        /* Types that it emits; ends with NULL. */

	/* Types that a plugin outside this tree brings along, with unit and
	 * help; ends with NULL.  A row of a TypesDB takes their place. */
	const struct mc_type *const *new_types;

	/* All callbacks may be NULL.  In order of life: */

	/* Reports what is wrong with the options, without side effects: see <collector/check.h>.
	 * The instance is then not started. */
	void (*check)(struct mc_ctx *ctx);

	/* Gets ready.  After a failure stop() is called, and nothing else. */
	int (*start)(struct mc_ctx *ctx);

	/* Measures once an interval.  Samples in 'out' count, also after a failure.  Each further
	 * failure of a read that puts nothing makes the next read later, except -EAGAIN. */
	int (*read)(struct mc_ctx *ctx, struct mc_batch *out);

	/* See <collector/writer.h> and <collector/judge.h>. */
	const struct mc_writer *writer;
	const struct mc_judge *judge;

	/* Runs in a thread of its own from the end of start() until mc_stop_fd() can be read: see
	 * <collector/serve.h>.  That of a writer is asked to end after the last flush(). */
	int (*run)(struct mc_ctx *ctx);

	/* On a reload, if the options are the same: the files that they name
	 * may have other contents, which check() has found right. */
	int (*renew)(struct mc_ctx *ctx);

	/* Gives back what start() and run() took, or began.  Runs alone. */
	void (*stop)(struct mc_ctx *ctx);

	bool wants_journal; /* With "Journal auto" there is one, if a writer is
			     * durable. */
	bool lenient;       /* An unknown option is a warning, not an error. */
	bool takes_rules;   /* The files of RulesDir are further <Plugin> blocks of its. */
	bool in_example;    /* The example file loads it; it loads every reader
			     * without run() anyway. */
};

/* The constant's symbol carries the plugin's name, so that the same objects
 * can be a loadable module or be linked into a test. */
#define MC_PLUGIN(ident)                                                                           \
	extern const struct mc_plugin mc_plugin_##ident;                                           \
	__attribute__((visibility("default"))) const struct mc_plugin mc_plugin_##ident
#define MC_NAMED(ident) .api = MC_API, .name = #ident

#pragma GCC visibility pop
