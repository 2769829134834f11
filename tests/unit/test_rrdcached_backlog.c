/* SPDX-License-Identifier: MIT */
#include "unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backlog.h"

static char sent[BACKLOG_TEXT_SIZE + 1];

static void put(struct backlog *backlog, const char *line)
{
	size_t size = strlen(line);

	memcpy(backlog_room(backlog, size), line, size);
	backlog_put(backlog, size);
}

static const char *send_next(struct backlog *backlog)
{
	if (!backlog_ready(backlog))
		return "";
	sent[backlog_send(backlog, sent)] = '\0';
	return sent;
}

static const char *text_of(const struct lines *lines)
{
	static char text[4096];

	snprintf(text, sizeof(text), "%.*s", (int)lines_size(lines),
		 lines_text(lines));
	return text;
}

static void test_what_comes_meanwhile_is_one_batch(void **state)
{
	struct backlog backlog = { .limit = 1000, .replay_limit = 1000 };

	(void)state;
	assert_false(backlog_ready(&backlog));
	put(&backlog, "a\n");
	assert_string_equal(send_next(&backlog), "BATCH\na\n.\n");
	put(&backlog, "b\n");
	put(&backlog, "c\n");
	assert_string_equal(send_next(&backlog), "");
	assert_int_equal(backlog_passed(&backlog), 0);
	assert_int_equal(backlog_done(&backlog), 1);
	assert_int_equal(backlog_passed(&backlog), 1);
	assert_string_equal(send_next(&backlog), "BATCH\nb\nc\n.\n");
	assert_int_equal(backlog_done(&backlog), 2);
	assert_string_equal(text_of(&backlog.replay), "a\nb\nc\n");
	backlog_free(&backlog);
}

static void test_full_batches_are_pipelined(void **state)
{
	struct backlog backlog = { .limit = 1 << 20, .replay_limit = 0 };
	char line[64];

	(void)state;
	for (int i = 0; i < 9000; i++) {
		snprintf(line, sizeof(line),
			 "UPDATE a-rather-long-path-%04d "
			 "17000000:1234567890\n",
			 i);
		put(&backlog, line);
	}
	for (int i = 0; i < BACKLOG_FLIGHT_MAX; i++) {
		snprintf(line, sizeof(line),
			 "BATCH\nUPDATE a-rather-long-path-"
			 "%04d ",
			 i * BACKLOG_BATCH_LEN);
		assert_memory_equal(send_next(&backlog), line, strlen(line));
	}
	assert_false(backlog_ready(&backlog));
	assert_int_equal(backlog_done(&backlog), BACKLOG_BATCH_LEN);
	assert_true(backlog_ready(&backlog));
	backlog_free(&backlog);
}

static void test_errors(void **state)
{
	struct backlog backlog = { .limit = 1000, .replay_limit = 1000 };
	struct backlog_line line;

	(void)state;
	put(&backlog, "a\n");
	put(&backlog, "bad\n");
	put(&backlog, "c\n");
	put(&backlog, "known\n");
	put(&backlog, "e\n");
	send_next(&backlog);
	assert_false(backlog_refused(&backlog, 0, &line));
	assert_false(backlog_refused(&backlog, 6, &line));
	assert_true(backlog_refused(&backlog, 2, &line));
	assert_int_equal(line.size, 3);
	assert_memory_equal(line.text, "bad\n", 4);
	assert_false(line.replay);
	assert_false(backlog_refused(&backlog, 2, &line));
	assert_false(backlog_refused(&backlog, 1, &line));
	assert_true(backlog_refused(&backlog, 4, &line));
	backlog_keep(&backlog, &line);
	assert_int_equal(backlog_done(&backlog), 5);
	assert_string_equal(text_of(&backlog.replay), "a\nc\nknown\ne\n");
	assert_int_equal(backlog_passed(&backlog), 5);
	backlog_free(&backlog);
}

static void test_everything_again_after_a_break(void **state)
{
	struct backlog backlog = { .limit = 1000, .replay_limit = 1000 };
	struct backlog_line line;

	(void)state;
	put(&backlog, "a\n");
	put(&backlog, "b\n");
	send_next(&backlog);
	backlog_done(&backlog);
	put(&backlog, "c\n");
	put(&backlog, "d\n");
	send_next(&backlog);
	put(&backlog, "e\n");
	/* Of c and d only the fate of c is known. */
	assert_true(backlog_refused(&backlog, 2, &line));
	assert_int_equal(backlog_rewind(&backlog), 3);
	assert_string_equal(send_next(&backlog), "BATCH\na\nb\nc\n.\n");
	/* Again, before that was answered. */
	assert_int_equal(backlog_rewind(&backlog), 3);
	assert_string_equal(send_next(&backlog), "BATCH\na\nb\nc\n.\n");
	assert_true(backlog_refused(&backlog, 1, &line));
	assert_true(line.replay);
	assert_memory_equal(line.text, "a\n", 2);
	backlog_keep(&backlog, &line);
	assert_true(backlog_refused(&backlog, 3, &line));
	assert_memory_equal(line.text, "c\n", 2);
	assert_int_equal(backlog_done(&backlog), 0);
	assert_string_equal(text_of(&backlog.replay), "a\nb\nc\n");
	assert_string_equal(send_next(&backlog), "BATCH\ne\n.\n");
	assert_int_equal(backlog_done(&backlog), 1);
	assert_string_equal(text_of(&backlog.replay), "a\nb\nc\ne\n");
	assert_false(backlog_ready(&backlog));
	backlog_free(&backlog);
}

static void test_replay_is_bounded(void **state)
{
	struct backlog backlog = { .limit = 1000, .replay_limit = 8 };

	(void)state;
	put(&backlog, "aa\n");
	put(&backlog, "bb\n");
	put(&backlog, "cc\n");
	put(&backlog, "dd\n");
	send_next(&backlog);
	backlog_done(&backlog);
	assert_string_equal(text_of(&backlog.replay), "cc\ndd\n");
	put(&backlog, "e\n");
	send_next(&backlog);
	backlog_done(&backlog);
	assert_string_equal(text_of(&backlog.replay), "cc\ndd\ne\n");
	put(&backlog, "f\n");
	send_next(&backlog);
	backlog_done(&backlog);
	assert_string_equal(text_of(&backlog.replay), "dd\ne\nf\n");
	put(&backlog, "longer than all\n");
	send_next(&backlog);
	backlog_done(&backlog);
	assert_int_equal(lines_size(&backlog.replay), 7);
	backlog_free(&backlog);
}

static void test_room(void **state)
{
	struct backlog backlog = { .limit = 32, .replay_limit = 0 };
	bool fits;

	(void)state;
	for (int i = 0; i < 8; i++) {
		assert_int_equal(backlog_make_room(&backlog, 4, &fits), 0);
		assert_true(fits);
		put(&backlog, "abc\n");
	}
	assert_int_equal(backlog_make_room(&backlog, 4, &fits), 2);
	assert_true(fits);
	assert_int_equal(backlog.waiting.len, 6);
	put(&backlog, "new\n");
	put(&backlog, "new\n");
	send_next(&backlog);
	assert_int_equal(backlog_make_room(&backlog, 4, &fits), 0);
	assert_false(fits);
	backlog_free(&backlog);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_what_comes_meanwhile_is_one_batch),
		cmocka_unit_test(test_full_batches_are_pipelined),
		cmocka_unit_test(test_errors),
		cmocka_unit_test(test_everything_again_after_a_break),
		cmocka_unit_test(test_replay_is_bounded),
		cmocka_unit_test(test_room),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
