/* SPDX-License-Identifier: MIT */
/* Datagrams over the loopback: what comes, what is cut, what is dropped. */
#include "kit/net/datagrams.h"

#include <errno.h>
#include <netinet/in.h>
#include <string.h>
#include <unistd.h>

#include "unit.h"

#define ROOM 8

struct pair {
	int in, out;
	struct mc_datagrams *datagrams;
};

static struct pair open_pair(void)
{
	struct sockaddr_in address = {
		.sin_family = AF_INET,
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};
	socklen_t size = sizeof(address);
	struct pair pair = { socket(AF_INET, SOCK_DGRAM, 0), socket(AF_INET, SOCK_DGRAM, 0),
			     mc_datagrams_new(ROOM) };

	assert_int_equal(bind(pair.in, (void *)&address, size), 0);
	assert_int_equal(getsockname(pair.in, (void *)&address, &size), 0);
	assert_int_equal(connect(pair.out, (void *)&address, size), 0);
	return pair;
}

static void close_pair(struct pair *pair)
{
	close(pair->in);
	close(pair->out);
	mc_datagrams_free(pair->datagrams);
}

static void send_text(const struct pair *pair, const char *text)
{
	assert_int_equal(send(pair->out, text, strlen(text), 0), strlen(text));
}

static void all_that_waits_comes_at_once(void **state)
{
	struct pair pair = open_pair();
	struct sockaddr_in from;
	socklen_t size = sizeof(from);
	struct mc_datagram datagram;

	(void)state;
	assert_int_equal(mc_datagrams_receive(pair.datagrams, pair.in), -EAGAIN);
	send_text(&pair, "one");
	send_text(&pair, "");
	send_text(&pair, "too long for it");
	assert_true(mc_datagrams_waiting(pair.in) > 0);
	assert_int_equal(mc_datagrams_receive(pair.datagrams, pair.in), 3);
	datagram = mc_datagrams_get(pair.datagrams, 0);
	assert_int_equal(datagram.size, 3);
	assert_memory_equal(datagram.bytes, "one", 3);
	assert_false(datagram.cut);
	assert_int_equal(getsockname(pair.out, (void *)&from, &size), 0);
	assert_int_equal(((const struct sockaddr_in *)datagram.sender)->sin_port, from.sin_port);
	assert_int_equal(mc_datagrams_get(pair.datagrams, 1).size, 0);
	datagram = mc_datagrams_get(pair.datagrams, 2);
	assert_int_equal(datagram.size, ROOM);
	assert_true(datagram.cut);
	((char *)datagram.bytes)[ROOM] = '\0'; /* There is room. */
	assert_string_equal(datagram.bytes, "too long");
	assert_int_equal(mc_datagrams_waiting(pair.in), 0);
	close_pair(&pair);
}

static void rounds_are_limited(void **state)
{
	struct pair pair = open_pair();

	(void)state;
	for (int i = 0; i < MC_DATAGRAMS_MAX + 1; i++)
		send_text(&pair, "x");
	assert_int_equal(mc_datagrams_receive(pair.datagrams, pair.in), MC_DATAGRAMS_MAX);
	assert_int_equal(mc_datagrams_receive(pair.datagrams, pair.in), 1);
	close_pair(&pair);
}

static void what_is_too_much_is_counted(void **state)
{
	struct pair pair = open_pair();
	unsigned sent = 10000, got = 0;
	int n;

	(void)state;
	assert_true(mc_datagrams_set_buffer(pair.in, 4096) >= 2048);
	assert_int_equal(mc_datagrams_dropped(pair.in), 0);
	for (unsigned i = 0; i < sent; i++)
		send_text(&pair, "x");
	while ((n = mc_datagrams_receive(pair.datagrams, pair.in)) > 0)
		got += (unsigned)n;
	assert_in_range(got, 1, sent - 1);
	assert_int_equal(got + mc_datagrams_dropped(pair.in), sent);
	close_pair(&pair);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_that_waits_comes_at_once),
		cmocka_unit_test(rounds_are_limited),
		cmocka_unit_test(what_is_too_much_is_counted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
