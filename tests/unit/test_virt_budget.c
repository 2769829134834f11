/* SPDX-License-Identifier: MIT */
/* What the option Budget leaves out. */
#include "budget.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#define INTERVAL (10 * MC_SECOND)

static bool parse(double *share, const char *first, const char *second)
{
	const char *items[] = { first, second };

	return budget_parse((struct mc_strings){ items, second != NULL ? 2 : 1 }, share);
}

static void percentages(void **state)
{
	static const char *const good[][2] = {
		{ "0.5 %" }, { "0.5%" }, { "0.5" }, { "0.5", "%" }, { ".5%" },
	};
	static const char *const bad[][2] = {
		{ "" },         { "%" },   { "0" },   { "-1 %" },  { "half" }, { "0.5 %%" },
		{ "0.5", "s" }, { "1 2" }, { "nan" }, { "inf %" }, { "1001" }, { "0.0001 %" },
	};
	double share;

	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		share = 0;
		assert_true(parse(&share, good[i][0], good[i][1]));
		assert_true(fabs(share - 0.005) < 1e-12);
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		share = 7;
		assert_false(parse(&share, bad[i][0], bad[i][1]));
		assert_true(share == 7);
	}
	assert_false(budget_parse((struct mc_strings){ 0 }, &share));
}

/* Reads that cost so much of a core, until something happens or 'reads' have gone by. */
static enum budget_event reads_of(struct budget *budget, double share, unsigned reads)
{
	mc_time third = (mc_time)(share * (double)INTERVAL / 3);
	const struct budget_cost cost = { third, third, third };

	for (unsigned i = 0; i < reads; i++) {
		enum budget_event event = budget_take(budget, &cost, INTERVAL);

		if (event != BUDGET_NOTHING)
			return event;
	}
	return BUDGET_NOTHING;
}

static void nothing_is_left_out_within_it(void **state)
{
	struct budget budget = { .share = 0.005 };
	struct budget_plan plan;

	(void)state;
	assert_int_equal(reads_of(&budget, 0.0049, 1000), BUDGET_NOTHING);
	plan = budget_plan(&budget);
	assert_int_equal(plan.check, 30);
	assert_int_equal(plan.unseen, 1);
	assert_int_equal(plan.groups, 1);
	assert_true(fabs(budget.used - 0.0049) < 1e-5);
}

static void nothing_without_it(void **state)
{
	struct budget budget = { 0 };

	(void)state;
	assert_int_equal(reads_of(&budget, 2, 1000), BUDGET_NOTHING);
	assert_int_equal(budget.level, 0);
}

/* The first read, of guests that are all new, does not count; nor does a single dear one. */
static void dear_reads_that_pass(void **state)
{
	struct budget budget = { .share = 0.005 };

	(void)state;
	assert_int_equal(reads_of(&budget, 1, 1), BUDGET_NOTHING);
	for (unsigned i = 0; i < 10; i++) {
		assert_int_equal(reads_of(&budget, 0.002, 40), BUDGET_NOTHING);
		assert_int_equal(reads_of(&budget, 0.015, 1), BUDGET_NOTHING);
	}
	assert_int_equal(budget.level, 0);
}

/* Each step leaves out more, and the last one is said. */
static void more_and_more_is_left_out(void **state)
{
	struct budget budget = { .share = 0.005 };
	struct budget_plan before = budget_plan(&budget);

	(void)state;
	assert_int_equal(reads_of(&budget, 0.02, 10), BUDGET_BEGINS);
	for (unsigned level = 1; level < BUDGET_LEVEL_MAX; level++) {
		struct budget_plan plan = budget_plan(&budget);

		assert_int_equal(budget.level, level);
		assert_true(plan.check > before.check && plan.unseen > before.unseen);
		assert_true(plan.groups >= before.groups);
		before = plan;
		assert_int_equal(reads_of(&budget, 0.02, BUDGET_READS_UP), BUDGET_NOTHING);
	}
	assert_int_equal(budget.level, BUDGET_LEVEL_MAX);
	assert_int_equal(reads_of(&budget, 0.02, BUDGET_READS_UP), BUDGET_EXHAUSTED);
	assert_int_equal(budget.level, BUDGET_LEVEL_MAX);
}

/* Between the limit and a good deal below it nothing changes. */
static void the_way_back_is_slower(void **state)
{
	struct budget budget = { .share = 0.005 };

	(void)state;
	assert_int_equal(reads_of(&budget, 0.01, 10), BUDGET_BEGINS);
	assert_int_equal(reads_of(&budget, 0.001, 10), BUDGET_NOTHING);
	assert_int_equal(reads_of(&budget, 0.0045, 1000), BUDGET_NOTHING);
	assert_int_equal(budget.level, 1);
	assert_int_equal(reads_of(&budget, 0.003, 40), BUDGET_ENDS);
	assert_int_equal(budget.level, 0);
}

/* Where one step is too much and the other too little, it goes to and fro ever more rarely. */
static void to_and_fro_more_rarely(void **state)
{
	struct budget budget = { .share = 0.005 };
	unsigned early = 0, late = 0;

	(void)state;
	for (unsigned read = 0; read < 20000; read++) {
		double share = budget.level == 0 ? 0.006 : 0.003;
		enum budget_event event = reads_of(&budget, share, 1);

		*(read < 2000 ? &early : &late) += event == BUDGET_BEGINS;
	}
	assert_true(early >= 3 && early <= 10);
	assert_true(late >= 10 && late <= 20); /* In nine times the time. */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(percentages),
		cmocka_unit_test(nothing_is_left_out_within_it),
		cmocka_unit_test(nothing_without_it),
		cmocka_unit_test(dear_reads_that_pass),
		cmocka_unit_test(more_and_more_is_left_out),
		cmocka_unit_test(the_way_back_is_slower),
		cmocka_unit_test(to_and_fro_more_rarely),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
