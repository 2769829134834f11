/* SPDX-License-Identifier: MIT */
/* Labels of hosts: replaced whole, cut, and bounded. */
#include "unit.h"

#include <collector/label.h>

#include <stdio.h>
#include <string.h>

#include "engine/store/labels.h"

static void print(void *argument, const struct mc_field *label)
{
	char *out = argument;

	size_t used = strlen(out);

	snprintf(out + used, 4096 - used, "%s=%s ", label->name, label->value);
}

static void count(void *argument, const struct mc_field *label)
{
	*(unsigned *)argument += label->name[0] == 'n';
}

static void assert_labels(struct labels *labels, const char *host, const char *expected)
{
	char out[4096] = "";

	labels_each(labels, host, false, print, out);
	assert_string_equal(out, expected);
}

static void the_last_count(void **state)
{
	const struct mc_field two[] = { { "uuid", "1" }, { "title", "a b" } };
	const struct mc_field one = { "uuid", "2" };
	struct labels *labels = labels_new();

	(void)state;
	assert_true(labels_set(labels, "giver", "a", two, 2));
	assert_true(labels_set(labels, "giver", "b", &one, 1));
	assert_labels(labels, "a", "uuid=1 title=a b ");
	assert_labels(labels, "b", "uuid=2 ");
	assert_true(labels_set(labels, "giver", "a", &one, 1));
	assert_labels(labels, "a", "uuid=2 ");
	assert_true(labels_set(labels, "giver", "a", NULL, 0));
	assert_labels(labels, "a", "");
	assert_true(labels_set(labels, "giver", "never", NULL, 0));
	assert_labels(labels, "b", "uuid=2 ");
	labels_free(labels);
}

static void hidden_ones(void **state)
{
	const struct mc_field two[] = { { ".stream", "1" }, { "uuid", "2" } };
	struct labels *labels = labels_new();
	char out[4096] = "";

	(void)state;
	assert_true(labels_set(labels, "giver", "a", two, 2));
	assert_labels(labels, "a", "uuid=2 ");
	assert_int_equal(labels_each(labels, "a", true, print, out), 2);
	assert_string_equal(out, ".stream=1 uuid=2 ");
	labels_free(labels);
}

static void each_giver_has_its_own(void **state)
{
	const struct mc_field guest[] = { { "uuid", "1" }, { "title", "t" } };
	const struct mc_field group = { "group", "lab" };
	const struct mc_field title = { "title", "other" };
	struct mc_field many[MC_LABELS_MAX];
	struct labels *labels = labels_new();
	unsigned seen = 0;

	(void)state;
	assert_true(labels_set(labels, "munin", "a", &group, 1));
	assert_true(labels_set(labels, "virt", "a", guest, 2));
	assert_labels(labels, "a", "group=lab uuid=1 title=t ");
	assert_true(labels_set(labels, "otlp", "a", &title, 1));
	assert_labels(labels, "a", "group=lab uuid=1 title=other ");
	assert_true(labels_set(labels, "otlp", "a", NULL, 0));
	assert_labels(labels, "a", "group=lab uuid=1 title=t ");
	assert_true(labels_set(labels, "virt", "a", NULL, 0));
	assert_labels(labels, "a", "group=lab ");
	for (unsigned i = 0; i < MC_LABELS_MAX; i++)
		many[i] = (struct mc_field){ "n", "v" };
	assert_true(labels_set(labels, "otlp", "a", many, MC_LABELS_MAX));
	assert_int_equal(labels_each(labels, "a", false, count, &seen), MC_LABELS_MAX);
	assert_int_equal(seen, MC_LABELS_MAX);
	assert_true(labels_set(labels, "otlp", "a", NULL, 0));
	assert_labels(labels, "a", "");
	labels_free(labels);
}

