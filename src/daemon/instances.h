/* SPDX-License-Identifier: MIT */
/* From what a configuration asks for to instances in the engine. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include <collector/plugin.h>

#include "base/problem.h"
#include "conf/option.h"
#include "daemon/config/configure.h"
#include "daemon/config/difference.h"
#include "daemon/config/plugin_dir.h"
#include "engine/change/engine.h"

struct member {
	struct mc_ctx *ctx;
	struct instance *instance;
	struct wanted *wanted;              /* The settings of the configuration, ... */
	char *text;                         /* ... and as difference_text(). */
	const struct mc_hostname *hostname; /* How it names the host; NULL: it does not. */
	struct mc_plugin *shadow; /* The plugin of a shadow; NULL: that of the instance. */
	bool below_base;          /* Keeps files below BaseDir. */
	bool has_log, logs_to_syslog;
	bool listens; /* Others ask it, at a socket. */
	bool brings;  /* Values, which it reads or others send. */
	bool takes;   /* Values, which it writes, or shows to those that ask. */

	/* Of a writer that is flushed again and again. */
	mc_time flush_interval; /* 0: it is not. */
	mc_time flush_timeout;
	mc_time flush_due; /* clock_now(); 0: not yet set. */
};

struct instances {
	struct member *items;
	size_t len;
};

struct instances_source { /* Where they come from. */
	const struct configure *configure;
	const struct plugin_dirs *directories;
	mc_time interval; /* The global one. */
	struct engine *engine;
	bool shadow; /* See daemon/config/shadow.h. */
};

/* Loads the plugins and adds their instances with their options.  A plugin that is not there is a
 * warning, one that is broken an error.  With 'readers_only' what does not read is judged all the
 * same, but not added.  Freed with instances_done(). */
void instances_add(struct instances *, const struct instances_source *, bool readers_only,
		   struct problems *);
void instances_done(struct instances *);

/* Fills the options of an instance of a plugin, 'self', from its blocks. */
void instances_fill(const struct wanted *, const struct mc_plugin *, void *self, struct conf_keep *,
		    struct problems *);

/* The context of one of them, or NULL without one. */
struct mc_ctx *instances_any(const struct instances *);

/* The first of them that can do so names this host, for all of 'engine', which is not started; the
 * name is then in 'out', which is untouched if none can. */
void instances_name_host(const struct instances *, struct engine *, char *out, size_t size);

/* Whether one of them takes the log, and the one that logs to syslog, or NULL. */
bool instances_have_log(const struct instances *);
struct instance *instances_syslog(const struct instances *);

/* The name of one that others ask at a socket and that has not started, or NULL. */
const char *instances_deaf(const struct instances *);

/* Whether there are some that bring values, and none of them has started. */
bool instances_bring_nothing(const struct instances *);

/* Whether one of them keeps files below BaseDir. */
bool instances_are_below_base(const struct instances *);

/* --- Another configuration ---------------------------------------------- */

struct instances_change {
	struct instances next; /* With those that stay. */
	struct difference difference;
};

/* Compares what runs with a configuration, and prepares the instances that are
 * new or changed.  Nothing is done to those that run. */
void instances_compare(struct instances_change *, const struct instances *now,
		       const struct instances_source *, struct problems *);

/* NULL, or why that cannot be done: see engine_objection(). */
const char *instances_objection(const struct instances_change *, const struct instances *now,
				struct engine *);

struct instances_result {
	unsigned failed;      /* Have not started as they should be. */
	unsigned back;        /* Of these go on as they were, ... */
	char names[256];      /* ... and which: "'a', 'b'", as many as it holds. */
	unsigned not_renewed; /* Go on, and could not read their files anew. */
};

/* Does it: 'now' is then what runs.  Those that go on unchanged read anew what files their options
 * name.  One that has changed and does not start goes on with its old settings. */
struct instances_result instances_apply(struct instances_change *, struct instances *now,
					struct engine *, mc_time limit);

/* Leaves all as it is. */
void instances_reject(struct instances_change *);
