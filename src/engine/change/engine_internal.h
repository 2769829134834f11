/* SPDX-License-Identifier: MIT */
/* What the files of this floor know of each other: the insides of the engine
 * and of an instance. */
#ifndef COLLECTOR_ENGINE_CHANGE_ENGINE_INTERNAL_H
#define COLLECTOR_ENGINE_CHANGE_ENGINE_INTERNAL_H

#include <collector/control.h>
#include <collector/serve.h>
#include <collector/writer.h>

#include <time.h>

#include "engine/change/engine.h"
#include "engine/change/instance_set.h"
#include "engine/log_once.h"
#include "engine/store/store.h"

struct timed_calls;
struct check;
struct files;
struct labels;
struct journal_writer;
struct scheduler;
struct units;
struct writer;

struct reading { /* What the scheduler keeps of an instance that reads. */
	/* Guarded by the scheduler's lock. */
	mc_time due;      /* When the next read is to start. */
	mc_time interval; /* Grown while the reader fails. */
	mc_time started;  /* Of the read that runs; 0: none runs. */
	mc_time late;     /* How late the last read started. */
	bool fast;        /* Its last read was quick: it may share a thread. */
	bool stuck;       /* The read that runs is past its deadline. */
	bool leaving;     /* It is not to read again. */

	/* Figures since the start, written by one thread, read by any. */
	_Atomic uint64_t reads, failures, skipped;
	_Atomic mc_time duration, cpu;
};

struct instance {
	struct mc_ctx ctx; /* First: an instance is found by its ctx. */
	struct engine *engine;
	const struct mc_plugin *plugin;
	const struct mc_writer *callbacks; /* Of the plugin; never NULL. */
	const char *name; /* The engine's: it outlives the instance. */
	uint64_t number;  /* Of those made before it. */
	void (*release)(void *argument);
	void *release_argument;

	struct reading reading;
	struct writer *writer; /* NULL: it takes nothing. */
	/* Made by the first mc_timed_call(). */
	struct timed_calls *_Atomic timed_calls;
	struct files *files;      /* Of mc_read_file(), ... */
	struct files *run_files;  /* ... and of its calls by run(). */
	pthread_t run_thread;     /* Set by run()'s thread, before 'running'. */
	struct log_once log_once; /* Of read(), run() and start(). */
	struct log_once refusals; /* Of series that cannot be. */
	_Atomic uint64_t samples, refused;

	pthread_t thread; /* Of run(). */
	int stop_fd;      /* An eventfd; -1: it has no run(). */
	_Atomic bool started, running;
	_Atomic clockid_t clock; /* Of its CPU time, while it runs. */
	_Atomic bool leaving;    /* It is to be stopped: see mc_stopping(). */

	/* The main thread's. */
	bool abandoned;        /* It could not be stopped. */
	bool has_fallback;     /* Another one is tried if it does not start. */
	uint64_t left;         /* Serial of the newest batch when it left. */
	struct instance *next; /* That left after it. */
	const struct check *check; /* While check() runs. */
};

struct engine {
	struct engine_settings settings;
	char *host;
	mc_time started; /* clock_wall() */
	struct store *store;
	struct labels *labels; /* Of hosts. */
	struct units *units;   /* Of series whose type can be in any. */
	struct scheduler *_Atomic scheduler;
	struct journal_writer
		*_Atomic journal_writer; /* NULL: none was needed yet. */
	struct instance_set *_Atomic instance_set;
	struct instance_set_epoch gate;
	struct writer *_Atomic *slots; /* Whose slot of a series it is. */
	unsigned slots_len;
	_Atomic uint64_t notifications, samples, refused;
	_Atomic bool stopping;
	bool ending; /* It is being freed: there is no thread but this one. */

	/* Of the settings, what may change while it runs. */
	struct {
		const struct type_set *_Atomic types;
		_Atomic mc_time read_interval_max;
		_Atomic unsigned read_threads;
		_Atomic size_t queue_bytes;
		_Atomic bool internal_stats;
	} live;

	/* The main thread's. */
	struct name *names;           /* Of all instances there ever were. */
	uint64_t instances_made;      /* How many these are. */
	struct instance *retiring;    /* That batches may still point to. */
	struct instance *left_behind; /* That could not be stopped. */

	struct {
		pthread_mutex_t lock; /* Guards the status. */
		struct mc_reload_status status;
	} reload;
};

/* What a name of an instance is kept as, until the engine is freed. */
const char *engine_name(struct engine *, const char *name);

/* Makes the writer of an instance that takes something, and gives it a slot of
 * the series if it writes; false if none is free. */
void engine_make_writer(struct instance *);
bool engine_take_slot(struct instance *);

/* Whether these instances need a journal. */
bool engine_needs_journal_writer(const struct engine *,
				 const struct instance_set *);

static inline struct instance *instance_of(const struct mc_ctx *ctx)
{
	return (struct instance *)ctx;
}

/* Whether the writer's thread may be woken at once, or whoever commits will
 * wake all writers when the round is over. */
enum dispatch_wake { DISPATCH_WAKE, DISPATCH_LATER };

/* The way of every batch: through the store to the queue of each writer. */
void dispatch_batch(struct engine *, struct mc_batch *, enum dispatch_wake);
void dispatch_wake(struct engine *);

/* Hands a notification to every instance that wants it. */
void notification_send(struct engine *, const struct mc_notification *);

/* The instance through which the engine reports on itself. */
extern const struct mc_plugin self_plugin;

/* This process, or its machine, stood still for so long: no series was silent
 * meanwhile.  No lock held. */
void self_slept(struct engine *, mc_time duration);

#endif
