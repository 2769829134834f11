/* SPDX-License-Identifier: MIT */
/* A node of write_graphite against peers on the loopback that read nothing, break the connection,
 * or are there again: each line counts once, as sent or dropped.  And against a kernel without
 * memory, and a resolver that takes its time. */
#include "node.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "unit.h"

#define LINES 40000
#define LINE_SIZE 64

/* --- The core, as far as it is needed --------------------------------- */

void mc_log(struct mc_ctx *ctx, enum mc_level level, const char *fmt, ...)
{
	(void)ctx;
	(void)level;
	(void)fmt;
}

void mc_count_failure(struct mc_ctx *ctx)
{
	(void)ctx;
}

mc_time mc_now(void)
{
	return MC_SECOND;
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

int __real_gai_error(struct gaicb *request);
int __wrap_gai_error(struct gaicb *request);
int __wrap_gai_error(struct gaicb *request)
{
	int rc;

	if (waits > 0) {
		waits--;
		return EAI_INPROGRESS;
	}
	while ((rc = __real_gai_error(request)) == EAI_INPROGRESS) {
		const struct gaicb *const list[] = { request };

		gai_suspend(list, 1, NULL);
	}
	return rc;
}

/* --- A node and its peer ---------------------------------------------- */

struct rig {
	struct node node;
	struct node_options options;
	char port[8];
	int listener, peer;
	mc_time now;
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
	*rig = (struct rig){ .peer = -1, .now = 100 * MC_SECOND };
	listen_here(rig);
	rig->options = (struct node_options){ .host = "127.0.0.1", .port = rig->port };
	node_init(&rig->node, NULL, &rig->options, limit);
}

static void stop(struct rig *rig)
{
	node_done(&rig->node);
	if (rig->peer >= 0)
		close(rig->peer);
	close(rig->listener);
}

static void add_lines(struct rig *rig, unsigned from, unsigned to)
{
	struct mc_buffer *out = &rig->node.out;

	for (; from < to; from++) {
		node_reserve(&rig->node, LINE_SIZE);
		out->size += (size_t)snprintf(out->at + out->size, LINE_SIZE, "%056u\n", from);
	}
}

/* Connects, and sends what the kernel takes. */
static void push(struct rig *rig)
{
	for (int i = 0; i < 100; i++)
		node_push(&rig->node, rig->now);
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

	for (int i = 0; i < 1000000 && rig->node.out.size > 0; i++) {
		ssize_t size = recv(rig->peer, bytes, sizeof(bytes), MSG_DONTWAIT);

		for (ssize_t j = 0; j < size; j++)
			rig->received += bytes[j] == '\n';
		node_push(&rig->node, rig->now);
	}
	assert_int_equal(rig->node.out.size, 0);
}

static void test_sent_again(void **state)
{
	struct rig rig;

	(void)state;
	start(&rig, SIZE_MAX);
	add_lines(&rig, 0, LINES);
	push(&rig);
	rig.peer = accept(rig.listener, NULL, NULL);
	push(&rig);
	assert_true(rig.node.out.size > 0); /* Not acknowledged. */
	break_off(&rig);
	push(&rig);
	rig.now += 60 * MC_SECOND;
	push(&rig);
	rig.peer = accept(rig.listener, NULL, NULL);
	read_all(&rig);
	assert_int_equal(rig.node.counts.sent, LINES);
	assert_int_equal(rig.node.counts.dropped, 0);
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
	rig.peer = accept(rig.listener, NULL, NULL);
	for (unsigned i = 1; i < LINES / 1000; i++) {
		add_lines(&rig, i * 1000, i * 1000 + 1000);
		push(&rig);
	}
	dropped = rig.node.counts.dropped;
	assert_true(dropped > LINES / 4);
	if (rig.node.fd < 0) { /* In the midst of a line. */
		rig.now += 60 * MC_SECOND;
		push(&rig);
		rig.peer = accept(rig.listener, NULL, NULL);
	}
	read_all(&rig);
	assert_int_equal(rig.node.counts.sent + rig.node.counts.dropped, LINES);
	assert_int_equal(rig.node.counts.dropped, dropped);
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
		assert_false(node_push(&rig.node, rig.now));
		send_error = 0;
		assert_int_equal(node_events(&rig.node).fd, -1);
		assert_true(node_due(&rig.node) > rig.now);
		assert_true(node_due(&rig.node) < rig.now + MC_SECOND);
		assert_int_equal(rig.node.counts.dropped, 0);
		rig.now = node_due(&rig.node);
		assert_true(node_push(&rig.node, rig.now));
		assert_int_equal(rig.node.counts.sent, 1);
		stop(&rig);
	}
}

