/* SPDX-License-Identifier: MIT */
/* Who gets in, who makes way, and what is counted. */
#include "loop_fixture.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/resource.h>

#include <collector/kit/stream_server.h>

#include "kit/net/accept.h"

#define PEERS_MAX 20

enum { NOTHING, LONG, FULL, FORBIDDEN, SPENT, WRONG, REASONS };

struct client {
	struct mc_stream_served base;
	unsigned lines;
};

struct lab {
	struct loop_lab base;
	struct mc_stream_kind kind;
	struct mc_stream_server server;
	struct mc_stream_listener listener;
	struct mc_refusals refusals;
	struct sockaddr_in at;
	int fd;
	int peers[PEERS_MAX];
	unsigned closed;
	bool admits, begins;
};

/* Nothing is reported here. */
struct mc_series *mc_series(struct mc_batch *batch, struct mc_id id)
{
	(void)batch, (void)id;
	return NULL;
}

void mc_derive(struct mc_batch *batch, struct mc_series *series, int64_t total)
{
	(void)batch, (void)series, (void)total;
}

static const struct mc_refusal reasons[] = {
	[LONG] = { "line", "its line is too long" }, [FULL] = { "clients", "there are too many" },
	[FORBIDDEN] = { "address", "it may not" },   [SPENT] = { "tls", "it begins too many" },
	[WRONG] = { "wrong", "it is wrong" },
};

static struct lab *lab_of(struct mc_stream *stream)
{
	return ((struct mc_stream_served *)stream)->listener->argument;
}

static void take_line(struct mc_stream *stream, char *line, size_t size)
{
	struct client *client = (struct client *)stream;

	(void)size;
	client->lines++;
	if (strcmp(line, "wrong") == 0)
		mc_stream_server_refuse(&client->base, WRONG, "a line", line);
	else if (strcmp(line, "hold") == 0)
		mc_stream_hold(stream);
	else
		mc_stream_add_text(stream, "yes\n");
}

static bool on_closed(struct mc_stream *stream)
{
	lab_of(stream)->closed++;
	return true;
}

static bool admit(struct mc_stream_server *server, const struct sockaddr_storage *address)
{
	struct lab *lab = (struct lab *)((char *)server - offsetof(struct lab, server));

	(void)address;
	return lab->admits;
}

static bool begin(struct mc_stream_served *client)
{
	return ((struct lab *)client->listener->argument)->begins;
}

static void listen_somewhere(struct lab *lab)
{
	const struct mc_listen how = { .type = SOCK_STREAM };
	struct sockaddr_storage any = { 0 };
	socklen_t size = sizeof(lab->at);

	((struct sockaddr_in *)&any)->sin_family = AF_INET;
	lab->fd = mc_listen_at(&any, &how);
	assert_true(lab->fd >= 0);
	assert_int_equal(getsockname(lab->fd, (struct sockaddr *)&lab->at, &size), 0);
	assert_int_equal(mc_stream_server_listen(&lab->server, &lab->listener, lab->fd), 0);
}

static int open_lab(void **state)
{
	struct lab *lab = calloc(1, sizeof(*lab));

	loop_lab_open(&lab->base);
	lab->admits = lab->begins = true;
	lab->kind = (struct mc_stream_kind){
		.take = mc_stream_take_lines,
		.line = take_line,
		.closed = on_closed,
		.rest_size_max = 20,
		.farewells = { [MC_STREAM_FULL] = "full\n", [MC_STREAM_EVICTED] = "idle\n" },
		.reasons = { [MC_STREAM_LONG] = LONG,
			     [MC_STREAM_FULL] = FULL,
			     [MC_STREAM_EVICTED] = FULL,
			     [MC_STREAM_SPENT] = SPENT,
			     [MC_STREAM_FORBIDDEN] = FORBIDDEN },
	};
	lab->refusals.reasons = reasons;
	lab->refusals.len = REASONS;
	lab->server.room.loop = &lab->base.loop;
	lab->server.client_size = sizeof(struct client);
	lab->server.clients_max = 3;
	lab->server.idle_min = 10 * MC_SECOND;
	lab->server.refusals = &lab->refusals;
	lab->server.admit = admit;
	lab->server.begin = begin;
	lab->listener.kind = &lab->kind;
	lab->listener.argument = lab;
	for (int i = 0; i < PEERS_MAX; i++)
		lab->peers[i] = -1;
	mc_stream_server_init(&lab->server);
	listen_somewhere(lab);
	*state = lab;
	return 0;
}

/* Each address has two. */
static void allow_two(struct lab *lab)
{
	mc_stream_server_done(&lab->server);
	lab->server.address_max = 2;
	mc_stream_server_init(&lab->server);
}

static int close_lab(void **state)
{
	struct lab *lab = *state;

	mc_stream_server_close_clients(&lab->server);
	assert_int_equal(lab->server.len, 0);
	assert_null(lab->server.first);
	mc_stream_server_done(&lab->server);
	for (int i = 0; i < PEERS_MAX; i++)
		if (lab->peers[i] >= 0)
			close(lab->peers[i]);
	close(lab->fd);
	loop_lab_close(&lab->base);
	free(lab);
	return 0;
}

