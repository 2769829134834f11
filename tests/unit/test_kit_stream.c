/* SPDX-License-Identifier: MIT */
/* Lines and frames come in, answers go out, and nothing has no limit. */
#include "loop_fixture.h"

#include "kit/net/stream/stream_internal.h"

#define LINE_MAX_SIZE 20

struct lab {
	struct loop_lab base;
	struct mc_stream_room room;
	struct mc_stream_kind kind;
	struct mc_stream stream;
	int peer;
	char taken[4096]; /* "line|line|" */
	char faults[200]; /* "2:why " */
	int begins, ends, closed, released;
	int more;      /* Times that fill() adds something. */
	size_t answer; /* Bytes of the answer to "long". */
};

static struct lab *lab_of(struct mc_stream *stream)
{
	return (struct lab *)((char *)stream - offsetof(struct lab, stream));
}

static void note(struct lab *lab, const char *text, size_t size)
{
	loop_lab_append(lab->taken, sizeof(lab->taken), text, size);
	loop_lab_append(lab->taken, sizeof(lab->taken), "|", 1);
}

static void add_much(struct mc_stream *stream, size_t size)
{
	static char bytes[1000];

	memset(bytes, 'x', sizeof(bytes));
	for (; size >= sizeof(bytes); size -= sizeof(bytes))
		mc_stream_add(stream, bytes, sizeof(bytes));
}

static void take_line(struct mc_stream *stream, char *line, size_t size)
{
	struct lab *lab = lab_of(stream);

	assert_int_equal(strlen(line), size);
	note(lab, line, size);
	if (strcmp(line, "ask") == 0)
		mc_stream_add_text(stream, "answer\n");
	else if (strcmp(line, "long") == 0)
		add_much(stream, lab->answer);
	else if (strcmp(line, "quit") == 0)
		mc_stream_end(stream);
	else if (strcmp(line, "close") == 0)
		mc_stream_close(stream);
	else if (strcmp(line, "hold") == 0)
		mc_stream_hold(stream);
	else if (strcmp(line, "yield") == 0)
		mc_stream_yield(stream);
	else if (strcmp(line, "stay") == 0)
		mc_stream_stay(stream, true);
}

static void take_frame(struct mc_stream *stream, char *frame, size_t size)
{
	note(lab_of(stream), frame, size);
}

static void take_rest(struct mc_stream *stream, char *bytes, size_t size)
{
	note(lab_of(stream), "rest", 4);
	note(lab_of(stream), bytes, size);
}

static void begin(struct mc_stream *stream)
{
	lab_of(stream)->begins++;
}

static void end(struct mc_stream *stream)
{
	lab_of(stream)->ends++;
}

static bool fill(struct mc_stream *stream)
{
	struct lab *lab = lab_of(stream);

	if (lab->more > 0)
		mc_stream_add_text(stream, "more\n");
	if (lab->more > 0)
		add_much(stream, lab->answer);
	return lab->more > 0 && --lab->more > 0;
}

static bool closed(struct mc_stream *stream)
{
	lab_of(stream)->closed++;
	return true;
}

static void on_fault(struct mc_stream *stream, enum mc_stream_fault fault, const char *why)
{
	struct lab *lab = lab_of(stream);
	char text[20];
	int size = snprintf(text, sizeof(text), "%d%s ", (int)fault, why != NULL ? "?" : "");

	loop_lab_append(lab->faults, sizeof(lab->faults), text, (size_t)size);
}

static void on_release(struct mc_stream *stream)
{
	lab_of(stream)->released++;
}

static const struct mc_stream_calls calls = { .fault = on_fault, .release = on_release };

static int open_lab(void **state)
{
	struct lab *lab = calloc(1, sizeof(*lab));

	loop_lab_open(&lab->base);
	lab->room = (struct mc_stream_room){ .loop = &lab->base.loop, .calls = &calls };
	mc_stream_room_init(&lab->room);
	lab->kind = (struct mc_stream_kind){
		.take = mc_stream_take_lines,
		.line = take_line,
		.frame = take_frame,
		.begin = begin,
		.end = end,
		.closed = closed,
		.rest_size_max = LINE_MAX_SIZE,
		.out_size_max = 1000,
		.rest_max = 10 * MC_SECOND,
		.unread_max = 30 * MC_SECOND,
	};
	*state = lab;
	return 0;
}

