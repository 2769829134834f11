/* SPDX-License-Identifier: MIT */
/* Shared by the files of this floor: the insides of the engine and of an instance. */
#pragma once

#include <collector/private/judge_states.h>
#include <collector/private/status.h>
#include <collector/serve.h>
#include <collector/writer.h>

#include <time.h>

#include "engine/change/engine.h"
#include "engine/change/names.h"
#include "engine/context.h"
#include "engine/instance_set.h"
#include "engine/judge/judge.h"
#include "engine/read/reading.h"
#include "engine/store/registry.h"
#include "engine/store/store.h"

struct alerts;
struct catalogue;
struct journal_writer;
struct scheduler;
struct writer;

struct instance {
	struct context context; /* First: an instance is found by its ctx. */
	struct engine *engine;
	void (*release)(void *argument);
	void *release_argument;

	struct reading reading;
	_Atomic uint64_t samples, refused;
	bool recorded; /* Its batches go to recorders alone; set before its start. */

	pthread_t thread; /* Thread of run(). */
	int stop_fd;      /* An eventfd; -1: it has no run(). */
	_Atomic bool started;
	_Atomic clockid_t clock;     /* Of its CPU time, while run() does. */
	_Atomic bool leaving;        /* It is to be stopped: see mc_stopping(). */
	_Atomic unsigned fetches;    /* Threads that are in its fetch() or draw(). */
	mc_state_heard *state_heard; /* Set by start(); NULL: it hears no states of judges. */

	/* Thread: the main one's. */
	bool abandoned;    /* It could not be stopped. */
	bool has_fallback; /* Another one is tried if it does not start. */
	/* alerting_look() only: looks that found a failure; samples dropped, and when some were
	 * last, clock_now(). */
	unsigned failing;
	uint64_t dropped;
	mc_time dropped_since;

	uint64_t left;         /* Serial of the newest batch when it left. */
	struct instance *next; /* That left after it. */
};

struct engine {
	struct engine_settings settings;
	char *host;
	mc_time started; /* clock_wall() */
	struct registry registry;
	struct catalogue *catalogue; /* NULL: without one. */
	struct judges judges;        /* Their answers. */
	struct alerts *alerts;       /* Besides those of judges. */
	mc_time prune_due;           /* alerting_look() only. */
	struct expected_ends *expected_ends;
	struct silent_hosts *silent_hosts;
	struct scheduler *_Atomic scheduler;
	_Atomic uint64_t steps;                        /* See engine_steps(). */
	struct journal_writer *_Atomic journal_writer; /* NULL: none was needed yet. */
	struct instance_sets instances;
	struct writer *_Atomic *slots; /* Whose slot of a series it is. */
	unsigned slots_len;
	_Atomic uint64_t notifications, samples, refused, late;
	_Atomic bool internal_stats; /* Of the settings. */
	_Atomic bool stopping;
	bool ending; /* It is being freed: there is no thread but this one. */

	/* Thread: the main one's. */
	struct names names;           /* Of all instances there ever were. */
	uint64_t instances_made;      /* How many these are. */
	struct instance *retiring;    /* That batches may still point to. */
	struct instance *left_behind; /* That could not be stopped. */

	struct {
		pthread_mutex_t lock; /* Guards the status. */
		struct mc_reload_status status;
	} reload;
};

/* Makes the writer of an instance that takes something, and gives it a slot of
 * the series if it writes; false if none is free. */
void engine_make_writer(struct instance *);
bool engine_take_slot(struct instance *);
static inline bool engine_wants_slot(const struct instance *instance)
{
	const struct mc_writer *callbacks = instance->context.callbacks;

	return callbacks->write != NULL || callbacks->record != NULL;
}

/* Whether these instances need a journal. */
bool engine_needs_journal_writer(const struct engine *, const struct instance_set *);

/* Opens the journal; without it, logged, if it cannot. */
void engine_open_journal_writer(struct engine *);

static inline struct instance *instance_of(const struct mc_ctx *ctx)
{
	return (struct instance *)ctx;
}

/* The way of every batch: through the store to the queue of each writer.  Their threads are woken
 * at once, or whoever commits calls dispatch_wake() when all that is due is done. */
void dispatch_batch(struct engine *, struct mc_batch *, bool wake);
void dispatch_wake(struct engine *);

/* The same for what an instance reads a second time: only to those that record. */
void record_batch(struct engine *, struct mc_batch *);

/* Hands a notification of 'source', NULL being the engine itself, to every
 * instance that wants it. */
void dispatch_notification(struct engine *, const struct instance *source,
			   const struct mc_notification *);

/* The instance through which the engine reports on itself: the first, and no
 * reload takes it away. */
extern const struct mc_plugin self_plugin;
static inline struct mc_ctx *engine_self(const struct engine *engine)
{
	return &engine->instances.current->instances[0]->context.ctx;
}

/* This process, or its machine, stood still for so long: no series was silent
 * meanwhile.  No lock held. */
void self_slept(struct engine *, mc_time duration);
