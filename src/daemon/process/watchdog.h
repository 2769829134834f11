/* SPDX-License-Identifier: MIT */
/* Signs of life for the service manager, from a thread of their own: a reload
 * may take the main thread longer than a sign is due.  They end when that
 * thread, or the scheduler, makes no progress. */
#pragma once

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include <collector/kit/lock.h>
#include <collector/plugin.h>

#include "daemon/process/systemd.h"
#include "engine/change/engine.h"

/* How long the main thread may be busy with one thing: twice as long as that
 * takes where each plugin and each file has a limit. */
#define WATCHDOG_PATIENCE (20 * MC_SECOND)

struct watchdog {
	struct systemd *systemd;
	struct engine *engine;
	_Atomic uint64_t turns; /* Of the main thread. */
	_Atomic bool resting;   /* It waits for something to do. */

	/* Used by the watchdog's thread alone. */
	uint64_t steps;  /* Turns and steps of the engine, ... */
	mc_time stepped; /* ... and when they were fewer; real time. */

	pthread_t thread;
	bool started;
	pthread_mutex_t lock;
	pthread_cond_t ending;
	bool ends MC_GUARDED_BY(lock);
};

/* The first sign goes out at once, the others every systemd->watchdog; 0: no signs.  Returns 0 or
 * -errno. */
int watchdog_start(struct watchdog *, struct systemd *, struct engine *);
void watchdog_stop(struct watchdog *); /* Also if it was not started. */

/* Thread: the main one begins to do something, or to rest. */
void watchdog_turn(struct watchdog *, bool resting);

/* Whether there is progress at that real time.  The watchdog's thread. */
bool watchdog_sees_progress(struct watchdog *, mc_time now);
