/* SPDX-License-Identifier: MIT */
/* The series of one client, and what is logged of it. */
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
	static const struct client_limits limits = { .series = 100,
						     .new_series = 5 };

	now = 100 * MC_SECOND;
	quota.refused = 0;
	logged[0] = '\0';
	client_init(clients, NULL, &limits);
}

static void test_quota(void **state)
{
	struct clients clients;
	struct client *one, *two;

	(void)state;
	open_clients(&clients);
	one = client_new(&clients, "a");
	two = client_new(&clients, "b");
	assert_ptr_equal(client_quota(one), &quota);
	assert_int_equal(quotas, 2);
	client_free(&clients, one);
	client_free(&clients, two);
	assert_int_equal(quotas, 0);
	client_done(&clients);
}

/* Once for a client and an hour, and not all at the same time. */
static void test_refused_is_logged(void **state)
{
	struct clients clients;
	struct client *a, *b, *c;

	(void)state;
	open_clients(&clients);
	a = client_new(&clients, "a");
	b = client_new(&clients, "b");
	client_served(&clients, a);
	assert_string_equal(logged, "");
	quota.refused = 7;
	client_served(&clients, a);
	assert_non_null(strstr(logged, "client 'a' has more series"));
	assert_int_equal(client_refused(&clients), 14);
	logged[0] = '\0';
	quota.refused = 8;
	client_served(&clients, b);
	assert_string_equal(logged, "");
	now += 11 * MC_SECOND;
	client_served(&clients, a);
	assert_string_equal(logged, "");
	client_served(&clients, b);
	assert_non_null(strstr(logged, "client 'b'"));
	c = client_new(&clients, "c");
	client_free(&clients, a); /* What it had is still counted. */
	assert_int_equal(client_refused(&clients), 24);
	client_free(&clients, b);
	client_free(&clients, c);
	client_done(&clients);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_quota),
		cmocka_unit_test(test_refused_is_logged),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
