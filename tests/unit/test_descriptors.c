/* SPDX-License-Identifier: MIT */
/* The reserve of descriptors. */
#include "unit.h"

#include <sys/resource.h>
#include <unistd.h>

#include "kit/net/descriptors.h"

static void limit_to(rlim_t limit)
{
	struct rlimit all;

	assert_int_equal(getrlimit(RLIMIT_NOFILE, &all), 0);
	all.rlim_cur = limit;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &all), 0);
}

/* Of 64 descriptors 32 are not for senders, and 16 not for those who ask; of
 * 400 an eighth, and half of that; and of few there are half. */
static void the_last_ones_are_left(void **state)
{
	static const struct {
		rlim_t limit;
		int sender_end, asker_end; /* The first that they do not get. */
	} cases[] = { { 64, 32, 48 }, { 400, 350, 375 }, { 40, 20, 30 } };

	(void)state;
	for (unsigned i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		int first = dup(STDERR_FILENO), fd = first;

		assert_in_range(first, 3, 15);
		limit_to(cases[i].limit);
		/* The next number is fd + 1. */
		for (; fd >= 0; fd = dup(STDERR_FILENO)) {
			assert_int_equal(mc_descriptors_left(false), fd + 1 < cases[i].sender_end);
			assert_int_equal(mc_descriptors_left(true), fd + 1 < cases[i].asker_end);
		}
		for (fd = first; fd < (int)cases[i].limit; fd++)
			close(fd);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_last_ones_are_left),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
