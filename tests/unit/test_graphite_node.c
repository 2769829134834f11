/* SPDX-License-Identifier: MIT */
/* A node of write_graphite against peers on the loopback that read nothing, break the connection,
 * or are there again: each line counts once, as sent or dropped.  And against a kernel without
 * memory, and a resolver that takes its time. */
#include "node.h"

#include "loop_fixture.h"

#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>

#include <collector/kit/address.h>
#include <collector/kit/alloc.h>
#include <collector/private/status.h>

#define LINES 40000
#define LINE_SIZE 64

void mc_count_failure(struct mc_ctx *ctx)
{
	(void)ctx;
}

/* --- The kernel, and a resolver ---------------------------------------- */

static int send_error; /* Of each send(); 0: it works. */

ssize_t __real_send(int fd, const void *data, size_t size, int flags);
ssize_t __wrap_send(int fd, const void *data, size_t size, int flags);
ssize_t __wrap_send(int fd, const void *data, size_t size, int flags)
{
	errno = send_error;
	return send_error != 0 ? -1 : __real_send(fd, data, size, flags);
}

static int waits; /* How often the resolver has no answer yet. */

struct mc_lookup_query {
	struct addrinfo *found;
	int rc;
};

int __wrap_mc_lookup_start(struct mc_lookup *, const char *, const char *, int family, int type);
int __wrap_mc_lookup_start(struct mc_lookup *lookup, const char *host, const char *port, int family,
			   int type)
{
	struct addrinfo hints = { .ai_family = family, .ai_socktype = type };

	lookup->query = mc_alloc_zero(sizeof(*lookup->query));
	lookup->query->rc = getaddrinfo(host, port, &hints, &lookup->query->found);
	return 0;
}

void __wrap_mc_lookup_stop(struct mc_lookup *);
void __wrap_mc_lookup_stop(struct mc_lookup *lookup)
{
	if (lookup->query != NULL && lookup->query->found != NULL)
		freeaddrinfo(lookup->query->found);
	free(lookup->query);
	lookup->query = NULL;
}

int __wrap_mc_lookup_all(struct mc_lookup *, struct mc_addresses *);
int __wrap_mc_lookup_all(struct mc_lookup *lookup, struct mc_addresses *list)
{
	int rc = lookup->query->rc;

	if (waits > 0) {
		waits--;
		return EAI_INPROGRESS;
	}
	if (rc == 0)
		mc_address_collect(lookup->query->found, list);
	__wrap_mc_lookup_stop(lookup);
	return rc;
}

/* --- A node and its peer ---------------------------------------------- */

struct rig {
	struct loop_lab lab;
	struct mc_stream_room room;
	struct node node;
	struct node_options options;
	char port[8];
	int listener, peer;
	size_t received; /* Lines. */
};

static void listen_here(struct rig *rig)
{
	struct sockaddr_in here = {
		.sin_family = AF_INET,
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};
	socklen_t size = sizeof(here);
	int small = 4096;

	rig->listener = socket(AF_INET, SOCK_STREAM, 0);
	assert_true(rig->listener >= 0);
	setsockopt(rig->listener, SOL_SOCKET, SO_RCVBUF, &small, sizeof(small));
	assert_return_code(bind(rig->listener, (struct sockaddr *)&here, sizeof(here)), 0);
	assert_return_code(listen(rig->listener, 5), 0);
	getsockname(rig->listener, (struct sockaddr *)&here, &size);
	snprintf(rig->port, sizeof(rig->port), "%u", ntohs(here.sin_port));
}

static void start(struct rig *rig, size_t limit)
{
	*rig = (struct rig){ .peer = -1 };
	loop_lab_open(&rig->lab);
	rig->room.loop = &rig->lab.loop;
	mc_stream_client_room_init(&rig->room);
	listen_here(rig);
	rig->options = (struct node_options){ .host = "127.0.0.1", .port = rig->port };
	node_init(&rig->node, NULL, &rig->options, &rig->room, limit);
}

static void stop(struct rig *rig)
{
	node_done(&rig->node);
	mc_stream_room_done(&rig->room);
	loop_lab_close(&rig->lab);
	if (rig->peer >= 0)
		close(rig->peer);
	close(rig->listener);
}

static void add_lines(struct rig *rig, unsigned from, unsigned to)
{
	struct mc_buffer *lines = &rig->node.backlog.lines;

	for (; from < to; from++) {
		node_reserve(&rig->node, LINE_SIZE);
		lines->size +=
			(size_t)snprintf(lines->at + lines->size, LINE_SIZE, "%056u\n", from);
	}
}

