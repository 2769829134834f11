/* SPDX-License-Identifier: MIT */
/* A node of write_graphite against peers on the loopback that read nothing,
 * break the connection, or are there again: each line counts once, as sent or
 * dropped. */
#include "node.h"

#include <arpa/inet.h>
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

mc_time mc_now(void)
{
	return MC_SECOND;
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
	assert_return_code(
		bind(rig->listener, (struct sockaddr *)&here, sizeof(here)), 0);
	assert_return_code(listen(rig->listener, 5), 0);
	getsockname(rig->listener, (struct sockaddr *)&here, &size);
	snprintf(rig->port, sizeof(rig->port), "%u", ntohs(here.sin_port));
}

static void start(struct rig *rig, size_t limit)
{
	*rig = (struct rig){ .peer = -1, .now = 100 * MC_SECOND };
	listen_here(rig);
	rig->options =
		(struct node_options){ .host = "127.0.0.1", .port = rig->port };
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
		out->size += (size_t)snprintf(out->at + out->size, LINE_SIZE,
					      "%056u\n", from);
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
		ssize_t size =
			recv(rig->peer, bytes, sizeof(bytes), MSG_DONTWAIT);

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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sent_again),
		cmocka_unit_test(test_dropped),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
