/* SPDX-License-Identifier: MIT */
/* Handshakes of TLS: clients that stay silent in one, and clients that come again. */
#include "httpd_fixture.h"
#include "tls_fixture.h"

#include <poll.h>
#include <sys/stat.h>
#include <time.h>

#include <collector/kit/http_server.h>

#define FILE_OF_KEY "test_http.sessions" /* Where the test runs. */
#define SILENCE_MS 300
/* A thread that asks again and again takes all that it gets, also beside others. */
#define CPU_MAX (MC_SECOND / 100)
#define CLIENTS 1000
#define QUEUED_MIN 5

struct lab {
	double share; /* For handshakes; 0: as usual. */
	struct mc_httpd *server;
	struct mc_httpd_listen listen;
	struct tls_pair pair;
	struct mc_ctx ctx;
	char port[8];
	uint16_t number; /* Of the port. */
};

static void on_get(struct mc_httpd_request *request)
{
	mc_httpd_answer(request, 200, "text/plain", "yes", 3);
}

static const struct mc_httpd_route routes[] = {
	{ .path = "/get", .method = "GET", .handle = on_get },
	{ 0 },
};

/* Also again, as after a restart. */
static void start(struct lab *lab)
{
	const struct mc_httpd_options options = {
		.limits = { .threads = 2,
			    .clients = CLIENTS,
			    .clients_per_address = lab->share > 0 ? 0 : 8,
			    .handshakes_share = lab->share,
			    .requests_per_client = 2,
			    .clients_len = 4,
			    .memory_max = 1000000 },
		.routes = routes,
	};
	int rc = -EADDRINUSE;

	lab->ctx = (struct mc_ctx){ .name = "test_http" };
	lab->server = mc_httpd_new(&lab->ctx, &options);
	lab->listen = (struct mc_httpd_listen){
		.host = "127.0.0.1",
		.port = lab->port,
		.certificate = lab->pair.certificate,
		.key = lab->pair.key,
	};
	while (rc == -EADDRINUSE) {
		lab->number = find_port();
		snprintf(lab->port, sizeof(lab->port), "%u", lab->number);
		rc = mc_httpd_listen(lab->server, &lab->listen);
	}
	assert_int_equal(rc, 0);
}

static void open_lab_with(struct lab *lab, double share)
{
	lab->share = share;
	unlink(FILE_OF_KEY);
	tls_make_pair(&lab->pair);
	start(lab);
}

static void open_lab(struct lab *lab)
{
	open_lab_with(lab, 0);
}

static void close_lab(struct lab *lab)
{
	mc_httpd_free(lab->server);
	unlink(FILE_OF_KEY);
	tls_close_pair(&lab->pair);
}

/* --- A client with TLS ----------------------------------------------------- */

struct client {
	gnutls_session_t session;
	gnutls_certificate_credentials_t credentials;
	int fd;
};

static ssize_t push_slowly(gnutls_transport_ptr_t argument, const void *bytes, size_t size)
{
	const struct client *client = argument;
	const char *at = bytes;

	for (size_t i = 0; i < size; i++)
		assert_int_equal(send(client->fd, at + i, 1, MSG_NOSIGNAL), 1);
	return (ssize_t)size;
}

static void open_client(struct client *client, uint16_t port, bool slow)
{
	client->fd = come(port);
	assert_int_equal(gnutls_certificate_allocate_credentials(&client->credentials), 0);
	assert_int_equal(gnutls_init(&client->session, GNUTLS_CLIENT), 0);
	assert_int_equal(gnutls_set_default_priority(client->session), 0);
	gnutls_credentials_set(client->session, GNUTLS_CRD_CERTIFICATE, client->credentials);
	gnutls_transport_set_int(client->session, client->fd);
	if (slow) {
		gnutls_transport_set_ptr2(client->session,
					  (gnutls_transport_ptr_t)(intptr_t)client->fd, client);
		gnutls_transport_set_push_function(client->session, push_slowly);
	}
}

static void close_client(struct client *client)
{
	gnutls_deinit(client->session);
	gnutls_certificate_free_credentials(client->credentials);
	close(client->fd);
}

/* On a connection that is there. */
static unsigned get_again(struct client *client)
{
	static const char request[] = "GET /get HTTP/1.1\r\nHost: a\r\n\r\n";
	unsigned status = 0;
	size_t size = 0;

	assert_int_equal(gnutls_record_send(client->session, request, strlen(request)),
			 strlen(request));
	reply[0] = '\0';
	while (strstr(reply, "\r\n\r\nyes") == NULL) {
		ssize_t got =
			gnutls_record_recv(client->session, reply + size, sizeof(reply) - 1 - size);

		if (got < 0 && gnutls_error_is_fatal((int)got) == 0)
			continue;
		assert_true(got > 0);
		size += (size_t)got;
		reply[size] = '\0';
	}
	sscanf(reply, "HTTP/1.1 %u", &status);
	return status;
}

