/* SPDX-License-Identifier: MIT */
/* After the handshake, too, a peer may send so much by TLS before there are bytes for us. */
#include "loop_fixture.h"
#include "tls_fixture.h"

#include "kit/net/tls_session.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <gnutls/gnutls.h>

#define RECORD 16000 /* Bytes. */

struct lab {
	struct mc_tls_stream server, client;
};

static void start(struct mc_tls_stream *stream, int fd, struct mc_tls *tls, bool as_server)
{
	const struct mc_tls_start how = { .tls = tls, .as_server = as_server };

	mc_tls_stream_init(stream, fd);
	assert_int_equal(mc_tls_stream_start(stream, &how), 0);
	mc_tls_free(tls);
}

static void open_lab(struct lab *lab)
{
	int pair[2], server = -EAGAIN, client = -EAGAIN;
	struct mc_tls_files nothing = { .tls13 = true };
	char why[MC_TLS_WHY];
	struct mc_tls *tls;

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, pair), 0);
	start(&lab->server, pair[0], tls_make_server(), true);
	assert_true(mc_tls_new(&nothing, &tls, why));
	start(&lab->client, pair[1], tls, false);
	while (server == -EAGAIN || client == -EAGAIN) {
		if (client != 0)
			client = mc_tls_stream_handshake(&lab->client, why);
		if (server != 0)
			server = mc_tls_stream_handshake(&lab->server, why);
	}
	assert_int_equal(client, 0);
	assert_int_equal(server, 0);
}

static void close_lab(struct lab *lab)
{
	mc_tls_stream_close(&lab->client);
	mc_tls_stream_close(&lab->server);
}

/* Records that have no bytes but padding (RFC 8446, section 5.4). */
static void nothing_for_us_ends(void **state)
{
	static char bytes[RECORD];
	ssize_t rc = -EAGAIN;
	struct lab lab;
	int records = 0;

	(void)state;
	open_lab(&lab);
	for (; records < 10 && rc == -EAGAIN; records++) {
		assert_true(gnutls_record_send2(lab.client.session, bytes, 0, RECORD, 0) >= 0);
		rc = mc_tls_stream_recv(&lab.server, bytes, sizeof(bytes));
	}
	assert_int_equal(rc, -EPROTO);
	assert_int_equal(records, 5); /* More than 64 KiB. */
	close_lab(&lab);
}

static void what_is_for_us_has_no_limit(void **state)
{
	static char bytes[RECORD];
	struct lab lab;

	(void)state;
	open_lab(&lab);
	for (int i = 0; i < 10; i++) {
		assert_int_equal(mc_tls_stream_send(&lab.client, bytes, RECORD), RECORD);
		assert_int_equal(mc_tls_stream_recv(&lab.server, bytes, RECORD), RECORD);
	}
	close_lab(&lab);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_for_us_ends),
		cmocka_unit_test(what_is_for_us_has_no_limit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
