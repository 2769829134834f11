/* SPDX-License-Identifier: MIT */
/* A stream with TLS: from its start or in the middle of a conversation, with a peer
 * that is slow, talks nonsense, or is cut off. */
#include "loop_fixture.h"
#include "tls_fixture.h"

#include <collector/kit/stream.h>

#include "kit/net/stream/stream_internal.h"

struct end { /* One of the two ends; both are streams. */
	struct mc_stream stream;
	char taken[200], faults[60];
	unsigned opened, closed;
};

struct lab {
	struct loop_lab base;
	struct mc_stream_room room;
	struct mc_stream_kind kind;
	struct mc_tls *server, *client;
	struct end ends[2]; /* The server is the first. */
	int raw;            /* In the place of the client; -1: none. */
};

static struct lab *lab; /* For begin_tls() in a callback. */

static void begin_tls(struct end *end)
{
	const bool as_server = end == &lab->ends[0];
	const struct mc_tls_start how = {
		.tls = as_server ? lab->server : lab->client,
		.as_server = as_server,
	};

	assert_int_equal(mc_tls_stream_begin(&end->stream, &how), 0);
}

static void take_line(struct mc_stream *stream, char *line, size_t size)
{
	struct end *end = (struct end *)stream;

	loop_lab_append(end->taken, sizeof(end->taken), line, size);
	loop_lab_append(end->taken, sizeof(end->taken), "|", 1);
	if (strcmp(line, "ask") == 0)
		mc_stream_add_text(stream, "answer\n");
	if (strcmp(line, "starttls") == 0)
		mc_stream_add_text(stream, "go\n");
	if (strcmp(line, "starttls") == 0 || strcmp(line, "go") == 0)
		begin_tls(end);
}

static void on_opened(struct mc_stream *stream)
{
	((struct end *)stream)->opened++;
}

static bool on_closed(struct mc_stream *stream)
{
	((struct end *)stream)->closed++;
	return true;
}

static void on_fault(struct mc_stream *stream, enum mc_stream_fault fault, const char *why)
{
	struct end *end = (struct end *)stream;
	char text[20];
	int size = snprintf(text, sizeof(text), "%d%s ", (int)fault, why != NULL ? "?" : "");

	loop_lab_append(end->faults, sizeof(end->faults), text, (size_t)size);
}

static const struct mc_stream_calls calls = { .fault = on_fault };

static int open_lab(void **state)
{
	const struct mc_tls_files nothing = { .tls13 = true };
	char why[MC_TLS_WHY];

	(void)state;
	lab = calloc(1, sizeof(*lab));
	loop_lab_open(&lab->base);
	lab->raw = -1;
	lab->room = (struct mc_stream_room){ .loop = &lab->base.loop, .calls = &calls };
	mc_stream_room_init(&lab->room);
	lab->kind = (struct mc_stream_kind){
		.take = mc_stream_take_lines,
		.line = take_line,
		.opened = on_opened,
		.closed = on_closed,
		.rest_size_max = 100000,
		.out_size_max = 100000,
		.pipelines = true,
		.handshake_max = 10 * MC_SECOND,
	};
	lab->server = tls_make_server();
	assert_true(mc_tls_new(&nothing, &lab->client, why));
	return 0;
}

static int close_lab(void **state)
{
	(void)state;
	for (int i = 0; i < 2; i++)
		if (lab->ends[i].stream.room != NULL && lab->ends[i].closed == 0)
			mc_stream_close(&lab->ends[i].stream);
	assert_int_equal(lab->room.kept, 0);
	assert_int_equal(lab->room.unsent, 0);
	if (lab->raw >= 0)
		close(lab->raw);
	mc_stream_room_done(&lab->room);
	mc_tls_free(lab->server);
	mc_tls_free(lab->client);
	loop_lab_close(&lab->base);
	free(lab);
	return 0;
}

/* Opens both ends, or the server and a socket. */
static void open_ends(bool with_client, bool with_tls)
{
	int pair[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, pair), 0);
	for (int i = 0; i < (with_client ? 2 : 1); i++) {
		mc_stream_init(&lab->ends[i].stream, &lab->kind, &lab->room, pair[i]);
		if (with_tls)
			begin_tls(&lab->ends[i]);
		mc_stream_open(&lab->ends[i].stream);
	}
	if (!with_client)
		lab->raw = pair[1];
	loop_lab_rounds(&lab->base);
}

static void say(struct end *end, const char *text)
{
	mc_stream_add_text(&end->stream, text);
	mc_stream_go_on(&end->stream);
	loop_lab_rounds(&lab->base);
}

static void lines_come_by_tls(void **state)
{
	(void)state;
	open_ends(true, true);
	assert_int_equal(lab->ends[0].opened, 1);
	assert_int_equal(lab->ends[1].opened, 1);
	say(&lab->ends[1], "as");
	say(&lab->ends[1], "k\n");
	assert_string_equal(lab->ends[0].taken, "ask|");
	assert_string_equal(lab->ends[1].taken, "answer|");
	mc_stream_close(&lab->ends[1].stream);
	loop_lab_rounds(&lab->base);
	assert_int_equal(lab->ends[0].closed, 1);
	assert_string_equal(lab->ends[0].faults, "");
}