static unsigned get_by_tls(struct client *client)
{
	assert_int_equal(gnutls_handshake(client->session), 0);
	return get_again(client);
}

/* --- Tests ----------------------------------------------------------------- */

static mc_time cpu_time(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return now.tv_sec * MC_SECOND + now.tv_nsec;
}

/* The server neither answers nor closes, and does nothing. */
static void half_a_hello_costs_nothing(void **state)
{
	static const unsigned char hello[] = { 22, 3, 1, 2, 0, 1 };
	struct pollfd fd = { .events = POLLIN };
	struct client client;
	struct lab lab;
	mc_time before;

	(void)state;
	open_lab(&lab);
	fd.fd = come(lab.number);
	send_all(fd.fd, hello, sizeof(hello));
	open_client(&client, lab.number, false);
	assert_int_equal(get_by_tls(&client), 200); /* It has been seen. */
	before = cpu_time();
	assert_int_equal(poll(&fd, 1, SILENCE_MS), 0);
	assert_true(cpu_time() - before < CPU_MAX);
	close_client(&client);
	close_lab(&lab); /* While it waits. */
	assert_int_equal(poll(&fd, 1, SILENCE_MS), 1);
	close(fd.fd);
}

static void a_hello_comes_byte_by_byte(void **state)
{
	struct client client;
	struct lab lab;

	(void)state;
	open_lab(&lab);
	open_client(&client, lab.number, true);
	assert_int_equal(get_by_tls(&client), 200);
	close_client(&client);
	close_lab(&lab);
}

/* The order of the server counts, not that of the client. */
static void what_costs_least_is_used(void **state)
{
	struct client client;
	struct lab lab;

	(void)state;
	open_lab(&lab);
	open_client(&client, lab.number, false);
	assert_int_equal(get_by_tls(&client), 200);
	assert_int_equal(gnutls_group_get(client.session), GNUTLS_GROUP_X25519);
	assert_int_equal(gnutls_cipher_get(client.session), GNUTLS_CIPHER_AES_128_GCM);
	close_client(&client);
	close_lab(&lab);
}

/* --- A herd ----------------------------------------------------------------- */

static ssize_t pull_nothing(gnutls_transport_ptr_t argument, void *bytes, size_t size)
{
	(void)argument, (void)bytes, (void)size;
	errno = EAGAIN;
	return -1;
}

/* Says hello, and nothing more. */
static int come_half(const struct lab *lab)
{
	struct client client;
	int fd;

	open_client(&client, lab->number, false);
	gnutls_transport_set_pull_function(client.session, pull_nothing);
	assert_int_equal(gnutls_handshake(client.session), GNUTLS_E_AGAIN);
	fd = dup(client.fd);
	assert_true(fd >= 0);
	close_client(&client);
	return fd;
}

/* Until as many handshakes have waited for their turn; returns how many have come. */
static size_t send_herd(const struct lab *lab, int fds[CLIENTS])
{
	size_t len = 0;

	while (mc_httpd_handshakes(lab->server).queued < QUEUED_MIN && len < CLIENTS / 2)
		fds[len++] = come_half(lab);
	return len;
}

/* Whether as many have left as waited; it takes its time until the server sees it. */
static bool all_have_left(const struct lab *lab)
{
	struct mc_httpd_handshakes handshakes = { 0 };

	for (int i = 0; i < 3000; i++) {
		handshakes = mc_httpd_handshakes(lab->server);
		if (handshakes.left == handshakes.queued)
			return true;
		poll(NULL, 0, 10);
	}
	return false;
}

/* They wait for their turn, which with this share does not come; who is there is served; and who
 * has left is forgotten. */
static void a_herd_waits_and_others_go_on(void **state)
{
	static int fds[CLIENTS];
	struct client client;
	struct lab lab;
	size_t len;

	(void)state;
	open_lab_with(&lab, 1e-9);
	open_client(&client, lab.number, false);
	assert_int_equal(get_by_tls(&client), 200);
	len = send_herd(&lab, fds);
	assert_true(mc_httpd_handshakes(lab.server).queued >= QUEUED_MIN);
	for (int i = 0; i < 20; i++)
		assert_int_equal(get_again(&client), 200);
	assert_int_equal(mc_httpd_handshakes(lab.server).full, 1);
	assert_int_equal(mc_httpd_handshakes(lab.server).left, 0);
	while (len-- > 0)
		close(fds[len]);
	assert_true(all_have_left(&lab));
	assert_int_equal(get_again(&client), 200);
	close_client(&client);
	close_lab(&lab);
}

