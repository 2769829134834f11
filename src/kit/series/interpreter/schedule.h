/* SPDX-License-Identifier: MIT */
/* When the read callbacks of a module are due.  One that fails is called at
 * intervals that double, as in collectd.  Pure, but for memory. */
#pragma once

#include <collector/kit/once.h>
#include <collector/kit/wait.h>
#include <collector/plugin.h>

#define SCHEDULE_MAX 4096 /* Callbacks of a module. */

struct schedule_read {
	char *name;
	mc_time interval;
	struct mc_every every; /* Its period is longer after failures. */
	uint64_t request;      /* That runs; 0: none does. */
	mc_time since;         /* It runs. */
	struct mc_once fails;
};

struct schedule {
	struct schedule_read *items;
	size_t len, room;
};

void schedule_free(struct schedule *); /* It is empty then. */

/* Adds a callback, which is due at once.  False: there are too many. */
bool schedule_add(struct schedule *, const char *name, mc_time interval);
void schedule_remove(struct schedule *, const char *name);

/* When the first is due that does not run; INT64_MAX: none is. */
mc_time schedule_next(const struct schedule *);

/* One that is due; NULL: none is. */
struct schedule_read *schedule_due(struct schedule *, mc_time now);

/* It begins, or has ended, and with success. */
void schedule_begin(struct schedule_read *, uint64_t request, mc_time now);
void schedule_end(struct schedule_read *, mc_time now, bool good);

/* All that run begin now. */
void schedule_restart(struct schedule *, mc_time now);

/* The one that this request is for, or the one that has run for the longest; NULL without one. */
struct schedule_read *schedule_find(struct schedule *, uint64_t request);
struct schedule_read *schedule_oldest(struct schedule *);
