/* SPDX-License-Identifier: MIT */
/* A share of the time, for pieces of unknown cost. */
#include "kit/net/http_server/peer/http_pace.h"

#include "unit.h"

#define COST MC_MILLISECOND

/* How many pieces of that cost begin in a second, each as soon as it may. */
static unsigned pieces_in_a_second(struct http_pace *pace, mc_time cost)
{
	unsigned pieces = 0;

	for (mc_time now = http_pace_next(pace, pace->since), end = now + MC_SECOND; now < end;) {
		unsigned allowed = http_pace_allows(pace, now);

		assert_true(allowed > 0);
		pieces += allowed;
		for (unsigned i = 0; i < allowed; i++)
			http_pace_spend(pace, cost);
		now = http_pace_next(pace, now + allowed * cost);
	}
	return pieces;
}

static void a_share_is_kept_whatever_a_piece_costs(void **state)
{
	struct http_pace pace;

	(void)state;
	http_pace_init(&pace, 0.5, 0);
	assert_in_range(pieces_in_a_second(&pace, COST), 500, 520);
	assert_in_range(pieces_in_a_second(&pace, 4 * COST), 122, 130);
	assert_in_range(pieces_in_a_second(&pace, COST / 10), 4900, 5200);
	http_pace_init(&pace, 0.1, 0);
	assert_in_range(pieces_in_a_second(&pace, COST), 100, 120);
}

static void little_is_saved(void **state)
{
	struct http_pace pace;
	unsigned pieces = 0;

	(void)state;
	http_pace_init(&pace, 0.5, 0);
	while (http_pace_allows(&pace, 3600 * MC_SECOND) > 0) {
		http_pace_spend(&pace, COST);
		pieces++;
	}
	assert_int_equal(pieces, HTTP_PACE_SAVED / COST);
}

static void one_that_costs_too_much_is_waited_for(void **state)
{
	struct http_pace pace;

	(void)state;
	http_pace_init(&pace, 0.5, 0);
	assert_int_equal(http_pace_next(&pace, 5), 5);
	http_pace_spend(&pace, HTTP_PACE_SAVED + 100 * COST);
	assert_int_equal(http_pace_allows(&pace, 0), 0);
	assert_in_range(http_pace_next(&pace, 0), 200 * COST, 200 * COST + 10);
	assert_int_equal(http_pace_allows(&pace, 200 * COST - 10), 0);
	assert_int_equal(http_pace_allows(&pace, 200 * COST + 10), 1);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_share_is_kept_whatever_a_piece_costs),
		cmocka_unit_test(little_is_saved),
		cmocka_unit_test(one_that_costs_too_much_is_waited_for),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
