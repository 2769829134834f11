/* SPDX-License-Identifier: MIT */
/* The engine: instances of plugins, read at fixed intervals, whose batches go
 * through the store to every writer's queue.
 *
 *   engine_new                 before anything else
 *   engine_add ...             one instance each; their options are filled in
 *   engine_start               starts instances, writers before readers
 *   engine_stop                bounded in time, whatever blocks
 *   engine_free                only after a stop that left nothing behind
 *
 * All of these are for one thread, the main one. */
#pragma once

#include <pthread.h>
#include <stdatomic.h>

#include <collector/plugin.h>

struct check;
struct engine;
struct graph_rules;
struct journal_settings;
struct instance;
struct type_set;

struct engine_settings {
	const char *version;
	const char *host;                 /* Name of this host in its series. */
	const char *root;                 /* Before all paths of mc_path(); "". */
	const struct type_set *types;     /* Outlives the engine. */
	const struct graph_rules *graphs; /* Outlives it; NULL: none. */
	mc_time interval;                 /* Interval of readers without one of their own. */
	mc_time read_interval_max;        /* To which failing readers slow down. */
	double timeout;                   /* Silent intervals until a series ends. */
	unsigned read_threads;            /* Kept for reads that take long. */
	size_t series_limit;
	const char *catalogue;  /* File of the catalogue; NULL: none. */
	size_t catalogue_limit; /* Of series that have ended. */
	const char *alerts;     /* File of states, acknowledgements and silences; NULL: none. */
	size_t history_bytes;   /* Memory for remembered values; see <collector/history.h>. */
	size_t queue_bytes;     /* Queue limit of each writer. */
	bool internal_stats;    /* Report on itself, as series. */
	const struct journal_settings *journal; /* NULL: none. */
	bool journal_always;                    /* Also if no writer is durable. */
	void (*before_run)(void);               /* All is started, nothing runs; or NULL. */
};

struct engine *engine_new(const struct engine_settings *);

/* Adds an instance of a plugin under a name of its own.  Its state can be
 * filled from now on until engine_start().  The name is copied. */
struct instance *engine_add(struct engine *, const struct mc_plugin *, const char *name);

/* For the options of an instance: where it reads them, and what is to be done
 * with 'argument' when the instance is gone. */
struct mc_ctx *engine_ctx(struct instance *);

/* Before engine_start(): the name of this host for all instances, in place of that of the
 * settings.  It is copied. */
void engine_set_host(struct engine *, const char *host);

/* Asks an instance for that name, which is then in 'out'; false, logged: it finds none. */
struct mc_hostname;
bool engine_find_host(struct instance *, const struct mc_hostname *, char *out, size_t size);

void engine_set_interval(struct instance *, mc_time interval);
void engine_set_recorded(struct instance *, bool recorded); /* See collector/private/recorded.h. */
void engine_set_release(struct instance *, void (*release)(void *argument), void *argument);

/* Slots of series for writers that were not there at the start. */
#define ENGINE_FREE_SLOTS 2

/* Starts everything.  An instance whose start() fails is logged and left out;
 * returns how many were. */
unsigned engine_start(struct engine *);

/* Reads every reader once, now, in the caller's thread: instead of letting the scheduler do it.
 * For tests and for one cycle printed; between engine_start_idle(), which starts all but the
 * scheduler, and engine_stop(). */
unsigned engine_start_idle(struct engine *);
void engine_read_once(struct engine *);

/* Waits until every writer has taken all that is queued for it, but no longer
 * than 'limit' of real time.  Returns false if the time was up. */
bool engine_drain(struct engine *, mc_time limit);

/* Stops everything within 'limit' of real time and logs what was left behind.  Returns false if a
 * thread had to be abandoned: then the process must end without engine_free(). */
bool engine_stop(struct engine *, mc_time limit);
void engine_free(struct engine *);

/* --- Changes while it runs ----------------------------------------------- */

/* Takes on what may change: the types, the interval of failing readers, limits
 * and internal_stats.  The old types must stay. */
void engine_tune(struct engine *, const struct engine_settings *);

/* An instance whose options can be filled in, and that takes part when
 * engine_change() says so; or engine_drop() frees it. */
struct instance *engine_prepare(struct engine *, const struct mc_plugin *, const char *name);
void engine_drop(struct instance *);

/* Its plugin. */
const struct mc_plugin *engine_plugin(const struct instance *);

/* Calls renew() of an instance that goes on.  False: it has failed, logged, and
 * goes on as before. */
bool engine_renew(struct instance *);

/* Has the options of an instance that was not started judged by its plugin. */
void engine_check(struct instance *, const struct check *);

/* Whether an instance has started. */
bool engine_has_started(const struct instance *);

struct engine_change { /* One that joins under the name of one that leaves takes
			* its place. */
	struct instance **leaving, **joining;
	unsigned leaving_len, joining_len;

	/* For each that joins: its substitute if it does not start, from engine_prepare(); or
	 * NULL.  NULL: none has one.  See engine_change(). */
	struct instance **fallback;
};

/* NULL, or why a change cannot be made now: a constant sentence without a subject. */
const char *engine_objection(struct engine *, const struct engine_change *);

/* Stops those that leave, within 'limit' of real time, and starts those that join; the others are
 * not disturbed.  Accepted samples are written by those that leave or by those that take their
 * place.  Returns how many of those that join have not started, which is logged, as is what could
 * not be stopped.
 *
 * One that takes the place of another and does not start is replaced by its fallback, which gets
 * all that was meant for it: then that is in 'joining', and NULL in 'fallback'.  Instances left in
 * 'fallback' are the caller's. */
unsigned engine_change(struct engine *, const struct engine_change *, mc_time limit);

/* Frees what has left and is not needed any more; now and then. */
void engine_tidy(struct engine *);

/* Notes that the configuration was read anew, for struct mc_status. */
void engine_note_reload(struct engine *, bool refused, const char *failure);

/* --- Meanwhile ----------------------------------------------------------- */

void engine_flush(struct engine *);  /* All writers, all they hold. */
void engine_reopen(struct engine *); /* Log files were moved. */
int engine_dump(struct engine *, const char *why, char *where, size_t size); /* As mc_dump(). */

/* True while the scheduler keeps its schedule: for a watchdog.  Thread: any. */
bool engine_alive(struct engine *);

/* How many instances were prepared, checked, started, renewed or stopped since the beginning: it
 * grows while a start or a change makes progress.  Thread: any. */
uint64_t engine_steps(const struct engine *);

size_t engine_series(struct engine *);
