/* SPDX-License-Identifier: MIT */
/* Times of requests to disks. */
#include "latency.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static struct decode_device disk(unsigned index, uint64_t reads, uint64_t ns)
{
	return (struct decode_device){
		.index = index,
		.known = 1U << DISK_RD_REQUESTS | 1U << DISK_RD_TIMES | 1U << DISK_WR_REQUESTS |
			 1U << DISK_WR_TIMES,
		.values = { [DISK_RD_REQUESTS] = reads, [DISK_RD_TIMES] = ns },
	};
}

static void the_mean_since_the_last_time(void **state)
{
	struct latencies latencies = { 0 };
	struct decode_device one = disk(0, 10, 5000), other = disk(3, 0, 0);
	double mean[2];

	(void)state;
	assert_false(latency_take(&latencies, &one, mean));
	assert_false(latency_take(&latencies, &other, mean));
	one.values[DISK_RD_REQUESTS] += 4;
	one.values[DISK_RD_TIMES] += 8000000;
	other.values[DISK_WR_REQUESTS] = 1;
	other.values[DISK_WR_TIMES] = 1000000000;
	assert_true(latency_take(&latencies, &one, mean));
	assert_true(fabs(mean[0] - 2) < 1e-9);
	assert_true(isnan(mean[1])); /* No write. */
	assert_true(latency_take(&latencies, &other, mean));
	assert_true(isnan(mean[0]));
	assert_true(fabs(mean[1] - 1000) < 1e-9);
	latency_free(&latencies);
}

static void counters_that_stay_or_go_back(void **state)
{
	struct latencies latencies = { 0 };
	struct decode_device one = disk(0, 10, 5000), back = disk(0, 1, 9000);
	double mean[2];

	(void)state;
	assert_false(latency_take(&latencies, &one, mean));
	assert_true(latency_take(&latencies, &one, mean));
	assert_true(isnan(mean[0]));
	assert_true(latency_take(&latencies, &back, mean));
	assert_true(isnan(mean[0]));
	back.values[DISK_RD_REQUESTS] = 2; /* From there. */
	back.values[DISK_RD_TIMES] = 10000;
	assert_true(latency_take(&latencies, &back, mean));
	assert_true(fabs(mean[0] - 0.001) < 1e-12);
	back.values[DISK_RD_REQUESTS] = 3;
	back.values[DISK_RD_TIMES] = 0; /* Not both. */
	assert_true(latency_take(&latencies, &back, mean));
	assert_true(isnan(mean[0]));
	latency_free(&latencies);
}

static void counters_that_are_not_known(void **state)
{
	struct latencies latencies = { 0 };
	struct decode_device one = disk(0, 10, 5000);
	double mean[2];

	(void)state;
	one.known &= ~(1U << DISK_WR_TIMES);
	assert_false(latency_take(&latencies, &one, mean));
	assert_int_equal(latencies.len, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_mean_since_the_last_time),
		cmocka_unit_test(counters_that_stay_or_go_back),
		cmocka_unit_test(counters_that_are_not_known),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