/* Connects, and sends what the kernel takes. */
static void push(struct rig *rig)
{
	for (int i = 0; i < 30; i++) {
		node_push(&rig->node);
		loop_lab_round(&rig->lab);
	}
}

static void step(struct rig *rig, mc_time by)
{
	clock_step(by);
	push(rig);
}

static void accept_peer(struct rig *rig)
{
	rig->peer = accept(rig->listener, NULL, NULL);
	assert_true(rig->peer >= 0);
}

static void break_off(struct rig *rig)
{
	struct linger linger = { .l_onoff = 1, .l_linger = 0 };

	setsockopt(rig->peer, SOL_SOCKET, SO_LINGER, &linger, sizeof(linger));
	close(rig->peer);
	rig->peer = -1;
}

/* Reads until all lines have been taken, and acknowledged. */
static void read_all(struct rig *rig)
{
	char bytes[65536];

	for (int i = 0; i < 1000000 && rig->node.backlog.lines.size > 0; i++) {
		ssize_t size = recv(rig->peer, bytes, sizeof(bytes), MSG_DONTWAIT);

		for (ssize_t j = 0; j < size; j++)
			rig->received += bytes[j] == '\n';
		node_push(&rig->node);
		loop_lab_round(&rig->lab);
	}
	assert_int_equal(rig->node.backlog.lines.size, 0);
}

static void test_sent_again(void **state)
{
	struct rig rig;

	(void)state;
	start(&rig, SIZE_MAX);
	add_lines(&rig, 0, LINES);
	push(&rig);
	accept_peer(&rig);
	push(&rig);
	assert_true(rig.node.backlog.lines.size > 0); /* Not acknowledged. */
	break_off(&rig);
	push(&rig);
	assert_false(rig.node.up);
	step(&rig, 60 * MC_SECOND);
	accept_peer(&rig);
	read_all(&rig);
	assert_int_equal(rig.node.backlog.sent, LINES);
	assert_int_equal(rig.node.backlog.dropped, 0);
	stop(&rig);
}

/* Lines that are with the kernel, and given up, were not sent. */
static void test_dropped(void **state)
{
	struct rig rig;
	uint64_t dropped;

	(void)state;
	start(&rig, (size_t)LINES * 57 / 4);
	add_lines(&rig, 0, 1000);
	push(&rig);
	accept_peer(&rig);
	for (unsigned i = 1; i < LINES / 1000; i++) {
		add_lines(&rig, i * 1000, i * 1000 + 1000);
		push(&rig);
	}
	dropped = rig.node.backlog.dropped;
	assert_true(dropped > LINES / 4);
	read_all(&rig);
	assert_int_equal(rig.node.backlog.sent + rig.node.backlog.dropped, LINES);
	assert_int_equal(rig.node.backlog.dropped, dropped);
	/* Each line that it got was whole. */
	assert_true(rig.received >= LINES - dropped);
	stop(&rig);
}

/* poll(2) says that there is room, and send() does not find any: a node that
 * tried at once again would not come to an end. */
static void test_no_memory_for_datagrams(void **state)
{
	const int errors[] = { ENOBUFS, EAGAIN };
	struct rig rig;

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		start(&rig, SIZE_MAX);
		rig.options.protocol = NODE_UDP;
		add_lines(&rig, 0, 1);
		send_error = errors[i];
		push(&rig);
		send_error = 0;
		assert_int_equal(node_waiting(&rig.node), 57);
		assert_int_equal(rig.node.backlog.dropped, 0);
		assert_int_equal(mc_loop_due(&rig.lab.loop),
				 rig.lab.loop.now + 20 * MC_MILLISECOND);
		loop_lab_step(&rig.lab, 20 * MC_MILLISECOND);
		assert_int_equal(node_waiting(&rig.node), 0);
		assert_int_equal(rig.node.backlog.sent, 1);
		stop(&rig);
	}
}