/* The same with a share that suffices: all who come are served in the end.  Where they come
 * slowly, as on a busy machine, none of them has to wait. */
static void a_herd_is_served_in_turn(void **state)
{
	static int fds[CLIENTS];
	struct client client;
	struct lab lab;
	size_t len;

	(void)state;
	open_lab_with(&lab, 0.1);
	len = send_herd(&lab, fds);
	open_client(&client, lab.number, false);
	assert_int_equal(get_by_tls(&client), 200);
	for (size_t i = 0; i < len; i++) {
		struct pollfd fd = { .fd = fds[i], .events = POLLIN };

		assert_int_equal(poll(&fd, 1, 30000), 1); /* An answer to its hello. */
		close(fds[i]);
	}
	close_client(&client);
	close_lab(&lab);
}

/* The server ends while they wait. */
static void a_herd_ends_with_the_server(void **state)
{
	static int fds[CLIENTS];
	struct lab lab;
	size_t len;

	(void)state;
	open_lab_with(&lab, 1e-9);
	len = send_herd(&lab, fds);
	assert_true(mc_httpd_handshakes(lab.server).queued >= QUEUED_MIN);
	close_lab(&lab);
	while (len-- > 0)
		close(fds[len]);
}

/* --- Sessions -------------------------------------------------------------- */

/* Whether a client that has that session, if any, resumes it; it gets the one for the next time. */
static bool come_again(const struct lab *lab, gnutls_datum_t *session)
{
	struct client client;
	bool resumed;

	open_client(&client, lab->number, false);
	if (session->size > 0)
		gnutls_session_set_data(client.session, session->data, session->size);
	assert_int_equal(get_by_tls(&client), 200);
	resumed = gnutls_session_is_resumed(client.session) != 0;
	gnutls_free(session->data);
	assert_int_equal(gnutls_session_get_data2(client.session, session), 0);
	close_client(&client);
	return resumed;
}

static void restart(struct lab *lab)
{
	mc_httpd_free(lab->server);
	start(lab);
}

static void a_session_is_resumed_also_after_a_restart(void **state)
{
	gnutls_datum_t session = { NULL, 0 };
	struct mc_httpd_handshakes handshakes;
	struct lab lab;

	(void)state;
	open_lab(&lab);
	assert_false(come_again(&lab, &session));
	assert_true(come_again(&lab, &session));
	handshakes = mc_httpd_handshakes(lab.server);
	assert_int_equal(handshakes.full, 1);
	assert_int_equal(handshakes.resumed, 1);
	assert_int_equal(mc_httpd_renew(lab.server), 0);
	assert_true(come_again(&lab, &session));
	restart(&lab);
	assert_true(come_again(&lab, &session));
	gnutls_free(session.data);
	close_lab(&lab);
}

/* A full handshake in each case, and the next session is a good one. */
static void a_key_that_others_know_is_not_used(void **state)
{
	gnutls_datum_t session = { NULL, 0 };
	struct stat file;
	struct lab lab;

	(void)state;
	open_lab(&lab);
	assert_false(come_again(&lab, &session));
	assert_int_equal(chmod(FILE_OF_KEY, 0640), 0);
	restart(&lab);
	assert_int_equal(stat(FILE_OF_KEY, &file), 0);
	assert_int_equal(file.st_mode & 0777, 0600);
	assert_false(come_again(&lab, &session));
	assert_true(come_again(&lab, &session));
	unlink(FILE_OF_KEY);
	restart(&lab);
	assert_false(come_again(&lab, &session));
	assert_int_equal(truncate(FILE_OF_KEY, 10), 0);
	restart(&lab);
	assert_false(come_again(&lab, &session));
	assert_int_equal(unlink(FILE_OF_KEY), 0);
	assert_int_equal(symlink("/etc/hostname", FILE_OF_KEY), 0);
	restart(&lab);
	assert_int_equal(lstat(FILE_OF_KEY, &file), 0);
	assert_true(S_ISREG(file.st_mode));
	gnutls_free(session.data);
	close_lab(&lab);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(half_a_hello_costs_nothing),
		cmocka_unit_test(a_hello_comes_byte_by_byte),
		cmocka_unit_test(what_costs_least_is_used),
		cmocka_unit_test(a_herd_waits_and_others_go_on),
		cmocka_unit_test(a_herd_is_served_in_turn),
		cmocka_unit_test(a_herd_ends_with_the_server),
		cmocka_unit_test(a_session_is_resumed_also_after_a_restart),
		cmocka_unit_test(a_key_that_others_know_is_not_used),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
