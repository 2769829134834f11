/* SPDX-License-Identifier: MIT */
/* Which receiver gets the values of a host, and which one stands in. */
#include "unit.h"

#include <stdio.h>
#include <string.h>

#include "spread.h"

#define HOSTS 10000

static const char *const urls[] = { "http://a:4318", "http://b:4318", "http://c:4318",
				    "http://d:4318" };

static const char *host(unsigned number)
{
	static char name[32];

	snprintf(name, sizeof(name), "host%u.example.org", number);
	return name;
}

static unsigned first_of(const struct spread *spread, unsigned number)
{
	return spread_target(spread, spread_shard(spread, host(number)), 0);
}

static void hosts_are_spread_evenly(void **state)
{
	(void)state;
	for (unsigned len = 2; len <= 4; len++) {
		const struct spread spread = { urls, len };
		unsigned firsts[4] = { 0 }, seconds[4] = { 0 };

		for (unsigned i = 0; i < HOSTS; i++) {
			unsigned shard = spread_shard(&spread, host(i));

			assert_in_range(shard, 0, spread_shards_len(&spread) - 1);
			firsts[spread_target(&spread, shard, 0)]++;
			if (spread_target(&spread, shard, 0) == 0) /* It is away. */
				seconds[spread_target(&spread, shard, 1)]++;
		}
		for (unsigned i = 0; i < len; i++)
			assert_in_range(firsts[i], HOSTS / len * 93 / 100, HOSTS / len * 107 / 100);
		for (unsigned i = 1; i < len; i++)
			assert_in_range(seconds[i], firsts[0] / (len - 1) * 85 / 100,
					firsts[0] / (len - 1) * 115 / 100);
		assert_int_equal(seconds[0], 0);
	}
}

static void one_more_moves_no_other_host(void **state)
{
	const struct spread three = { urls, 3 }, four = { urls, 4 };
	unsigned moved = 0;

	(void)state;
	for (unsigned i = 0; i < HOSTS; i++) {
		unsigned before = first_of(&three, i), after = first_of(&four, i);

		assert_true(after == before || after == 3);
		moved += after != before;
	}
	assert_in_range(moved, HOSTS / 4 * 93 / 100, HOSTS / 4 * 107 / 100);
}

/* Senders may list them in another order. */
static void the_order_of_urls_does_not_matter(void **state)
{
	static const char *const turned[] = { "http://c:4318", "http://b:4318", "http://a:4318" };
	const struct spread one = { urls, 3 }, other = { turned, 3 };

	(void)state;
	for (unsigned i = 0; i < HOSTS; i++)
		for (unsigned attempt = 0; attempt < 2; attempt++) {
			unsigned a = spread_target(&one, spread_shard(&one, host(i)), attempt);
			unsigned b = spread_target(&other, spread_shard(&other, host(i)), attempt);

			assert_string_equal(urls[a], turned[b]);
		}
}

static void each_receiver_is_tried_once(void **state)
{
	const struct spread spread = { urls, 4 };

	(void)state;
	for (unsigned i = 0; i < 100; i++) {
		unsigned shard = spread_shard(&spread, host(i)), tried = 0;

		for (unsigned attempt = 0; attempt < 4; attempt++)
			tried |= 1u << spread_target(&spread, shard, attempt);
		assert_int_equal(tried, 0xf);
	}
}

static void one_receiver_is_one_shard(void **state)
{
	const struct spread spread = { urls, 1 };

	(void)state;
	assert_int_equal(spread_shards_len(&spread), 1);
	assert_int_equal(spread_shard(&spread, "host"), 0);
	assert_int_equal(spread_target(&spread, 0, 0), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(hosts_are_spread_evenly),
		cmocka_unit_test(one_more_moves_no_other_host),
		cmocka_unit_test(the_order_of_urls_does_not_matter),
		cmocka_unit_test(each_receiver_is_tried_once),
		cmocka_unit_test(one_receiver_is_one_shard),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
