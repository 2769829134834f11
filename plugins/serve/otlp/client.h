/* SPDX-License-Identifier: MIT */
/* What one client may have of this server at a time: a client is who has a
 * certificate, or where there are none an address.  Any thread. */
#ifndef OTLP_CLIENT_H
#define OTLP_CLIENT_H

#include <pthread.h>
#include <stdatomic.h>

#include <collector/kit/lru.h>
#include <collector/plugin.h>

struct client_limits {
	int64_t requests;   /* At a time. */
	int64_t series;     /* That live; 0: no limit. */
	int64_t new_series; /* In a second, beside as many as live. */
	size_t bytes;       /* Of the bodies of its requests. */
	size_t clients;     /* Remembered. */
};

enum client_log_once { CLIENT_SERIES, CLIENT_UNAUTHORIZED, CLIENT_LOGS };

struct client;
struct clients {
	struct mc_ctx *ctx;
	struct client_limits limits;
	pthread_mutex_t lock; /* Guards all below. */
	struct mc_lru names;  /* Of struct client. */
	/* When one was logged; 0: never. */
	mc_time logged[CLIENT_LOGS];
	uint64_t series_refused; /* Of those forgotten: see client_refused(). */
};

void client_init(struct clients *, struct mc_ctx *,
		 const struct client_limits *);
void client_done(struct clients *);

/* A request begins; NULL: the client has too many at a time, or there is no
 * memory.  Else client_leave() must follow. */
struct client *client_enter(struct clients *, const char *name);
void client_leave(struct clients *, struct client *);

/* Logs, once, that a client sends what is not its own. */
void client_unauthorized(struct clients *, struct client *, const char *host);

/* Takes memory for the body of a request, or gives it back; false: too much. */
bool client_take(const struct clients *, struct client *, size_t size);
void client_give(struct client *, size_t size);

/* For mc_charge(); NULL: there is no limit. */
struct mc_quota *client_quota(const struct client *);

/* How often a new series was refused because of its client's limit. */
uint64_t client_refused(struct clients *);

#endif
