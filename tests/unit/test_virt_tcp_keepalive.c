/* SPDX-License-Identifier: MIT */
/* The kernel asks whether the other end of a connection is there. */
#include "tcp_keepalive.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

static void ports(void **state)
{
	(void)state;
	assert_int_equal(tcp_keepalive_port("qemu+tcp://host/system"), 16509);
	assert_int_equal(tcp_keepalive_port("qemu+tls://host/system"), 16514);
	assert_int_equal(tcp_keepalive_port("qemu://host/system"), 16514);
	assert_int_equal(tcp_keepalive_port("qemu+tcp://u@host:1234/system"), 1234);
	assert_int_equal(tcp_keepalive_port("qemu+tcp://[::1]:1234/system"), 1234);
	assert_int_equal(tcp_keepalive_port("qemu+ssh://host:22/system"), 0);
	assert_int_equal(tcp_keepalive_port("qemu+unix:///system?socket=/x"), 0);
	assert_int_equal(tcp_keepalive_port("qemu:///system"), 0);
	assert_int_equal(tcp_keepalive_port("test:///default"), 0);
	assert_int_equal(tcp_keepalive_port("no uri"), 0);
	assert_int_equal(tcp_keepalive_port(""), 0);
	assert_int_equal(tcp_keepalive_port(NULL), 0);
}

static int is_asked(int fd)
{
	int on = -1;
	socklen_t size = sizeof(on);

	assert_int_equal(getsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &on, &size), 0);
	return on;
}

/* A connection to a port of its own, which nobody else has. */
static int connect_once(int *listener, unsigned *port)
{
	struct sockaddr_in address = {
		.sin_family = AF_INET,
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};
	socklen_t size = sizeof(address);
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	*listener = socket(AF_INET, SOCK_STREAM, 0);
	assert_int_equal(bind(*listener, (struct sockaddr *)&address, size), 0);
	assert_int_equal(listen(*listener, 1), 0);
	getsockname(*listener, (struct sockaddr *)&address, &size);
	assert_int_equal(connect(fd, (struct sockaddr *)&address, size), 0);
	*port = ntohs(address.sin_port);
	return fd;
}

static void connections_to_the_port(void **state)
{
	int listeners[2], fds[2];
	unsigned ports[2];
	char uri[64];

	(void)state;
	for (unsigned i = 0; i < 2; i++)
		fds[i] = connect_once(&listeners[i], &ports[i]);
	tcp_keepalive_asking("qemu:///system");
	assert_int_equal(is_asked(fds[0]), 0);
	snprintf(uri, sizeof(uri), "qemu+tcp://127.0.0.1:%u/system", ports[0]);
	tcp_keepalive_asking(uri);
	assert_int_equal(is_asked(fds[0]), 1);
	assert_int_equal(is_asked(fds[1]), 0);
	for (unsigned i = 0; i < 2; i++) {
		close(fds[i]);
		close(listeners[i]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ports),
		cmocka_unit_test(connections_to_the_port),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
