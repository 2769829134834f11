/* SPDX-License-Identifier: MIT */
/* A thread that serves connections by libmicrohttpd; each stays with the thread
 * that has accepted it. */
#pragma once

#include <pthread.h>
#include <stdatomic.h>

#include <microhttpd.h>

#include "kit/net/http_server/http_linger.h"
#include "kit/net/http_server/peer/http_handshakes.h"

struct http_worker {
	struct MHD_Daemon *daemon; /* The caller's: with MHD_USE_EPOLL, without
				    * a thread of its own. */
	struct http_handshakes handshakes;
	struct http_handshake_counts *counts; /* The caller's, of the server, */
	double share;                         /* and of the thread's time for handshakes. */
	struct http_linger linger;
	int wake_fd; /* The rest is http_worker.c's own. */
	atomic_bool stop;
	pthread_t thread;
};

/* Starts a thread that takes no signals.  Returns 0 or -errno. */
int http_worker_run(pthread_t *, void *(*run)(void *argument), void *argument);

/* Starts the thread of the daemon; http_worker_stop() must follow.  Returns 0 or -errno. */
int http_worker_start(struct http_worker *);

/* Has the thread look what there is to do, as after a connection of its was resumed.
 * Thread: any. */
void http_worker_wake(struct http_worker *);

/* Ends the thread: what it has to answer by now is. */
void http_worker_stop(struct http_worker *);
