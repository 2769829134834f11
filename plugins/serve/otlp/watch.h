/* SPDX-License-Identifier: MIT */
/* Connections that take too long: for the head of a request, byte by byte or
 * not at all, or for its body.  libmicrohttpd has only a limit on the pause
 * between two bytes. */
#ifndef OTLP_WATCH_H
#define OTLP_WATCH_H

#include <pthread.h>
#include <stdatomic.h>

#include <collector/plugin.h>

#define WATCH_FIRST (10 * MC_SECOND) /* From connecting to the first head. */
#define WATCH_IDLE 75                /* Seconds without a byte. */
/* From an answer to the next head. */
#define WATCH_NEXT ((WATCH_IDLE + 10) * MC_SECOND)
#define WATCH_BODY (30 * MC_SECOND) /* For a whole body. */
#define WATCH_FREE (5 * MC_SECOND)  /* Then it must have come with */
#define WATCH_SPEED 16384           /* so many bytes a second. */

enum watch_phase {
	WATCH_CONNECTED, /* For the first head. */
	WATCH_ANSWERED,  /* For the next. */
	WATCH_SENDING,   /* For the body. */
	WATCH_SERVED,    /* For us: that has no limit here. */
};

struct watch_line { /* A connection.  One thread sets what is atomic. */
	struct watch_line *next, *previous; /* Lock of the watch. */
	int fd;
	_Atomic mc_time since; /* In this phase. */
	atomic_int phase;      /* enum watch_phase */
	atomic_size_t size;    /* Of the body, until now. */
	bool ended;            /* Lock of the watch. */
};

struct watch {
	pthread_mutex_t lock; /* Guards what says so. */
	struct watch_line *first;
	_Atomic uint64_t ended; /* Connections that took too long. */
};

void watch_init(struct watch *);
void watch_done(struct watch *);

/* The descriptor is open from one to the other. */
void watch_add(struct watch *, struct watch_line *, int fd);
void watch_remove(struct watch *, struct watch_line *);

void watch_enter(struct watch_line *, enum watch_phase);

/* Shuts down what takes too long; to be called every second or so. */
void watch_look(struct watch *);

#endif
