/* SPDX-License-Identifier: MIT */
/* The work of the main thread while the engine runs: it waits for signals, and does periodic
 * tasks. */
#pragma once

#include "daemon/instances.h"
#include "daemon/process/systemd.h"
#include "engine/change/engine.h"

/* Before any thread is started: SIGHUP, SIGUSR1 and SIGUSR2 wait until watch_run() takes
 * them, a broken pipe is an error like any other.  Until watch_begin() SIGTERM
 * and SIGINT end the process at once, whatever hangs. */
void watch_prepare(void);

/* Before anything runs: from now on they wait for watch_run(), too, so that
 * what is accepted by then is written. */
void watch_begin(void);

struct watch {
	struct engine *engine;
	struct instances *instances;
	struct systemd *systemd;
	void (*reload)(void *argument); /* Reads the configuration anew. */
	void *argument;
};

/* Returns when SIGTERM or SIGINT has come; the next of them ends the process at once.  SIGHUP
 * reopens logs and reads the configuration anew, SIGUSR1 flushes writers, SIGUSR2 has recorders
 * dump.  0 or -errno. */
int watch_run(struct watch *);
