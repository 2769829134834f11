/* SPDX-License-Identifier: MIT */
#include "daemon/process/hostname.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static void test_of_the_system(void **state)
{
	char system_name[256], name[256];

	(void)state;
	assert_int_equal(gethostname(system_name, sizeof(system_name)), 0);
	assert_int_equal(hostname_get(name, sizeof(name), false, 0), HOSTNAME_GOOD);
	assert_string_equal(name, system_name);
}

/* Whether the resolver of this machine knows its name or not. */
static void test_looked_up(void **state)
{
	char system_name[256], name[256];

	(void)state;
	gethostname(system_name, sizeof(system_name));
	if (hostname_get(name, sizeof(name), true, 10 * MC_SECOND) == HOSTNAME_GOOD)
		assert_true(strlen(name) > 0);
	else
		assert_string_equal(name, system_name);
}

static void test_loopback(void **state)
{
	(void)state;
	assert_true(hostname_is_loopback("localhost"));
	assert_true(hostname_is_loopback("LocalHost.localdomain"));
	assert_true(hostname_is_loopback("ip6-localhost"));
	assert_true(hostname_is_loopback("vm.localhost"));
	assert_false(hostname_is_loopback("vm.example.net"));
	assert_false(hostname_is_loopback("localhost-3.example.net"));
	assert_false(hostname_is_loopback("local"));
	assert_false(hostname_is_loopback(""));
}

static void test_cut(void **state)
{
	char name[3];

	(void)state;
	hostname_get(name, sizeof(name), false, 0);
	assert_true(strlen(name) <= 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_of_the_system),
		cmocka_unit_test(test_looked_up),
		cmocka_unit_test(test_loopback),
		cmocka_unit_test(test_cut),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
