/* SPDX-License-Identifier: MIT */
/* How many connections an address has, and that it is forgotten with the last.
 */
#include "address.h"

#include "unit.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

static const struct sockaddr *four(struct sockaddr_in *out, const char *text)
{
	*out = (struct sockaddr_in){ .sin_family = AF_INET };
	assert_int_equal(inet_pton(AF_INET, text, &out->sin_addr), 1);
	return (const struct sockaddr *)out;
}

static const struct sockaddr *six(struct sockaddr_in6 *out, const char *text)
{
	*out = (struct sockaddr_in6){ .sin6_family = AF_INET6 };
	assert_int_equal(inet_pton(AF_INET6, text, &out->sin6_addr), 1);
	return (const struct sockaddr *)out;
}

static void test_limit(void **state)
{
	struct addresses addresses;
	struct sockaddr_in a, b;
	struct address *first, *second;

	(void)state;
	address_init(&addresses, 2);
	four(&a, "192.0.2.1");
	four(&b, "192.0.2.2");
	assert_true(address_may_enter(&addresses, (struct sockaddr *)&a));
	first = address_enter(&addresses, (struct sockaddr *)&a);
	assert_true(address_may_enter(&addresses, (struct sockaddr *)&a));
	second = address_enter(&addresses, (struct sockaddr *)&a);
	assert_ptr_equal(first, second);
	assert_false(address_may_enter(&addresses, (struct sockaddr *)&a));
	assert_true(address_may_enter(&addresses, (struct sockaddr *)&b));
	address_leave(&addresses, first);
	assert_true(address_may_enter(&addresses, (struct sockaddr *)&a));
	assert_int_equal(addresses.names.map.len, 1);
	address_leave(&addresses, second);
	assert_int_equal(addresses.names.map.len, 0);
	address_leave(&addresses, NULL);
	address_done(&addresses);
}

/* By either family it is the same host. */
static void test_families(void **state)
{
	struct addresses addresses;
	struct sockaddr_in v4;
	struct sockaddr_in6 v6;
	struct address *entered;

	(void)state;
	address_init(&addresses, 1);
	entered = address_enter(&addresses, six(&v6, "::ffff:192.0.2.1"));
	assert_false(address_may_enter(&addresses, four(&v4, "192.0.2.1")));
	assert_true(address_may_enter(&addresses, six(&v6, "2001:db8::1")));
	address_leave(&addresses, entered);
	entered = address_enter(&addresses, six(&v6, "2001:db8::1"));
	assert_false(address_may_enter(&addresses, six(&v6, "2001:db8::1")));
	assert_true(address_may_enter(&addresses, six(&v6, "2001:db8::2")));
	address_done(&addresses); /* With who is still there. */
	(void)entered;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_limit),
		cmocka_unit_test(test_families),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
