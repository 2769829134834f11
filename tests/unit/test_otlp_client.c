/* SPDX-License-Identifier: MIT */
/* What one client may have at a time. */
#include "unit.h"

#include <collector/serve.h>

#include "client.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static mc_time now;
static unsigned quotas; /* That live. */
static char logged[1024];

struct mc_quota {
	uint64_t refused;
};
static struct mc_quota quota;

mc_time mc_now(void)
{
	return now;
}

void mc_log(struct mc_ctx *ctx, enum mc_level level, const char *fmt, ...)
{
	va_list args;

	(void)ctx;
	assert_int_equal(level, MC_WARN);
	va_start(args, fmt);
	vsnprintf(logged, sizeof(logged), fmt, args);
	va_end(args);
}

struct mc_quota *mc_quota_new(struct mc_ctx *ctx, uint64_t series,
			      double per_second)
{
	(void)ctx;
	assert_int_equal(series, 100);
	assert_true(per_second == 5);
	quotas++;
	return &quota;
}

void mc_quota_free(struct mc_quota *freed)
{
	assert_ptr_equal(freed, &quota);
	quotas--;
}

uint64_t mc_quota_refused(const struct mc_quota *asked)
{
	return asked->refused;
}

static void open_clients(struct clients *clients)
{
	static const struct client_limits limits = { .requests = 2,
						     .series = 100,
						     .new_series = 5,
						     .bytes = 1000,
						     .clients = 2 };

	now = 100 * MC_SECOND;
	quota.refused = 0;
	logged[0] = '\0';
	client_init(clients, NULL, &limits);
}

static void test_requests(void **state)
{
	struct clients clients;
	struct client *one, *two, *other;

	(void)state;
	open_clients(&clients);
	one = client_enter(&clients, "a");
	two = client_enter(&clients, "a");
	assert_ptr_equal(one, two);
	assert_null(client_enter(&clients, "a"));
	other = client_enter(&clients, "b");
	assert_non_null(other);
	assert_ptr_equal(client_quota(other), &quota);
	assert_null(client_enter(&clients, "c")); /* Both are busy. */
	client_leave(&clients, one);
	client_leave(&clients, two);
	two = client_enter(&clients, "c"); /* In the place of a. */
	assert_non_null(two);
	assert_int_equal(quotas, 2);
	client_leave(&clients, two);
	client_leave(&clients, other);
	client_done(&clients);
	assert_int_equal(quotas, 0);
}

static void test_memory(void **state)
{
	struct clients clients;
	struct client *a, *b;

	(void)state;
	open_clients(&clients);
	a = client_enter(&clients, "a");
	b = client_enter(&clients, "b");
	assert_true(client_take(&clients, a, 600));
	assert_false(client_take(&clients, a, 600));
	assert_true(client_take(&clients, a, 400));
	assert_true(client_take(&clients, b, 600));
	client_give(a, 1000);
	assert_true(client_take(&clients, a, 1000));
	client_give(a, 1000);
	client_give(b, 600);
	client_leave(&clients, a);
	client_leave(&clients, b);
	client_done(&clients);
}

static void enter_and_leave(struct clients *clients, const char *name)
{
	client_leave(clients, client_enter(clients, name));
}

/* Once for a client and an hour, and not all at the same time. */
static void test_refused_is_logged(void **state)
{
	struct clients clients;

	(void)state;
	open_clients(&clients);
	enter_and_leave(&clients, "a");
	assert_string_equal(logged, "");
	quota.refused = 7;
	enter_and_leave(&clients, "a");
	assert_non_null(strstr(logged, "client 'a' has more series"));
	assert_int_equal(client_refused(&clients), 7);
	logged[0] = '\0';
	quota.refused = 8;
	enter_and_leave(&clients, "b");
	assert_string_equal(logged, "");
	now += 11 * MC_SECOND;
	enter_and_leave(&clients, "a");
	assert_string_equal(logged, "");
	enter_and_leave(&clients, "b");
	assert_non_null(strstr(logged, "client 'b'"));
	enter_and_leave(&clients, "c"); /* What a had is still counted. */
	assert_int_equal(client_refused(&clients), 24);
	client_done(&clients);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_requests),
		cmocka_unit_test(test_memory),
		cmocka_unit_test(test_refused_is_logged),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
