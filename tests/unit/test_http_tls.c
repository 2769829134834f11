/* SPDX-License-Identifier: MIT */
/* A client may send so much by TLS before it is something that we asked for, in
 * its handshake and after it. */
#include "kit/net/http_server/peer/http_tls.h"

#include "unit.h"

#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define RECORD 16000 /* Bytes. */
#define LONG_HELLO 1000000

mc_time mc_wall(void)
{
	return 0;
}

mc_time mc_now(void)
{
	return 0;
}

struct lab {
	struct http_tls tls;
	gnutls_anon_server_credentials_t credentials;
	gnutls_session_t server;
	_Atomic uint64_t refused;
	int ours, theirs;
};

/* Without certificates. */
static void set_up(gnutls_session_t session, gnutls_credentials_type_t type, void *credentials,
		   int fd)
{
	assert_int_equal(gnutls_priority_set_direct(
				 session, "NORMAL:-VERS-ALL:+VERS-TLS1.2:+ANON-ECDH", NULL),
			 0);
	assert_int_equal(gnutls_credentials_set(session, type, credentials), 0);
	gnutls_transport_set_int(session, fd);
}

static void open_lab(struct lab *lab)
{
	int pair[2];

	*lab = (struct lab){ .refused = 0 };
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, pair), 0);
	lab->ours = pair[0];
	lab->theirs = pair[1];
	assert_int_equal(gnutls_anon_allocate_server_credentials(&lab->credentials), 0);
	assert_int_equal(gnutls_init(&lab->server, GNUTLS_SERVER | GNUTLS_NONBLOCK), 0);
	set_up(lab->server, GNUTLS_CRD_ANON, lab->credentials, lab->ours);
	http_tls_begin(&lab->tls, lab->server, lab->ours, &lab->refused);
}

static void close_lab(struct lab *lab)
{
	gnutls_deinit(lab->server);
	gnutls_anon_free_server_credentials(lab->credentials);
	close(lab->ours);
	close(lab->theirs);
}

/* A record of a handshake; the first says how long the message is. */
static void send_hello(int fd, bool first)
{
	unsigned char record[5 + RECORD] = { 22, 3, 1, RECORD >> 8, RECORD & 255 };

	if (first) {
		record[5] = 1;
		record[6] = LONG_HELLO >> 16 & 255;
		record[7] = LONG_HELLO >> 8 & 255;
		record[8] = LONG_HELLO & 255;
		record[9] = record[10] = 3;
	}
	assert_int_equal(send(fd, record, sizeof(record), 0), sizeof(record));
}

static void a_hello_without_an_end(void **state)
{
	struct lab lab;
	int records = 0, rc = GNUTLS_E_AGAIN;

	(void)state;
	open_lab(&lab);
	for (; records < LONG_HELLO / RECORD && rc == GNUTLS_E_AGAIN; records++) {
		send_hello(lab.theirs, records == 0);
		rc = gnutls_handshake(lab.server);
	}
	assert_int_equal(rc, GNUTLS_E_PULL_ERROR);
	assert_int_equal(records, 5); /* More than 64 KiB. */
	assert_int_equal(lab.refused, 1);
	close_lab(&lab);
}

/* --- After the handshake ------------------------------------------------- */

struct client {
	gnutls_session_t session;
	gnutls_anon_client_credentials_t credentials;
};

static void open_client(struct client *client, struct lab *lab)
{
	int theirs = GNUTLS_E_AGAIN, ours = GNUTLS_E_AGAIN;

	assert_int_equal(gnutls_anon_allocate_client_credentials(&client->credentials), 0);
	assert_int_equal(gnutls_init(&client->session, GNUTLS_CLIENT | GNUTLS_NONBLOCK), 0);
	set_up(client->session, GNUTLS_CRD_ANON, client->credentials, lab->theirs);
	while (theirs == GNUTLS_E_AGAIN || ours == GNUTLS_E_AGAIN) {
		if (theirs != 0)
			theirs = gnutls_handshake(client->session);
		if (ours != 0)
			ours = gnutls_handshake(lab->server);
	}
	assert_int_equal(theirs, 0);
	assert_int_equal(ours, 0);
}

static void close_client(struct client *client)
{
	gnutls_deinit(client->session);
	gnutls_anon_free_client_credentials(client->credentials);
}

/* How many of ten records come; 'serves': each is something of a request. */
static int receive_ten(bool serves)
{
	static char bytes[RECORD];
	struct client client;
	struct lab lab;
	int came = 0;

	open_lab(&lab);
	open_client(&client, &lab);
	for (int i = 0; i < 10; i++) {
		assert_int_equal(gnutls_record_send(client.session, bytes, RECORD), RECORD);
		came += gnutls_record_recv(lab.server, bytes, RECORD) == RECORD;
		if (serves)
			http_tls_serves(&lab.tls);
	}
	assert_int_equal(lab.refused > 0, came < 10);
	close_client(&client);
	close_lab(&lab);
	return came;
}

static void what_is_not_asked_for_ends(void **state)
{
	(void)state;
	assert_int_equal(receive_ten(false), 4);
}

static void a_request_has_no_limit_here(void **state)
{
	(void)state;
	assert_int_equal(receive_ten(true), 10);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_hello_without_an_end),
		cmocka_unit_test(what_is_not_asked_for_ends),
		cmocka_unit_test(a_request_has_no_limit_here),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
