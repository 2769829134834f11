/* SPDX-License-Identifier: MIT */
/* Requests that are numbered: each is taken once. */
#include "unit.h"

#include <collector/journal.h>

#include "formats/journal/dedup_id.h"
#include "stream.h"

#include <stdio.h>
#include <string.h>

static enum stream_verdict begin(struct streams *streams, const char *name, uint64_t number)
{
	struct mc_dedup_id receipt = { .number = number };

	snprintf(receipt.name, sizeof(receipt.name), "%s", name);
	return stream_begin(streams, &receipt);
}

/* Returns how many are missing. */
static uint64_t end(struct streams *streams, const char *name, uint64_t number,
		    enum stream_outcome outcome)
{
	struct stream_gap gap;

	struct mc_dedup_id receipt = { .number = number };

	snprintf(receipt.name, sizeof(receipt.name), "%s", name);
	gap = stream_end(streams, &receipt, number, outcome);
	return gap.last > 0 ? gap.last - gap.first + 1 : 0;
}

static enum stream_verdict take(struct streams *streams, const char *name, uint64_t number)
{
	enum stream_verdict verdict = begin(streams, name, number);

	if (verdict == STREAM_TAKE)
		assert_int_equal(end(streams, name, number, STREAM_TAKEN), 0);
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
	assert_int_equal(streams.duplicates, 0);
	assert_int_equal(take(&streams, "a/1", 8), STREAM_DUPLICATE);
	assert_int_equal(take(&streams, "a/1", 7), STREAM_DUPLICATE);
	assert_int_equal(streams.duplicates, 2);
	stream_done(&streams);
}

static void test_gap(void **state)
{
	struct mc_dedup_id receipt = { "a/1", 12 };
	struct streams streams;
	struct stream_gap gap;

	(void)state;
	stream_init(&streams, 10);
	assert_int_equal(take(&streams, "a/1", 8), STREAM_TAKE);
	assert_int_equal(stream_begin(&streams, &receipt), STREAM_TAKE);
	gap = stream_end(&streams, &receipt, 12, STREAM_TAKEN);
	assert_int_equal(gap.first, 9);
	assert_int_equal(gap.last, 11);
	assert_int_equal(begin(&streams, "a/1", 20), STREAM_TAKE);
	assert_int_equal(end(&streams, "a/1", 20, STREAM_REFUSED), 0);
	assert_int_equal(take(&streams, "a/1", 13), STREAM_TAKE);
	stream_done(&streams);
}

static void test_not_taken_may_come_again(void **state)
{
	struct streams streams;

	(void)state;
	stream_init(&streams, 10);
	assert_int_equal(begin(&streams, "a/1", 1), STREAM_TAKE);
	assert_int_equal(begin(&streams, "a/1", 1), STREAM_BUSY);
	end(&streams, "a/1", 1, STREAM_REFUSED);
	assert_int_equal(take(&streams, "a/1", 1), STREAM_TAKE);
	assert_int_equal(take(&streams, "a/1", 1), STREAM_DUPLICATE);
	stream_done(&streams);
}

/* Its values are in the store: those that come again are not late. */
static void test_unsafe_is_a_retry(void **state)
{
	struct streams streams;

	(void)state;
	stream_init(&streams, 10);
	assert_int_equal(begin(&streams, "a/1", 7), STREAM_TAKE);
	end(&streams, "a/1", 7, STREAM_UNSAFE);
	assert_int_equal(begin(&streams, "a/1", 7), STREAM_RETRY);
	end(&streams, "a/1", 7, STREAM_UNSAFE);
	assert_int_equal(begin(&streams, "a/1", 5), STREAM_RETRY);
	end(&streams, "a/1", 5, STREAM_TAKEN);
	assert_int_equal(begin(&streams, "a/1", 6), STREAM_RETRY);
	end(&streams, "a/1", 6, STREAM_TAKEN);
	assert_int_equal(begin(&streams, "a/1", 8), STREAM_TAKE);
	end(&streams, "a/1", 8, STREAM_TAKEN);
	assert_int_equal(take(&streams, "a/1", 7), STREAM_DUPLICATE);
	assert_int_equal(take(&streams, "a/2", 7), STREAM_TAKE);
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
	/* One of which nothing is taken changes nothing. */
	assert_int_equal(begin(&streams, "a/3", 1), STREAM_TAKE);
	end(&streams, "a/3", 1, STREAM_REFUSED);
	assert_int_equal(take(&streams, "a/2", 1), STREAM_DUPLICATE);
	assert_int_equal(streams.names.map.len, 1);
	stream_done(&streams);
}

