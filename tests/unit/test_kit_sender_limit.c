/* SPDX-License-Identifier: MIT */
/* Senders, and the number of new series that each may make. */
#include "kit/net/sender_limit.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <string.h>

#include "unit.h"

#define HOUR (3600 * MC_SECOND)

static uint64_t key_of(const char *text, uint16_t port)
{
	struct sockaddr_storage address = { 0 };
	struct sockaddr_in *v4 = (struct sockaddr_in *)&address;
	struct sockaddr_in6 *v6 = (struct sockaddr_in6 *)&address;

	if (strchr(text, ':') != NULL) {
		v6->sin6_family = AF_INET6;
		v6->sin6_port = htons(port);
		inet_pton(AF_INET6, text, &v6->sin6_addr);
	} else {
		v4->sin_family = AF_INET;
		v4->sin_port = htons(port);
		inet_pton(AF_INET, text, &v4->sin_addr);
	}
	return mc_sender_limit_key(&address, NULL);
}

static void a_sender_is_an_address_or_a_network_or_a_user(void **state)
{
	struct sockaddr_storage any = { .ss_family = AF_INET };
	struct sockaddr_storage other = { .ss_family = AF_INET6 };

	(void)state;
	assert_true(key_of("192.0.2.1", 1) == key_of("192.0.2.1", 2));
	assert_true(key_of("192.0.2.1", 1) != key_of("192.0.2.2", 1));
	assert_true(key_of("2001:db8::1", 1) == key_of("2001:db8::2:1", 2));
	assert_true(key_of("2001:db8::1", 1) != key_of("2001:db8:0:1::1", 1));
	assert_true(key_of("::ffff:192.0.2.1", 1) == key_of("192.0.2.1", 2));
	assert_true(key_of("::ffff:192.0.2.1", 1) != key_of("::ffff:192.0.2.2", 1));
	assert_true(mc_sender_limit_key(&any, "alice") == mc_sender_limit_key(&other, "alice"));
	assert_true(mc_sender_limit_key(&any, "alice") != mc_sender_limit_key(&any, "bob"));
}

static unsigned make(struct mc_sender_limit *sender, uint64_t key, unsigned wanted, mc_time now)
{
	unsigned made = 0;

	for (unsigned i = 0; i < wanted; i++)
		made += mc_sender_limit_may_make(sender, key, now);
	return made;
}

static void a_sender_makes_as_many_as_it_may_in_an_hour(void **state)
{
	struct mc_sender_limit sender;

	(void)state;
	mc_sender_limit_init(&sender, 1000);
	assert_int_equal(make(&sender, 1, 1000000, HOUR), 1000);
	assert_int_equal(make(&sender, 2, 10, HOUR), 10);
	assert_int_equal(make(&sender, 1, 2000, HOUR + HOUR / 10), 100);
	assert_int_equal(make(&sender, 1, 2000, 9 * HOUR), 1000);
	assert_int_equal(make(&sender, 2, 2000, 9 * HOUR), 1000);
	mc_sender_limit_done(&sender);
}

/* Forged addresses take places, but not that of who has made much. */
static void who_has_made_much_is_not_forgotten(void **state)
{
	struct mc_sender_limit sender;

	(void)state;
	mc_sender_limit_init(&sender, 100);
	assert_int_equal(make(&sender, 5, 1000, HOUR), 100);
	for (uint64_t i = 6; i < 10 * 16384; i++)
		assert_int_equal(make(&sender, i, 1, HOUR), 1);
	assert_int_equal(make(&sender, 5, 1000, HOUR), 0);
	mc_sender_limit_done(&sender);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_sender_is_an_address_or_a_network_or_a_user),
		cmocka_unit_test(a_sender_makes_as_many_as_it_may_in_an_hour),
		cmocka_unit_test(who_has_made_much_is_not_forgotten),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
