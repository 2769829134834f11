/* SPDX-License-Identifier: MIT */
#include "unit.h"

#include <collector/kit/clients.h>

struct client {
	struct mc_client node;
	int number;
	bool waits; /* It cannot be freed yet. */
	bool freed;
};

/* From the oldest to the newest, and back. */
static void are(const struct mc_clients *clients, const int *numbers, size_t len)
{
	const struct mc_client *client = clients->oldest;

	assert_int_equal(clients->len, len);
	for (size_t i = 0; i < len; i++, client = client->newer)
		assert_int_equal(((const struct client *)client)->number, numbers[i]);
	assert_null(client);
	client = clients->newest;
	for (size_t i = len; i > 0; i--, client = client->older)
		assert_int_equal(((const struct client *)client)->number, numbers[i - 1]);
	assert_null(client);
}

static bool free_one(struct mc_client *node)
{
	struct client *client = (struct client *)node;

	assert_false(client->freed);
	client->freed = !client->waits;
	return client->freed;
}

static void who_is_used_becomes_the_newest(void **state)
{
	struct client items[] = { { .number = 1 }, { .number = 2 }, { .number = 3 } };
	struct mc_clients clients = { .len = 0 };

	(void)state;
	for (size_t i = 0; i < 3; i++)
		mc_clients_add(&clients, &items[i].node);
	are(&clients, (const int[]){ 1, 2, 3 }, 3);
	mc_clients_use(&clients, &items[0].node);
	are(&clients, (const int[]){ 2, 3, 1 }, 3);
	mc_clients_use(&clients, &items[2].node);
	are(&clients, (const int[]){ 2, 1, 3 }, 3);
	mc_clients_use(&clients, &items[2].node);
	are(&clients, (const int[]){ 2, 1, 3 }, 3);
}

static void who_is_closed_stays_until_it_is_freed(void **state)
{
	struct client items[] = { { .number = 1 },
				  { .number = 2, .waits = true },
				  { .number = 3 } };
	struct mc_clients clients = { .len = 0 };

	(void)state;
	for (size_t i = 0; i < 3; i++)
		mc_clients_add(&clients, &items[i].node);
	mc_clients_close(&clients, &items[1].node);
	are(&clients, (const int[]){ 1, 3 }, 2);
	mc_clients_close(&clients, &items[0].node);
	are(&clients, (const int[]){ 3 }, 1);
	mc_clients_close(&clients, &items[2].node);
	are(&clients, NULL, 0);
	mc_clients_free_closed(&clients, free_one);
	assert_true(items[0].freed && items[2].freed && !items[1].freed);
	items[1].waits = false;
	mc_clients_free_closed(&clients, free_one);
	assert_true(items[1].freed);
	mc_clients_free_closed(&clients, free_one);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(who_is_used_becomes_the_newest),
		cmocka_unit_test(who_is_closed_stays_until_it_is_freed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
