/* SPDX-License-Identifier: MIT */
/* Guests that are asked for their disks. */
#include "choice.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#define CHECK 30

static const struct choice_facts quiet = {
	.answered = true, .visible = true, .idle = true, .check = CHECK, .unseen = 1
};

static void not_asked_without_io(void **state)
{
	(void)state;
	assert_int_equal(choice_decide(&quiet), CHOICE_QUIET);
	assert_string_equal(choice_text(CHOICE_QUIET), "not asked: no I/O");
}

/* Whatever may have changed the counters, alone, has the guest asked. */
static void asked_for_each_reason(void **state)
{
	struct choice_facts facts[12];
	static const enum choice_reason reasons[] = {
		CHOICE_NEW,     CHOICE_BLIND,   CHOICE_BUSY,       CHOICE_HALTED,
		CHOICE_CHANGED, CHOICE_WANTED,  CHOICE_STUCK,      CHOICE_RESTLESS,
		CHOICE_CHECKED, CHOICE_CHECKED, CHOICE_DISTRUSTED,
	};

	(void)state;
	for (size_t i = 0; i < sizeof(facts) / sizeof(facts[0]); i++)
		facts[i] = quiet;
	facts[0].answered = false;
	facts[1].visible = facts[1].idle = false;
	facts[2].idle = false;
	facts[3].halted = true;
	facts[4].changed = true;
	facts[5].wanted = true;
	facts[6].stuck = true;
	facts[7].restless = true;
	facts[8].turn = true;
	facts[9].reads = CHECK - 1;
	facts[10].distrust = 1;
	for (size_t i = 0; i < sizeof(reasons) / sizeof(reasons[0]); i++) {
		assert_int_equal(choice_decide(&facts[i]), reasons[i]);
		assert_non_null(choice_text(reasons[i]));
		assert_int_equal(strncmp(choice_text(reasons[i]), "asked", 5), 0);
	}
}

/* What is found in turn says something about the rule only if the rule had it passed over. */
static void in_turn_only_if_nothing_else(void **state)
{
	struct choice_facts facts = quiet;

	(void)state;
	facts.turn = true;
	facts.idle = false;
	assert_int_equal(choice_decide(&facts), CHOICE_BUSY);
	facts.idle = true;
	facts.restless = true;
	assert_int_equal(choice_decide(&facts), CHOICE_RESTLESS);
}

static void each_in_thirty_reads(void **state)
{
	(void)state;
	for (uint64_t hash = UINT64_MAX - 100; hash < UINT64_MAX; hash++) {
		unsigned since = 0, times = 0;

		for (uint64_t read = 1; read <= 300; read++) {
			since = choice_turn(hash, read, CHECK) ? 0 : since + 1;
			times += since == 0;
			assert_true(since < CHECK);
		}
		assert_int_equal(times, 10);
	}
}

/* The budget has guests that always answer the same, but that the kernel does not show, asked less
 * often. */
static void unseen_guests_are_spared(void **state)
{
	struct choice_facts facts = quiet;

	(void)state;
	facts.visible = facts.idle = false;
	facts.unseen = 4;
	for (facts.reads = 0; facts.reads < 3; facts.reads++)
		assert_int_equal(choice_decide(&facts), CHOICE_SPARED);
	assert_int_equal(choice_decide(&facts), CHOICE_BLIND);
	facts.reads = 0;
	facts.restless = true;
	assert_int_equal(choice_decide(&facts), CHOICE_BLIND);
	facts.restless = false;
	facts.changed = true;
	assert_int_equal(choice_decide(&facts), CHOICE_CHANGED);
	assert_true(choice_omits(CHOICE_SPARED) && choice_omits(CHOICE_QUIET));
	assert_false(choice_omits(CHOICE_BLIND) || choice_omits(CHOICE_NEW));
}

/* Not all at once. */
static void turns_lie_apart(void **state)
{
	(void)state;
	for (uint64_t read = 1; read <= CHECK; read++) {
		unsigned asked = 0;

		for (uint64_t hash = 0; hash < 300; hash++)
			asked += choice_turn(hash, read, CHECK);
		assert_int_equal(asked, 10);
	}
}

/* One call for all costs less than two if few are left out. */
static void few_quiet_are_asked_with_the_others(void **state)
{
	(void)state;
	assert_true(choice_is_worth(1, 1));
	assert_true(choice_is_worth(25, 100));
	assert_false(choice_is_worth(24, 100));
	assert_false(choice_is_worth(0, 100));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(not_asked_without_io),
		cmocka_unit_test(asked_for_each_reason),
		cmocka_unit_test(in_turn_only_if_nothing_else),
		cmocka_unit_test(each_in_thirty_reads),
		cmocka_unit_test(unseen_guests_are_spared),
		cmocka_unit_test(turns_lie_apart),
		cmocka_unit_test(few_quiet_are_asked_with_the_others),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