/* Client 'i' connects from 127.0.0.'host'. */
static void dial(struct lab *lab, int i, unsigned host)
{
	struct sockaddr_in from = { .sin_family = AF_INET };
	struct sockaddr_in to = lab->at;

	from.sin_addr.s_addr = htonl(INADDR_LOOPBACK - 1 + host);
	to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	lab->peers[i] = socket(AF_INET, SOCK_STREAM, 0);
	assert_int_equal(bind(lab->peers[i], (struct sockaddr *)&from, sizeof(from)), 0);
	assert_int_equal(connect(lab->peers[i], (struct sockaddr *)&to, sizeof(to)), 0);
}

static void connect_from(struct lab *lab, int i, unsigned host)
{
	dial(lab, i, host);
	loop_lab_rounds(&lab->base);
}

static void say(struct lab *lab, int i, const char *text)
{
	assert_int_equal(send(lab->peers[i], text, strlen(text), MSG_NOSIGNAL), strlen(text));
	loop_lab_rounds(&lab->base);
}

static const char *hear(struct lab *lab, int i)
{
	static char bytes[100];
	ssize_t size = recv(lab->peers[i], bytes, sizeof(bytes) - 1, MSG_DONTWAIT);

	bytes[size > 0 ? size : 0] = '\0';
	return size == 0 ? "END" : bytes;
}

static uint64_t count(const struct lab *lab, unsigned reason)
{
	return lab->refusals.counts[reason];
}

/* --- Serving -------------------------------------------------------------- */

static void many_are_served_side_by_side(void **state)
{
	struct lab *lab = *state;

	for (int i = 0; i < 3; i++)
		connect_from(lab, i, 1);
	assert_int_equal(lab->server.len, 3);
	say(lab, 0, "half"); /* Keeps nobody waiting. */
	say(lab, 1, "a\nb\n");
	say(lab, 2, "a\n");
	assert_string_equal(hear(lab, 0), "");
	assert_string_equal(hear(lab, 1), "yes\nyes\n");
	assert_string_equal(hear(lab, 2), "yes\n");
	close(lab->peers[1]);
	lab->peers[1] = -1;
	loop_lab_rounds(&lab->base);
	assert_int_equal(lab->server.len, 2);
	assert_int_equal(lab->closed, 1);
	assert_string_equal(loop_log, "");
}

static void a_refusal_is_counted_and_logged_once(void **state)
{
	struct lab *lab = *state;

	connect_from(lab, 0, 2);
	connect_from(lab, 1, 2);
	say(lab, 0, "012345678901234567890");
	say(lab, 1, "wrong\nwrong\n012345678901234567890");
	assert_int_equal(count(lab, LONG), 2);
	assert_int_equal(count(lab, WRONG), 2);
	assert_int_equal(lab->closed, 2);
	assert_non_null(strstr(loop_log, "refuses a connection of 127.0.0.2:"));
	assert_non_null(strstr(loop_log, ": its line is too long (1 so far)\n"
					 "refuses a line 'wrong' of 127.0.0.2:"));
	assert_null(strstr(loop_log, "2 so far"));
}

/* --- Who gets in ---------------------------------------------------------- */

static void who_may_not_connect_is_closed(void **state)
{
	struct lab *lab = *state;

	lab->admits = false;
	connect_from(lab, 0, 1);
	assert_string_equal(hear(lab, 0), "END");
	assert_int_equal(count(lab, FORBIDDEN), 1);
	assert_int_equal(lab->closed, 0);
	lab->admits = true;
	lab->begins = false;
	connect_from(lab, 1, 1);
	assert_string_equal(hear(lab, 1), "END");
	assert_int_equal(lab->server.len, 0);
}

static void nobody_makes_way_who_was_active_just_now(void **state)
{
	struct lab *lab = *state;

	for (int i = 0; i < 4; i++)
		connect_from(lab, i, 1);
	assert_string_equal(hear(lab, 3), "full\n");
	assert_string_equal(hear(lab, 3), "END");
	assert_int_equal(lab->server.len, 3);
	assert_int_equal(count(lab, FULL), 1);
}

static void who_was_idle_longest_makes_way(void **state)
{
	struct lab *lab = *state;

	for (int i = 0; i < 3; i++)
		connect_from(lab, i, 1);
	loop_lab_step(&lab->base, 10 * MC_SECOND);
	say(lab, 0, "a\n"); /* Then the second is the oldest, ... */
	assert_int_equal(send(lab->peers[1], "a\n", 2, 0), 2); /* but has just spoken. */
	connect_from(lab, 3, 1);
	assert_int_equal(lab->server.len, 3);
	assert_string_equal(hear(lab, 0), "yes\n");
	assert_string_equal(hear(lab, 0), "");
	assert_string_equal(hear(lab, 1), "yes\n");
	assert_string_equal(hear(lab, 2), "idle\n");
	assert_string_equal(hear(lab, 2), "END");
	say(lab, 3, "a\n");
	assert_string_equal(hear(lab, 3), "yes\n");
	assert_non_null(strstr(loop_log, "a connection 'it was idle' of 127.0.0.1:"));
}

