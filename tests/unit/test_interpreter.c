/* SPDX-License-Identifier: MIT */
/* The parts of kit/series/interpreter that run nothing: what a program says, when
 * callbacks are due, and what waits. */
#include <stdlib.h>
#include <string.h>

#include "kit/series/interpreter/reply.h"
#include "kit/series/interpreter/schedule.h"
#include "kit/series/interpreter/waiting.h"
#include "unit.h"

/* --- reply.c -------------------------------------------------------------- */

static void replies_of_requests(void **state)
{
	struct reply reply;

	(void)state;
	assert_true(reply_read("DONE 18446744073709551615", &reply));
	assert_int_equal(reply.verb, REPLY_DONE);
	assert_true(reply.number == UINT64_MAX);
	assert_true(reply_read("FAILED 7 12 ValueError: a  b", &reply));
	assert_int_equal(reply.verb, REPLY_FAILED);
	assert_int_equal(reply.number, 7);
	assert_int_equal(reply.count, 12);
	assert_string_equal(reply.text, "ValueError: a  b");
	assert_true(reply_read("FAILED 7 1", &reply));
	assert_string_equal(reply.text, "");
	assert_true(reply_read("CONFIGURED 3", &reply));
	assert_int_equal(reply.number, 3);
}

static void replies_of_callbacks(void **state)
{
	struct reply reply;

	(void)state;
	assert_true(reply_read("REGISTER read 2.500000 python.a b", &reply));
	assert_int_equal(reply.verb, REPLY_REGISTER);
	assert_int_equal(reply.kind, REPLY_READ);
	assert_int_equal(reply.interval, 2500 * MC_MILLISECOND);
	assert_string_equal(reply.text, "python.a b");
	assert_true(reply_read("UNREGISTER read python.a b", &reply));
	assert_int_equal(reply.verb, REPLY_UNREGISTER);
	assert_string_equal(reply.text, "python.a b");
	assert_true(reply_read("REGISTER notification", &reply));
	assert_int_equal(reply.kind, REPLY_NOTIFICATION);
	assert_true(reply_read("UNREGISTER log", &reply));
	assert_int_equal(reply.kind, REPLY_LOGGING);
}

static void other_replies(void **state)
{
	struct reply reply;

	(void)state;
	assert_true(reply_read("LOG notice it is  so", &reply));
	assert_int_equal(reply.verb, REPLY_LOG);
	assert_int_equal(reply.level, MC_NOTE);
	assert_string_equal(reply.text, "it is  so");
	assert_true(reply_read("TYPE if_octets", &reply));
	assert_int_equal(reply.verb, REPLY_TYPE);
	assert_string_equal(reply.text, "if_octets");
	assert_true(reply_read("PUTVAL a/b/c N:1", &reply));
	assert_int_equal(reply.verb, REPLY_PLAIN);
	assert_true(reply_read("PUTNOTIF", &reply));
	assert_int_equal(reply.verb, REPLY_PLAIN);
	assert_true(reply_read("FLUSH timeout=5", &reply));
	assert_int_equal(reply.verb, REPLY_PLAIN);
}

static void what_is_no_reply(void **state)
{
	static const char *const lines[] = {
		"",
		"done 1",
		"DONE",
		"DONE x",
		"DONE 1 2",
		"DONE -1",
		"DONE 18446744073709551616",
		"FAILED 1",
		"FAILED 1 x",
		"REGISTER",
		"REGISTER reads",
		"REGISTER read",
		"REGISTER read x python.a",
		"REGISTER read 1",
		"REGISTER read 1 ",
		"REGISTER read -1 a",
		"REGISTER read 1e99 a",
		"REGISTER write a",
		"UNREGISTER read ",
		"CONFIGURED",
		"LOG",
		"LOG loud a",
		"TYPE",
		"TYPE ",
		"PUTVALS",
		"GETVAL a",
	};
	struct reply reply;

	(void)state;
	for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++)
		if (reply_read(lines[i], &reply))
			fail_msg("'%s' is read", lines[i]);
}

/* --- schedule.c ----------------------------------------------------------- */

static void callbacks_are_due_at_their_intervals(void **state)
{
	struct schedule schedule = { 0 };
	struct schedule_read *read;

	(void)state;
	assert_true(schedule_next(&schedule) == INT64_MAX);
	assert_true(schedule_add(&schedule, "a", 10));
	assert_true(schedule_add(&schedule, "b", 4));
	read = schedule_due(&schedule, 100);
	assert_string_equal(read->name, "a");
	schedule_begin(read, 1, 100);
	read = schedule_due(&schedule, 100);
	assert_string_equal(read->name, "b");
	schedule_begin(read, 2, 101);
	assert_null(schedule_due(&schedule, 1000)); /* Both run. */
	assert_string_equal(schedule_oldest(&schedule)->name, "a");
	schedule_end(schedule_find(&schedule, 2), 102, true);
	assert_null(schedule_find(&schedule, 2));
	assert_int_equal(schedule_next(&schedule), 105);
	schedule_end(schedule_find(&schedule, 1), 103, true);
	assert_null(schedule_oldest(&schedule));
	assert_null(schedule_due(&schedule, 104));
	assert_string_equal(schedule_due(&schedule, 105)->name, "b");
	schedule_remove(&schedule, "b");
	schedule_remove(&schedule, "c");
	assert_int_equal(schedule_next(&schedule), 110);
	schedule_free(&schedule);
}

