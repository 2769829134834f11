/* SPDX-License-Identifier: MIT */
/* Requests that are numbered: each is taken once. */
#include "stream.h"

#include "unit.h"

#include <stdio.h>

static mc_time now; /* The clock of the plugin. */

mc_time mc_now(void)
{
	return ++now;
}

static enum stream_verdict take(struct streams *streams, const char *name,
				uint64_t number)
{
	enum stream_verdict verdict = stream_begin(streams, name, number);

	if (verdict == STREAM_TAKE)
		stream_end(streams, name, number, true);
	return verdict;
}

static void test_in_order(void **state)
{
	struct streams streams;

	(void)state;
	stream_init(&streams, 10);
	assert_int_equal(take(&streams, "a/1", 7), STREAM_TAKE);
	assert_int_equal(take(&streams, "a/1", 8), STREAM_TAKE);
	assert_int_equal(take(&streams, "b/1", 8), STREAM_TAKE);
	assert_int_equal(streams.duplicates + streams.missing, 0);
	assert_int_equal(take(&streams, "a/1", 8), STREAM_DUPLICATE);
	assert_int_equal(take(&streams, "a/1", 7), STREAM_DUPLICATE);
	assert_int_equal(streams.duplicates, 2);
	assert_int_equal(take(&streams, "a/1", 12), STREAM_TAKE);
	assert_int_equal(streams.missing, 3);
	stream_done(&streams);
}

static void test_not_taken_may_come_again(void **state)
{
	struct streams streams;

	(void)state;
	stream_init(&streams, 10);
	assert_int_equal(stream_begin(&streams, "a/1", 1), STREAM_TAKE);
	assert_int_equal(stream_begin(&streams, "a/1", 1), STREAM_BUSY);
	stream_end(&streams, "a/1", 1, false);
	assert_int_equal(take(&streams, "a/1", 1), STREAM_TAKE);
	assert_int_equal(take(&streams, "a/1", 1), STREAM_DUPLICATE);
	stream_done(&streams);
}

static void test_new_epoch(void **state)
{
	struct streams streams;

	(void)state;
	stream_init(&streams, 10);
	assert_int_equal(take(&streams, "a/1", 100), STREAM_TAKE);
	assert_int_equal(take(&streams, "a/2", 1), STREAM_TAKE);
	assert_int_equal(take(&streams, "a/2", 1), STREAM_DUPLICATE);
	assert_int_equal(streams.missing, 0);
	assert_int_equal(streams.len, 1);
	stream_done(&streams);
}

static void test_bad_names(void **state)
{
	static const char *const names[] = { "", "a", "/1" };
	char name[STREAM_NAME_SIZE + 1];
	struct streams streams;

	(void)state;
	stream_init(&streams, 10);
	for (unsigned i = 0; i < 3; i++)
		assert_int_equal(stream_begin(&streams, names[i], 1),
				 STREAM_BAD);
	assert_int_equal(stream_begin(&streams, "a/1", 0), STREAM_BAD);
	snprintf(name, sizeof(name), "a/%0*d", STREAM_NAME_SIZE - 2, 0);
	assert_int_equal(stream_begin(&streams, name, 1), STREAM_BAD);
	name[STREAM_NAME_SIZE - 1] = '\0';
	assert_int_equal(take(&streams, name, 1), STREAM_TAKE);
	stream_done(&streams);
}

/* One sender too many: the one longest unheard is forgotten, but not while its
 * request is being taken. */
static void test_too_many(void **state)
{
	struct streams streams;

	(void)state;
	stream_init(&streams, 2);
	assert_int_equal(take(&streams, "a/1", 1), STREAM_TAKE);
	assert_int_equal(take(&streams, "b/1", 1), STREAM_TAKE);
	assert_int_equal(take(&streams, "a/1", 2), STREAM_TAKE);
	assert_int_equal(take(&streams, "c/1", 1), STREAM_TAKE);
	assert_int_equal(streams.len, 2);
	assert_int_equal(take(&streams, "a/1", 2), STREAM_DUPLICATE);
	assert_int_equal(stream_begin(&streams, "a/1", 3), STREAM_TAKE);
	assert_int_equal(stream_begin(&streams, "c/1", 2), STREAM_TAKE);
	assert_int_equal(stream_begin(&streams, "d/1", 1), STREAM_BUSY);
	stream_end(&streams, "c/1", 2, true);
	assert_int_equal(take(&streams, "d/1", 1), STREAM_TAKE);
	stream_end(&streams, "a/1", 3, true);
	assert_int_equal(take(&streams, "a/1", 3), STREAM_DUPLICATE);
	stream_done(&streams);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_in_order),
		cmocka_unit_test(test_not_taken_may_come_again),
		cmocka_unit_test(test_new_epoch),
		cmocka_unit_test(test_bad_names),
		cmocka_unit_test(test_too_many),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
