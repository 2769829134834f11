/* SPDX-License-Identifier: MIT */
/* Threads of a server for routes that may block: those that serve connections go on meanwhile. */
#pragma once

#include <pthread.h>
#include <stdbool.h>

#include <collector/kit/lock.h>

struct http_client;
struct mc_httpd_limits;
struct mc_httpd_request;

/* Answers a request, or refuses it as the server ends, and resumes it.  Thread:
 * one of the pool's. */
typedef void http_pool_answer(struct mc_httpd_request *, bool ends);

struct http_pool {
	http_pool_answer *answer;
	pthread_mutex_t lock;
	pthread_cond_t change;
	/* Requests that wait for a thread, the first one first. */
	struct mc_httpd_request *first MC_GUARDED_BY(lock);
	struct mc_httpd_request *last MC_GUARDED_BY(lock);
	unsigned len MC_GUARDED_BY(lock);
	/* For whom each thread works, NULL: for none. */
	const struct http_client **clients MC_GUARDED_BY(lock);
	bool *waits MC_GUARDED_BY(lock); /* Whether it may wait for a disk then. */
	/* The request to begin; may be NULL. */
	struct mc_httpd_request **handed MC_GUARDED_BY(lock);
	unsigned begun MC_GUARDED_BY(lock); /* Threads that have a number. */
	bool closed MC_GUARDED_BY(lock), stopped MC_GUARDED_BY(lock);
	unsigned waiting_max; /* Never changes after the start. */
	pthread_t *threads;   /* For the thread that starts and stops it. */
	unsigned threads_len;
	unsigned threads_max, per_client; /* For that thread; the second for one client. */
	unsigned waits_max;               /* Threads that may wait for a disk at a time. */
};

void http_pool_init(struct http_pool *, http_pool_answer *);
void http_pool_done(struct http_pool *);

/* Again is fine.  Returns 0 or -errno. */
int http_pool_start(struct http_pool *, const struct mc_httpd_limits *);

/* Has a thread answer the request, which is held, and resume it.  Of one client
 * no more are answered at a time than half of the threads can: the others are
 * for others; and of routes that wait no more than two thirds.  False: none can begin it now, and
 * as many wait as may. */
bool http_pool_add(struct http_pool *, struct mc_httpd_request *);

/* Refuses those that wait. */
void http_pool_close(struct http_pool *);

/* Ends the threads: none may wait any more. */
void http_pool_stop(struct http_pool *);
