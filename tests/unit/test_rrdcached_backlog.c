/* SPDX-License-Identifier: MIT */
#include "unit.h"

#include <collector/journal.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backlog.h"

static void put_from(struct backlog *backlog, const char *line, uint64_t seq)
{
	size_t size = strlen(line);

	memcpy(backlog_room(backlog, size), line, size);
	backlog_put(backlog, size, 1, (struct mc_offset){ seq, 0 });
}

static void put(struct backlog *backlog, const char *line)
{
	put_from(backlog, line, 1);
}

static const char *send_next(struct backlog *backlog)
{
	static char text[BACKLOG_CHUNK_SIZE];
	const char *sent;
	size_t size;

	if (!backlog_ready(backlog))
		return "";
	sent = backlog_send(backlog, &size);
	snprintf(text, sizeof(text), "%.*s", (int)size, sent);
	return text;
}

/* Lines that fill a chunk but for less than one; they begin with a number. */
static void put_chunk(struct backlog *backlog, int number)
{
	char line[1025];

	snprintf(line, sizeof(line), "%04d%1019s\n", number, "");
	for (int i = 0; i < BACKLOG_CHUNK_SIZE / 1024 - 1; i++)
		put_from(backlog, line, (uint64_t)number);
}
#define CHUNK_LEN (BACKLOG_CHUNK_SIZE / 1024 - 1)

static void test_what_comes_meanwhile_is_one_batch(void **state)
{
	struct backlog backlog = { .limit = 1000, .replay_limit = 1000 };

	(void)state;
	assert_false(backlog_ready(&backlog));
	assert_int_equal(backlog_rewind(&backlog), 0);
	put(&backlog, "a\n");
	assert_string_equal(send_next(&backlog), "a\n");
	put(&backlog, "b\n");
	put(&backlog, "c\n");
	assert_string_equal(send_next(&backlog), "");
	assert_int_equal(backlog_passed(&backlog), 0);
	assert_int_equal(backlog_done(&backlog), 1);
	assert_int_equal(backlog_passed(&backlog), 1);
	assert_string_equal(send_next(&backlog), "b\nc\n");
	assert_int_equal(backlog_done(&backlog), 2);
	assert_int_equal(backlog.replay_len, 3);
	assert_int_equal(backlog.replay_size, 6);
	assert_int_equal(backlog.waiting_size, 0);
	backlog_free(&backlog);
}

static void test_full_batches_are_pipelined(void **state)
{
	struct backlog backlog = { .limit = 1 << 20, .replay_limit = 0 };

	(void)state;
	for (int i = 0; i < BACKLOG_FLIGHT_MAX + 2; i++)
		put_chunk(&backlog, i);
	for (int i = 0; i < BACKLOG_FLIGHT_MAX; i++)
		assert_int_equal(strtol(send_next(&backlog), NULL, 10), i);
	assert_false(backlog_ready(&backlog));
	assert_int_equal(backlog_done(&backlog), CHUNK_LEN);
	assert_int_equal(strtol(send_next(&backlog), NULL, 10), BACKLOG_FLIGHT_MAX);
	/* The rest is not a full batch, and waits until nothing is in flight. */
	for (int i = 0; i < BACKLOG_FLIGHT_MAX; i++) {
		assert_false(backlog_ready(&backlog));
		assert_int_equal(backlog_done(&backlog), CHUNK_LEN);
	}
	assert_int_equal(strtol(send_next(&backlog), NULL, 10), BACKLOG_FLIGHT_MAX + 1);
	assert_int_equal(backlog_done(&backlog), CHUNK_LEN);
	assert_int_equal(backlog.waiting_size, 0);
	assert_int_equal(backlog.waiting_len, 0);
	backlog_free(&backlog);
}

