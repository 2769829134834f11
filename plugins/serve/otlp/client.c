/* SPDX-License-Identifier: MIT */
#include "client.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <collector/kit/alloc.h>

#include "tenant.h"

#define NAME_SIZE 128
#define AGAIN (3600 * MC_SECOND) /* Until a client is logged again. */
#define PAUSE (10 * MC_SECOND)   /* Between lines about any. */
#define ADVANCE 10               /* Seconds of values that may come at once. */

struct client {
	struct client *next, *previous; /* Lock of the clients. */
	char name[NAME_SIZE];
	mc_time logged[CLIENT_LOGS]; /* When logged; lock of the clients. */
	struct client_rate own_rate;
	struct client_rate *rate;            /* Its own, or its tenant's; lock of the clients. */
	const struct tenant_options *tenant; /* NULL: it has none. */
	struct mc_quota *quota;              /* Never changes; */
	uint64_t refused_before;             /* what it had refused before. */
};

void client_init(struct clients *clients, struct mc_ctx *ctx, const struct mc_quota_limits *limits,
		 int64_t values_max)
{
	*clients = (struct clients){ .ctx = ctx, .limits = *limits, .values_max = values_max };
	pthread_mutex_init(&clients->lock, NULL);
}

void client_done(struct clients *clients)
{
	pthread_mutex_destroy(&clients->lock);
	free(clients->rates);
}

static struct client_rate full_rate(int64_t max)
{
	return (struct client_rate){ max, (double)max * ADVANCE, mc_now() };
}

void client_set_tenants(struct clients *clients, const struct mc_blocks *tenants)
{
	const struct tenant_options *options = tenants->items;

	if (tenants->len == 0)
		return;
	clients->tenants = tenants;
	clients->rates = mc_alloc_array(tenants->len, sizeof(*clients->rates));
	for (size_t i = 0; i < tenants->len; i++)
		clients->rates[i] = full_rate(options[i].values_max);
}

static uint64_t refused(const struct client *client)
{
	return mc_quota_refused(client->quota) - client->refused_before;
}

/* Its own, or those of its tenant: a quota is the same for all that ask for it by that name. */
static void take_limits(struct clients *clients, struct client *client)
{
	client->own_rate = full_rate(clients->values_max);
	client->rate = &client->own_rate;
	if (clients->tenants != NULL)
		client->tenant = tenant_find(clients->tenants, client->name);
	if (client->tenant == NULL) {
		client->quota =
			mc_quota_new(clients->ctx, MC_QUOTA_CLIENT, client->name, &clients->limits);
		return;
	}
	client->rate = &clients->rates[client->tenant -
				       (const struct tenant_options *)clients->tenants->items];
	client->quota = mc_quota_new(clients->ctx, MC_QUOTA_TENANT, client->tenant->name,
				     &client->tenant->limits);
}

const char *client_tenant(const struct clients *clients, const struct client *client)
{
	if (clients->tenants == NULL)
		return NULL;
	return client->tenant != NULL ? client->tenant->name : "";
}

struct client *client_new(struct clients *clients, const char *name)
{
	struct client *client = mc_alloc_zero(sizeof(*client));

	snprintf(client->name, sizeof(client->name), "%s", name);
	take_limits(clients, client);
	client->refused_before = mc_quota_refused(client->quota);
	pthread_mutex_lock(&clients->lock);
	client->next = clients->first;
	if (client->next != NULL)
		client->next->previous = client;
	clients->first = client;
	pthread_mutex_unlock(&clients->lock);
	return client;
}

void client_free(struct clients *clients, struct client *client)
{
	pthread_mutex_lock(&clients->lock);
	clients->series_refused += refused(client);
	if (client->next != NULL)
		client->next->previous = client->previous;
	if (client->previous != NULL)
		client->previous->next = client->next;
	else
		clients->first = client->next;
	pthread_mutex_unlock(&clients->lock);
	mc_quota_free(client->quota);
	free(client);
}

/* Needs the lock.  Whether it is time to log something of it. */
static bool may_log(struct clients *clients, struct client *client, enum client_log_once about)
{
	mc_time now = mc_now(), *own = &client->logged[about];
	mc_time *all = &clients->logged[about];

	if ((*own != 0 && now - *own < AGAIN) || (*all != 0 && now - *all < PAUSE))
		return false;
	*own = *all = now;
	return true;
}

void client_unauthorized(struct clients *clients, struct client *client, const char *host)
{
	bool news;

	pthread_mutex_lock(&clients->lock);
	news = may_log(clients, client, CLIENT_UNAUTHORIZED);
	pthread_mutex_unlock(&clients->lock);
	if (news)
		mc_log(clients->ctx, MC_WARN,
		       "client '%s' sends of host '%s', which its certificate "
		       "is not for: that is refused",
		       client->name, host);
}

/* Needs the lock. */
static bool has_left(struct client_rate *rate)
{
	double most = (double)rate->max * ADVANCE;
	mc_time now = mc_now();

	rate->left += (double)rate->max * (double)(now - rate->time) * 1e-9;
	if (rate->left > most)
		rate->left = most;
	rate->time = now;
	return rate->left > 0;
}

bool client_may_send(struct clients *clients, struct client *client)
{
	bool may, news;

	if (client->rate->max == 0)
		return true;
	pthread_mutex_lock(&clients->lock);
	may = has_left(client->rate);
	news = !may && may_log(clients, client, CLIENT_FAST);
	pthread_mutex_unlock(&clients->lock);
	if (news)
		mc_log(clients->ctx, MC_WARN,
		       "%s '%s' sends more than %" PRIi64
		       " values a second (%s): it is asked to wait",
		       client->tenant != NULL ? "tenant" : "client",
		       client->tenant != NULL ? client->tenant->name : client->name,
		       client->rate->max,
		       client->tenant != NULL ? "MaxValuesPerTenant" : "MaxValuesPerClient");
	return may;
}

void client_count(struct clients *clients, struct client *client, uint64_t values)
{
	if (client->rate->max == 0)
		return;
	pthread_mutex_lock(&clients->lock);
	client->rate->left -= (double)values;
	pthread_mutex_unlock(&clients->lock);
}

void client_late(struct clients *clients, struct client *client, const struct mc_rejected *late)
{
	bool news;

	pthread_mutex_lock(&clients->lock);
	news = may_log(clients, client, CLIENT_LATE);
	pthread_mutex_unlock(&clients->lock);
	if (news)
		mc_log(clients->ctx, MC_WARN,
		       "rejects values of client '%s': a value of '%s' %s "
		       "(%" PRIu64 " in this request)",
		       client->name, late->series, late->why, late->samples);
}

struct mc_quota *client_quota(const struct client *client)
{
	return client->quota;
}

uint64_t client_refused(struct clients *clients)
{
	uint64_t sum;

	pthread_mutex_lock(&clients->lock);
	sum = clients->series_refused;
	for (struct client *c = clients->first; c != NULL; c = c->next)
		sum += refused(c);
	pthread_mutex_unlock(&clients->lock);
	return sum;
}