static int close_lab(void **state)
{
	struct lab *lab = *state;

	if (lab->closed == 0 && lab->stream.room != NULL)
		mc_stream_close(&lab->stream);
	assert_int_equal(lab->closed, lab->stream.room != NULL);
	assert_int_equal(lab->released, lab->closed);
	assert_int_equal(lab->room.kept, 0);
	assert_int_equal(lab->room.unsent, 0);
	close(lab->peer);
	mc_stream_room_done(&lab->room);
	loop_lab_close(&lab->base);
	free(lab);
	return 0;
}

static void connect_peer(struct lab *lab)
{
	int pair[2], small = 4096;

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, pair), 0);
	setsockopt(pair[0], SOL_SOCKET, SO_SNDBUF, &small, sizeof(small));
	lab->peer = pair[1];
	mc_stream_init(&lab->stream, &lab->kind, &lab->room, pair[0]);
	assert_true(mc_stream_open(&lab->stream));
}

static void say(struct lab *lab, const char *text)
{
	assert_int_equal(send(lab->peer, text, strlen(text), 0), strlen(text));
	loop_lab_rounds(&lab->base);
}

/* What the peer gets to read. */
static const char *hear(struct lab *lab)
{
	static char bytes[4096];
	ssize_t size = recv(lab->peer, bytes, sizeof(bytes) - 1, 0);

	bytes[size > 0 ? size : 0] = '\0';
	return size == 0 ? "END" : bytes;
}

/* Reads all that comes, while the loop sends it. */
static size_t hear_all(struct lab *lab)
{
	static char bytes[65536];
	size_t total = 0;
	ssize_t size;

	do {
		loop_lab_round(&lab->base);
		size = recv(lab->peer, bytes, sizeof(bytes), 0);
		total += size > 0 ? (size_t)size : 0;
	} while (size > 0);
	return total;
}

/* --- In ------------------------------------------------------------------- */

static void lines_come_in_pieces(void **state)
{
	struct lab *lab = *state;

	connect_peer(lab);
	say(lab, "one\ntw");
	assert_string_equal(lab->taken, "one|");
	assert_int_equal(lab->room.kept, 2);
	say(lab, "o\n\nthree\n");
	assert_string_equal(lab->taken, "one|two||three|");
	assert_int_equal(lab->room.kept, 0); /* Idle, it has no memory. */
	assert_int_equal(lab->begins, 2);
	assert_int_equal(lab->ends, 2);
	assert_int_equal(lab->room.octets, 15);
}

static void a_line_may_be_as_long_as_the_limit(void **state)
{
	struct lab *lab = *state;

	lab->kind.skips = true;
	connect_peer(lab);
	say(lab, "01234567890123456789\n");
	assert_string_equal(lab->taken, "01234567890123456789|");
	say(lab, "012345678901234567890\nx\n");
	assert_string_equal(lab->taken, "01234567890123456789|x|");
	say(lab, "012345678901234567890");
	say(lab, "more of it");
	say(lab, "\ny\n");
	assert_string_equal(lab->taken, "01234567890123456789|x|y|");
	assert_string_equal(lab->faults, "0 0 ");
}

static void a_longer_one_closes_where_it_is_not_skipped(void **state)
{
	struct lab *lab = *state;

	lab->kind.farewells[MC_STREAM_LONG] = "too long\n";
	connect_peer(lab);
	say(lab, "a\n012345678901234567890");
	assert_string_equal(lab->taken, "a|");
	assert_string_equal(lab->faults, "0 ");
	assert_int_equal(lab->closed, 1);
	assert_string_equal(hear(lab), "too long\n");
	assert_string_equal(hear(lab), "END");
}

