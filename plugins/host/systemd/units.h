/* SPDX-License-Identifier: MIT */
/* Units of systemd, as it has last reported them, and what is to be asked of it about them.  One
 * thread. */
#pragma once

#include <collector/kit/map.h>
#include <collector/plugin.h>

#include "outcome.h"
#include "state.h"

enum unit_fact { /* A property of D-Bus. */
		 UNIT_STATE,
		 UNIT_SUB_STATE,
		 UNIT_ENTERED,
		 UNIT_RESTARTS,
		 UNIT_RESULT,
		 UNIT_CODE,
		 UNIT_STATUS,
		 UNIT_FACTS
};
#define UNIT_BIT(fact) (1U << (fact))
#define UNIT_OUTCOME (UNIT_BIT(UNIT_RESULT) | UNIT_BIT(UNIT_CODE) | UNIT_BIT(UNIT_STATUS))

struct unit {
	struct mc_map_node node;     /* By its name. */
	struct unit *before, *after; /* In the order in which they came. */
	struct unit *next;           /* In the queue. */
	enum state state;            /* STATE_UNKNOWN at first. */
	int sub_state;               /* -1: unknown. */
	int64_t restarts;            /* -1: unknown. */
	uint64_t entered;            /* Microseconds since 1970; 0: never active. */
	struct outcome outcome;
	bool is_named;      /* The user wants it by its name, so it stays. */
	bool is_listed;     /* By the list that comes. */
	bool is_queued;     /* Something is wanted. */
	unsigned wanted;    /* Bits: to be asked for. */
	unsigned asked;     /* Bits: asked for, without an answer. */
	bool has_failed;    /* Failed, and neither active nor inactive since. */
	bool has_report;    /* has_failed was reported once, as the next: */
	bool is_reported;   /* that it has failed. */
	char *reason;       /* Of is_reported; or NULL. */
	mc_time since;      /* Of is_reported, since 1970. */
	mc_time window;     /* Begin of the time in which reports are counted. */
	unsigned reports;   /* In it. */
	uint64_t unreports; /* Failures since the last report. */
	char name[];
};

struct units { /* All zero but limit: none. */
	struct mc_map map;
	size_t limit;     /* The caller's. */
	uint64_t refused; /* By it. */
	struct unit *oldest, *newest;
	struct unit *first, *last; /* Of the queue. */
};

struct unit *units_find(const struct units *, const char *name);

/* The unit of that name, which is made if it is missing; NULL: the limit is reached. */
struct unit *units_add(struct units *, const char *name);
void units_remove(struct units *, struct unit *);
void units_done(struct units *);

/* The oldest after NULL; NULL at the end. */
struct unit *units_next(const struct units *, const struct unit *);

/* Has units_wanted() return these facts, each once. */
void units_want(struct units *, struct unit *, unsigned facts);

/* A unit and a fact that is to be asked for; NULL: none. */
struct unit *units_wanted(struct units *, enum unit_fact *);

/* Nothing more is wanted, and nothing is awaited. */
void units_want_nothing(struct units *);

/* The unit is in that state now. */
void units_enter(struct unit *, enum state);

/* Whether the change of has_failed may be reported now: four in ten minutes, so that a unit that
 * fails all the time does not flood people.  Then it counts as reported. */
bool units_report(struct unit *, mc_time now);
