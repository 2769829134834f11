/* SPDX-License-Identifier: MIT */
/* Requests that wait for a module: values, notifications and log lines, from
 * the threads that write them to the thread that talks to the module. */
#pragma once

#include <collector/kit/json.h>
#include <collector/kit/lock.h>
#include <collector/plugin.h>

#include "kit/series/interpreter/reply.h"

struct waiting_request {
	struct waiting_request *next;
	enum reply_kind kind; /* Of the callbacks that it is for. */
	uint64_t samples;     /* Of values. */
	size_t size;
	char text[]; /* JSON. */
};

struct waiting {
	size_t size_max; /* Of all texts; set by the caller. */
	pthread_mutex_t lock;
	struct waiting_request *first MC_GUARDED_BY(lock);
	struct waiting_request **end MC_GUARDED_BY(lock);
	size_t size MC_GUARDED_BY(lock);
	bool wanted[REPLY_KINDS] MC_GUARDED_BY(lock);
	uint64_t refused MC_GUARDED_BY(lock); /* For which there was no room. */
	bool closed MC_GUARDED_BY(lock);
};

void waiting_init(struct waiting *);
void waiting_done(struct waiting *); /* Frees what is left. */

/* Whether the module has callbacks of that kind; at first, none.  Thread: any. */
void waiting_want(struct waiting *, enum reply_kind, bool wanted);
bool waiting_wants(struct waiting *, enum reply_kind);

/* From now on there is no room: nobody takes any more. */
void waiting_close(struct waiting *);

/* Adds a copy of a request, if there are callbacks for it.  False: there is no room; one fits in
 * any case.  Thread: any. */
bool waiting_add(struct waiting *, enum reply_kind, const struct mc_json *, uint64_t samples);

/* How many were refused since the last call. */
uint64_t waiting_refused(struct waiting *);

/* Takes the first one, to be freed; NULL if none waits. */
struct waiting_request *waiting_take(struct waiting *);
