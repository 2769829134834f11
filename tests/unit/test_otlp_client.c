/* SPDX-License-Identifier: MIT */
/* The series of one client, and what is logged of it. */
#include "unit.h"

#include <collector/quota.h>

#include "client.h"
#include "tenant.h"

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

struct mc_quota *mc_quota_new(struct mc_ctx *ctx, enum mc_quota_kind kind, const char *name,
			      const struct mc_quota_limits *limits)
{
	(void)ctx;
	if (kind == MC_QUOTA_TENANT) {
		assert_string_equal(name, "blue");
		assert_int_equal(limits->series, 7);
	} else {
		assert_int_equal(kind, MC_QUOTA_CLIENT);
		assert_int_equal(limits->series, 100);
		assert_int_equal(limits->new_series, 5);
	}
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
	static const struct mc_quota_limits limits = { .series = 100, .new_series = 5 };

	now = 100 * MC_SECOND;
	quota.refused = 0;
	logged[0] = '\0';
	client_init(clients, NULL, &limits, 10);
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

static void test_values(void **state)
{
	struct clients clients;
	struct client *one, *two;

	(void)state;
	open_clients(&clients);
	one = client_new(&clients, "a");
	two = client_new(&clients, "b");
	assert_true(client_may_send(&clients, one));
	client_count(&clients, one, 105); /* A hundred in advance. */
	assert_false(client_may_send(&clients, one));
	assert_string_equal(logged, "client 'a' sends more than 10 values a second "
				    "(MaxValuesPerClient): it is asked to wait");
	logged[0] = '\0';
	assert_false(client_may_send(&clients, one));
	assert_string_equal(logged, "");
	assert_true(client_may_send(&clients, two)); /* It costs the others nothing. */
	now += MC_SECOND / 2;
	assert_false(client_may_send(&clients, one));
	now += MC_SECOND / 10;
	assert_true(client_may_send(&clients, one));
	now += 3600 * MC_SECOND; /* Silence is worth ten seconds. */
	assert_true(client_may_send(&clients, one));
	client_count(&clients, one, 100);
	assert_false(client_may_send(&clients, one));
	client_free(&clients, one);
	client_free(&clients, two);
	client_done(&clients);
}

/* Clients of a tenant have one limit together, and another client has its own. */
static void test_tenants(void **state)
{
	static const char *const globs[] = { "*.blue", "10.1.?" };
	static struct tenant_options options = { .name = "blue",
						 .limits.series = 7,
						 .values_max = 20 };
	const struct mc_blocks tenants = { &options, 1 };
	struct client *one, *two, *other;
	struct clients clients;

	(void)state;
	options.clients = (struct mc_strings){ globs, 2 };
	open_clients(&clients);
	client_set_tenants(&clients, &tenants);
	one = client_new(&clients, "a.blue");
	two = client_new(&clients, "10.1.7");
	other = client_new(&clients, "blue");
	assert_string_equal(client_tenant(&clients, one), "blue");
	assert_string_equal(client_tenant(&clients, two), "blue");
	assert_string_equal(client_tenant(&clients, other), "");
	client_count(&clients, one, 205);
	assert_false(client_may_send(&clients, two));
	assert_string_equal(logged, "tenant 'blue' sends more than 20 values a second "
				    "(MaxValuesPerTenant): it is asked to wait");
	assert_true(client_may_send(&clients, other));
	client_free(&clients, one);
	client_free(&clients, two);
	client_free(&clients, other);
	client_done(&clients);
}

/* Once for a client and an hour, and not all at the same time. */
static void test_unauthorized_is_logged(void **state)
{
	struct clients clients;
	struct client *a, *b;

	(void)state;
	open_clients(&clients);
	a = client_new(&clients, "a");
	b = client_new(&clients, "b");
	client_unauthorized(&clients, a, "x");
	assert_non_null(strstr(logged, "client 'a' sends of host 'x'"));
	logged[0] = '\0';
	client_unauthorized(&clients, b, "x");
	assert_string_equal(logged, "");
	now += 11 * MC_SECOND;
	client_unauthorized(&clients, a, "x");
	assert_string_equal(logged, "");
	client_unauthorized(&clients, b, "x");
	assert_non_null(strstr(logged, "client 'b'"));
	client_free(&clients, a);
	client_free(&clients, b);
	client_done(&clients);
}

static void test_refused_is_counted(void **state)
{
	struct clients clients;
	struct client *a, *b;

	(void)state;
	open_clients(&clients);
	a = client_new(&clients, "a");
	b = client_new(&clients, "b");
	quota.refused = 7;
	assert_int_equal(client_refused(&clients), 14);
	client_free(&clients, a); /* What it had is still counted. */
	quota.refused = 8;
	assert_int_equal(client_refused(&clients), 15);
	client_free(&clients, b);
	client_done(&clients);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_quota),
		cmocka_unit_test(test_values),
		cmocka_unit_test(test_tenants),
		cmocka_unit_test(test_unauthorized_is_logged),
		cmocka_unit_test(test_refused_is_counted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
