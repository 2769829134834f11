/* SPDX-License-Identifier: MIT */
/* How many connections an address has, how many handshakes it may begin, and
 * that it is forgotten. */
#include "kit/net/http_server/peer/http_address.h"

#include "unit.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

static mc_time now; /* The clock of the plugin. */

mc_time mc_now(void)
{
	return now;
}

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

static enum http_address_verdict ask(struct http_addresses *addresses, const struct sockaddr *from)
{
	uint64_t news;

	return http_address_may_enter(addresses, from, &news);
}

static bool may(struct http_addresses *addresses, const struct sockaddr *from)
{
	return ask(addresses, from) == HTTP_ADDRESS_WELCOME;
}

static void test_limit(void **state)
{
	struct http_addresses addresses;
	struct sockaddr_in a, b;
	struct http_address *first, *second;

	(void)state;
	http_address_init(&addresses, 2, false);
	four(&a, "192.0.2.1");
	four(&b, "192.0.2.2");
	assert_true(may(&addresses, (struct sockaddr *)&a));
	first = http_address_enter(&addresses, (struct sockaddr *)&a);
	assert_true(may(&addresses, (struct sockaddr *)&a));
	second = http_address_enter(&addresses, (struct sockaddr *)&a);
	assert_ptr_equal(first, second);
	assert_false(may(&addresses, (struct sockaddr *)&a));
	assert_null(http_address_enter(&addresses, (struct sockaddr *)&a));
	assert_true(may(&addresses, (struct sockaddr *)&b));
	http_address_leave(&addresses, first);
	assert_true(may(&addresses, (struct sockaddr *)&a));
	assert_int_equal(addresses.names.map.len, 1);
	http_address_leave(&addresses, second);
	assert_int_equal(addresses.names.map.len, 0);
	http_address_leave(&addresses, NULL);
	http_address_done(&addresses);
}

/* By either family it is the same host. */
static void test_families(void **state)
{
	struct http_addresses addresses;
	struct sockaddr_in v4;
	struct sockaddr_in6 v6;
	struct http_address *entered;

	(void)state;
	http_address_init(&addresses, 1, false);
	entered = http_address_enter(&addresses, six(&v6, "::ffff:192.0.2.1"));
	assert_false(may(&addresses, four(&v4, "192.0.2.1")));
	assert_true(may(&addresses, six(&v6, "2001:db8::1")));
	http_address_leave(&addresses, entered);
	entered = http_address_enter(&addresses, six(&v6, "2001:db8::1"));
	assert_false(may(&addresses, six(&v6, "2001:db8::1")));
	assert_true(may(&addresses, six(&v6, "2001:db8::2")));
	http_address_done(&addresses); /* With who is still there. */
	(void)entered;
}

/* Begins handshakes, of which nothing comes, until it is refused. */
static unsigned begin_all(struct http_addresses *addresses, const struct sockaddr *from)
{
	unsigned begun = 0;

	for (; ask(addresses, from) == HTTP_ADDRESS_WELCOME && begun < 1000; begun++)
		http_address_leave(addresses, http_address_enter(addresses, from));
	assert_int_equal(ask(addresses, from), HTTP_ADDRESS_SPENT);
	return begun;
}

/* As many as connections at once, and each second an eighth of that; a client that sends requests
 * may begin as many as it likes. */
static void test_handshakes(void **state)
{
	struct http_addresses addresses;
	struct sockaddr_in v4, other;
	const struct sockaddr *from = four(&v4, "192.0.2.1");
	struct http_address *address;

	(void)state;
	http_address_init(&addresses, 16, true);
	assert_int_equal(begin_all(&addresses, from), 16);
	assert_true(may(&addresses, four(&other, "192.0.2.2")));
	now += MC_SECOND;
	assert_int_equal(begin_all(&addresses, from), 2);
	now += MC_SECOND;
	for (unsigned i = 0; i < 1000; i++) {
		assert_true(may(&addresses, from));
		address = http_address_enter(&addresses, from);
		http_address_serves(&addresses, address);
		http_address_leave(&addresses, address);
	}
	assert_int_equal(begin_all(&addresses, from), 2);
	now += 100 * MC_SECOND;
	assert_int_equal(begin_all(&addresses, from), 16);
	http_address_done(&addresses);
}

/* An address is known until it is as one that is not; and not too many are. */
static void test_forgetting(void **state)
{
	struct http_addresses addresses;
	struct sockaddr_in v4 = { .sin_family = AF_INET };
	const struct sockaddr *from = (struct sockaddr *)&v4;

	(void)state;
	http_address_init(&addresses, 8, true);
	for (unsigned i = 0; i < 20000; i++) {
		v4.sin_addr.s_addr = htonl(i);
		http_address_leave(&addresses, http_address_enter(&addresses, from));
	}
	assert_int_equal(addresses.names.map.len, 0);
	assert_int_equal(addresses.idle.map.len, 16384);
	now += MC_SECOND;
	http_address_leave(&addresses, http_address_enter(&addresses, from));
	assert_int_equal(addresses.idle.map.len, 1);
	http_address_done(&addresses);
}

/* The first at once, the others once a minute, each reason for itself. */
static void test_log(void **state)
{
	struct http_addresses addresses;
	struct sockaddr_in v4, other;
	const struct sockaddr *full = four(&v4, "192.0.2.1");
	const struct sockaddr *spent = four(&other, "192.0.2.2");
	uint64_t news;

	(void)state;
	now = MC_SECOND;
	http_address_init(&addresses, 1, true);
	http_address_enter(&addresses, full);
	http_address_leave(&addresses, http_address_enter(&addresses, spent));
	assert_int_equal(http_address_may_enter(&addresses, full, &news), HTTP_ADDRESS_FULL);
	assert_int_equal(news, 1);
	assert_int_equal(http_address_may_enter(&addresses, spent, &news), HTTP_ADDRESS_SPENT);
	assert_int_equal(news, 1);
	for (unsigned i = 0; i < 20; i++) {
		http_address_may_enter(&addresses, full, &news);
		assert_int_equal(news, 0);
	}
	now += 60 * MC_SECOND;
	http_address_may_enter(&addresses, full, &news);
	assert_int_equal(news, 21);
	assert_int_equal(http_address_may_enter(&addresses, spent, &news), HTTP_ADDRESS_WELCOME);
	assert_int_equal(news, 0);
	http_address_done(&addresses);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_limit),      cmocka_unit_test(test_families),
		cmocka_unit_test(test_handshakes), cmocka_unit_test(test_forgetting),
		cmocka_unit_test(test_log),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
