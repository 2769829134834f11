/* SPDX-License-Identifier: MIT */
/* A client finds its server, and tries again when that fails. */
#include "loop_fixture.h"

#include <netinet/in.h>
#include <sched.h>
#include <sys/un.h>

#include <collector/kit/listen.h>
#include <collector/kit/stream_client.h>

#include "kit/net/accept.h"

struct lab {
	struct loop_lab base;
	struct mc_stream_room room;
	struct mc_stream_kind kind;
	struct mc_stream_client client;
	int listener, peer;
	char host[64], port[16];
	char taken[200];
	unsigned opened, failures, prepared, closing;
	size_t unsent; /* When it was closing. */
	bool again;    /* failed() opens again. */
};

static struct lab *lab_of(struct mc_stream *stream)
{
	return (struct lab *)((char *)stream - offsetof(struct lab, client.stream));
}

static void take_line(struct mc_stream *stream, char *line, size_t size)
{
	struct lab *lab = lab_of(stream);

	if (strcmp(line, "anew") == 0) {
		mc_stream_client_close(&lab->client);
		mc_stream_client_open(&lab->client);
		return;
	}
	loop_lab_append(lab->taken, sizeof(lab->taken), line, size);
	mc_stream_client_works(&lab->client);
}

static void opened(struct mc_stream *stream)
{
	lab_of(stream)->opened++;
	mc_stream_add_text(stream, "hello\n");
}

/* Its socket is still there. */
static void closing(struct mc_stream *stream)
{
	socklen_t size = sizeof(int);
	int type;

	lab_of(stream)->closing++;
	lab_of(stream)->unsent = mc_stream_unsent(stream);
	assert_int_equal(getsockopt(stream->file.fd, SOL_SOCKET, SO_TYPE, &type, &size), 0);
}

static void failed(struct mc_stream_client *client)
{
	struct lab *lab = lab_of(&client->stream);

	assert_true(lab->closing <= lab->opened);
	lab->failures++;
	if (lab->again)
		mc_stream_client_open(client);
}

static void prepare(struct mc_stream_client *client, int fd)
{
	assert_true(fd >= 0);
	lab_of(&client->stream)->prepared++;
}

static int open_lab(void **state)
{
	struct lab *lab = calloc(1, sizeof(*lab));

	loop_lab_open(&lab->base);
	lab->listener = lab->peer = -1;
	lab->room.loop = &lab->base.loop;
	mc_stream_client_room_init(&lab->room);
	lab->kind = (struct mc_stream_kind){
		.take = mc_stream_take_lines,
		.line = take_line,
		.opened = opened,
		.closing = closing,
		.rest_size_max = 20,
		.pipelines = true,
		.out_size_max = SIZE_MAX,
		.idle_max = 60 * MC_SECOND,
	};
	lab->client.kind = &lab->kind;
	lab->client.room = &lab->room;
	lab->client.host = lab->host;
	lab->client.port = lab->port;
	lab->client.connect_max = 5 * MC_SECOND;
	lab->client.backoff.longest = 30 * MC_SECOND;
	lab->client.failed = failed;
	lab->client.prepare = prepare;
	*state = lab;
	return 0;
}

static int close_lab(void **state)
{
	struct lab *lab = *state;

	mc_stream_client_close(&lab->client);
	assert_int_equal(lab->client.state, MC_STREAM_CLIENT_CLOSED);
	assert_int_equal(lab->closing, lab->opened);
	mc_stream_room_done(&lab->room);
	if (lab->listener >= 0)
		close(lab->listener);
	if (lab->peer >= 0)
		close(lab->peer);
	loop_lab_close(&lab->base);
	free(lab);
	return 0;
}

/* A server at a port of the kernel's choice. */
static void listen_somewhere(struct lab *lab)
{
	const struct mc_listen how = { .type = SOCK_STREAM };
	struct sockaddr_storage at = { 0 };
	socklen_t size = sizeof(at);

	((struct sockaddr_in *)&at)->sin_family = AF_INET;
	lab->listener = mc_listen_at(&at, &how);
	assert_true(lab->listener >= 0);
	getsockname(lab->listener, (struct sockaddr *)&at, &size);
	snprintf(lab->host, sizeof(lab->host), "127.0.0.1");
	snprintf(lab->port, sizeof(lab->port), "%d", ntohs(((struct sockaddr_in *)&at)->sin_port));
}

static void take_in(struct lab *lab)
{
	loop_lab_rounds(&lab->base);
	if (lab->peer >= 0)
		close(lab->peer);
	lab->peer = accept4(lab->listener, NULL, NULL, SOCK_NONBLOCK);
	assert_true(lab->peer >= 0);
	loop_lab_rounds(&lab->base);
}

static const char *hear(struct lab *lab)
{
	static char bytes[100];
	ssize_t size = recv(lab->peer, bytes, sizeof(bytes) - 1, 0);

	bytes[size > 0 ? size : 0] = '\0';
	return bytes;
}

