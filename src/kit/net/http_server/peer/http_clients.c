/* SPDX-License-Identifier: MIT */
#include "kit/net/http_server/peer/http_clients.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <collector/kit/alloc.h>

struct http_client {
	struct mc_lru_node node;
	char name[MC_HTTPD_NAME_SIZE];
	int64_t requests MC_GUARDED_BY(http_clients.lock); /* Now. */
	atomic_size_t bytes;
	void *own; /* The plugin's; never changes. */
};

void http_clients_init(struct http_clients *clients, const struct mc_httpd_options *options)
{
	*clients = (struct http_clients){ .options = options };
	pthread_mutex_init(&clients->lock, NULL);
}

static void free_client(const struct http_clients *clients, struct http_client *client)
{
	const struct mc_httpd_options *options = clients->options;

	if (client == NULL)
		return;
	if (options->client_free != NULL)
		options->client_free(options->argument, client->own);
	free(client);
}

void http_clients_done(struct http_clients *clients)
{
	struct mc_lru_node *next;

	for (struct mc_lru_node *n = clients->clients.oldest; n != NULL; n = next) {
		next = n->newer;
		free_client(clients, (struct http_client *)n);
	}
	mc_lru_done(&clients->clients);
	pthread_mutex_destroy(&clients->lock);
}

static struct http_client *make_client(const struct http_clients *clients, const char *name)
{
	const struct mc_httpd_options *options = clients->options;
	struct http_client *client = mc_alloc_zero(sizeof(*client));

	snprintf(client->name, sizeof(client->name), "%s", name);
	if (options->client_new != NULL)
		client->own = options->client_new(options->argument, client->name);
	return client;
}

static struct http_client *find(const struct http_clients *clients, const char *name)
	MC_REQUIRES(clients->lock)
{
	return (struct http_client *)mc_lru_find(&clients->clients, name, strlen(name));
}

/* Takes out the one longest unheard that asks for nothing now;
 * it is to be freed without the lock. */
static struct http_client *forget_oldest(struct http_clients *clients) MC_REQUIRES(clients->lock)
{
	struct mc_lru_node *node = clients->clients.oldest;

	while (node != NULL && ((struct http_client *)node)->requests > 0)
		node = node->newer;
	if (node != NULL)
		mc_lru_remove(&clients->clients, node);
	return (struct http_client *)node;
}

/* False: all that are known are busy. */
static bool add(struct http_clients *clients, struct http_client *client,
		struct http_client **forgotten) MC_REQUIRES(clients->lock)
{
	size_t max = clients->options->limits.clients_len;

	if (clients->clients.map.len >= max)
		*forgotten = forget_oldest(clients);
	if (clients->clients.map.len >= max)
		return false;
	mc_lru_add(&clients->clients, &client->node, client->name, strlen(client->name));
	return true;
}

/* NULL: it has too many. */
static struct http_client *enter(struct http_clients *clients, struct http_client *client)
	MC_REQUIRES(clients->lock)
{
	mc_lru_use(&clients->clients, &client->node);
	if (client->requests >= clients->options->limits.requests_per_client)
		return NULL;
	client->requests++;
	return client;
}

/* The plugin's state of a client is made, and freed, without the lock. */
static struct http_client *enter_new(struct http_clients *clients, const char *name)
{
	struct http_client *made = make_client(clients, name);
	struct http_client *client, *unused = NULL;

	pthread_mutex_lock(&clients->lock);
	client = find(clients, made->name);
	if (client != NULL) /* Another thread was faster. */
		unused = made;
	else if (add(clients, made, &unused))
		client = made;
	else
		unused = made;
	if (client != NULL)
		client = enter(clients, client);
	pthread_mutex_unlock(&clients->lock);
	free_client(clients, unused);
	return client;
}

struct http_client *http_clients_enter(struct http_clients *clients, const char *name)
{
	struct http_client *client, *known;

	pthread_mutex_lock(&clients->lock);
	known = find(clients, name);
	client = known != NULL ? enter(clients, known) : NULL;
	pthread_mutex_unlock(&clients->lock);
	return known != NULL ? client : enter_new(clients, name);
}

void http_clients_leave(struct http_clients *clients, struct http_client *client)
{
	pthread_mutex_lock(&clients->lock);
	client->requests--;
	pthread_mutex_unlock(&clients->lock);
}

bool http_clients_take(const struct http_clients *clients, struct http_client *client, size_t size)
{
	if (atomic_fetch_add(&client->bytes, size) + size <=
	    clients->options->limits.bytes_per_client)
		return true;
	http_clients_give(client, size);
	return false;
}

void http_clients_give(struct http_client *client, size_t size)
{
	atomic_fetch_sub(&client->bytes, size);
}

void *http_clients_own(const struct http_client *client)
{
	return client->own;
}
