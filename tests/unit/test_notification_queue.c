/* SPDX-License-Identifier: MIT */
#include "unit.h"

#include <stdlib.h>

#include "base/clock.h"
#include "engine/write/notification_queue.h"

static void a_notification_is_copied_whole(void **state)
{
	char message[] = "too hot", value[] = "41.5";
	struct mc_field fields[MC_FIELDS_MAX + 1] = {
		{ "temperature", value },
		{ "uuid", "" },
	};
	struct mc_notification notification = { .severity = MC_WARNING,
						.time = 5,
						.id = { "h", "p", NULL, "t", "" },
						.message = message,
						.fields = fields,
						.fields_len = 2 };
	struct notification_queue_item *item = notification_queue_item_new(&notification);
	const struct mc_notification *copy = item->notification;

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
	notification_queue_item_free(item);
	for (unsigned i = 0; i <= MC_FIELDS_MAX; i++)
		fields[i] = (struct mc_field){ "n", "v" };
	notification.fields_len = MC_FIELDS_MAX + 1;
	item = notification_queue_item_new(&notification);
	assert_int_equal(item->notification->fields_len, MC_FIELDS_MAX);
	notification_queue_item_free(item);
}

static void a_copy_has_nothing_that_steers_a_terminal(void **state)
{
	struct mc_field field = { "k\n", "v\xc2\x9b" };
	struct notification_queue_item *item = notification_queue_item_new(
		&(struct mc_notification){ .id = { .host = "h\xe2\x80\xae" },
					   .message = "c1 \xc2\x9b"
						      "31m\nnext",
					   .fields = &field,
					   .fields_len = 1 });

	(void)state;
	assert_string_equal(item->notification->id.host, "h???");
	assert_string_equal(item->notification->message, "c1 ??31m next");
	assert_string_equal(item->notification->fields[0].name, "k ");
	assert_string_equal(item->notification->fields[0].value, "v??");
	notification_queue_item_free(item);
}

static struct notification_queue_item *numbered(unsigned number)
{
	return notification_queue_item_new(&(struct mc_notification){ .time = number });
}

static void take(struct notification_queue *notification_queue, mc_time number)
{
	assert_int_equal(notification_queue_take(notification_queue)->time, number);
}

static void the_oldest_is_taken_first(void **state)
{
	struct notification_queue notification_queue;

	(void)state;
	notification_queue_init(&notification_queue, 0);
	assert_null(notification_queue_take(&notification_queue));
	assert_int_equal(notification_queue_due(&notification_queue), CLOCK_NEVER);
	for (unsigned i = 0; i < 5; i++)
		assert_int_equal(notification_queue_push(&notification_queue, numbered(i)), 0);
	assert_int_equal(notification_queue_due(&notification_queue), 0);
	take(&notification_queue, 0);
	take(&notification_queue, 1);
	assert_int_equal(notification_queue_settle(&notification_queue, false), 2);
	assert_int_equal(notification_queue_settle(&notification_queue, false), 0);
	take(&notification_queue, 2);
	notification_queue_done(&notification_queue);
	assert_int_equal(notification_queue.size, 0);
}

static void what_was_taken_can_wait_again(void **state)
{
	struct notification_queue notification_queue;

	(void)state;
	notification_queue_init(&notification_queue, 0);
	for (unsigned i = 0; i < 3; i++)
		notification_queue_push(&notification_queue, numbered(i));
	take(&notification_queue, 0);
	take(&notification_queue, 1);
	assert_int_equal(notification_queue_settle(&notification_queue, true), 2);
	for (unsigned i = 0; i < 3; i++)
		take(&notification_queue, i);
	assert_int_equal(notification_queue_settle(&notification_queue, true),
			 3); /* Nothing after it. */
	notification_queue_push(&notification_queue, numbered(3));
	for (unsigned i = 0; i < 4; i++)
		take(&notification_queue, i);
	assert_null(notification_queue_take(&notification_queue));
	notification_queue_done(&notification_queue);
}

static void the_oldest_goes_when_there_are_too_many(void **state)
{
	struct notification_queue notification_queue;
	uint64_t gone = 0, len = 10000;

	(void)state;
	notification_queue_init(&notification_queue, 0);
	assert_int_equal(notification_queue.limit, NOTIFICATION_QUEUE_SIZE_MIN);
	for (uint64_t i = 0; i < len; i++)
		gone += notification_queue_push(&notification_queue, numbered((unsigned)i));
	assert_true(gone > 0);
	assert_int_equal(notification_queue.waiting.len, len - gone);
	assert_true(notification_queue.size <= notification_queue.limit);
	take(&notification_queue, (mc_time)gone);
	/* What is taken is not dropped, and still counts. */
	while (notification_queue_take(&notification_queue) != NULL)
		;
	assert_int_equal(notification_queue_push(&notification_queue, numbered(1)), 1);
	assert_int_equal(notification_queue_settle(&notification_queue, true), len - gone);
	assert_int_equal(notification_queue_drop(&notification_queue), len - gone);
	notification_queue_done(&notification_queue);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_notification_is_copied_whole),
		cmocka_unit_test(a_copy_has_nothing_that_steers_a_terminal),
		cmocka_unit_test(the_oldest_is_taken_first),
		cmocka_unit_test(what_was_taken_can_wait_again),
		cmocka_unit_test(the_oldest_goes_when_there_are_too_many),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