static void test_errors(void **state)
{
	struct backlog backlog = { .limit = 1000, .replay_limit = 1000 };
	struct backlog_line line;

	(void)state;
	put_from(&backlog, "a\n", 7);
	put_from(&backlog, "bad\n", 8);
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
	assert_int_equal(backlog_passed(&backlog), 2);
	assert_false(backlog_refused(&backlog, 2, &line));
	assert_false(backlog_refused(&backlog, 1, &line));
	assert_true(backlog_refused(&backlog, 4, &line));
	assert_memory_equal(line.text, "known\n", 6);
	assert_int_equal(backlog_done(&backlog), 5);
	assert_false(backlog_refused(&backlog, 1, &line));
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
	put(&backlog, "e\n");
	send_next(&backlog);
	put(&backlog, "f\n");
	/* Of c, d and e only the fate of c and d is known. */
	assert_true(backlog_refused(&backlog, 2, &line));
	assert_int_equal(backlog_rewind(&backlog), 4);
	assert_string_equal(send_next(&backlog), "a\nb\nc\nd\n");
	/* Again, before that was answered. */
	assert_int_equal(backlog_rewind(&backlog), 4);
	assert_string_equal(send_next(&backlog), "a\nb\nc\nd\n");
	assert_true(backlog_refused(&backlog, 1, &line));
	assert_true(line.replay);
	assert_memory_equal(line.text, "a\n", 2);
	assert_true(backlog_refused(&backlog, 4, &line));
	assert_memory_equal(line.text, "d\n", 2);
	assert_int_equal(backlog_done(&backlog), 0);
	assert_int_equal(backlog_passed(&backlog), 4);
	assert_string_equal(send_next(&backlog), "e\nf\n");
	assert_int_equal(backlog_done(&backlog), 2);
	assert_int_equal(backlog.replay_len, 6);
	assert_false(backlog_ready(&backlog));
	backlog_free(&backlog);
}

/* What is acknowledged goes by whole chunks when more than enough is kept. */
static void test_replay_is_bounded(void **state)
{
	const size_t size = CHUNK_LEN * 1024;
	struct backlog backlog = { .limit = 1 << 20, .replay_limit = 2 * size };

	(void)state;
	for (int i = 1; i <= 6; i++) {
		put_chunk(&backlog, i);
		send_next(&backlog);
		assert_int_equal(backlog_done(&backlog), CHUNK_LEN);
	}
	assert_in_range(backlog.replay_size, 2 * size, 3 * size);
	assert_int_equal(backlog_oldest(&backlog).seq, 5);
	assert_int_equal(backlog_rewind(&backlog), backlog.replay_len);
	put(&backlog, "new\n");
	for (int i = 5; i <= 6; i++)
		assert_int_equal(strtol(send_next(&backlog), NULL, 10), i);
	assert_string_equal(send_next(&backlog), "");
	for (int i = 5; i <= 6; i++)
		assert_int_equal(backlog_done(&backlog), 0);
	assert_string_equal(send_next(&backlog), "new\n");
	assert_int_equal(backlog_done(&backlog), 1);
	backlog_free(&backlog);
}

/* As many as its digit says. */
static uint64_t count(void *argument, const char *line, size_t size)
{
	assert_ptr_equal(argument, &count);
	assert_int_equal(size, 1);
	assert_int_equal(line[1], '\n');
	return (uint64_t)(*line - '0');
}

/* What waits is known in samples, also of a batch that is cut. */
static void test_samples(void **state)
{
	struct backlog backlog = {
		.limit = 1000, .replay_limit = 1000, .count = count, .argument = (void *)&count
	};
	struct backlog_line line;

	(void)state;
	for (int i = 1; i <= 5; i++) {
		char text[] = { (char)('0' + i), '\n', '\0' };

		memcpy(backlog_room(&backlog, 2), text, 2);
		backlog_put(&backlog, 2, (uint64_t)i, BACKLOG_NO_OFFSET);
	}
	assert_int_equal(backlog.waiting_samples, 15);
	send_next(&backlog);
	assert_true(backlog_refused(&backlog, 2, &line));
	assert_memory_equal(line.text, "2", line.size);
	assert_int_equal(backlog.waiting_samples, 12);
	backlog_rewind(&backlog);
	send_next(&backlog); /* The two once more. */
	backlog_done(&backlog);
	assert_int_equal(backlog.waiting_samples, 12);
	send_next(&backlog);
	assert_true(backlog_refused(&backlog, 1, &line));
	assert_memory_equal(line.text, "3", line.size);
	assert_int_equal(backlog.waiting_samples, 9);
	backlog_done(&backlog);
	assert_int_equal(backlog.waiting_samples, 0);
	backlog_free(&backlog);
}

