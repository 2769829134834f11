/* SPDX-License-Identifier: MIT */
/* Alerts: the series in a bad state.  That of a living series hangs on its watch; those of series
 * that have ended, or have not come since the start, are found by their names, and the oldest is
 * forgotten where there are too many.  The caller locks. */
#pragma once

#include <collector/judge.h>
#include <collector/kit/map.h>

#include "rule.h"

#define ALERT_SOURCE_SIZE 20 /* As in types.db. */

struct alert {
	struct mc_lru_node node;   /* In 'gone'. */
	struct alert *next, *prev; /* In 'living'. */
	bool lives;
	enum mc_state state;
	bool missing;            /* The state is that it has no values. */
	bool by_source;          /* Its rules are those of its metadata. */
	bool kept;               /* Of before the start, or adopted, and not judged since. */
	mc_time kept_since;      /* mc_now(), of one 'kept'. */
	mc_time interval;        /* Of its series; 0: unknown. */
	mc_time since, reported; /* Since 1970, by the times of values. */
	double value;            /* That was compared, or seconds of silence. */
	double now;              /* The same, but the present one of a Forecast. */
	const char *unit;        /* Of the type; NULL: unknown. */
	char source[ALERT_SOURCE_SIZE];
	const struct rule *rule; /* NULL: not known since the start. */
	struct mc_id id;         /* In 'text'; "" without one. */
	size_t name_size;
	char text[]; /* The whole name, then the parts. */
};

struct alerts { /* All zero: none. */
	struct alert *living;
	struct mc_lru gone;
	size_t living_len, gone_max;
	uint64_t forgotten;       /* Of those gone. */
	size_t states[MC_STATES]; /* How many are in each, ... */
	size_t missing;           /* ... and how many of these are missing. */
};

/* Makes one that lives, without a state yet. */
struct alert *alert_new(struct alerts *, const struct mc_id *);

/* Takes one out, and frees it. */
void alert_free(struct alerts *, struct alert *);
void alert_free_all(struct alerts *);

void alert_set(struct alerts *, struct alert *, enum mc_state, bool missing);

/* Its series has ended. */
void alert_leave(struct alerts *, struct alert *);

/* The alert of a series that has come, which then lives; may be NULL. */
struct alert *alert_take(struct alerts *, const struct mc_id *);

/* The one after 'alert', or the first after NULL: of those that live and of those that do not. */
struct alert *alert_next(const struct alerts *, const struct alert *);

#define ALERT_NAME_SIZE 648 /* Of a whole name, with '\0'. */
size_t alert_name(const struct mc_id *, char out[ALERT_NAME_SIZE]);
