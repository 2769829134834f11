/* SPDX-License-Identifier: MIT */
/* Limits of one client of a server, over all its connections.  Thread: any. */
#pragma once

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include <collector/kit/http_server.h>
#include <collector/kit/lock.h>
#include <collector/kit/map.h>

struct http_client;
struct http_clients {
	const struct mc_httpd_options *options;
	pthread_mutex_t lock;
	struct mc_lru clients MC_GUARDED_BY(lock); /* Of struct http_client. */
};

/* The options stay. */
void http_clients_init(struct http_clients *, const struct mc_httpd_options *);
void http_clients_done(struct http_clients *clients) MC_NO_LOCK;

/* A request begins; NULL: the client has too many at a time, or all that may be
 * remembered have some.  Else http_clients_leave() must follow. */
struct http_client *http_clients_enter(struct http_clients *, const char *name);
void http_clients_leave(struct http_clients *, struct http_client *);

/* Takes memory for the body of a request, or gives it back; false: too much. */
bool http_clients_take(const struct http_clients *, struct http_client *, size_t size);
void http_clients_give(struct http_client *, size_t size);

/* The plugin's state of it. */
void *http_clients_own(const struct http_client *);