/* The end of one record and the next may lie in GnuTLS, not in the socket. */
static void more_than_a_record_comes_whole(void **state)
{
	static char line[50002];

	(void)state;
	memset(line, 'x', sizeof(line) - 2);
	line[sizeof(line) - 2] = '\n';
	open_ends(true, true);
	mc_stream_add(&lab->ends[1].stream, line, sizeof(line) - 1);
	say(&lab->ends[1], "ask\n");
	for (int i = 0; i < 100 && lab->ends[1].taken[0] == '\0'; i++)
		loop_lab_round(&lab->base);
	assert_string_equal(lab->ends[1].taken, "answer|");
}

static void tls_begins_in_the_middle(void **state)
{
	(void)state;
	open_ends(true, false);
	assert_int_equal(lab->ends[0].opened, 1);
	say(&lab->ends[1], "starttls\n");
	assert_string_equal(lab->ends[1].taken, "go|");
	assert_non_null(lab->ends[0].stream.layer);
	say(&lab->ends[1], "ask\n");
	assert_string_equal(lab->ends[0].taken, "starttls|ask|");
	assert_string_equal(lab->ends[1].taken, "go|answer|");
	assert_int_equal(lab->ends[0].opened, 1); /* No second greeting. */
}

/* A client that does not wait for the answer: its hello comes with the line. */
static void a_hello_may_come_with_starttls(void **state)
{
	char hello[2000] = "starttls\n", go[3];
	ssize_t size;

	(void)state;
	open_ends(false, false);
	mc_stream_init(&lab->ends[1].stream, &lab->kind, &lab->room, dup(lab->raw));
	begin_tls(&lab->ends[1]);
	mc_stream_open(&lab->ends[1].stream);
	/* It is on its way to the server: taken back, to go in one piece. */
	size = recv(lab->ends[0].stream.file.fd, hello + 9, sizeof(hello) - 9, 0);
	assert_true(size > 0);
	assert_int_equal(send(lab->raw, hello, (size_t)size + 9, 0), size + 9);
	loop_lab_round(&lab->base);
	assert_int_equal(recv(lab->raw, go, sizeof(go), 0), 3);
	loop_lab_rounds(&lab->base);
	assert_int_equal(lab->ends[1].opened, 1);
	say(&lab->ends[1], "ask\n");
	assert_string_equal(lab->ends[1].taken, "answer|");
}

/* Plain text after "starttls" is for TLS: nobody on the way can add a line. */
static void lines_after_starttls_are_not_taken(void **state)
{
	(void)state;
	open_ends(false, false);
	assert_int_equal(send(lab->raw, "starttls\nask\n", 13, 0), 13);
	loop_lab_rounds(&lab->base);
	assert_string_equal(lab->ends[0].taken, "starttls|");
	assert_int_equal(send(lab->raw, "no TLS at all\n", 14, 0), 14);
	loop_lab_rounds(&lab->base);
	assert_string_equal(lab->ends[0].taken, "starttls|");
	assert_string_equal(lab->ends[0].faults, "7? ");
	assert_int_equal(lab->ends[0].closed, 1);
}

static void a_handshake_has_ten_seconds(void **state)
{
	(void)state;
	open_ends(false, true);
	loop_lab_step(&lab->base, 6 * MC_SECOND);
	assert_int_equal(send(lab->raw, "\x16\x03\x01", 3, 0), 3); /* Half a hello. */
	loop_lab_step(&lab->base, 4 * MC_SECOND - 1);
	assert_int_equal(lab->ends[0].closed, 0);
	loop_lab_step(&lab->base, 1);
	assert_int_equal(lab->ends[0].closed, 1);
	assert_string_equal(lab->ends[0].faults, "8 ");
}

/* Of a handshake no more than 64 KiB are kept. */
static void an_endless_handshake_ends(void **state)
{
	static char bytes[16384 + 5];
	const char head[] = { 22, 3, 1, 64, 0 };

	(void)state;
	memcpy(bytes, head, sizeof(head));
	/* The first record says that its message has 16 MiB. */
	memcpy(bytes + sizeof(head), "\x01\xff\xff\xff", 4);
	open_ends(false, true);
	for (int i = 0; i < 20 && lab->ends[0].closed == 0; i++) {
		send(lab->raw, bytes, sizeof(bytes), MSG_NOSIGNAL);
		loop_lab_rounds(&lab->base);
	}
	assert_int_equal(lab->ends[0].closed, 1);
	assert_string_equal(lab->ends[0].faults, "7? ");
}

/* Somebody on the way may have cut it. */
static void an_end_without_that_of_tls_is_a_cut(void **state)
{
	(void)state;
	open_ends(true, true);
	say(&lab->ends[1], "ask\nhal");
	shutdown(lab->ends[1].stream.file.fd, SHUT_WR);
	loop_lab_rounds(&lab->base);
	assert_string_equal(lab->ends[0].taken, "ask|");
	assert_string_equal(lab->ends[0].faults, "1 2? ");
	assert_int_equal(lab->ends[0].closed, 1);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, open_lab, close_lab)

int main(void)
{
	static const struct CMUnitTest tests[] = {
		TEST(lines_come_by_tls),
		TEST(more_than_a_record_comes_whole),
		TEST(tls_begins_in_the_middle),
		TEST(a_hello_may_come_with_starttls),
		TEST(lines_after_starttls_are_not_taken),
		TEST(a_handshake_has_ten_seconds),
		TEST(an_endless_handshake_ends),
		TEST(an_end_without_that_of_tls_is_a_cut),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
