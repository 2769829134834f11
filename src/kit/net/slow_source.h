/* SPDX-License-Identifier: MIT */
/* kit/net/slow_source.h - sources that a library asks which waits, such as databases, in libkit.
 *
 * A plugin has a target for each of them, and its run() is:
 *
 *   return slow_source_run(ctx, targets, len);
 *
 * Each is asked in a thread of its own, for no longer than its limit; one that hangs delays neither
 * the others nor the stop.  A session belongs to the thread that asks, and is left to it when it
 * hangs: so it has copies of its settings, and nothing of the instance.  Why a source fails is
 * logged once, until there is another reason or it works again. */
#pragma once

#include <collector/plugin.h>
#include <collector/quota.h>

#define SLOW_SOURCE_WHY 400

struct slow_source_kind {
	/* A session, from the settings: no more than memory.  The loop's thread. */
	void *(*open)(const void *settings);

	/* Connects if that is necessary, asks, and keeps the answers in the session.  False: it
	 * fails, as 'why' says.  A thread of its own. */
	bool (*ask)(void *session, char why[SLOW_SOURCE_WHY]);

	/* Puts what ask() has kept, also after a failure.  The loop's thread. */
	void (*put)(void *argument, void *session, struct mc_batch *batch);

	/* Ends the connection, and frees the session.  Either thread. */
	void (*close)(void *session);
};

struct slow_source_target {
	const struct slow_source_kind *kind;
	const char *name;     /* For the log. */
	mc_time interval;     /* 0: that of the instance. */
	mc_time limit;        /* Of ask(); 0: the interval. */
	const void *settings; /* Of open(). */
	void *argument;       /* Of put(). */
	const struct mc_quota_limits *limits;
};

/* Asks until the plugin must stop; returns what run() is to. */
int slow_source_run(struct mc_ctx *, const struct slow_source_target *targets, size_t len);
