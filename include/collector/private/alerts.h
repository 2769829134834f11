/* SPDX-License-Identifier: MIT */
/* collector/private/alerts.h - alerts besides those of judges: states that plugins set; and acts of
 * people: they acknowledge and silence alerts, and look at those of before.
 *
 * All functions may be called from any thread of the instance.  Visitors are called without a lock
 * held; what they are shown is theirs for that call.
 */
#pragma once

#include <collector/judge.h>

#pragma GCC visibility push(default)

/* A state that no value shows: a guest that does not answer, a sender that is silent. */
struct mc_standing {
	struct mc_id id;           /* Its subject, as of a notification; with a type. */
	enum mc_severity severity; /* MC_OKAY: it is over. */
	const char *reason;        /* A sentence. */
	const char *advice;        /* Hint at the cause, a sentence; or NULL. */
	mc_time since;             /* Its begin, since 1970; 0: now. */
	mc_time lasting;           /* It ends if it is not set again within this; 0: it stays. */
	bool quiet;                /* The plugin notifies of it itself. */
};

/* Has a state stand among the alerts until it is set to MC_OKAY.  A change of its severity is
 * notified of.  It is kept over restarts and reloads, after which the plugin sets it again: with
 * each read, as that costs little if it is the same.  Thread: any. */
void mc_stand(struct mc_ctx *ctx, const struct mc_standing *standing);

/* The series of that host, plugin and plugin instance, or with the plugin "" all of that host, are
 * about to end as their owner wants it, or not any more: nobody is alerted when they fall silent.
 * It holds for an hour, and for three times the Timeout of the plugin's series.  Thread: any. */
void mc_expect_end(struct mc_ctx *ctx, const struct mc_id *id, bool expected);

/* Whether that series may.  For a judge that reports missing series itself.  Thread: any. */
bool mc_is_end_expected(struct mc_ctx *ctx, const struct mc_series *series);

/* Acknowledges all alerts whose series match the glob: they are not repeated to people until they
 * end or become worse.  Returns how many. */
size_t mc_acknowledge(struct mc_ctx *, const char *glob, const char *reason);

struct mc_silence {
	/* A glob of series if it has a slash, else of hosts. */
	const char *pattern;
	mc_time begin, until; /* Since 1970. */
	const char *reason;   /* "": none. */
};

/* Keeps notifications of alerts that match from people until then; recoveries are sent, and what
 * still stands then is reported.  One of the same pattern is replaced.  0; -EINVAL: no pattern,
 * or no time; -ENOSPC: there are too many. */
int mc_silence(struct mc_ctx *, const struct mc_silence *silence);

/* Ends a silence now.  0 or -ENOENT. */
int mc_unsilence(struct mc_ctx *, const char *pattern);

void mc_each_silence(struct mc_ctx *, void (*visit)(void *argument, const struct mc_silence *),
		     void *argument);

struct mc_past_alert { /* A change of an alert. */
	mc_time time;
	const char *series;
	enum mc_severity severity; /* The new one; MC_OKAY: it has ended. */
	const char *reason;
};

/* Shows the last changes, the newest last. */
void mc_each_past_alert(struct mc_ctx *,
			void (*visit)(void *argument, const struct mc_past_alert *),
			void *argument);

#pragma GCC visibility pop
