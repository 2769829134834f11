/* SPDX-License-Identifier: MIT */
#include "unit.h"

#include <stdlib.h>

#include "base/clock.h"
#include "engine/lane.h"

static void a_notice_is_copied_whole(void **state)
{
	char message[] = "too hot", value[] = "41.5";
	struct mc_field fields[MC_FIELDS_MAX + 1] = {
		{ "temperature", value },
		{ "uuid", "" },
	};
	struct mc_notice notice = { .severity = MC_WARNING,
				    .time = 5,
				    .id = { "h", "p", NULL, "t", "" },
				    .message = message,
				    .fields = fields,
				    .fields_len = 2 };
	struct lane_item *item = lane_item_new(&notice);
	const struct mc_notice *copy = item->notice;

	(void)state;
	message[0] = value[0] = 'x';
	assert_int_equal(copy->severity, MC_WARNING);
	assert_int_equal(copy->time, 5);
	assert_string_equal(copy->id.host, "h");
	assert_string_equal(copy->id.plugin, "p");
	assert_null(copy->id.plugin_instance);
	assert_string_equal(copy->id.type, "t");
	assert_string_equal(copy->id.type_instance, "");
	assert_string_equal(copy->message, "too hot");
	assert_int_equal(copy->fields_len, 2);
	assert_string_equal(copy->fields[0].name, "temperature");
	assert_string_equal(copy->fields[0].value, "41.5");
	assert_string_equal(copy->fields[1].name, "uuid");
	assert_string_equal(copy->fields[1].value, "");
	lane_item_free(item);
	for (unsigned i = 0; i <= MC_FIELDS_MAX; i++)
		fields[i] = (struct mc_field){ "n", "v" };
	notice.fields_len = MC_FIELDS_MAX + 1;
	item = lane_item_new(&notice);
	assert_int_equal(item->notice->fields_len, MC_FIELDS_MAX);
	lane_item_free(item);
}

static void a_copy_has_nothing_that_steers_a_terminal(void **state)
{
	struct mc_field field = { "k\n", "v\xc2\x9b" };
	struct lane_item *item = lane_item_new(
		&(struct mc_notice){ .id = { .host = "h\xe2\x80\xae" },
				     .message = "c1 \xc2\x9b"
						"31m\nnext",
				     .fields = &field,
				     .fields_len = 1 });

	(void)state;
	assert_string_equal(item->notice->id.host, "h???");
	assert_string_equal(item->notice->message, "c1 ??31m next");
	assert_string_equal(item->notice->fields[0].name, "k ");
	assert_string_equal(item->notice->fields[0].value, "v??");
	lane_item_free(item);
}

static struct lane_item *numbered(unsigned number)
{
	return lane_item_new(&(struct mc_notice){ .time = number });
}

static void take(struct lane *lane, mc_time number)
{
	assert_int_equal(lane_take(lane)->time, number);
}

static void the_oldest_is_taken_first(void **state)
{
	struct lane lane;

	(void)state;
	lane_init(&lane, 0);
	assert_null(lane_take(&lane));
	assert_int_equal(lane_due(&lane), CLOCK_NEVER);
	for (unsigned i = 0; i < 5; i++)
		assert_int_equal(lane_push(&lane, numbered(i)), 0);
	assert_int_equal(lane_due(&lane), 0);
	take(&lane, 0);
	take(&lane, 1);
	assert_int_equal(lane_settle(&lane, false), 2);
	assert_int_equal(lane_settle(&lane, false), 0);
	take(&lane, 2);
	lane_done(&lane);
	assert_int_equal(lane.size, 0);
}

static void what_was_taken_can_wait_again(void **state)
{
	struct lane lane;

	(void)state;
	lane_init(&lane, 0);
	for (unsigned i = 0; i < 3; i++)
		lane_push(&lane, numbered(i));
	take(&lane, 0);
	take(&lane, 1);
	assert_int_equal(lane_settle(&lane, true), 2);
	for (unsigned i = 0; i < 3; i++)
		take(&lane, i);
	assert_int_equal(lane_settle(&lane, true), 3); /* Nothing behind it. */
	lane_push(&lane, numbered(3));
	for (unsigned i = 0; i < 4; i++)
		take(&lane, i);
	assert_null(lane_take(&lane));
	lane_done(&lane);
}

static void the_oldest_goes_when_there_are_too_many(void **state)
{
	struct lane lane;
	uint64_t gone = 0, len = 10000;

	(void)state;
	lane_init(&lane, 0);
	assert_int_equal(lane.limit, LANE_SIZE_MIN);
	for (uint64_t i = 0; i < len; i++)
		gone += lane_push(&lane, numbered((unsigned)i));
	assert_true(gone > 0);
	assert_int_equal(lane.waiting.len, len - gone);
	assert_true(lane.size <= lane.limit);
	take(&lane, (mc_time)gone);
	/* What is taken is not dropped, and still counts. */
	while (lane_take(&lane) != NULL)
		;
	assert_int_equal(lane_push(&lane, numbered(1)), 1);
	assert_int_equal(lane_settle(&lane, true), len - gone);
	assert_int_equal(lane_drop(&lane), len - gone);
	lane_done(&lane);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_notice_is_copied_whole),
		cmocka_unit_test(a_copy_has_nothing_that_steers_a_terminal),
		cmocka_unit_test(the_oldest_is_taken_first),
		cmocka_unit_test(what_was_taken_can_wait_again),
		cmocka_unit_test(the_oldest_goes_when_there_are_too_many),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
