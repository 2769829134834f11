/* SPDX-License-Identifier: MIT */
/* The newest time that came for each user and host, kept in a file over a restart: a signed sender
 * stays signed, and the collector that has just been started does not know yet what it had.  If it
 * did not end by a stop, neither does the file know of the last seconds: then nothing from these is
 * believed. */
#pragma once

#include <pthread.h>
#include <stdatomic.h>

#include <collector/kit/lock.h>
#include <collector/kit/once.h>
#include <collector/plugin.h>

#define TIMES_LEN 65536 /* Places; a power of two. */
#define TIMES_MAX (TIMES_LEN / 4 * 3)

struct times_slot {
	_Atomic uint64_t key; /* 0: free. */
	mc_time before;       /* The newest before the start; 0: none. */
	_Atomic mc_time newest;
};

struct times {
	struct mc_ctx *ctx;
	char *path; /* NULL: nothing is kept. */
	pthread_mutex_t lock;
	struct times_slot *slots; /* The lock is for adding to them. */
	size_t len MC_GUARDED_BY(lock);
	mc_time before;                    /* For all, what times_slot has for one. */
	mc_time saved MC_GUARDED_BY(lock); /* When; monotonic. */
	/* A thread does; the fields below are that thread's. */
	bool saving MC_GUARDED_BY(lock);
	struct mc_once once;
};

/* Reads the file 'NAME.times' of this instance; a missing one counts as empty.  Writes it, so that
 * it exists and does not record a stop. times_stop() does nothing if it was only zeroed. */
void times_start(struct times *, struct mc_ctx *);

/* Writes it. */
void times_stop(struct times *);

/* The slot of a user's host, or NULL: there are too many.  Thread: any. */
struct times_slot *times_find(struct times *, const char *user, const char *host);

/* Whether a sample of that time cannot be a replay of one from before the start; it then counts.
 * Thread: any. */
static inline bool times_take(struct times_slot *slot, mc_time time)
{
	mc_time newest = atomic_load_explicit(&slot->newest, memory_order_relaxed);

	if (time <= slot->before)
		return false;
	while (time > newest &&
	       !atomic_compare_exchange_weak_explicit(&slot->newest, &newest, time,
						      memory_order_relaxed, memory_order_relaxed))
		;
	return true;
}

/* Writes the file, if it is time.  'now' is monotonic.  To be called before anything is taken: the
 * file does not know packets after its time, and before the next one is due.  Thread: any. */
void times_save(struct times *, mc_time now);
