/* SPDX-License-Identifier: MIT */
/* Requests that wait for something of the plugin's, such as a disk.  Their connections are
 * suspended, so that a thread of libmicrohttpd serves others meanwhile. */
#pragma once

#include <pthread.h>
#include <stdbool.h>

#include <microhttpd.h>

#include <collector/kit/lock.h>

struct http_worker;

struct http_holds {
	pthread_mutex_t lock;
	pthread_cond_t change;
	unsigned len MC_GUARDED_BY(lock); /* Requests that wait. */
	bool closed MC_GUARDED_BY(lock);  /* No more may. */
};

struct http_hold { /* Of a request. */
	bool resumed MC_GUARDED_BY(http_holds.lock);
	bool suspended MC_GUARDED_BY(http_holds.lock);
};

void http_hold_init(struct http_holds *);
void http_hold_done(struct http_holds *);

/* A request is going to wait; false: no more may. */
bool http_hold_begin(struct http_holds *, struct http_hold *);

/* Suspends its connection: the request must stay until it goes on.  False: it
 * has been resumed already. */
bool http_hold_suspend(struct http_holds *, struct http_hold *, struct MHD_Connection *);

/* It goes on, in the thread that serves it; it may be gone when this returns.  Thread: any. */
void http_hold_resume(struct http_holds *, struct http_hold *, struct MHD_Connection *,
		      struct http_worker *);

/* Lets no more wait, and has cancel(argument), if there is one, called until
 * those that do have gone on: after that libmicrohttpd may be stopped. */
void http_hold_close(struct http_holds *, void (*cancel)(void *argument), void *argument);
