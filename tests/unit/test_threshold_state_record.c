/* SPDX-License-Identifier: MIT */
/* A state file that is damaged. */
#include "state_record.h"

#include <string.h>

#include "unit.h"

#define RECORDS 5

struct seen {
	size_t len;
	double values[RECORDS];
	mc_time intervals[RECORDS];
};

static void see(void *argument, const struct state_record *record)
{
	struct seen *seen = argument;

	assert_true(seen->len < RECORDS);
	seen->intervals[seen->len] = record->interval;
	seen->values[seen->len++] = record->value;
}

/* A file with that many records, whose values are 0, 1 and so on. */
static void make(struct mc_buffer *file)
{
	mc_buffer_add(file, STATE_RECORD_HEAD, strlen(STATE_RECORD_HEAD));
	for (int i = 0; i < RECORDS; i++)
		state_record_write(file, &(struct state_record){
						 .state = MC_STATE_FAILURE,
						 .value = i,
						 .interval = i * MC_SECOND,
						 .id = { .host = "h", .plugin = "p", .type = "t" },
					 });
}

static void all_are_read(void **state)
{
	struct mc_buffer file = { 0 };
	struct seen seen = { 0 };

	(void)state;
	make(&file);
	assert_int_equal(state_record_read(file.at, file.size, see, &seen), 0);
	assert_int_equal(seen.len, RECORDS);
	for (size_t i = 0; i < RECORDS; i++)
		assert_int_equal(seen.intervals[i], (mc_time)i * MC_SECOND);
	mc_buffer_free(&file);
}

static void a_flipped_byte_costs_one_record(void **state)
{
	struct mc_buffer file = { 0 };
	struct seen seen = { 0 };

	(void)state;
	make(&file);
	file.at[strlen(STATE_RECORD_HEAD) + 30] ^= 1;
	assert_int_equal(state_record_read(file.at, file.size, see, &seen), 1);
	assert_int_equal(seen.len, RECORDS - 1);
	assert_true(seen.values[0] == 1 && seen.values[3] == 4);
	mc_buffer_free(&file);
}

static void so_does_an_end_that_was_cut(void **state)
{
	struct mc_buffer file = { 0 };
	struct seen seen = { 0 };

	(void)state;
	make(&file);
	assert_int_equal(state_record_read(file.at, file.size - 3, see, &seen), 1);
	assert_int_equal(seen.len, RECORDS - 1);
	assert_true(seen.values[3] == 3);
	mc_buffer_free(&file);
}

static void a_line_of_an_earlier_version_has_no_interval(void **state)
{
	char file[] = STATE_RECORD_HEAD "e8def7035e4373fa\t3\t0\t1\t2\t11\tvalue\th\tp\t\tt\t\n";
	struct seen seen = { 0 };

	(void)state;
	assert_int_equal(state_record_read(file, strlen(file), see, &seen), 0);
	assert_int_equal(seen.len, 1);
	assert_true(seen.values[0] == 11 && seen.intervals[0] == 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_are_read),
		cmocka_unit_test(a_flipped_byte_costs_one_record),
		cmocka_unit_test(so_does_an_end_that_was_cut),
		cmocka_unit_test(a_line_of_an_earlier_version_has_no_interval),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