static void it_connects_and_talks(void **state)
{
	struct lab *lab = *state;

	listen_somewhere(lab);
	mc_stream_client_open(&lab->client);
	assert_int_equal(lab->opened, 0);
	take_in(lab);
	assert_int_equal(lab->opened, 1);
	assert_int_equal(lab->prepared, 1);
	assert_int_equal(lab->client.state, MC_STREAM_CLIENT_OPEN);
	assert_string_equal(hear(lab), "hello\n");
	assert_int_equal(send(lab->peer, "hi\n", 3, 0), 3);
	loop_lab_rounds(&lab->base);
	assert_string_equal(lab->taken, "hi");
	mc_stream_add_text(&lab->client.stream, "more\n");
	mc_stream_go_on(&lab->client.stream);
	assert_string_equal(hear(lab), "more\n");
	mc_stream_client_close(&lab->client);
	assert_int_equal(lab->failures, 0);
}

static void a_name_is_looked_up(void **state)
{
	struct lab *lab = *state;

#ifdef __SANITIZE_THREAD__
	skip(); /* It does not know threads that glibc makes itself. */
#endif
	listen_somewhere(lab);
	snprintf(lab->host, sizeof(lab->host), "localhost");
	mc_stream_client_open(&lab->client);
	/* The resolver has a thread of its own, which the clock does not stop. */
	while (lab->failures == 0 && lab->client.state != MC_STREAM_CLIENT_OPEN) {
		bool looks = lab->client.state == MC_STREAM_CLIENT_LOOKUP;

		lab->client.deadline = INT64_MAX;
		loop_lab_step(&lab->base, looks ? 20 * MC_MILLISECOND : 0);
		sched_yield();
	}
	assert_int_equal(lab->opened, 1);
	assert_int_equal(lab->failures, 0);
}

static void what_refuses_is_tried_again_later(void **state)
{
	struct lab *lab = *state;
	mc_time pause;

	listen_somewhere(lab);
	close(lab->listener);
	lab->listener = -1;
	lab->again = true;
	mc_stream_client_open(&lab->client);
	loop_lab_rounds(&lab->base);
	assert_int_equal(lab->failures, 1);
	assert_string_equal(lab->client.why, "cannot connect: Connection refused");
	assert_string_equal(lab->client.reason, "Connection refused");
	assert_int_equal(lab->client.state, MC_STREAM_CLIENT_PAUSED);
	pause = lab->client.backoff.until - clock_now();
	assert_true(pause <= 500 * MC_MILLISECOND);
	loop_lab_step(&lab->base, pause - 1);
	assert_int_equal(lab->failures, 1);
	loop_lab_step(&lab->base, 1);
	assert_int_equal(lab->failures, 2);
	for (int i = 0; i < 20; i++)
		loop_lab_step(&lab->base, 30 * MC_SECOND);
	assert_int_equal(lab->failures, 22);
}

static void a_server_that_closes_has_failed(void **state)
{
	struct lab *lab = *state;

	listen_somewhere(lab);
	lab->again = true;
	mc_stream_client_open(&lab->client);
	take_in(lab);
	assert_string_equal(hear(lab), "hello\n");
	close(lab->peer);
	lab->peer = -1;
	loop_lab_rounds(&lab->base);
	assert_int_equal(lab->failures, 1);
	assert_string_equal(lab->client.why, "it has closed the connection");
	assert_string_equal(lab->client.reason, "it has closed the connection");
	assert_int_equal(lab->client.backoff.failures, 1);
	loop_lab_step(&lab->base, MC_SECOND);
	take_in(lab);
	assert_int_equal(lab->opened, 2);
	assert_int_equal(send(lab->peer, "x\n", 2, 0), 2);
	loop_lab_rounds(&lab->base);
	assert_int_equal(lab->client.backoff.failures, 0); /* It works. */
	loop_lab_step(&lab->base, 60 * MC_SECOND);
	assert_string_equal(lab->client.why, "it does not answer in time");
	assert_int_equal(lab->failures, 2);
}

static void it_is_opened_again_in_a_callback(void **state)
{
	struct lab *lab = *state;

	listen_somewhere(lab);
	mc_stream_client_open(&lab->client);
	take_in(lab);
	assert_int_equal(send(lab->peer, "anew\nold\n", 9, 0), 9);
	loop_lab_rounds(&lab->base);
	assert_string_equal(lab->taken, "");
	take_in(lab);
	assert_int_equal(lab->opened, 2);
	assert_string_equal(hear(lab), "hello\n");
	assert_int_equal(send(lab->peer, "new\n", 4, 0), 4);
	loop_lab_rounds(&lab->base);
	assert_string_equal(lab->taken, "new");
	assert_int_equal(lab->failures, 0);
}