static void test_name_that_is_not_known_yet(void **state)
{
	struct rig rig;

	(void)state;
#ifdef __SANITIZE_THREAD__
	skip(); /* It does not know threads that glibc makes itself. */
#endif
	start(&rig, SIZE_MAX);
	rig.options.host = "localhost";
	rig.node.speaks = true;
	add_lines(&rig, 0, 1);
	waits = 300;
	for (int i = 0; i < 300; i++) {
		assert_false(node_push(&rig.node, rig.now));
		assert_int_equal(rig.node.fd, -1);
		assert_true(node_is_trying(&rig.node));
		assert_true(node_due(&rig.node) > rig.now);
		assert_true(node_due(&rig.node) < rig.now + MC_SECOND);
		rig.now = node_due(&rig.node);
	}
	assert_non_null(strstr(rig.node.why, "no answer yet"));
	for (int i = 0; i < 20 && rig.node.counts.sent == 0; i++) {
		push(&rig);
		rig.now += 60 * MC_SECOND; /* Of two addresses, one listens. */
	}
	assert_int_equal(rig.node.counts.sent, 1);
	assert_string_equal(rig.node.why, "");
	stop(&rig);
}

/* A wait for a node that has sent all ends when its peer goes before it has acknowledged all. */
static void test_end_is_seen(void **state)
{
	struct pollfd one;
	struct rig rig;

	(void)state;
	start(&rig, SIZE_MAX);
	add_lines(&rig, 0, 1);
	push(&rig);
	rig.peer = accept(rig.listener, NULL, NULL);
	add_lines(&rig, 1, 2000);
	push(&rig);
	assert_int_equal(node_waiting(&rig.node), 0);
	assert_true(rig.node.out.size > 0);
	one = node_events(&rig.node);
	assert_int_equal(poll(&one, 1, 0), 0);
	break_off(&rig);
	assert_int_equal(poll(&one, 1, 10000), 1);
	assert_false(node_push(&rig.node, rig.now));
	assert_true(node_waiting(&rig.node) > 0);
	assert_true(node_due(&rig.node) < rig.now + 60 * MC_SECOND);
	rig.now = node_due(&rig.node);
	push(&rig);
	rig.peer = accept(rig.listener, NULL, NULL);
	read_all(&rig);
	assert_int_equal(rig.node.counts.sent, 2000);
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
	rig.peer = accept(rig.listener, NULL, NULL);
	add_lines(&rig, 1, 2000);
	push(&rig);
	assert_int_equal(node_waiting(&rig.node), 0);
	rig.now += 20 * MC_SECOND;
	push(&rig);
	assert_true(rig.node.counts.sent < 2000);
	break_off(&rig);
	push(&rig);
	rig.now += 60 * MC_SECOND;
	push(&rig);
	rig.peer = accept(rig.listener, NULL, NULL);
	read_all(&rig);
	assert_int_equal(rig.node.counts.sent, 2000);
	rig.now += 20 * MC_SECOND;
	add_lines(&rig, 2000, 2001);
	push(&rig);
	assert_int_equal(rig.node.connected_at, rig.now);
	stop(&rig);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sent_again),
		cmocka_unit_test(test_dropped),
		cmocka_unit_test(test_no_memory_for_datagrams),
		cmocka_unit_test(test_name_that_is_not_known_yet),
		cmocka_unit_test(test_end_is_seen),
		cmocka_unit_test(test_reconnect),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
