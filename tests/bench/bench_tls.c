/* SPDX-License-Identifier: MIT */
/* What a connection by TLS costs a server: a client that connects again and again, and the least
 * server that GnuTLS allows, to compare ours with.
 *
 *   bench_tls serve PORT CERTIFICATE KEY    answers any request with 200, until it is ended
 *   bench_tls ask PORT CONNECTIONS          one after the other: a handshake, a request, the end
 *   bench_tls resume PORT CONNECTIONS       the same, each resumes the session of the one before
 *   bench_tls stay PORT CONNECTIONS         as ask; all stay open until its input ends
 *
 * A client prints how many of its connections were resumed, and its CPU time of each.
 */
#include <arpa/inet.h>
#include <err.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include <gnutls/gnutls.h>

#define PER_ADDRESS 16
#define BYTES_MAX 4096
#define PRIORITIES "NORMAL:-VERS-ALL:+VERS-TLS1.3"
#define ANSWER "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"
#define REQUEST                                                                                    \
	"POST /v1/metrics HTTP/1.1\r\nHost: here\r\n"                                              \
	"Content-Type: application/x-protobuf\r\nContent-Length: 0\r\n\r\n"

static void check(int rc, const char *what)
{
	if (rc < 0)
		errx(1, "%s: %s", what, gnutls_strerror(rc));
}

static gnutls_session_t begin(unsigned flags, gnutls_certificate_credentials_t credentials, int fd)
{
	static gnutls_priority_t priorities;
	gnutls_session_t session;

	if (priorities == NULL)
		check(gnutls_priority_init(&priorities, PRIORITIES, NULL), PRIORITIES);
	check(gnutls_init(&session, flags), "session");
	gnutls_priority_set(session, priorities);
	gnutls_credentials_set(session, GNUTLS_CRD_CERTIFICATE, credentials);
	gnutls_transport_set_int(session, fd);
	return session;
}

static int shake_hands(gnutls_session_t session)
{
	int rc;

	do {
		rc = gnutls_handshake(session);
	} while (rc < 0 && gnutls_error_is_fatal(rc) == 0);
	return rc;
}

/* Reads until the end of a head; false: it has ended before. */
static bool read_head(gnutls_session_t session)
{
	char bytes[BYTES_MAX];
	size_t size = 0;

	while (size < sizeof(bytes)) {
		ssize_t got = gnutls_record_recv(session, bytes + size, sizeof(bytes) - size);

		if (got > 0)
			size += (size_t)got;
		else if (got == 0 || gnutls_error_is_fatal((int)got) != 0)
			return false;
		if (memmem(bytes, size, "\r\n\r\n", 4) != NULL)
			return true;
	}
	return false;
}

/* --- The server ------------------------------------------------------------ */

static void serve(uint16_t port, const char *certificate, const char *key)
{
	struct sockaddr_in at = { .sin_family = AF_INET,
				  .sin_addr.s_addr = htonl(INADDR_LOOPBACK),
				  .sin_port = htons(port) };
	gnutls_certificate_credentials_t credentials;
	int listener = socket(AF_INET, SOCK_STREAM, 0), on = 1;
	gnutls_datum_t key_of_sessions;

	gnutls_certificate_allocate_credentials(&credentials);
	check(gnutls_certificate_set_x509_key_file(credentials, certificate, key,
						   GNUTLS_X509_FMT_PEM),
	      certificate);
	check(gnutls_session_ticket_key_generate(&key_of_sessions), "key of sessions");
	setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	if (bind(listener, (struct sockaddr *)&at, sizeof(at)) != 0 || listen(listener, 1024) != 0)
		err(1, "port %u", port);
	for (;;) {
		int fd = accept(listener, NULL, NULL);
		gnutls_session_t session = begin(GNUTLS_SERVER, credentials, fd);

		gnutls_session_ticket_enable_server(session, &key_of_sessions);
		if (shake_hands(session) == 0)
			while (read_head(session))
				gnutls_record_send(session, ANSWER, strlen(ANSWER));
		gnutls_deinit(session);
		close(fd);
	}
}

/* --- The client ------------------------------------------------------------ */

/* 16 of them share an address of 127/8, which Linux needs no set-up for. */
static int connect_from(unsigned number, uint16_t port)
{
	unsigned group = number / PER_ADDRESS;
	struct sockaddr_in from = { .sin_family = AF_INET };
	struct sockaddr_in to = { .sin_family = AF_INET,
				  .sin_addr.s_addr = htonl(INADDR_LOOPBACK),
				  .sin_port = htons(port) };
	int fd = socket(AF_INET, SOCK_STREAM, 0), on = 1;

	from.sin_addr.s_addr = htonl(0x7f010000 + group / 250 * 256 + group % 250 + 1);
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	setsockopt(fd, IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, &on, sizeof(on));
	if (bind(fd, (struct sockaddr *)&from, sizeof(from)) != 0 ||
	    connect(fd, (struct sockaddr *)&to, sizeof(to)) != 0)
		err(1, "cannot connect");
	return fd;
}

static double cpu_seconds(void)
{
	struct timespec time;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
	return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static gnutls_session_t ask(gnutls_certificate_credentials_t credentials, int fd,
			    gnutls_datum_t *kept)
{
	gnutls_session_t session = begin(GNUTLS_CLIENT, credentials, fd);

	if (kept != NULL && kept->size > 0)
		gnutls_session_set_data(session, kept->data, kept->size);
	check(shake_hands(session), "handshake");
	gnutls_record_send(session, REQUEST, strlen(REQUEST));
	if (!read_head(session))
		errx(1, "no answer");
	if (kept != NULL) {
		gnutls_free(kept->data);
		check(gnutls_session_get_data2(session, kept), "session");
	}
	return session;
}

static void ask_all(uint16_t port, unsigned len, bool resume, bool stay)
{
	gnutls_certificate_credentials_t credentials;
	gnutls_datum_t kept = { NULL, 0 };
	unsigned resumed = 0;
	double before;

	gnutls_certificate_allocate_credentials(&credentials);
	before = cpu_seconds();
	for (unsigned i = 0; i < len; i++) {
		int fd = connect_from(i, port);
		gnutls_session_t session = ask(credentials, fd, resume ? &kept : NULL);

		resumed += gnutls_session_is_resumed(session) != 0;
		if (stay)
			continue;
		gnutls_deinit(session);
		close(fd);
	}
	printf("resumed=%u cpu_us=%.1f\n", resumed, (cpu_seconds() - before) / len * 1e6);
	fflush(stdout);
	while (stay && getchar() != EOF)
		;
}

int main(int argc, char **argv)
{
	const char *what = argc > 3 ? argv[1] : "";
	uint16_t port = (uint16_t)(argc > 3 ? strtoul(argv[2], NULL, 10) : 0);
	struct rlimit files;

	getrlimit(RLIMIT_NOFILE, &files);
	files.rlim_cur = files.rlim_max;
	setrlimit(RLIMIT_NOFILE, &files);
	if (strcmp(what, "serve") == 0 && argc == 5)
		serve(port, argv[3], argv[4]);
	else if (strcmp(what, "ask") == 0 || strcmp(what, "resume") == 0 ||
		 strcmp(what, "stay") == 0)
		ask_all(port, (unsigned)strtoul(argv[3], NULL, 10), what[0] == 'r',
			strcmp(what, "stay") == 0);
	else
		errx(64, "serve PORT CERTIFICATE KEY, or ask, resume or stay PORT CONNECTIONS");
	return 0;
}