static void test_headers(void **state)
{
	static const struct {
		const char *name, *numbers;
		bool fine;
	} cases[] = {
		{ "a/1", "7", true },    { "a/1", "5-7", true },    { "a/1/2", "7", true },
		{ "", "7", false },      { "a", "7", false },       { "/1", "7", false },
		{ "a/1", "", false },    { "a/1", "0", false },     { "a/1", "7-", false },
		{ "a/1", "7-5", false }, { "a/1", "-7", false },    { "a/1", "7x", false },
		{ "a/1", "0-7", false }, { "a/1", "5-7-9", false },
	};
	char name[MC_DEDUP_ID_MAX + 2];
	struct mc_dedup_id receipt;
	uint64_t first;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		bool fine = dedup_id_parse(cases[i].name, cases[i].numbers, &receipt, &first);

		if (fine != cases[i].fine)
			fail_msg("'%s' '%s'", cases[i].name, cases[i].numbers);
		if (fine)
			assert_int_equal(receipt.number, 7);
	}
	assert_true(dedup_id_parse("a/1", "5-7", &receipt, &first));
	assert_int_equal(first, 5);
	assert_string_equal(receipt.name, "a/1");
	snprintf(name, sizeof(name), "a/%0*d", MC_DEDUP_ID_MAX - 1, 0);
	assert_false(dedup_id_parse(name, "7", &receipt, &first));
	name[MC_DEDUP_ID_MAX] = '\0';
	assert_true(dedup_id_parse(name, "7", &receipt, &first));
}

/* What the journal knew is a duplicate from the start. */
static void test_known(void **state)
{
	struct streams streams;

	(void)state;
	stream_init(&streams, 10);
	stream_know(&streams, &(struct mc_dedup_id){ "a/1", 7 });
	assert_int_equal(take(&streams, "a/1", 7), STREAM_DUPLICATE);
	assert_int_equal(take(&streams, "a/1", 8), STREAM_TAKE);
	stream_done(&streams);
}

/* A request that takes the places of several leaves none out. */
static void test_ranges(void **state)
{
	struct mc_dedup_id receipt = { "a/1", 9 };
	struct streams streams;

	(void)state;
	stream_init(&streams, 10);
	assert_int_equal(take(&streams, "a/1", 6), STREAM_TAKE);
	assert_int_equal(stream_begin(&streams, &receipt), STREAM_TAKE);
	assert_int_equal(stream_end(&streams, &receipt, 7, STREAM_TAKEN).last, 0);
	assert_int_equal(take(&streams, "a/1", 8), STREAM_DUPLICATE);
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
	assert_int_equal(streams.names.map.len, 2);
	assert_int_equal(take(&streams, "a/1", 2), STREAM_DUPLICATE);
	assert_int_equal(begin(&streams, "a/1", 3), STREAM_TAKE);
	assert_int_equal(begin(&streams, "c/1", 2), STREAM_TAKE);
	assert_int_equal(begin(&streams, "d/1", 1), STREAM_BUSY);
	end(&streams, "c/1", 2, STREAM_TAKEN);
	assert_int_equal(take(&streams, "d/1", 1), STREAM_TAKE);
	end(&streams, "a/1", 3, STREAM_TAKEN);
	assert_int_equal(take(&streams, "a/1", 3), STREAM_DUPLICATE);
	stream_done(&streams);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_in_order),
		cmocka_unit_test(test_gap),
		cmocka_unit_test(test_not_taken_may_come_again),
		cmocka_unit_test(test_unsafe_is_a_retry),
		cmocka_unit_test(test_new_epoch),
		cmocka_unit_test(test_headers),
		cmocka_unit_test(test_known),
		cmocka_unit_test(test_ranges),
		cmocka_unit_test(test_too_many),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