static void a_line_that_is_too_long_ends_it(void **state)
{
	struct lab *lab = *state;

	listen_somewhere(lab);
	mc_stream_client_open(&lab->client);
	take_in(lab);
	assert_int_equal(send(lab->peer, "abcdefghijklmnopqrstu", 21, 0), 21);
	loop_lab_rounds(&lab->base);
	assert_int_equal(lab->failures, 1);
	assert_string_equal(lab->client.why, "a line is longer than 20 bytes");
}

/* The socket takes the beginning, the rest is kept. */
static void much_is_sent_without_a_copy_first(void **state)
{
	struct lab *lab = *state;
	size_t size = 20 << 20, got = 0;
	char *sent = malloc(size), *heard = malloc(size);
	const struct iovec pieces[] = { { sent, 10 },
					{ sent + 10, size - 20 },
					{ sent + size - 10, 10 } };
	ssize_t one;

	for (size_t i = 0; i < size; i++)
		sent[i] = (char)(i / 251 + i);
	listen_somewhere(lab);
	mc_stream_client_open(&lab->client);
	take_in(lab);
	assert_string_equal(hear(lab), "hello\n");
	mc_stream_send(&lab->client.stream, pieces, 1);
	assert_int_equal(mc_stream_unsent(&lab->client.stream), 0);
	mc_stream_send(&lab->client.stream, pieces + 1, 2);
	assert_in_range(mc_stream_unsent(&lab->client.stream), 1, size - 11);
	mc_stream_go_on(&lab->client.stream);
	for (int i = 0; i < 1000000 && got < size; i++) {
		loop_lab_round(&lab->base);
		one = recv(lab->peer, heard + got, size - got, 0);
		got += one > 0 ? (size_t)one : 0;
	}
	assert_int_equal(got, size);
	assert_memory_equal(heard, sent, size);
	/* The socket is broken. */
	shutdown(lab->client.stream.file.fd, SHUT_WR);
	mc_stream_send(&lab->client.stream, pieces, 1);
	mc_stream_go_on(&lab->client.stream);
	assert_string_equal(lab->client.why, "the connection is broken: Broken pipe");
	assert_int_equal(lab->closing, 1);
	assert_int_equal(lab->unsent, pieces[0].iov_len); /* They can be sent again. */
	free(sent);
	free(heard);
}

/* A backlog that is full: connections hang. */
static void what_does_not_answer_is_given_up(void **state)
{
	struct lab *lab = *state;
	int others[3];
	struct sockaddr_in at = { .sin_family = AF_INET };
	char why[128];

	listen_somewhere(lab);
	listen(lab->listener, 0);
	at.sin_port = htons((uint16_t)strtol(lab->port, NULL, 10));
	at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	for (int i = 0; i < 3; i++) {
		others[i] = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
		connect(others[i], (struct sockaddr *)&at, sizeof(at));
	}
	mc_stream_client_open(&lab->client);
	loop_lab_rounds(&lab->base);
	loop_lab_step(&lab->base, 5 * MC_SECOND - 1);
	assert_int_equal(lab->client.state, MC_STREAM_CLIENT_CONNECTING);
	loop_lab_step(&lab->base, 1);
	assert_int_equal(lab->failures, 1);
	snprintf(why, sizeof(why), "cannot connect: %s", strerror(ETIMEDOUT));
	assert_string_equal(lab->client.why, why);
	assert_int_equal(lab->client.state, MC_STREAM_CLIENT_CLOSED);
	for (int i = 0; i < 3; i++)
		close(others[i]);
}

static void a_path_is_a_unix_socket(void **state)
{
	struct lab *lab = *state;
	struct sockaddr_un at = { .sun_family = AF_UNIX };

	snprintf(lab->host, sizeof(lab->host), "/tmp/test_kit_stream_client.%d", (int)getpid());
	lab->client.port = NULL;
	snprintf(at.sun_path, sizeof(at.sun_path), "%.60s", lab->host);
	lab->listener = socket(AF_UNIX, SOCK_STREAM, 0);
	assert_int_equal(bind(lab->listener, (struct sockaddr *)&at, sizeof(at)), 0);
	listen(lab->listener, 1);
	mc_stream_client_open(&lab->client);
	take_in(lab);
	assert_string_equal(hear(lab), "hello\n");
	unlink(lab->host);
	mc_stream_client_close(&lab->client);
	mc_stream_client_open(&lab->client);
	loop_lab_rounds(&lab->base);
	assert_string_equal(lab->client.why, "cannot connect: No such file or directory");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, open_lab, close_lab)

int main(void)
{
	static const struct CMUnitTest tests[] = {
		TEST(it_connects_and_talks),
		TEST(a_name_is_looked_up),
		TEST(what_refuses_is_tried_again_later),
		TEST(a_server_that_closes_has_failed),
		TEST(it_is_opened_again_in_a_callback),
		TEST(a_line_that_is_too_long_ends_it),
		TEST(what_does_not_answer_is_given_up),
		TEST(much_is_sent_without_a_copy_first),
		TEST(a_path_is_a_unix_socket),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
