/* SPDX-License-Identifier: MIT */
/* Answers that go on: Server-Sent Events, for clients that follow a channel.
 *
 * The output for a client is in a buffer of its own, which is bounded.  A client without output is
 * suspended, so that it costs nothing. */
#pragma once

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include <microhttpd.h>

#include <collector/kit/http_server.h>
#include <collector/kit/lock.h>

struct http_worker;
struct http_follower;

struct http_events { /* Of a server. */
	pthread_mutex_t lock;
	struct http_follower *first MC_GUARDED_BY(lock);
	bool ended MC_GUARDED_BY(lock);
};

struct http_events_client {
	struct MHD_Connection *connection;
	struct http_worker *worker; /* That serves it. */
	uint64_t channel;
};

void http_events_init(struct http_events *);
void http_events_done(struct http_events *);

/* Never NULL. */
struct http_follower *http_events_open(struct http_events *, const struct http_events_client *);
/* NULL is fine. */
void http_events_close(struct http_follower *);

/* The stream to it; NULL without memory. */
struct MHD_Response *http_events_response(struct http_follower *);

/* See mc_httpd_publish(). */
void http_events_publish(struct http_events *, uint64_t channel, const struct mc_httpd_event *);

/* Sends an empty comment to whom nothing was sent for long, so that connections
 * whose clients are gone end; to be called every second or so. */
void http_events_keep_alive(struct http_events *);

/* Ends all answers, also those that begin from now on. */
void http_events_end(struct http_events *);
