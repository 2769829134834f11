/* SPDX-License-Identifier: MIT */
/* Senders of the same names: restarts, and those that live at the same time. */
#include "identity.h"

#include "unit.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "otlp_fixture.h"

static mc_time now, wall; /* The clocks of the plugin. */

mc_time mc_now(void)
{
	return now;
}

mc_time mc_wall(void)
{
	return wall;
}

static void pass(double seconds)
{
	now += (mc_time)(seconds * MC_SECOND);
	wall += (mc_time)(seconds * MC_SECOND);
}

static void open_identities(struct identities *identities, size_t len_max)
{
	now = 1000 * MC_SECOND;
	wall = 1700000000 * MC_SECOND;
	identity_init(identities, len_max, 60 * MC_SECOND);
}

static void add_point(struct otlp_message *data, uint64_t start, uint64_t time)
{
	struct otlp_message point = { .size = 0 };

	if (start > 0)
		otlp_add_fixed(&point, 2, start);
	otlp_add_fixed(&point, 3, time);
	otlp_add_message(data, 1, &point);
}

/* The content of a resource with a point that has counted for 'age' seconds, or has no start if
 * that is negative, and one that has no start. */
static struct mc_otlp_span items_of(struct otlp_message *items, double age)
{
	struct otlp_message metric = { .size = 0 }, scope = { .size = 0 }, data = { .size = 0 };
	uint64_t start = age < 0 ? 0 : (uint64_t)(wall - (mc_time)(age * MC_SECOND));

	add_point(&data, start, (uint64_t)wall);
	add_point(&data, 0, (uint64_t)wall);
	otlp_add_message(&metric, 7, &data);
	otlp_add_message(&scope, 2, &metric);
	items->size = 0;
	otlp_add_message(items, 2, &scope);
	return (struct mc_otlp_span){ items->at, items->at + items->size };
}

static enum mc_otlp_name claim(struct identities *identities, uint64_t sender, double age)
{
	struct otlp_message items;
	const struct mc_otlp_claim of = { 7, sender, items_of(&items, age) };

	return identity_claim(identities, &of);
}

/* Exports every ten seconds; what dies is followed by what begins at once. */
static void test_restarts(void **state)
{
	struct identities identities;

	(void)state;
	open_identities(&identities, 10);
	for (uint64_t sender = 1; sender <= 10; sender++) {
		for (double age = 10; age <= 50; age += 10) {
			pass(10);
			assert_int_equal(claim(&identities, sender, age), MC_OTLP_SHORT);
		}
		pass(3); /* Its last words, and its end. */
		assert_int_equal(claim(&identities, sender, 53), MC_OTLP_SHORT);
		pass(0.5);
	}
	assert_int_equal(identities.kept.entries.map.len, 1);
	identity_done(&identities);
}

/* Those that live at the same time never share a name. */
static void test_two_alive(void **state)
{
	struct identities identities;

	(void)state;
	open_identities(&identities, 10);
	for (int i = 0; i < 5; i++) {
		pass(30);
		assert_int_equal(claim(&identities, 1, 1000 + 60 * i), MC_OTLP_SHORT);
		pass(30);
		assert_int_equal(claim(&identities, 2, 500 + 60 * i), MC_OTLP_LONG);
	}
	/* One that begins beside them, too. */
	pass(30);
	assert_int_equal(claim(&identities, 1, 1300), MC_OTLP_SHORT);
	pass(30);
	assert_int_equal(claim(&identities, 3, 60), MC_OTLP_LONG);
	/* A name is kept for life, though the first has died. */
	pass(3600);
	assert_int_equal(claim(&identities, 2, 4000), MC_OTLP_LONG);
	assert_int_equal(claim(&identities, 4, 60), MC_OTLP_SHORT);
	assert_int_equal(claim(&identities, 1, 9000), MC_OTLP_LONG);
	identity_done(&identities);
}

