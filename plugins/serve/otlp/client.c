/* SPDX-License-Identifier: MIT */
#include "client.h"

#include <collector/serve.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <collector/kit/alloc.h>

#define NAME_SIZE 128
#define AGAIN (3600 * MC_SECOND) /* Until a client is logged again. */
#define PAUSE (10 * MC_SECOND)   /* Between lines about any. */

struct client {
	struct mc_lru_node node;
	char name[NAME_SIZE];
	int64_t requests;            /* Now; lock of the clients. */
	mc_time logged[CLIENT_LOGS]; /* When logged; likewise. */
	uint64_t refused_told;       /* Likewise. */
	atomic_size_t bytes;
	struct mc_quota *quota; /* Never changes. */
};

void client_init(struct clients *clients, struct mc_ctx *ctx,
		 const struct client_limits *limits)
{
	*clients = (struct clients){ .ctx = ctx, .limits = *limits };
	pthread_mutex_init(&clients->lock, NULL);
}

static void free_client(struct client *client)
{
	if (client == NULL)
		return;
	mc_quota_free(client->quota);
	free(client);
}

void client_done(struct clients *clients)
{
	struct mc_lru_node *next;

	for (struct mc_lru_node *n = clients->names.oldest; n != NULL;
	     n = next) {
		next = n->newer;
		free_client((struct client *)n);
	}
	mc_lru_done(&clients->names);
	pthread_mutex_destroy(&clients->lock);
}

static uint64_t refused(const struct client *client)
{
	return client->quota != NULL ? mc_quota_refused(client->quota) : 0;
}

/* Needs the lock.  The one longest unheard that asks for nothing now; to be
 * freed without the lock. */
static struct client *forget_oldest(struct clients *clients)
{
	struct mc_lru_node *node = clients->names.oldest;

	while (node != NULL && ((struct client *)node)->requests > 0)
		node = node->newer;
	if (node == NULL)
		return NULL;
	clients->series_refused += refused((struct client *)node);
	mc_lru_remove(&clients->names, node);
	return (struct client *)node;
}

/* Needs the lock.  NULL: all that are known are busy. */
static struct client *add(struct clients *clients, const char *name,
			  struct client **forgotten)
{
	const struct client_limits *limits = &clients->limits;
	struct client *client;

	if (clients->names.map.len >= limits->clients)
		*forgotten = forget_oldest(clients);
	if (clients->names.map.len >= limits->clients)
		return NULL;
	client = mc_alloc_zero(sizeof(*client));
	snprintf(client->name, sizeof(client->name), "%s", name);
	mc_lru_add(&clients->names, &client->node, client->name,
		   strlen(client->name));
	if (limits->series > 0)
		client->quota =
			mc_quota_new(clients->ctx, (uint64_t)limits->series,
				     (double)limits->new_series);
	return client;
}

struct client *client_enter(struct clients *clients, const char *name)
{
	struct client *client, *forgotten = NULL;

	pthread_mutex_lock(&clients->lock);
	client = (struct client *)mc_lru_find(&clients->names, name,
					      strlen(name));
	if (client == NULL)
		client = add(clients, name, &forgotten);
	else
		mc_lru_use(&clients->names, &client->node);
	if (client != NULL && client->requests >= clients->limits.requests)
		client = NULL;
	if (client != NULL)
		client->requests++;
	pthread_mutex_unlock(&clients->lock);
	free_client(forgotten);
	return client;
}

/* Needs the lock.  Whether it is time to log that. */
static bool may_log(struct clients *clients, struct client *client,
		    enum client_log_once about)
{
	mc_time now = mc_now(), *own = &client->logged[about];
	mc_time *all = &clients->logged[about];

	if ((*own != 0 && now - *own < AGAIN) ||
	    (*all != 0 && now - *all < PAUSE))
		return false;
	*own = *all = now;
	return true;
}

void client_leave(struct clients *clients, struct client *client)
{
	uint64_t now_refused = refused(client);
	char name[NAME_SIZE];
	bool news;

	pthread_mutex_lock(&clients->lock);
	news = now_refused != client->refused_told &&
	       may_log(clients, client, CLIENT_SERIES);
	if (news)
		client->refused_told = now_refused;
	memcpy(name, client->name, sizeof(name));
	client->requests--;
	pthread_mutex_unlock(&clients->lock);
	if (news)
		mc_log(clients->ctx, MC_WARN,
		       "client '%s' has more series than MaxSeriesPerClient "
		       "(%" PRId64 "), or makes more than "
		       "MaxNewSeriesPerClient: new ones are refused, the "
		       "others are not",
		       name, clients->limits.series);
}

void client_unauthorized(struct clients *clients, struct client *client,
			 const char *host)
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

bool client_take(const struct clients *clients, struct client *client,
		 size_t size)
{
	if (atomic_fetch_add(&client->bytes, size) + size <=
	    clients->limits.bytes)
		return true;
	client_give(client, size);
	return false;
}

void client_give(struct client *client, size_t size)
{
	atomic_fetch_sub(&client->bytes, size);
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
	for (struct mc_lru_node *n = clients->names.oldest; n != NULL;
	     n = n->newer)
		sum += refused((struct client *)n);
	pthread_mutex_unlock(&clients->lock);
	return sum;
}
