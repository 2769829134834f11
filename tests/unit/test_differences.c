/* SPDX-License-Identifier: MIT */
/* What two daemons of one host have, and the verdicts of it. */
#include "ctl/answer/differences.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define BEGIN 1700000000.

static struct difference_series *find(struct differences *differences, const char *name)
{
	for (size_t i = 0; i < differences->items_len; i++)
		if (strcmp(differences->items[i]->name, name) == 0)
			return differences->items[i];
	return NULL;
}

static enum difference_verdict verdict_of(struct differences *differences, const char *name)
{
	differences_judge(differences);
	return find(differences, name)->verdict;
}

static void values(struct differences *differences, const char *name, enum difference_side side,
		   const char *line)
{
	char text[64];
	char *lines[] = { text };

	snprintf(text, sizeof(text), "%s", line);
	differences_values(find(differences, name), side, lines, 1);
}

/* Both have it, in that many rounds of a second, ours that late, and with these values. */
static void both(struct differences *differences, const char *name, double late,
		 const char *const pair[2])
{
	for (int i = 0; i < 10; i++) {
		differences_seen(differences, DIFFERENCE_THEIRS, name, BEGIN + i);
		differences_seen(differences, DIFFERENCE_OURS, name, BEGIN + i - late);
		values(differences, name, DIFFERENCE_THEIRS, pair[0]);
		values(differences, name, DIFFERENCE_OURS, pair[1]);
	}
}

static void of_both(void **state)
{
	static const struct {
		double late;
		const char *pair[2];
		enum difference_verdict verdict;
	} cases[] = {
		{ 0, { "value=100", "value=104" }, DIFFERENCE_NONE },
		{ 0, { "value=100", "value=106" }, DIFFERENCE_APART },
		{ 0, { "value=-100", "value=-106" }, DIFFERENCE_APART },
		{ 0, { "value=0", "value=0" }, DIFFERENCE_NONE },
		{ 0, { "value=nan", "value=5" }, DIFFERENCE_NONE },
		{ 0, { "value=1", "rx=1" }, DIFFERENCE_TYPE },
		{ 1.5, { "value=1", "value=1" }, DIFFERENCE_NONE },
		{ 3, { "value=1", "value=1" }, DIFFERENCE_LATE },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct differences differences = { .skipped = 0 };

		both(&differences, "h/a/gauge", cases[i].late, cases[i].pair);
		if (verdict_of(&differences, "h/a/gauge") != cases[i].verdict)
			fail_msg("case %zu: %s", i,
				 differences_words[find(&differences, "h/a/gauge")->verdict]);
		assert_int_equal(differences_any(&differences),
				 cases[i].verdict != DIFFERENCE_NONE);
		differences_done(&differences);
	}
}

/* Two that jump about are not apart for that. */
static void of_scatter(void **state)
{
	struct differences differences = { .skipped = 0 };

	(void)state;
	for (int i = 0; i < 20; i++) {
		differences_seen(&differences, DIFFERENCE_THEIRS, "h/a/gauge", BEGIN + i);
		differences_seen(&differences, DIFFERENCE_OURS, "h/a/gauge", BEGIN + i);
		values(&differences, "h/a/gauge", DIFFERENCE_THEIRS, i % 2 ? "value=0" : "value=9");
		values(&differences, "h/a/gauge", DIFFERENCE_OURS, i % 3 ? "value=0" : "value=9");
	}
	assert_int_equal(verdict_of(&differences, "h/a/gauge"), DIFFERENCE_NONE);
	differences_done(&differences);
}

/* Two that look at different moments see a jump in other values, of which there are a few. */
static void of_few(void **state)
{
	struct differences differences = { .skipped = 0 };

	(void)state;
	for (int i = 0; i < 60; i++) {
		double moment = BEGIN + i / 20 * 20;

		differences_seen(&differences, DIFFERENCE_THEIRS, "h/a/gauge", moment);
		differences_seen(&differences, DIFFERENCE_OURS, "h/a/gauge", moment + 7);
		values(&differences, "h/a/gauge", DIFFERENCE_THEIRS,
		       i < 40 ? "value=0" : "value=9");
		values(&differences, "h/a/gauge", DIFFERENCE_OURS, i < 20 ? "value=0" : "value=9");
	}
	assert_int_equal(find(&differences, "h/a/gauge")->sides[DIFFERENCE_OURS].means[0].len, 3);
	assert_int_equal(verdict_of(&differences, "h/a/gauge"), DIFFERENCE_NONE);
	differences_done(&differences);
}

/* Of one value nothing can be said. */
static void of_one_value(void **state)
{
	struct differences differences = { .skipped = 0 };

	(void)state;
	differences_seen(&differences, DIFFERENCE_THEIRS, "h/a/gauge", BEGIN);
	differences_seen(&differences, DIFFERENCE_OURS, "h/a/gauge", BEGIN);
	values(&differences, "h/a/gauge", DIFFERENCE_THEIRS, "value=1");
	values(&differences, "h/a/gauge", DIFFERENCE_OURS, "value=2");
	assert_int_equal(verdict_of(&differences, "h/a/gauge"), DIFFERENCE_NONE);
	differences_done(&differences);
}

