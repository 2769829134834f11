/* SPDX-License-Identifier: MIT */
#include "unit.h"

#include <string.h>

#include "outbox.h"

static void add(struct outbox *outbox, const char *text)
{
	outbox_add(outbox, text, strlen(text) + 1);
}

static struct outbox_message *send_next(struct outbox *outbox)
{
	struct outbox_message *message = outbox_unsent(outbox);

	assert_non_null(message);
	message->state = OUTBOX_SENT;
	return message;
}

/* Receivers acknowledge in any order; room comes back with the first ones. */
static void any_order(void **state)
{
	struct outbox_message *messages[3];
	struct outbox outbox;

	(void)state;
	outbox_init(&outbox, 3);
	for (unsigned round = 0; round < 5; round++) {
		add(&outbox, "a");
		add(&outbox, "b");
		add(&outbox, "c");
		assert_true(outbox_is_full(&outbox));
		for (unsigned i = 0; i < 3; i++)
			messages[i] = send_next(&outbox);
		assert_string_equal(messages[1]->bytes, "b");
		assert_null(outbox_unsent(&outbox));
		outbox_done(&outbox, messages[1]);
		assert_int_equal(outbox.len, 3);
		outbox_done(&outbox, messages[0]);
		assert_int_equal(outbox.len, 1);
		outbox_done(&outbox, messages[2]);
		assert_int_equal(outbox.len, 0);
	}
	outbox_free(&outbox);
}

/* After a lost connection those without an acknowledgement are sent again, in their order. */
static void lost_connection(void **state)
{
	struct outbox_message *first, *second;
	struct outbox outbox;

	(void)state;
	outbox_init(&outbox, 4);
	add(&outbox, "a");
	add(&outbox, "b");
	add(&outbox, "c");
	first = send_next(&outbox);
	second = send_next(&outbox);
	outbox_done(&outbox, second);
	outbox_all_again(&outbox);
	assert_ptr_equal(send_next(&outbox), first);
	assert_string_equal(send_next(&outbox)->bytes, "c");
	assert_null(outbox_unsent(&outbox));
	outbox_free(&outbox);
}

/* A released message goes before those that were not sent. */
static void released(void **state)
{
	struct outbox_message *first;
	struct outbox outbox;

	(void)state;
	outbox_init(&outbox, 2);
	add(&outbox, "a");
	first = send_next(&outbox);
	add(&outbox, "b");
	outbox_again(&outbox, first);
	assert_ptr_equal(send_next(&outbox), first);
	assert_string_equal(send_next(&outbox)->bytes, "b");
	outbox_free(&outbox);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(any_order),
		cmocka_unit_test(lost_connection),
		cmocka_unit_test(released),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
