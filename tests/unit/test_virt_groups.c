/* SPDX-License-Identifier: MIT */
/* Groups with an interval of their own. */
#include "groups.h"

#include "unit.h"

#include "names.h"

static void all_is_due_by_itself(void **state)
{
	struct groups groups = { 0 };

	(void)state;
	for (uint64_t read = 1; read < 5; read++) {
		assert_true(groups_due(&groups, GROUP_DISKS, read));
		assert_int_equal(groups_extra(&groups, EXTRA_DISK, read), EXTRA_DISK);
		groups_taken(&groups, read);
	}
	assert_int_equal(groups_interval(&groups, GROUP_DISKS), 0);
}

static void a_slow_group_is_due_now_and_then(void **state)
{
	static const struct group_rule rules[] = {
		{ GROUP_MEMORY, 60 * MC_SECOND },
		{ GROUP_MEMORY, 29 * MC_SECOND }, /* Rounded to 30. */
		{ GROUP_VCPU, 4 * MC_SECOND },    /* No more often than reads. */
	};
	const unsigned all = EXTRA_MEMORY | EXTRA_VCPU | EXTRA_DISK;
	struct groups groups = { 0 };
	unsigned times = 0;

	(void)state;
	groups_set(&groups, rules, 3, 10 * MC_SECOND);
	assert_int_equal(groups_interval(&groups, GROUP_MEMORY), 30 * MC_SECOND);
	assert_int_equal(groups_interval(&groups, GROUP_VCPU), 0);
	for (uint64_t read = 1; read <= 9; read++) {
		unsigned due = groups_extra(&groups, all, read);

		assert_int_equal(due & ~EXTRA_MEMORY, EXTRA_VCPU | EXTRA_DISK);
		times += (due & EXTRA_MEMORY) != 0;
		groups_taken(&groups, read);
	}
	assert_int_equal(times, 3);
}

/* A read that failed is made good by the next. */
static void what_was_not_taken_stays_due(void **state)
{
	static const struct group_rule rule = { GROUP_DISKS, 60 * MC_SECOND };
	struct groups groups = { 0 };

	(void)state;
	groups_set(&groups, &rule, 1, 10 * MC_SECOND);
	assert_true(groups_due(&groups, GROUP_DISKS, 1));
	assert_true(groups_due(&groups, GROUP_DISKS, 2));
	groups_taken(&groups, 2);
	assert_false(groups_due(&groups, GROUP_DISKS, 7));
	assert_true(groups_due(&groups, GROUP_DISKS, 8));
	assert_true(groups_due(&groups, GROUP_DISKS, 9));
}

static void every_group_has_a_word(void **state)
{
	(void)state;
	for (unsigned i = 0; i < GROUPS_LEN; i++)
		assert_non_null(groups_words[i]);
	assert_null(groups_words[GROUPS_LEN]);
}

/* Guests that do nothing are asked for memory once in three times that it is due, at once first,
 * and the interval of the values is that; disks have a rule of their own, and perf costs nothing.
 */
static void stretched_groups(void **state)
{
	const struct group_rule rules[] = { { GROUP_VCPU, 20 * MC_SECOND } };
	const unsigned due = EXTRA_MEMORY | EXTRA_VCPU | EXTRA_DISK | EXTRA_PERF;
	static const unsigned spared[] = {
		0,
		EXTRA_MEMORY,
		EXTRA_MEMORY | EXTRA_VCPU,
		0,
		EXTRA_MEMORY | EXTRA_VCPU,
		EXTRA_MEMORY,
		0,
	};
	struct groups groups = { 0 };

	(void)state;
	groups_set(&groups, rules, 1, 10 * MC_SECOND);
	groups_stretch(&groups, 3);
	for (uint64_t read = 0; read < sizeof(spared) / sizeof(spared[0]); read++) {
		unsigned extra = groups_extra(&groups, due, read + 1);

		assert_int_equal(groups_spared(&groups, extra, read + 1), spared[read]);
		groups_stretch(&groups, 3);
		groups_taken(&groups, read + 1);
	}
	assert_int_equal(groups_interval(&groups, GROUP_MEMORY), 30 * MC_SECOND);
	assert_int_equal(groups_interval(&groups, GROUP_VCPU), 60 * MC_SECOND);
	assert_int_equal(groups_interval(&groups, GROUP_DISKS), 0);
	groups_stretch(&groups, 1);
	assert_int_equal(groups_spared(&groups, due, 9), 0);
	assert_int_equal(groups_interval(&groups, GROUP_MEMORY), 0);
	assert_int_equal(groups_interval(&groups, GROUP_VCPU), 20 * MC_SECOND);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_is_due_by_itself),
		cmocka_unit_test(a_slow_group_is_due_now_and_then),
		cmocka_unit_test(what_was_not_taken_stays_due),
		cmocka_unit_test(stretched_groups),
		cmocka_unit_test(every_group_has_a_word),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
