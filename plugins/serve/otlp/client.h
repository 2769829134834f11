/* SPDX-License-Identifier: MIT */
/* The quota of each client, and its log lines; the server of HTTP knows the clients and their
 * other limits.  Thread: any. */
#pragma once

#include <pthread.h>

#include <collector/quota.h>
#include <collector/serve.h>

enum client_log_once { CLIENT_UNAUTHORIZED, CLIENT_LATE, CLIENT_LOGS };

struct client;
struct clients {
	struct mc_ctx *ctx;
	struct mc_quota_limits limits;
	pthread_mutex_t lock; /* Guards all below. */
	struct client *first;
	/* When one was logged; 0: never. */
	mc_time logged[CLIENT_LOGS];
	uint64_t series_refused; /* Of those forgotten: see client_refused(). */
};

void client_init(struct clients *, struct mc_ctx *, const struct mc_quota_limits *);
void client_done(struct clients *); /* When all are freed. */

/* Never NULL. */
struct client *client_new(struct clients *, const char *name);
void client_free(struct clients *, struct client *);

/* Logs, once, that a client sends what is not its own. */
void client_unauthorized(struct clients *, struct client *, const char *host);

/* Logs, once, that a client sends what a commit does not take. */
void client_late(struct clients *, struct client *, const struct mc_rejected *);

/* For mc_charge(). */
struct mc_quota *client_quota(const struct client *);

/* How often a new series was refused because of its client's limit. */
uint64_t client_refused(struct clients *);
