/* SPDX-License-Identifier: MIT */
/* An engine under a stopped clock, for tests of the engine's parts. */
#pragma once

#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/thread.h"
#include "engine/change/engine.h"
#include "engine/change/engine_internal.h"
#include "engine/read/scheduler.h"
#include "kinds.h"
#include "patience.h"

#define LAB_WALL (INT64_C(1700000000) * MC_SECOND)
#define LAB_INTERVAL (10 * MC_SECOND)

struct lab {
	struct type_set *types;
	struct engine *engine;
	char log[4096]; /* All lines, each with a newline. */
	bool hangs;     /* Something does, for ever. */
	pthread_mutex_t lock;
};

static inline void lab_hear(void *argument, enum mc_level level, const char *line)
{
	struct lab *lab = argument;
	size_t size;

	(void)level;
	pthread_mutex_lock(&lab->lock);
	size = strlen(lab->log);
	snprintf(lab->log + size, sizeof(lab->log) - size, "%s\n", line);
	pthread_mutex_unlock(&lab->lock);
}

/* Takes over the types. */
static inline void lab_open_typed(struct lab *lab, size_t queue_bytes,
				  const struct journal_settings *journal, struct type_set *types)
{
	struct engine_settings settings = {
		.version = "0",
		.host = "lab",
		.interval = LAB_INTERVAL,
		.read_interval_max = 80 * MC_SECOND,
		.timeout = 2,
		.read_threads = 5,
		.series_limit = 1000,
		.queue_bytes = queue_bytes,
		.journal = journal,
	};

	memset(lab, 0, sizeof(*lab));
	pthread_mutex_init(&lab->lock, NULL);
	log_to_stderr(-1);
	log_add_target(lab_hear, lab);
	clock_stop(1000 * MC_SECOND, LAB_WALL);
	settings.types = lab->types = types;
	lab->engine = engine_new(&settings);
}

static inline void lab_open_with(struct lab *lab, size_t queue_bytes,
				 const struct journal_settings *journal)
{
	lab_open_typed(lab, queue_bytes, journal, kinds_new());
}

static inline void lab_open(struct lab *lab, size_t queue_bytes)
{
	lab_open_with(lab, queue_bytes, NULL);
}

#define LAB_LIMIT /* Of what takes a moment, most often. */ (patience() * 60 * MC_SECOND)

/* Steps on until all is written: a write that has just asked to be offered again begins to wait
 * for that only then. */
static inline void lab_drain(struct lab *lab)
{
	mc_time until = thread_time() + LAB_LIMIT;

	while (!engine_drain(lab->engine, 100 * MC_MILLISECOND)) {
		assert_true(thread_time() < until);
		clock_step(10 * MC_SECOND);
	}
}

/* Waits until nothing is due and no read runs, but for those that hang.  An idle thread waits for
 * the clock as the leader does, so clock_settle() would not show it. */
static inline void lab_settle(const struct lab *lab, unsigned hanging)
{
	while (!scheduler_settled(lab->engine->scheduler, hanging))
		sched_yield();
}

static inline void lab_close(struct lab *lab)
{
	if (engine_stop(lab->engine, lab->hangs ? 100 * MC_MILLISECOND : LAB_LIMIT))
		engine_free(lab->engine);
	log_remove_target(lab);
	type_set_free(lab->types);
	pthread_mutex_destroy(&lab->lock);
}