static void one_that_fails_is_called_less_often(void **state)
{
	const mc_time day = 86400 * MC_SECOND;
	struct schedule schedule = { 0 };
	mc_time now = 1000 * MC_SECOND, before;
	struct schedule_read *read;

	(void)state;
	schedule_add(&schedule, "a", 10 * MC_SECOND);
	for (mc_time wait = 20 * MC_SECOND; wait < day; wait *= 2) {
		read = schedule_due(&schedule, now);
		assert_non_null(read);
		schedule_begin(read, 1, now);
		now += MC_SECOND;
		schedule_end(read, now, false);
		assert_true(schedule_next(&schedule) == now + wait);
		now += wait;
	}
	before = now;
	read = schedule_due(&schedule, now);
	schedule_begin(read, 1, now);
	schedule_end(read, now, false);
	assert_true(schedule_next(&schedule) == before + day);
	schedule_begin(read, 1, now);
	schedule_end(read, now, true);
	assert_true(schedule_next(&schedule) == now + 10 * MC_SECOND);
	schedule_free(&schedule);
}

static void there_is_an_end_to_callbacks(void **state)
{
	struct schedule schedule = { 0 };

	(void)state;
	for (unsigned i = 0; i < SCHEDULE_MAX; i++)
		assert_true(schedule_add(&schedule, "a", 1));
	assert_false(schedule_add(&schedule, "a", 1));
	schedule_free(&schedule);
}

/* --- waiting.c ------------------------------------------------------------ */

static bool add(struct waiting *waiting, enum reply_kind kind, const char *text)
{
	struct mc_json *json = mc_json_new(false);
	bool fits;

	mc_json_text(json, NULL, text);
	fits = waiting_add(waiting, kind, json, strlen(text));
	mc_json_free(json);
	return fits;
}

static void expect(struct waiting *waiting, enum reply_kind kind, const char *text)
{
	struct waiting_request *request = waiting_take(waiting);

	assert_non_null(request);
	assert_int_equal(request->kind, kind);
	assert_int_equal(request->size, strlen(text));
	assert_memory_equal(request->text, text, strlen(text));
	assert_int_equal(request->samples, strlen(text) - 2);
	free(request);
}

static void requests_wait_in_order(void **state)
{
	struct waiting waiting = { .size_max = 12 };

	(void)state;
	waiting_init(&waiting);
	assert_true(add(&waiting, REPLY_WRITE, "abc"));
	assert_null(waiting_take(&waiting)); /* Nobody wants it. */
	waiting_want(&waiting, REPLY_WRITE, true);
	waiting_want(&waiting, REPLY_LOGGING, true);
	assert_true(waiting_wants(&waiting, REPLY_WRITE));
	assert_false(waiting_wants(&waiting, REPLY_FLUSH));
	assert_true(add(&waiting, REPLY_WRITE, "abc"));
	assert_true(add(&waiting, REPLY_LOGGING, "def"));
	assert_true(add(&waiting, REPLY_FLUSH, "ghi"));
	assert_false(add(&waiting, REPLY_WRITE, "jkl")); /* 15 bytes. */
	assert_int_equal(waiting_refused(&waiting), 1);
	assert_int_equal(waiting_refused(&waiting), 0);
	expect(&waiting, REPLY_WRITE, "\"abc\"");
	expect(&waiting, REPLY_LOGGING, "\"def\"");
	assert_null(waiting_take(&waiting));
	assert_true(add(&waiting, REPLY_WRITE, "longer than that"));
	assert_false(add(&waiting, REPLY_WRITE, ""));
	waiting_want(&waiting, REPLY_WRITE, false);
	expect(&waiting, REPLY_WRITE, "\"longer than that\"");
	waiting_want(&waiting, REPLY_WRITE, true);
	assert_true(add(&waiting, REPLY_WRITE, "freed by the end"));
	waiting_close(&waiting);
	assert_true(add(&waiting, REPLY_FLUSH, "a"));
	expect(&waiting, REPLY_WRITE, "\"freed by the end\"");
	assert_false(add(&waiting, REPLY_WRITE, "a"));
	waiting_done(&waiting);
}

static void reads_begin_again(void **state)
{
	struct schedule schedule = { 0 };
	const mc_time second = MC_SECOND;

	(void)state;
	assert_true(schedule_add(&schedule, "a", 10 * second));
	assert_true(schedule_add(&schedule, "b", 10 * second));
	schedule_begin(schedule_due(&schedule, second), 1, second);
	schedule_begin(schedule_due(&schedule, second), 2, second);
	schedule_restart(&schedule, 5 * second);
	assert_true(schedule_find(&schedule, 2)->since == 5 * second);
	schedule_free(&schedule);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(replies_of_requests),
		cmocka_unit_test(replies_of_callbacks),
		cmocka_unit_test(other_replies),
		cmocka_unit_test(what_is_no_reply),
		cmocka_unit_test(callbacks_are_due_at_their_intervals),
		cmocka_unit_test(one_that_fails_is_called_less_often),
		cmocka_unit_test(reads_begin_again),
		cmocka_unit_test(there_is_an_end_to_callbacks),
		cmocka_unit_test(requests_wait_in_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
