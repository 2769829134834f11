/* SPDX-License-Identifier: MIT */
/* Connections that take too long: for the head of a request, byte by byte or not at all, or for its
 * body.  libmicrohttpd has only a limit on the pause between two bytes.  When there are too many,
 * one that asks for nothing makes way for each that comes: else a few hundred silent clients keep
 * all others out. */
#pragma once

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#include <collector/kit/lock.h>
#include <collector/plugin.h>

#define HTTP_WATCH_FIRST (10 * MC_SECOND) /* From connecting to the first head. */
#define HTTP_WATCH_IDLE 75                /* Seconds without a byte. */
/* From an answer to the next head. */
#define HTTP_WATCH_NEXT ((HTTP_WATCH_IDLE + 10) * MC_SECOND)
#define HTTP_WATCH_BODY (30 * MC_SECOND) /* For a whole body. */
#define HTTP_WATCH_FREE (5 * MC_SECOND)  /* Then it must have come with */
#define HTTP_WATCH_SPEED 16384           /* this number of bytes a second. */
#define HTTP_WATCH_STAY (MC_SECOND / 4)  /* Before it makes way. */

enum http_watch_phase {
	HTTP_WATCH_CONNECTED, /* For the first head. */
	HTTP_WATCH_ANSWERED,  /* For the next. */
	HTTP_WATCH_SENDING,   /* For the body. */
	HTTP_WATCH_SERVED,    /* For us: that has no limit here. */
};

struct http_watch_line { /* A connection.  One thread sets what is atomic. */
	struct http_watch_line *next MC_GUARDED_BY(http_watch.lock);
	struct http_watch_line *previous MC_GUARDED_BY(http_watch.lock);
	int fd;
	_Atomic mc_time since; /* In this phase. */
	atomic_int phase;      /* enum http_watch_phase */
	atomic_size_t size;    /* Of the body, until now. */
	bool ended MC_GUARDED_BY(http_watch.lock);
};

struct http_watch {
	pthread_mutex_t lock;
	struct http_watch_line *first MC_GUARDED_BY(lock);
	size_t len MC_GUARDED_BY(lock); /* Those that are not ended, */
	size_t max MC_GUARDED_BY(lock); /* and how many are too many. */
	int wake_fd;                    /* eventfd: the first connection has come. */
	_Atomic uint64_t ended;         /* Connections, for either reason. */
};

void http_watch_init(struct http_watch *);
void http_watch_done(struct http_watch *);

/* Whether that many more connections are allowed. */
void http_watch_allow(struct http_watch *, size_t more);

/* The descriptor is open from one to the other. */
void http_watch_add(struct http_watch *, struct http_watch_line *, int fd);
void http_watch_remove(struct http_watch *, struct http_watch_line *);

void http_watch_enter(struct http_watch_line *, enum http_watch_phase);

/* Shuts down what takes too long; to be called every second or so, as long as
 * it returns true: else there are no connections, until wake_fd can be read. */
bool http_watch_look(struct http_watch *);
