/* SPDX-License-Identifier: MIT */
/* The quota of each client, and its log lines; the server of HTTP knows the clients and their
 * other limits.  Thread: any. */
#pragma once

#include <pthread.h>

#include <collector/quota.h>
#include <collector/serve.h>

struct client_rate { /* Of values. */
	int64_t max; /* In a second; 0: no limit. */
	double left; /* That may come now, as of that time. */
	mc_time time;
};

enum client_log_once { CLIENT_UNAUTHORIZED, CLIENT_LATE, CLIENT_FAST, CLIENT_LOGS };

struct client;
struct clients {
	struct mc_ctx *ctx;
	struct mc_quota_limits limits;
	int64_t values_max;              /* Of each in a second; 0: no limit. */
	const struct mc_blocks *tenants; /* NULL: none. */
	struct client_rate *rates;       /* Of the tenants. */
	pthread_mutex_t lock;            /* Guards all below, and the rates. */
	struct client *first;
	/* When one was logged; 0: never. */
	mc_time logged[CLIENT_LOGS];
	uint64_t series_refused; /* Of those forgotten: see client_refused(). */
};

void client_init(struct clients *, struct mc_ctx *, const struct mc_quota_limits *,
		 int64_t values_max);
void client_done(struct clients *); /* When all are freed. */

/* Clients of a tenant have its limits, together; before the first client.  The blocks, of struct
 * tenant_options, must outlive them. */
void client_set_tenants(struct clients *, const struct mc_blocks *);

/* Never NULL. */
struct client *client_new(struct clients *, const char *name);
void client_free(struct clients *, struct client *);

/* Whether a client has not sent too many values: more than 'values_max' a second, with ten seconds
 * of these in advance.  Logs once that it has. */
bool client_may_send(struct clients *, struct client *);

/* Counts values that a client has sent, after it was allowed to. */
void client_count(struct clients *, struct client *, uint64_t values);

/* Logs, once, that a client sends what is not its own. */
void client_unauthorized(struct clients *, struct client *, const char *host);

/* Logs, once, that a client sends what a commit does not take. */
void client_late(struct clients *, struct client *, const struct mc_rejected *);

/* Its tenant; "": it has none; NULL: there are no tenants. */
const char *client_tenant(const struct clients *, const struct client *);

/* For mc_charge(). */
struct mc_quota *client_quota(const struct client *);

/* How often a new series was refused because of its client's limit. */
uint64_t client_refused(struct clients *);
