/* SPDX-License-Identifier: MIT */
#include <collector/kit/clients.h>

static void link_newest(struct mc_clients *clients, struct mc_client *client)
{
	client->older = clients->newest;
	client->newer = NULL;
	if (clients->newest != NULL)
		clients->newest->newer = client;
	else
		clients->oldest = client;
	clients->newest = client;
}

static void take_out(struct mc_clients *clients, struct mc_client *client)
{
	if (client->older != NULL)
		client->older->newer = client->newer;
	else
		clients->oldest = client->newer;
	if (client->newer != NULL)
		client->newer->older = client->older;
	else
		clients->newest = client->older;
}

void mc_clients_add(struct mc_clients *clients, struct mc_client *client)
{
	link_newest(clients, client);
	clients->len++;
}

void mc_clients_use(struct mc_clients *clients, struct mc_client *client)
{
	take_out(clients, client);
	link_newest(clients, client);
}

void mc_clients_close(struct mc_clients *clients, struct mc_client *client)
{
	take_out(clients, client);
	clients->len--;
	client->newer = clients->closed;
	clients->closed = client;
}

void mc_clients_free_closed(struct mc_clients *clients, bool (*free_one)(struct mc_client *))
{
	struct mc_client *client = clients->closed, *next;

	clients->closed = NULL;
	for (; client != NULL; client = next) {
		next = client->newer;
		if (free_one(client))
			continue;
		client->newer = clients->closed;
		clients->closed = client;
	}
}
