/* SPDX-License-Identifier: MIT */
/* X-Forwarded-For: of web servers in front the last address counts that is not theirs. */
#include "kit/net/http_server/peer/http_proxy.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static const char *const trusted_items[] = { "10.0.0.1", "local", "2001:db8::1",
					     "::ffff:10.0.0.2" };
static const struct mc_strings trusted = { .items = trusted_items, .len = 4 };

static const char *client(const char *header)
{
	static char found[MC_HTTPD_NAME_SIZE];

	memcpy(found, "peer", sizeof("peer"));
	http_proxy_client(&trusted, header, found);
	return found;
}

static void servers_in_front_are_trusted(void **state)
{
	(void)state;
	assert_true(http_proxy_is_trusted(&trusted, "10.0.0.1"));
	assert_true(http_proxy_is_trusted(&trusted, "10.0.0.2"));
	assert_true(http_proxy_is_trusted(&trusted, "local"));
	assert_true(http_proxy_is_trusted(&trusted, "2001:db8:0::1"));
	assert_false(http_proxy_is_trusted(&trusted, "10.0.0.3"));
	assert_false(http_proxy_is_trusted(&trusted, "unknown"));
	assert_false(http_proxy_is_trusted(NULL, "local"));
}

static void the_last_that_is_not_theirs_counts(void **state)
{
	(void)state;
	assert_string_equal(client("192.0.2.7"), "192.0.2.7");
	assert_string_equal(client("1.2.3.4, 192.0.2.7"), "192.0.2.7");
	assert_string_equal(client("192.0.2.7,10.0.0.2 , 10.0.0.1"), "192.0.2.7");
	assert_string_equal(client("::ffff:192.0.2.7"), "192.0.2.7");
	assert_string_equal(client("2001:db8:1:2:3:4:5:6"), "2001:db8:1:2::");
}

static void without_one_it_is_the_peer(void **state)
{
	(void)state;
	assert_string_equal(client(""), "peer");
	assert_string_equal(client("10.0.0.1"), "peer");
	assert_string_equal(client("unknown"), "peer");
	assert_string_equal(client("192.0.2.7, <script>"), "peer");
	assert_string_equal(client("192.0.2.7,"), "peer");
	assert_string_equal(client(",,,,"), "peer");
	assert_string_equal(
		client("1111:2222:3333:4444:5555:6666:7777:8888:9999:aaaa:bbbb:cccc:dddd:eeee"),
		"peer");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(servers_in_front_are_trusted),
		cmocka_unit_test(the_last_that_is_not_theirs_counts),
		cmocka_unit_test(without_one_it_is_the_peer),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
