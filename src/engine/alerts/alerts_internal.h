/* SPDX-License-Identifier: MIT */
/* Shared by the files of this folder. */
#pragma once

#include <pthread.h>

#include <collector/kit/lock.h>

#include "base/name_list.h"
#include "engine/alerts/alerts.h"

struct alerts_item { /* The first member of all that is kept by its name. */
	char *name;
};

struct alerts_state {
	struct alerts_item base; /* "owner host/plugin/type" */
	uint64_t number;         /* Of its owner; 0: of before the start. */
	mc_time left;            /* Its owner was first missed then, clock_now(); 0: it lives. */
	mc_time until;           /* It ends if it is not set again by then; 0: it stays. */
	enum mc_severity severity;
	mc_time since;
	char *reason, *advice;
};

struct alerts_acknowledged {
	struct alerts_item base; /* The series. */
	enum mc_state state;     /* The worst that it holds for. */
	mc_time time;
	uint64_t seen; /* In that enumeration. */
	char *reason;
};

struct alerts_silence {
	struct alerts_item base; /* The pattern. */
	mc_time begin, until;
	char *reason;
};

struct alerts_past {
	mc_time time;
	enum mc_severity severity;
	char *name, *reason;
};

struct alerts {
	char *path; /* NULL: nothing is kept. */
	pthread_t thread;
	bool threaded;
	bool unwritable; /* Its thread's. */

	pthread_mutex_t lock;
	pthread_cond_t change;
	struct name_list states MC_GUARDED_BY(lock);
	struct name_list acknowledged MC_GUARDED_BY(lock);
	struct name_list silences MC_GUARDED_BY(lock);
	struct alerts_past past[ALERTS_PAST_MAX] MC_GUARDED_BY(lock); /* A ring. */
	uint64_t past_len MC_GUARDED_BY(lock);                        /* Ever. */
	uint64_t enumerations MC_GUARDED_BY(lock);
	bool changed MC_GUARDED_BY(lock);
	bool stopping MC_GUARDED_BY(lock);
};

/* The name after the owner. */
const char *alerts_name_in(const struct alerts_state *);

/* Adds what a line of the file says; the caller locks. */
void alerts_put_state(struct alerts *, struct alerts_state);
void alerts_put_acknowledged(struct alerts *, struct alerts_acknowledged);
void alerts_put_silence(struct alerts *, struct alerts_silence);
void alerts_put_past(struct alerts *, struct alerts_past);