static void test_room(void **state)
{
	const size_t size = CHUNK_LEN * 1024;
	struct backlog backlog = { .limit = 3 * size, .replay_limit = 1000 };
	uint64_t dropped = 0;

	(void)state;
	put(&backlog, "done\n");
	send_next(&backlog);
	backlog_done(&backlog);
	for (int i = 1; i <= 3; i++) {
		assert_true(backlog_make_room(&backlog, size, &dropped));
		put_chunk(&backlog, i);
	}
	/* The oldest go; what was acknowledged stays. */
	assert_int_equal(dropped, 0);
	assert_true(backlog_make_room(&backlog, 1024, &dropped));
	assert_in_range(dropped, 1, CHUNK_LEN);
	assert_int_equal(backlog.waiting_len, 3 * CHUNK_LEN - dropped);
	assert_int_equal(backlog.waiting_size, 3 * size - 1024 * dropped);
	assert_int_equal(backlog_passed(&backlog), 1 + dropped);
	assert_int_equal(backlog_rewind(&backlog), 1);
	assert_string_equal(send_next(&backlog), "done\n");
	/* Nothing that is in flight goes. */
	assert_false(backlog_make_room(&backlog, 3 * size, &dropped));
	backlog_done(&backlog);
	assert_true(backlog_make_room(&backlog, 3 * size, &dropped));
	assert_int_equal(dropped, 3 * CHUNK_LEN);
	assert_int_equal(backlog.waiting_size, 0);
	put(&backlog, "next\n");
	assert_string_equal(send_next(&backlog), "next\n");
	backlog_free(&backlog);
}

static void test_oldest_offset(void **state)
{
	struct backlog backlog = { .limit = 1 << 20, .replay_limit = 0 };

	(void)state;
	assert_int_equal(backlog_oldest(&backlog).seq, BACKLOG_NO_OFFSET.seq);
	put_chunk(&backlog, 5);
	put_chunk(&backlog, 6);
	put_from(&backlog, "late\n", 3);
	assert_int_equal(backlog_oldest(&backlog).seq, 3);
	send_next(&backlog);
	backlog_done(&backlog);
	send_next(&backlog);
	backlog_done(&backlog);
	put_chunk(&backlog, 9);
	send_next(&backlog);
	backlog_done(&backlog);
	put_from(&backlog, "end\n", 10);
	assert_in_range(backlog_oldest(&backlog).seq, 3, 9);
	backlog_free(&backlog);
}

/* From where on a walk begins: "a,b,c" for all of three lines. */
static const char *lines_from(const struct backlog *backlog, uint64_t number)
{
	static char text[64];
	struct backlog_mark at;
	struct backlog_line line;
	size_t used = 0;

	text[0] = '\0';
	if (!backlog_seek(backlog, number, &at))
		return "none";
	while (backlog_walk(backlog, &at, &line))
		used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%.*s",
					 used > 0 ? "," : "", (int)line.size, line.text);
	return text;
}

static void test_walk_from(void **state)
{
	struct backlog backlog = { .limit = 20, .replay_limit = 100 };
	uint64_t dropped = 0;

	(void)state;
	assert_string_equal(lines_from(&backlog, 0), "none");
	put(&backlog, "a\n");
	put(&backlog, "b\n");
	backlog_seal(&backlog);
	assert_string_equal(lines_from(&backlog, 0), "a,b");
	assert_string_equal(lines_from(&backlog, 1), "b");
	assert_string_equal(lines_from(&backlog, 2), "none");
	put(&backlog, "c\n");
	send_next(&backlog);
	backlog_done(&backlog); /* They are kept for a replay. */
	backlog_seal(&backlog);
	put(&backlog, "d\n");
	assert_string_equal(lines_from(&backlog, 0), "a,b,c,d");
	assert_string_equal(lines_from(&backlog, 2), "c,d");
	assert_string_equal(lines_from(&backlog, 3), "d");
	assert_string_equal(lines_from(&backlog, 4), "none");
	/* "c" is given up: what came before may be seen again, what came after is. */
	assert_true(backlog_make_room(&backlog, 19, &dropped));
	assert_true(dropped > 0);
	backlog_seal(&backlog);
	put(&backlog, "e\n");
	assert_string_equal(lines_from(&backlog, 4), "e");
	assert_string_equal(lines_from(&backlog, 5), "none");
	backlog_free(&backlog);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_walk_from),
		cmocka_unit_test(test_what_comes_meanwhile_is_one_batch),
		cmocka_unit_test(test_full_batches_are_pipelined),
		cmocka_unit_test(test_errors),
		cmocka_unit_test(test_everything_again_after_a_break),
		cmocka_unit_test(test_replay_is_bounded),
		cmocka_unit_test(test_room),
		cmocka_unit_test(test_samples),
		cmocka_unit_test(test_oldest_offset),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