static void look_up(struct rig *rig, int protocol)
{
	start(rig, SIZE_MAX);
	rig->options.host = rig->node.client.host = rig->node.datagrams.host = "localhost";
	rig->options.protocol = protocol;
	add_lines(rig, 0, 1);
	waits = 300;
	node_push(&rig->node);
	for (int i = 0; i < 300; i++) {
		loop_lab_round(&rig->lab);
		assert_int_equal(node_waiting(&rig->node), 57);
		assert_true(node_is_trying(&rig->node));
		assert_string_equal(rig->node.why, "");
		assert_true(mc_loop_due(&rig->lab.loop) < rig->lab.loop.now + MC_SECOND);
		clock_step(mc_loop_due(&rig->lab.loop) - rig->lab.loop.now);
	}
}

/* A resolver has ten seconds. */
static void test_name_that_is_not_known_yet(void **state)
{
	struct rig rig;

	(void)state;
	for (int protocol = NODE_TCP; protocol <= NODE_UDP; protocol++) {
		look_up(&rig, protocol);
		waits = 0;
		/* Of two addresses, one listens. */
		step(&rig, 20 * MC_MILLISECOND);
		for (int i = 0; i < 20 && rig.node.backlog.sent == 0; i++)
			step(&rig, 60 * MC_SECOND);
		assert_int_equal(rig.node.backlog.sent, 1);
		assert_string_equal(rig.node.why, "");
		stop(&rig);
	}
}

static void test_name_that_is_never_known(void **state)
{
	struct rig rig;

	(void)state;
	for (int protocol = NODE_TCP; protocol <= NODE_UDP; protocol++) {
		look_up(&rig, protocol);
		waits = 1000;
		step(&rig, 5 * MC_SECOND);
		assert_false(node_is_trying(&rig.node));
		assert_non_null(strstr(rig.node.why, "cannot connect to 'localhost' port '"));
		assert_non_null(strstr(rig.node.why, "timed out"));
		waits = 0;
		stop(&rig);
	}
}

/* A round ends when the peer of a node that has sent all goes before it has acknowledged all. */
static void test_end_is_seen(void **state)
{
	struct pollfd one;
	struct rig rig;

	(void)state;
	start(&rig, SIZE_MAX);
	add_lines(&rig, 0, 1);
	push(&rig);
	accept_peer(&rig);
	add_lines(&rig, 1, 2000);
	push(&rig);
	assert_int_equal(node_waiting(&rig.node), 0);
	assert_true(rig.node.backlog.lines.size > 0);
	one = (struct pollfd){ .fd = mc_loop_fd(&rig.lab.loop), .events = POLLIN };
	assert_int_equal(poll(&one, 1, 0), 0);
	break_off(&rig);
	assert_int_equal(poll(&one, 1, 10000), 1);
	loop_lab_round(&rig.lab);
	assert_false(node_push(&rig.node));
	assert_true(node_waiting(&rig.node) > 0);
	assert_true(mc_loop_due(&rig.lab.loop) < rig.lab.loop.now + 60 * MC_SECOND);
	step(&rig, mc_loop_due(&rig.lab.loop) - rig.lab.loop.now);
	accept_peer(&rig);
	read_all(&rig);
	assert_int_equal(rig.node.backlog.sent, 2000);
	stop(&rig);
}

/* ReconnectInterval is over: lines that are not acknowledged keep their
 * connection, which may still break. */
static void test_reconnect(void **state)
{
	struct rig rig;

	(void)state;
	start(&rig, SIZE_MAX);
	rig.options.reconnect_interval = 10 * MC_SECOND;
	add_lines(&rig, 0, 1);
	push(&rig);
	accept_peer(&rig);
	add_lines(&rig, 1, 2000);
	push(&rig);
	assert_int_equal(node_waiting(&rig.node), 0);
	step(&rig, 20 * MC_SECOND);
	assert_true(rig.node.backlog.sent < 2000);
	break_off(&rig);
	push(&rig);
	step(&rig, 60 * MC_SECOND);
	accept_peer(&rig);
	read_all(&rig);
	assert_int_equal(rig.node.backlog.sent, 2000);
	clock_step(20 * MC_SECOND);
	loop_lab_round(&rig.lab);
	add_lines(&rig, 2000, 2001);
	push(&rig);
	assert_int_equal(rig.node.opened_at, rig.lab.loop.now);
	stop(&rig);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sent_again),
		cmocka_unit_test(test_dropped),
		cmocka_unit_test(test_no_memory_for_datagrams),
		cmocka_unit_test(test_name_that_is_not_known_yet),
		cmocka_unit_test(test_name_that_is_never_known),
		cmocka_unit_test(test_end_is_seen),
		cmocka_unit_test(test_reconnect),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
