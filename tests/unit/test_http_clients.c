/* SPDX-License-Identifier: MIT */
/* What one client may have of a server at a time. */
#include "unit.h"

#include <stdlib.h>
#include <string.h>

#include "kit/net/http_server/peer/http_clients.h"

static unsigned kept; /* What the plugin keeps of clients. */

static void *keep(void *argument, const char *name)
{
	assert_ptr_equal(argument, &kept);
	kept++;
	return strdup(name);
}

static void drop(void *argument, void *client)
{
	assert_ptr_equal(argument, &kept);
	kept--;
	free(client);
}

static const struct mc_httpd_options options = {
	.limits = { .requests_per_client = 2, .bytes_per_client = 1000, .clients_len = 2 },
	.argument = &kept,
	.client_new = keep,
	.client_free = drop,
};

static void requests_at_a_time(void **state)
{
	struct http_clients clients;
	struct http_client *one, *two, *other;

	(void)state;
	http_clients_init(&clients, &options);
	one = http_clients_enter(&clients, "a");
	two = http_clients_enter(&clients, "a");
	assert_ptr_equal(one, two);
	assert_null(http_clients_enter(&clients, "a"));
	other = http_clients_enter(&clients, "b");
	assert_non_null(other);
	assert_string_equal(http_clients_own(other), "b");
	assert_null(http_clients_enter(&clients, "c")); /* Both are busy. */
	http_clients_leave(&clients, one);
	http_clients_leave(&clients, two);
	two = http_clients_enter(&clients, "c"); /* In the place of a. */
	assert_non_null(two);
	assert_string_equal(http_clients_own(two), "c");
	assert_int_equal(kept, 2);
	http_clients_leave(&clients, two);
	http_clients_leave(&clients, other);
	http_clients_done(&clients);
	assert_int_equal(kept, 0);
}

static void bytes_at_a_time(void **state)
{
	struct http_clients clients;
	struct http_client *a, *b;

	(void)state;
	http_clients_init(&clients, &options);
	a = http_clients_enter(&clients, "a");
	b = http_clients_enter(&clients, "b");
	assert_true(http_clients_take(&clients, a, 600));
	assert_false(http_clients_take(&clients, a, 600));
	assert_true(http_clients_take(&clients, a, 400));
	assert_true(http_clients_take(&clients, b, 600));
	http_clients_give(a, 1000);
	assert_true(http_clients_take(&clients, a, 1000));
	http_clients_give(a, 1000);
	http_clients_give(b, 600);
	http_clients_leave(&clients, a);
	http_clients_leave(&clients, b);
	http_clients_done(&clients);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(requests_at_a_time),
		cmocka_unit_test(bytes_at_a_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
