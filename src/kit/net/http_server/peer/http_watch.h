/* SPDX-License-Identifier: MIT */
/* Connections that take too long: for the head of a request, byte by byte or not at all, or for its
 * body.  libmicrohttpd has only a limit on the pause between two bytes.
 *
 * Connections are looked at only when one of them may have to end: clients that are idle cost
 * nothing until then. */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>

#include <collector/plugin.h>

#include "kit/net/admission/admission.h"

#define HTTP_WATCH_FIRST (10 * MC_SECOND) /* From connecting to the first head. */
#define HTTP_WATCH_TURN (60 * MC_SECOND)  /* From a client's hello to the turn of its handshake. */
#define HTTP_WATCH_IDLE 75                /* Seconds without a byte. */
/* From an answer to the next head. */
#define HTTP_WATCH_NEXT ((HTTP_WATCH_IDLE + 10) * MC_SECOND)
#define HTTP_WATCH_BODY (30 * MC_SECOND) /* For a whole body. */
#define HTTP_WATCH_FREE (5 * MC_SECOND)  /* Then it must have come with */
#define HTTP_WATCH_SPEED 16384           /* this number of bytes a second. */
#define HTTP_WATCH_STAY (MC_SECOND / 4)  /* Before it makes way. */

enum http_watch_phase {
	HTTP_WATCH_CONNECTED, /* For the first head. */
	HTTP_WATCH_QUEUED,    /* For the turn of its handshake. */
	HTTP_WATCH_ANSWERED,  /* For the next. */
	HTTP_WATCH_SENDING,   /* For the body. */
	HTTP_WATCH_SERVED,    /* For us: that has no limit here. */
};

struct http_watch_line {             /* A connection.  One thread sets what is atomic. */
	struct mc_admitted admitted; /* 'active': since when it is in this phase. */
	struct http_watch *watch;
	int fd;
	atomic_int phase;   /* enum http_watch_phase */
	atomic_size_t size; /* Of the body, until now. */
};

struct http_watch {
	struct admission *admission;
	int wake_fd;         /* eventfd: the first connection has come. */
	_Atomic mc_time due; /* One may have to end; before that none is looked at. */
};

/* 'address_max': connections of one address; see struct admission_rules. */
void http_watch_init(struct http_watch *, int64_t address_max);
void http_watch_done(struct http_watch *);

/* A connection has come; http_watch_remove() must follow, and until then the descriptor is
 * open.  If there are too many, one makes way: '*evicted'.  False: its address has too many,
 * and it is shut down. */
bool http_watch_add(struct http_watch *, struct http_watch_line *,
		    const struct sockaddr_storage *from, bool tls, bool *evicted);
void http_watch_remove(struct http_watch *, struct http_watch_line *);

void http_watch_enter(struct http_watch_line *, enum http_watch_phase);

/* Shuts down what takes too long, and adds its number to '*ended'; to be called every second or
 * so, as long as it returns true: else there are no connections, until wake_fd can be read. */
bool http_watch_look(struct http_watch *, uint64_t *ended);