static void who_is_at_work_stays(void **state)
{
	struct lab *lab = *state;

	for (int i = 0; i < 3; i++) {
		connect_from(lab, i, 1);
		say(lab, i, "hold\n");
	}
	loop_lab_step(&lab->base, 3600 * MC_SECOND);
	connect_from(lab, 3, 1);
	assert_string_equal(hear(lab, 3), "full\n");
	assert_int_equal(lab->server.len, 3);
}

static void an_address_has_so_many(void **state)
{
	struct lab *lab = *state;

	allow_two(lab);
	for (int i = 0; i < 3; i++)
		connect_from(lab, i, 1);
	assert_string_equal(hear(lab, 2), "full\n");
	connect_from(lab, 3, 2);
	assert_int_equal(lab->server.len, 3);
	close(lab->peers[0]);
	lab->peers[0] = -1;
	loop_lab_rounds(&lab->base);
	connect_from(lab, 4, 1);
	assert_int_equal(lab->server.len, 3);
	assert_string_equal(hear(lab, 4), "");
}

static void no_address_keeps_another_out(void **state)
{
	struct lab *lab = *state;

	for (int i = 0; i < 3; i++)
		connect_from(lab, i, 1);
	connect_from(lab, 3, 2);
	assert_string_equal(hear(lab, 0), "idle\n");
	assert_int_equal(lab->server.len, 3);
	connect_from(lab, 4, 3); /* Of two of 127.0.0.1 the older. */
	assert_string_equal(hear(lab, 1), "idle\n");
	connect_from(lab, 5, 4); /* Now each has but one. */
	assert_string_equal(hear(lab, 5), "full\n");
	connect_from(lab, 6, 2); /* Not the first of its address. */
	assert_string_equal(hear(lab, 6), "full\n");
}

/* However long the others have been idle. */
static void one_that_has_brought_nothing_goes_first(void **state)
{
	struct lab *lab = *state;

	for (int i = 0; i < 2; i++) {
		connect_from(lab, i, 1);
		say(lab, i, "a\n");
	}
	loop_lab_step(&lab->base, 3600 * MC_SECOND);
	connect_from(lab, 2, 1);
	say(lab, 2, "half"); /* Is nothing. */
	loop_lab_step(&lab->base, 10 * MC_SECOND);
	connect_from(lab, 3, 1);
	assert_string_equal(hear(lab, 2), "idle\n");
	say(lab, 3, "a\n");
	loop_lab_step(&lab->base, 10 * MC_SECOND);
	connect_from(lab, 4, 1);
	assert_string_equal(hear(lab, 0), "yes\nidle\n");
}

/* An address begins as many as it may have connections, and more when it brings something. */
static void handshakes_have_a_limit(void **state)
{
	struct lab *lab = *state;

	allow_two(lab);
	lab->listener.tls = true;
	for (int i = 0; i < 5; i++) {
		connect_from(lab, i, 1);
		say(lab, i, i < 2 ? "a\n" : "half");
		close(lab->peers[i]);
		lab->peers[i] = -1;
		loop_lab_rounds(&lab->base);
		assert_int_equal(count(lab, SPENT), i < 4 ? 0 : 1);
	}
	connect_from(lab, 5, 2);
	assert_string_equal(hear(lab, 5), "");
	loop_lab_step(&lab->base, 4 * MC_SECOND); /* A half. */
	connect_from(lab, 6, 1);
	assert_string_equal(hear(lab, 6), "");
	assert_int_equal(count(lab, SPENT), 1);
}

/* --- Descriptors ---------------------------------------------------------- */

static void who_waits_for_a_descriptor_gets_in_later(void **state)
{
	struct lab *lab = *state;
	struct rlimit limit, few;

	getrlimit(RLIMIT_NOFILE, &limit);
	few = limit;
	few.rlim_cur = 12; /* Half of them are the reserve. */
	dial(lab, 0, 1);
	setrlimit(RLIMIT_NOFILE, &few);
	loop_lab_rounds(&lab->base);
	assert_int_equal(lab->server.len, 0);
	assert_non_null(strstr(loop_log, "cannot accept a client"));
	setrlimit(RLIMIT_NOFILE, &limit);
	loop_lab_rounds(&lab->base);
	assert_int_equal(lab->server.len, 0); /* It pauses. */
	loop_lab_step(&lab->base, MC_ACCEPT_PAUSE);
	assert_int_equal(lab->server.len, 1);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, open_lab, close_lab)

int main(void)
{
	static const struct CMUnitTest tests[] = {
		TEST(many_are_served_side_by_side),
		TEST(a_refusal_is_counted_and_logged_once),
		TEST(who_may_not_connect_is_closed),
		TEST(nobody_makes_way_who_was_active_just_now),
		TEST(who_was_idle_longest_makes_way),
		TEST(who_is_at_work_stays),
		TEST(an_address_has_so_many),
		TEST(no_address_keeps_another_out),
		TEST(one_that_has_brought_nothing_goes_first),
		TEST(handshakes_have_a_limit),
		TEST(who_waits_for_a_descriptor_gets_in_later),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