static void of_accepted(void **state)
{
	static const char *const pair[2] = { "value=100", "value=200" };
	struct differences differences = { .accepted = "a" };

	(void)state;
	both(&differences, "h/a-x/gauge", 0, pair);
	assert_int_equal(verdict_of(&differences, "h/a-x/gauge"), DIFFERENCE_ACCEPTED);
	assert_false(differences_any(&differences));
	both(&differences, "h/b/gauge", 0, pair);
	assert_int_equal(verdict_of(&differences, "h/b/gauge"), DIFFERENCE_APART);
	assert_true(differences_any(&differences));
	differences_done(&differences);
}

static void of_one(void **state)
{
	struct differences differences = { .accepted = "ipc,df" };

	(void)state;
	differences_seen(&differences, DIFFERENCE_OURS, "h/own/gauge", BEGIN);
	for (int i = 0; i < 3; i++) {
		differences_seen(&differences, DIFFERENCE_THEIRS, "h/lost/gauge", BEGIN + i);
		differences_seen(&differences, DIFFERENCE_THEIRS, "h/ipc-q/gauge", BEGIN + i);
		differences_seen(&differences, DIFFERENCE_THEIRS, "h/ipcs/gauge", BEGIN + i);
		differences_seen(&differences, DIFFERENCE_THEIRS, "other/a/gauge", BEGIN + i);
		differences_seen(&differences, DIFFERENCE_THEIRS, "h/ended/gauge", BEGIN);
	}
	assert_int_equal(verdict_of(&differences, "h/own/gauge"), DIFFERENCE_EXTRA);
	assert_int_equal(verdict_of(&differences, "h/lost/gauge"), DIFFERENCE_MISSING);
	assert_int_equal(verdict_of(&differences, "h/ipc-q/gauge"), DIFFERENCE_ACCEPTED);
	assert_int_equal(verdict_of(&differences, "h/ipcs/gauge"), DIFFERENCE_MISSING);
	assert_int_equal(verdict_of(&differences, "other/a/gauge"), DIFFERENCE_RECEIVED);
	assert_int_equal(verdict_of(&differences, "h/ended/gauge"), DIFFERENCE_STILL);
	assert_int_equal(differences.len[DIFFERENCE_MISSING], 2);
	differences_done(&differences);
}

static void of_names(void **state)
{
	struct differences differences = { .names_only = true };

	(void)state;
	differences_seen(&differences, DIFFERENCE_THEIRS, "h/a/gauge", 0);
	differences_seen(&differences, DIFFERENCE_THEIRS, "h/b/gauge", 0);
	differences_seen(&differences, DIFFERENCE_OURS, "h/a/gauge", BEGIN);
	assert_int_equal(verdict_of(&differences, "h/a/gauge"), DIFFERENCE_NONE);
	differences_seen(&differences, DIFFERENCE_THEIRS, "other/a/gauge", 0);
	assert_int_equal(verdict_of(&differences, "h/b/gauge"), DIFFERENCE_MISSING);
	assert_int_equal(verdict_of(&differences, "other/a/gauge"), DIFFERENCE_MISSING);
	differences_done(&differences);
}

/* A host that has another name here is not the same. */
static void of_another_host(void **state)
{
	struct differences differences = { .skipped = 0 };

	(void)state;
	differences_seen(&differences, DIFFERENCE_THEIRS, "h.example.org/a/gauge", BEGIN);
	differences_seen(&differences, DIFFERENCE_OURS, "h/a/gauge", BEGIN);
	assert_int_equal(verdict_of(&differences, "h.example.org/a/gauge"), DIFFERENCE_RECEIVED);
	assert_true(differences_any(&differences));
	differences_done(&differences);
}

static void of_too_many(void **state)
{
	struct differences differences = { .skipped = 0 };
	char name[64];

	(void)state;
	for (int i = 0; i < DIFFERENCES_MAX + 7; i++) {
		snprintf(name, sizeof(name), "h/a/gauge-%d", i);
		differences_seen(&differences, DIFFERENCE_THEIRS, name, BEGIN);
	}
	assert_int_equal(differences.items_len, DIFFERENCES_MAX);
	assert_int_equal(differences.skipped, 7);
	differences_done(&differences);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(of_both),     cmocka_unit_test(of_scatter),
		cmocka_unit_test(of_one),      cmocka_unit_test(of_names),
		cmocka_unit_test(of_too_many), cmocka_unit_test(of_another_host),
		cmocka_unit_test(of_few),      cmocka_unit_test(of_one_value),
		cmocka_unit_test(of_accepted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