static void frames_come_in_pieces(void **state)
{
	struct lab *lab = *state;
	static char frame[4 + 70000];

	lab->kind.take = mc_stream_take_frames;
	lab->kind.rest_size_max = sizeof(frame);
	connect_peer(lab);
	send(lab->peer, "\0\0\0\3abc\0\0", 9, 0);
	loop_lab_rounds(&lab->base);
	assert_string_equal(lab->taken, "abc|");
	send(lab->peer, "\0\1d\0\0\0\0", 7, 0);
	loop_lab_rounds(&lab->base);
	assert_string_equal(lab->taken, "abc|d||");
	/* One that is longer than what is received at once. */
	memcpy(frame, "\0\1\21\160", 4);
	for (size_t sent = 0; sent < sizeof(frame);) {
		ssize_t size = send(lab->peer, frame + sent, sizeof(frame) - sent, 0);

		sent += size > 0 ? (size_t)size : 0;
		loop_lab_round(&lab->base);
	}
	loop_lab_rounds(&lab->base);
	assert_string_equal(lab->taken, "abc|d|||");
	assert_int_equal(lab->room.kept, 0);
	send(lab->peer, "\0\1\21\161", 4, 0);
	loop_lab_rounds(&lab->base);
	assert_string_equal(lab->faults, "0 ");
	assert_int_equal(lab->closed, 1);
}

static void all_streams_together_keep_so_much(void **state)
{
	struct lab *lab = *state;

	lab->room.kept_max = 10;
	connect_peer(lab);
	say(lab, "0123456789");
	assert_int_equal(lab->room.kept, 10);
	say(lab, "0");
	assert_int_equal(lab->closed, 1);
	assert_string_equal(lab->faults, "6 ");
}

/* --- Out ------------------------------------------------------------------ */

static void all_that_has_come_is_answered_at_once(void **state)
{
	struct lab *lab = *state;

	connect_peer(lab);
	say(lab, "ask\nask\n");
	assert_string_equal(hear(lab), "answer\nanswer\n");
	assert_null(lab->stream.out.at);
	assert_non_null(lab->room.out.at); /* For the next one. */
}

static void who_does_not_read_is_not_read(void **state)
{
	struct lab *lab = *state;

	lab->answer = 100000;
	connect_peer(lab);
	say(lab, "long\nlong\nx\n");
	assert_string_equal(lab->taken, "long|");
	assert_true(lab->room.unsent > 50000);
	say(lab, "y\n");
	assert_string_equal(lab->taken, "long|");
	loop_lab_step(&lab->base, 29 * MC_SECOND);
	assert_int_equal(hear_all(lab), 200000);
	assert_string_equal(lab->taken, "long|long|x|y|");
	assert_int_equal(lab->room.unsent, 0);
	loop_lab_step(&lab->base, 3600 * MC_SECOND);
	assert_int_equal(lab->closed, 0);
}

static void one_that_pipelines_is_read_all_the_same(void **state)
{
	struct lab *lab = *state;

	lab->answer = 100000;
	lab->kind.pipelines = true;
	lab->kind.out_size_max = SIZE_MAX;
	connect_peer(lab);
	say(lab, "long\nlong\nx\n");
	say(lab, "y\n");
	assert_string_equal(lab->taken, "long|long|x|y|");
	assert_int_equal(hear_all(lab), 200000);
}

static void the_last_of_many_long_answers_closes(void **state)
{
	struct lab *lab = *state;

	lab->answer = 100000;
	lab->room.unsent_max = 50000;
	connect_peer(lab);
	say(lab, "long\n");
	assert_int_equal(lab->closed, 1);
	assert_string_equal(lab->faults, "5 ");
}

static void what_has_more_to_say_takes_nothing_meanwhile(void **state)
{
	struct lab *lab = *state;

	lab->kind.fill = fill;
	lab->more = 3;
	connect_peer(lab);
	assert_int_equal(send(lab->peer, "ask\n", 4, 0), 4);
	loop_lab_round(&lab->base);
	assert_string_equal(lab->taken, "");
	loop_lab_rounds(&lab->base);
	assert_string_equal(hear(lab), "more\nmore\nmore\nanswer\n");
	lab->more = 1;
	mc_stream_go_on(&lab->stream);
	assert_string_equal(hear(lab), "more\n");
}