static void too_much_is_cut(void **state)
{
	struct mc_field many[MC_LABELS_MAX + 1];
	struct labels *labels = labels_new();
	unsigned seen = 0;
	char longest[2 * MC_LABEL_SIZE], expected[2 * MC_LABEL_SIZE];

	(void)state;
	for (unsigned i = 0; i <= MC_LABELS_MAX; i++)
		many[i] = (struct mc_field){ "n", "v" };
	assert_true(labels_set(labels, "giver", "a", many, MC_LABELS_MAX + 1));
	assert_int_equal(labels_each(labels, "a", false, count, &seen), MC_LABELS_MAX);
	assert_int_equal(seen, MC_LABELS_MAX);
	memset(longest, 'x', sizeof(longest) - 1);
	longest[sizeof(longest) - 1] = '\0';
	many[0].value = longest;
	assert_true(labels_set(labels, "giver", "a", many, 1));
	snprintf(expected, sizeof(expected), "n=%.*s ", MC_LABEL_SIZE - 1, longest);
	assert_labels(labels, "a", expected);
	labels_free(labels);
}

static void hosts_are_bounded(void **state)
{
	const struct mc_field label = { "n", "v" };
	struct labels *labels = labels_new();
	char host[16];

	(void)state;
	for (unsigned i = 0; i < LABELS_HOSTS_MAX; i++) {
		snprintf(host, sizeof(host), "h%u", i);
		assert_true(labels_set(labels, "giver", host, &label, 1));
	}
	assert_false(labels_set(labels, "giver", "new", &label, 1));
	assert_labels(labels, "new", "");
	assert_true(labels_set(labels, "giver", "h7", &label, 1));
	assert_true(labels_set(labels, "giver", "h8", NULL, 0));
	assert_true(labels_set(labels, "giver", "new", &label, 1));
	assert_labels(labels, "new", "n=v ");
	labels_free(labels);
}

static void those_of_records_count_until_somebody_gives_some(void **state)
{
	const struct mc_field old[] = { { "uuid", "1" }, { "title", "t" } };
	const struct mc_field late = { "uuid", "2" }, now = { "uuid", "3" };
	struct labels *labels = labels_new();

	(void)state;
	labels_recall(labels, "a", old, 2);
	assert_labels(labels, "a", "uuid=1 title=t ");
	labels_recall(labels, "a", &late, 1);
	assert_labels(labels, "a", "uuid=2 ");
	labels_recall(labels, "a", NULL, 0); /* It says nothing. */
	assert_labels(labels, "a", "uuid=2 ");
	labels_recall(labels, "a", old, 2);
	assert_true(labels_set(labels, "giver", "a", &now, 1));
	assert_labels(labels, "a", "uuid=3 ");
	labels_recall(labels, "a", old, 2);
	assert_labels(labels, "a", "uuid=3 ");
	labels_recall(labels, "b", old, 2);
	assert_true(labels_set(labels, "giver", "b", NULL, 0));
	assert_labels(labels, "b", "");
	labels_free(labels);
}

static void records_leave_room_for_others(void **state)
{
	const struct mc_field field = { "uuid", "1" };
	struct labels *labels = labels_new();
	char host[16];

	(void)state;
	for (unsigned i = 0; i < LABELS_HOSTS_MAX; i++) {
		snprintf(host, sizeof(host), "%u", i);
		labels_recall(labels, host, &field, 1);
	}
	snprintf(host, sizeof(host), "%u", LABELS_HOSTS_MAX / 2 - 1);
	assert_labels(labels, host, "uuid=1 ");
	snprintf(host, sizeof(host), "%u", LABELS_HOSTS_MAX / 2);
	assert_labels(labels, host, "");
	for (unsigned i = 0; i < LABELS_HOSTS_MAX / 2; i++) {
		snprintf(host, sizeof(host), "new %u", i);
		assert_true(labels_set(labels, "giver", host, &field, 1));
	}
	assert_false(labels_set(labels, "giver", "more", &field, 1));
	labels_free(labels);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_last_count),
		cmocka_unit_test(hidden_ones),
		cmocka_unit_test(each_giver_has_its_own),
		cmocka_unit_test(too_much_is_cut),
		cmocka_unit_test(hosts_are_bounded),
		cmocka_unit_test(those_of_records_count_until_somebody_gives_some),
		cmocka_unit_test(records_leave_room_for_others),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
