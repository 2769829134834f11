/* SPDX-License-Identifier: MIT */
/* From what a configuration asks for to instances in the engine. */
#ifndef COLLECTOR_DAEMON_INSTANCES_H
#define COLLECTOR_DAEMON_INSTANCES_H

#include <stdbool.h>
#include <stddef.h>

#include <collector/plugin.h>

#include "base/problem.h"
#include "daemon/configure.h"
#include "engine/engine.h"

struct flushing { /* A writer that is flushed again and again. */
	struct mc_ctx *ctx;
	const char *name;
	mc_time interval, timeout;
	mc_time due; /* clock_now(); 0: not yet set. */
};

struct instances {
	struct flushing *flushings;
	size_t flushings_len;
	struct mc_ctx *any; /* One of them, or NULL if there is none. */
	size_t len;
	bool has_log;            /* One of them takes the log. */
	struct instance *syslog; /* The one that logs to syslog, or NULL. */
};

/* Loads the plugins and adds their instances with their options.  A plugin that
 * is not there is a warning, one that is broken an error.  With 'readers_only'
 * what does not read is judged all the same, but not added.  Freed with
 * instances_done(), after the engine. */
void instances_add(struct instances *, const struct configure *,
		   const char *directory, bool readers_only, struct engine *,
		   struct problems *);
void instances_done(struct instances *);

#endif