static void what_has_more_to_say_is_to_be_read(void **state)
{
	struct lab *lab = *state;

	lab->kind.fill = fill;
	lab->more = 1000;
	lab->answer = 100000;
	connect_peer(lab);
	say(lab, "ask\n");
	assert_true(mc_stream_unsent(&lab->stream) > 0);
	loop_lab_step(&lab->base, 29 * MC_SECOND);
	assert_int_equal(lab->closed, 0);
	loop_lab_step(&lab->base, 1 * MC_SECOND);
	assert_string_equal(lab->faults, "5 ");
	assert_int_equal(lab->closed, 1);
}

static void what_is_held_neither_takes_nor_sends(void **state)
{
	struct lab *lab = *state;

	connect_peer(lab);
	say(lab, "ask\nhold\nask\n");
	assert_string_equal(lab->taken, "ask|hold|");
	assert_string_equal(hear(lab), "");
	loop_lab_step(&lab->base, 3600 * MC_SECOND);
	assert_int_equal(lab->closed, 0);
	assert_true(mc_stream_is_at_work(&lab->stream));
	mc_stream_resume(&lab->stream);
	assert_string_equal(lab->taken, "ask|hold|ask|");
	assert_string_equal(hear(lab), "answer\nanswer\n");
	assert_false(mc_stream_is_at_work(&lab->stream));
}

static void what_yields_goes_on_in_the_next_round(void **state)
{
	struct lab *lab = *state;

	connect_peer(lab);
	send(lab->peer, "yield\nx\n", 8, 0);
	loop_lab_round(&lab->base);
	assert_string_equal(lab->taken, "yield|");
	loop_lab_rounds(&lab->base);
	assert_string_equal(lab->taken, "yield|x|");
}

/* --- Ends ----------------------------------------------------------------- */

static void who_ends_gets_its_answers(void **state)
{
	struct lab *lab = *state;

	lab->answer = 100000;
	connect_peer(lab);
	send(lab->peer, "long\nask\n", 9, 0);
	shutdown(lab->peer, SHUT_WR);
	assert_int_equal(hear_all(lab), 100007);
	assert_int_equal(lab->closed, 1);
	assert_string_equal(lab->faults, "");
}

static void half_a_line_at_the_end_is_a_fault(void **state)
{
	struct lab *lab = *state;

	lab->kind.farewells[MC_STREAM_CUT] = "half\n";
	connect_peer(lab);
	say(lab, "ask\nas");
	shutdown(lab->peer, SHUT_WR);
	loop_lab_rounds(&lab->base);
	assert_string_equal(hear(lab), "answer\nhalf\n");
	assert_string_equal(lab->faults, "1 ");
	assert_int_equal(lab->closed, 1);
}

static void or_it_is_taken(void **state)
{
	struct lab *lab = *state;

	lab->kind.rest = take_rest;
	connect_peer(lab);
	say(lab, "a\nb");
	shutdown(lab->peer, SHUT_WR);
	loop_lab_rounds(&lab->base);
	assert_string_equal(lab->taken, "a|rest|b|");
	assert_string_equal(lab->faults, "");
	assert_int_equal(lab->closed, 1);
}

static void one_that_stays_outlives_the_end(void **state)
{
	struct lab *lab = *state;

	connect_peer(lab);
	say(lab, "stay\n");
	shutdown(lab->peer, SHUT_WR);
	loop_lab_step(&lab->base, 3600 * MC_SECOND);
	assert_int_equal(lab->closed, 0);
	mc_stream_add_text(&lab->stream, "news\n");
	mc_stream_go_on(&lab->stream);
	assert_string_equal(hear(lab), "news\n");
	close(lab->peer);
	loop_lab_rounds(&lab->base);
	assert_int_equal(lab->closed, 1);
	lab->peer = -1;
}

static void it_ends_after_all_is_sent_or_at_once(void **state)
{
	struct lab *lab = *state;

	lab->answer = 100000;
	lab->kind.out_size_max = SIZE_MAX;
	connect_peer(lab);
	say(lab, "long\nquit\nask\n");
	assert_int_equal(lab->closed, 0);
	assert_int_equal(hear_all(lab), 100000);
	assert_string_equal(lab->taken, "long|quit|");
	assert_int_equal(lab->closed, 1);
}