/* Words right after a start, while the last one may still live. */
static void test_unclear(void **state)
{
	struct identities identities;

	(void)state;
	open_identities(&identities, 10);
	claim(&identities, 1, 0);
	pass(60);
	claim(&identities, 1, 60);
	pass(10);
	assert_int_equal(claim(&identities, 2, 1), MC_OTLP_UNCLEAR);
	pass(40);
	assert_int_equal(claim(&identities, 2, 41), MC_OTLP_UNCLEAR);
	pass(4);
	assert_int_equal(claim(&identities, 2, 45), MC_OTLP_SHORT);
	identity_done(&identities);
}

/* Without a start, only a long silence is a sign. */
static void test_no_start(void **state)
{
	struct identities identities;

	(void)state;
	open_identities(&identities, 10);
	assert_int_equal(claim(&identities, 1, -1), MC_OTLP_SHORT);
	pass(170);
	assert_int_equal(claim(&identities, 2, -1), MC_OTLP_LONG);
	pass(200);
	assert_int_equal(claim(&identities, 3, -1), MC_OTLP_SHORT);
	/* One without any identifier has no other name. */
	assert_int_equal(claim(&identities, 0, -1), MC_OTLP_SHORT);
	identity_done(&identities);
}

/* A restart of the collector: each has the name that it had. */
static void test_kept(void **state)
{
	char path[] = "/tmp/test_otlp_identity.XXXXXX";
	struct identities identities;

	(void)state;
	close(mkstemp(path));
	open_identities(&identities, 10);
	claim(&identities, 1, 0);
	pass(10);
	claim(&identities, 2, 100);
	claim(&identities, 1, 10);
	assert_true(kept_changed(&identities.kept));
	assert_int_equal(kept_save(&identities.kept, "/nowhere/identities"), -ENOENT);
	assert_true(kept_changed(&identities.kept)); /* For the next time. */
	assert_int_equal(kept_save(&identities.kept, path), 0);
	assert_false(kept_changed(&identities.kept));
	identity_done(&identities);

	pass(100);
	identity_init(&identities, 10, 60 * MC_SECOND);
	assert_int_equal(kept_load(&identities.kept, path), 0);
	assert_int_equal(claim(&identities, 2, 200), MC_OTLP_LONG);
	/* It has begun after the last word of the first, which cannot have been heard. */
	assert_int_equal(claim(&identities, 3, 50), MC_OTLP_UNCLEAR);
	assert_int_equal(claim(&identities, 1, 110), MC_OTLP_SHORT);
	identity_done(&identities);
	unlink(path);
}

static void test_damaged_file(void **state)
{
	char path[] = "/tmp/test_otlp_identity.XXXXXX";
	FILE *file = fdopen(mkstemp(path), "w");
	struct identities identities;

	(void)state;
	fputs("0000000000000007 0000000000000001 -5 10 1\n"
	      "0000000000000007 0000000000000002 1699999990000000000 10000000000 1\n"
	      "0000000000000007 0000000000000003 1699999990000000000 10000000000 1\n"
	      "what is this\n",
	      file);
	fclose(file);
	open_identities(&identities, 10);
	assert_int_equal(kept_load(&identities.kept, path), 0);
	assert_int_equal(identities.kept.entries.map.len, 1);
	assert_int_equal(claim(&identities, 2, 100), MC_OTLP_SHORT);
	identity_done(&identities);
	assert_int_equal(unlink(path), 0);
	open_identities(&identities, 10);
	assert_int_equal(kept_load(&identities.kept, path), 0);
	identity_done(&identities);
}

static void test_bounded(void **state)
{
	struct identities identities;

	(void)state;
	open_identities(&identities, 3);
	for (uint64_t series = 1; series <= 100; series++)
		identity_claim(&identities, &(struct mc_otlp_claim){ .series = series });
	assert_int_equal(identities.kept.entries.map.len, 3);
	identity_done(&identities);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_restarts), cmocka_unit_test(test_two_alive),
		cmocka_unit_test(test_unclear),  cmocka_unit_test(test_no_start),
		cmocka_unit_test(test_kept),     cmocka_unit_test(test_damaged_file),
		cmocka_unit_test(test_bounded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
