/* SPDX-License-Identifier: MIT */
/* An engine that runs one plugin under a stopped clock, below a fake root, and
 * what is seen of it. */
#pragma once

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>

#include "setup.h"

struct engine;

struct stage_sink { /* Lines, until they are shown. */
	FILE *file;
	char *text;
	size_t size;
};

struct stage {
	struct setup *setup;
	struct engine *engine;
	char root[PATH_MAX];
	unsigned reads;      /* Until now. */
	struct mc_ctx *feed; /* See feed.h. */
	FILE *out;           /* Of the case. */

	/* Threads print at any time: what is shown is in order of these. */
	struct stage_sink log, samples, notifications;
};

/* Makes the engine.  'in_order': logs and samples are shown in the order of
 * sinks, by stage_show(); else as they come.  */
void stage_init(struct stage *, struct setup *, FILE *out, bool in_order);

/* Starts the plugin. */
void stage_start(struct stage *);

/* Lays the root of the next read; false: it is that of before. */
bool stage_next_root(struct stage *);

/* Prints what has been seen since the last time.  Of a judge, samples are in
 * the order of their series, as batches of several threads are in none. */
void stage_show(struct stage *);

/* Forgets the samples and notifications that were put in, unless it is a judge that gets them. */
void stage_forget(struct stage *);

/* Wakes writers that wait a moment, in real time, for more to write. */
void stage_wake_writers(struct stage *);

/* Stops the engine; false: a thread could not be stopped.  Another thread may do this. */
bool stage_stop(struct stage *);
void stage_done(struct stage *, bool stopped);
