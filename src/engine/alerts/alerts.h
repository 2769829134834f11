/* SPDX-License-Identifier: MIT */
/* Besides the alerts of judges: states that plugins know without a value, acknowledgements,
 * silences and what was alerted last.  All of it is kept in a file, which a thread of its own
 * writes, so that no disk delays anybody.
 *
 * An acknowledgement holds until its alert ends or becomes worse, a silence until its time.  Both
 * keep notifications from those that go to people; recoveries are always sent.  Thread: any, but
 * for alerts_new() to alerts_stop(). */
#pragma once

#include <collector/private/alerts.h>
#include <collector/writer.h>

struct alerts;

#define ALERTS_STANDING_MAX 10000
#define ALERTS_ACKNOWLEDGED_MAX 10000
#define ALERTS_SILENCES_MAX 1000
#define ALERTS_PAST_MAX 1000 /* The oldest go first. */
#define ALERTS_TEXT_SIZE 512 /* Of a reason, longer ones are cut. */
#define ALERTS_NAME_SIZE 704

/* How long states of before the start, or of an instance that is gone, wait for their plugin. */
#define ALERTS_GRACE (600 * MC_SECOND)

/* "host/plugin-instance/type-instance"; no part of 'id' but the instances is NULL. */
void alerts_name(const struct mc_id *id, char out[ALERTS_NAME_SIZE]);

/* 'path' is copied; NULL: nothing is kept.  alerts_load() reads the file. */
struct alerts *alerts_new(const char *path);
void alerts_free(struct alerts *); /* NULL is fine. */
void alerts_load(struct alerts *);

/* Starts its thread; stops it, after it has written all, and returns false if it has not ended by
 * then. */
void alerts_start(struct alerts *);
bool alerts_stop(struct alerts *, mc_time until);

/* The work of the thread: writes what has changed. */
void alerts_save(struct alerts *);

/* --- States ----------------------------------------------------------------- */

struct alerts_owner { /* The instance that knows a state. */
	const char *name;
	uint64_t number;
};

/* Sets a state; returns whether its severity has changed. */
bool alerts_stand(struct alerts *, const struct alerts_owner *, const char *name,
		  const struct mc_standing *);

/* Ends the states of owners that do not live and have waited for ALERTS_GRACE; shows each. */
void alerts_end_left(struct alerts *, bool (*lives)(void *argument, uint64_t number),
		     void (*show)(void *argument, const char *name), void *argument);

/* --- Alerts ------------------------------------------------------------------- */

/* Shows the states that stand. */
void alerts_each_standing(struct alerts *,
			  void (*visit)(void *argument, const char *owner, const struct mc_alert *),
			  void *argument);

/* An enumeration of all alerts, each of which is marked, forgets acknowledgements of those that
 * did not come, if it was complete. */
struct alerts_mark {
	mc_time silenced_until, acknowledged; /* 0: it is not. */
	char reason[ALERTS_TEXT_SIZE];        /* Of the acknowledgement. */
};
uint64_t alerts_begin(struct alerts *);
void alerts_mark(struct alerts *, uint64_t enumeration, const char *name, struct alerts_mark *);
void alerts_end(struct alerts *, uint64_t enumeration, bool complete);

/* Takes an alert of that name down as acknowledged. */
void alerts_acknowledge(struct alerts *, const char *name, enum mc_state, const char *reason);
bool alerts_has_acknowledged(struct alerts *);

/* --- Notifications ----------------------------------------------------------- */

/* Whether a notification about 'name' goes to people.  One of an alert is
 * remembered, unless it repeats the last one. */
bool alerts_pass(struct alerts *, const char *name, const struct mc_notification *, bool is_alert);

/* Removes silences whose time is over; shows the pattern of each. */
void alerts_expire(struct alerts *, void (*show)(void *argument, const char *pattern),
		   void *argument);

/* Whether a pattern, of whole names if it has a slash, else of hosts, matches. */
bool alerts_matches(const char *pattern, const char *name);

/* -EINVAL: the pattern is empty; -ENOSPC: there are ALERTS_SILENCES_MAX.  One of the same pattern
 * is replaced. */
int alerts_silence(struct alerts *, const struct mc_silence *);
int alerts_unsilence(struct alerts *, const char *pattern); /* -ENOENT */
void alerts_each_silence(struct alerts *, void (*visit)(void *argument, const struct mc_silence *),
			 void *argument);

/* The newest last. */
void alerts_each_past(struct alerts *, void (*visit)(void *argument, const struct mc_past_alert *),
		      void *argument);
