/* SPDX-License-Identifier: MIT */
/* The series that one client may make, and what is logged of it: who the
 * clients are, and what else they may have, the server of HTTP knows.  Any
 * thread. */
#ifndef OTLP_CLIENT_H
#define OTLP_CLIENT_H

#include <pthread.h>

#include <collector/serve.h>

struct client_limits {
	int64_t series;     /* That live; 0: no limit. */
	int64_t new_series; /* In a second, beside as many as live. */
};

enum client_log_once {
	CLIENT_SERIES,
	CLIENT_UNAUTHORIZED,
	CLIENT_LATE,
	CLIENT_LOGS
};

struct client;
struct clients {
	struct mc_ctx *ctx;
	struct client_limits limits;
	pthread_mutex_t lock; /* Guards all below. */
	struct client *first;
	/* When one was logged; 0: never. */
	mc_time logged[CLIENT_LOGS];
	uint64_t series_refused; /* Of those forgotten: see client_refused(). */
};

void client_init(struct clients *, struct mc_ctx *,
		 const struct client_limits *);
void client_done(struct clients *); /* When all are freed. */

/* Never NULL. */
struct client *client_new(struct clients *, const char *name);
void client_free(struct clients *, struct client *);

/* A request of its has ended: logs what was refused of it, once. */
void client_served(struct clients *, struct client *);

/* Logs, once, that a client sends what is not its own. */
void client_unauthorized(struct clients *, struct client *, const char *host);

/* Logs, once, that a client sends what a commit does not take. */
void client_late(struct clients *, struct client *, const struct mc_rejected *);

/* For mc_charge(); NULL: there is no limit. */
struct mc_quota *client_quota(const struct client *);

/* How often a new series was refused because of its client's limit. */
uint64_t client_refused(struct clients *);

#endif