static void it_closes_in_the_midst_of_its_lines(void **state)
{
	struct lab *lab = *state;

	connect_peer(lab);
	say(lab, "ask\nclose\nask\n");
	assert_string_equal(lab->taken, "ask|close|");
	assert_int_equal(lab->closed, 1);
	assert_string_equal(hear(lab), "END");
}

static void who_hangs_up_is_closed(void **state)
{
	struct lab *lab = *state;

	lab->answer = 100000;
	connect_peer(lab);
	say(lab, "long\n");
	close(lab->peer);
	loop_lab_rounds(&lab->base);
	assert_int_equal(lab->closed, 1);
	assert_string_equal(lab->faults, "2? ");
	lab->peer = -1;
}

/* --- Time ----------------------------------------------------------------- */

static void a_line_byte_by_byte_is_as_late_as_its_first(void **state)
{
	struct lab *lab = *state;

	lab->kind.farewells[MC_STREAM_SLOW] = "slow\n";
	connect_peer(lab);
	for (int i = 0; i < 3; i++) {
		assert_int_equal(lab->closed, 0);
		say(lab, "x");
		loop_lab_step(&lab->base, 3 * MC_SECOND);
	}
	say(lab, "\nx"); /* In time; the next begins. */
	loop_lab_step(&lab->base, 9 * MC_SECOND);
	assert_int_equal(lab->closed, 0);
	loop_lab_step(&lab->base, 1 * MC_SECOND);
	assert_int_equal(lab->closed, 1);
	assert_string_equal(lab->faults, "3 ");
	assert_string_equal(hear(lab), "slow\n");
}

static void who_does_not_read_is_closed(void **state)
{
	struct lab *lab = *state;

	lab->answer = 100000;
	connect_peer(lab);
	say(lab, "long\n");
	loop_lab_step(&lab->base, 29 * MC_SECOND);
	while (strlen(hear(lab)) > 0)
		;
	loop_lab_rounds(&lab->base); /* Bytes move: 30 s more. */
	loop_lab_step(&lab->base, 29 * MC_SECOND);
	assert_int_equal(lab->closed, 0);
	loop_lab_step(&lab->base, 1 * MC_SECOND);
	assert_int_equal(lab->closed, 1);
	assert_string_equal(lab->faults, "5 ");
}

static void who_says_nothing_is_closed_if_there_is_a_limit(void **state)
{
	struct lab *lab = *state;

	lab->kind.idle_max = 60 * MC_SECOND;
	connect_peer(lab);
	loop_lab_step(&lab->base, 40 * MC_SECOND);
	say(lab, "ask\n");
	loop_lab_step(&lab->base, 59 * MC_SECOND);
	assert_int_equal(lab->closed, 0);
	loop_lab_step(&lab->base, 1 * MC_SECOND);
	assert_int_equal(lab->closed, 1);
	assert_string_equal(lab->faults, "4 ");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, open_lab, close_lab)

int main(void)
{
	static const struct CMUnitTest tests[] = {
		TEST(lines_come_in_pieces),
		TEST(a_line_may_be_as_long_as_the_limit),
		TEST(a_longer_one_closes_where_it_is_not_skipped),
		TEST(frames_come_in_pieces),
		TEST(all_streams_together_keep_so_much),
		TEST(all_that_has_come_is_answered_at_once),
		TEST(who_does_not_read_is_not_read),
		TEST(one_that_pipelines_is_read_all_the_same),
		TEST(the_last_of_many_long_answers_closes),
		TEST(what_has_more_to_say_takes_nothing_meanwhile),
		TEST(what_has_more_to_say_is_to_be_read),
		TEST(what_is_held_neither_takes_nor_sends),
		TEST(what_yields_goes_on_in_the_next_round),
		TEST(who_ends_gets_its_answers),
		TEST(half_a_line_at_the_end_is_a_fault),
		TEST(or_it_is_taken),
		TEST(one_that_stays_outlives_the_end),
		TEST(it_ends_after_all_is_sent_or_at_once),
		TEST(it_closes_in_the_midst_of_its_lines),
		TEST(who_hangs_up_is_closed),
		TEST(a_line_byte_by_byte_is_as_late_as_its_first),
		TEST(who_does_not_read_is_closed),
		TEST(who_says_nothing_is_closed_if_there_is_a_limit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
