/* SPDX-License-Identifier: MIT */
#include "peer.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/alloc.h"

#include "connection.h"
#include "http.h"
#include "mistake.h"
#include "places.h"
#include "secrets.h"
#include "settle.h"
#include "shown.h"

enum { CONNECTIONS_MAX = 2048, LISTENERS_MAX = 8, HEX_MAX = 16384 };

struct listener {
	char name[16]; /* "tcp", "unix2". */
	int fd;
	bool tls;
};

struct peer {
	struct places *places;
	struct secrets *secrets; /* NULL: not yet needed. */
	struct listener listeners[LISTENERS_MAX];
	unsigned listeners_len;
	struct connection *connections[CONNECTIONS_MAX];
	unsigned connections_len;
	struct connection *current; /* That the steps are about. */
	struct connection *heard;   /* That something has come from last. */
	struct http http;
};

struct peer *peer_new(struct places *places)
{
	struct peer *peer = alloc_zero(sizeof(*peer));

	peer->places = places;
	return peer;
}

void peer_leave(struct peer *peer)
{
	for (unsigned i = 0; i < peer->listeners_len; i++)
		close(peer->listeners[i].fd);
	for (unsigned i = 0; i < peer->connections_len; i++)
		connection_end(peer->connections[i], CONNECTION_CLOSE);
	peer->listeners_len = 0;
}

void peer_free(struct peer *peer)
{
	peer_leave(peer);
	for (unsigned i = 0; i < peer->connections_len; i++)
		connection_free(peer->connections[i]);
	secrets_free(peer->secrets);
	http_done(&peer->http);
	free(peer);
}

/* --- Sockets ------------------------------------------------------------- */

struct end { /* "tcp", "udp2", "unix", then perhaps "tls". */
	bool tls;
	int family, type;
	struct sockaddr_storage address;
	socklen_t size;
};

static const struct secrets *secrets_of(struct peer *peer, bool tls)
{
	if (tls && peer->secrets == NULL)
		peer->secrets = secrets_new(places_folder(peer->places));
	return tls ? peer->secrets : NULL;
}

void peer_make_certificates(struct peer *peer)
{
	secrets_of(peer, true);
}

static void set_path(const struct places *places, unsigned n, struct end *end)
{
	struct sockaddr_un *un = (struct sockaddr_un *)&end->address;

	end->family = un->sun_family = AF_UNIX;
	places_socket(places, n, un->sun_path);
	end->size = sizeof(*un);
}

static void set_port(const struct places *places, unsigned n, struct end *end)
{
	struct sockaddr_in *in = (struct sockaddr_in *)&end->address;

	end->family = in->sin_family = AF_INET;
	in->sin_port = htons((uint16_t)places_port(places, n));
	in->sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	end->size = sizeof(*in);
}

static struct end read_end(const struct peer *peer, const char *words)
{
	size_t letters = strspn(words, "abcdefghijklmnopqrstuvwxyz");
	unsigned n = words[letters] >= '1' && words[letters] <= '0' + PLACES_MAX
			     ? (unsigned)(words[letters] - '0')
			     : 1;
	struct end end = { .type = SOCK_STREAM, .tls = strstr(words, " tls") != NULL };

	if (strncmp(words, "udp", letters) == 0 && letters == 3)
		end.type = SOCK_DGRAM;
	if (strncmp(words, "unix", letters) == 0 && letters == 4)
		set_path(peer->places, n, &end);
	else if (letters == 3 && (end.type == SOCK_DGRAM || strncmp(words, "tcp", 3) == 0))
		set_port(peer->places, n, &end);
	else
		mistake(words, "no tcp, udp or unix");
	return end;
}

static int open_socket(const struct end *end)
{
	const int yes = 1;
	int fd = socket(end->family, end->type | SOCK_CLOEXEC, 0);

	if (fd < 0)
		mistake_errno("socket");
	if (end->family == AF_INET)
		setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
	return fd;
}

static void add_connection(struct peer *peer, int fd, bool tls, bool server)
{
	if (peer->connections_len == CONNECTIONS_MAX)
		mistake("connect", "too many connections");
	peer->current =
		connection_new(fd, peer->connections_len + 1, secrets_of(peer, tls), server);
	peer->connections[peer->connections_len++] = peer->current;
}

static void step_listen(struct peer *peer, char *words, FILE *out)
{
	const struct end end = read_end(peer, words);
	struct listener *listener = &peer->listeners[peer->listeners_len];
	int fd = open_socket(&end);

	(void)out;
	if (bind(fd, (const struct sockaddr *)&end.address, end.size) != 0)
		mistake_errno(words);
	if (end.type == SOCK_DGRAM) {
		add_connection(peer, fd, false, true);
		return;
	}
	if (fcntl(fd, F_SETFL, O_NONBLOCK) != 0 || listen(fd, 64) != 0 ||
	    peer->listeners_len == LISTENERS_MAX)
		mistake_errno(words);
	listener->fd = fd;
	listener->tls = end.tls;
	snprintf(listener->name, sizeof(listener->name), "%.*s", (int)strcspn(words, " "), words);
	peer->listeners_len++;
}

/* Nobody listens there from now on; connections stay. */
static void step_away(struct peer *peer, char *words, FILE *out)
{
	struct listener *listener = peer->listeners;
	const struct end end = read_end(peer, words);

	(void)out;
	while (listener < peer->listeners + peer->listeners_len &&
	       strcmp(listener->name, words) != 0)
		listener++;
	if (listener == peer->listeners + peer->listeners_len)
		mistake(words, "nobody listens there");
	close(listener->fd);
	if (end.family == AF_UNIX)
		unlink(((const struct sockaddr_un *)&end.address)->sun_path);
	*listener = peer->listeners[--peer->listeners_len];
}

static void note_client(struct peer *peer, int fd)
{
	struct sockaddr_in own = { 0 };
	socklen_t size = sizeof(own);

	if (getsockname(fd, (struct sockaddr *)&own, &size) == 0 && own.sin_family == AF_INET)
		places_add_client(peer->places, ntohs(own.sin_port));
}

static void step_connect(struct peer *peer, char *words, FILE *out)
{
	const struct end end = read_end(peer, words);
	int fd = open_socket(&end);

	if (connect(fd, (const struct sockaddr *)&end.address, end.size) == 0) {
		note_client(peer, fd);
		add_connection(peer, fd, end.tls, false);
		return;
	}
	fprintf(out, "* cannot connect: %s\n", strerror(errno));
	close(fd);
}

static void step_use(struct peer *peer, char *words, FILE *out)
{
	unsigned long n = strtoul(words, NULL, 10);

	(void)out;
	if (n < 1 || n > peer->connections_len)
		mistake(words, "no such connection");
	peer->current = peer->connections[n - 1];
}

/* --- Bytes ---------------------------------------------------------------- */

static void send_bytes(struct peer *peer, const char *bytes, size_t size, FILE *out)
{
	if (peer->current == NULL)
		fprintf(out, "* there is no connection\n");
	else
		connection_send(peer->current, bytes, size, out);
}

static void send_slowly(struct peer *peer, const char *bytes, size_t size, FILE *out)
{
	for (size_t i = 0; i < size; i++) {
		send_bytes(peer, bytes + i, 1, out);
		if (!settle())
			fprintf(out, "* does not settle\n");
	}
}

static void step_send(struct peer *peer, char *words, FILE *out)
{
	size_t size = strlen(words);

	words[size] = '\n'; /* In place of its '\0', which nobody needs: */
	send_bytes(peer, words, size + 1, out);
	words[size] = '\0';
}

static void step_send_part(struct peer *peer, char *words, FILE *out)
{
	send_bytes(peer, words, strlen(words), out);
}

static void step_send_slowly(struct peer *peer, char *words, FILE *out)
{
	send_slowly(peer, words, strlen(words), out);
	send_slowly(peer, "\n", 1, out);
}

static void step_send_hex(struct peer *peer, char *words, FILE *out)
{
	char *bytes = alloc_zero(HEX_MAX);
	size_t size = 0;

	while (*(words += strspn(words, " ")) != '\0' && size < HEX_MAX) {
		unsigned byte;

		if (sscanf(words, "%2x", &byte) != 1 || strspn(words, "0123456789abcdefABCDEF") < 2)
			mistake(words, "no hexadecimal digits");
		bytes[size++] = (char)byte;
		words += 2;
	}
	send_bytes(peer, bytes, size, out);
	free(bytes);
}

/* A file of the case, freed by the caller. */
static char *read_own(const struct peer *peer, const char *name, size_t *size)
{
	char path[8192], *bytes;

	snprintf(path, sizeof(path), "%s/%s", places_case(peer->places), name);
	bytes = shown_file(path, size);
	if (bytes == NULL)
		mistake_errno(path);
	return bytes;
}

static void step_send_file(struct peer *peer, char *words, FILE *out)
{
	size_t size;
	char *bytes = read_own(peer, words, &size);

	send_bytes(peer, bytes, size, out);
	free(bytes);
}

static void step_send_file_slowly(struct peer *peer, char *words, FILE *out)
{
	size_t size;
	char *bytes = read_own(peer, words, &size);

	send_slowly(peer, bytes, size, out);
	free(bytes);
}

/* --- HTTP ----------------------------------------------------------------- */

static void step_header(struct peer *peer, char *words, FILE *out)
{
	(void)out;
	http_header(&peer->http, words);
}

/* The body is a file of the case, or the text after "= ". */
static char *read_body(const struct peer *peer, const char *words, size_t *size)
{
	if (strncmp(words, "= ", 2) != 0 && *words != '\0')
		return read_own(peer, words, size);
	words += *words != '\0' ? 2 : 0;
	*size = strlen(words);
	return alloc_copy(words);
}

static char *next_word(char **words)
{
	char *word = *words;

	*words += strcspn(word, " ");
	if (**words != '\0')
		*(*words)++ = '\0';
	return word;
}

static void step_request(struct peer *peer, char *words, FILE *out)
{
	char *method = next_word(&words), *path = next_word(&words);
	size_t size, body_size;
	char *body = read_body(peer, words, &body_size);
	char *bytes = http_request(&peer->http, method, path, body, body_size, &size);

	send_bytes(peer, bytes, size, out);
	free(bytes);
	free(body);
}

/* To where the last request has come from. */
static void step_answer(struct peer *peer, char *words, FILE *out)
{
	const char *status = next_word(&words);
	size_t size, body_size;
	char *body = read_body(peer, words, &body_size);
	char *bytes = http_answer(&peer->http, status, body, body_size, &size);

	if (peer->heard != NULL)
		peer->current = peer->heard;
	send_bytes(peer, bytes, size, out);
	free(bytes);
	free(body);
}

/* --- Ends ----------------------------------------------------------------- */

static void end_current(struct peer *peer, enum connection_end how)
{
	if (peer->current != NULL)
		connection_end(peer->current, how);
}

static void step_close(struct peer *peer, char *words, FILE *out)
{
	(void)words, (void)out;
	end_current(peer, CONNECTION_CLOSE);
}

static void step_shut(struct peer *peer, char *words, FILE *out)
{
	(void)words, (void)out;
	end_current(peer, CONNECTION_SHUT);
}

static void step_cut(struct peer *peer, char *words, FILE *out)
{
	(void)words, (void)out;
	end_current(peer, CONNECTION_CUT);
}

static void step_deaf(struct peer *peer, char *words, FILE *out)
{
	(void)out;
	if (peer->current != NULL)
		connection_set_deaf(peer->current, strcmp(words, "no more") != 0);
}

/* --- All of it ------------------------------------------------------------ */

bool peer_step(struct peer *peer, const char *verb, char *words, FILE *out)
{
	static const struct {
		const char *verb;
		void (*step)(struct peer *, char *words, FILE *out);
	} steps[] = {
		{ "answer", step_answer },
		{ "away", step_away },
		{ "close", step_close },
		{ "connect", step_connect },
		{ "cut", step_cut },
		{ "deaf", step_deaf },
		{ "header", step_header },
		{ "listen", step_listen },
		{ "request", step_request },
		{ "send", step_send },
		{ "send-file", step_send_file },
		{ "send-file-slowly", step_send_file_slowly },
		{ "send-hex", step_send_hex },
		{ "send-part", step_send_part },
		{ "send-slowly", step_send_slowly },
		{ "shut", step_shut },
		{ "use", step_use },
	};

	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++)
		if (strcmp(verb, steps[i].verb) == 0) {
			steps[i].step(peer, words, out);
			return true;
		}
	return false;
}

bool peer_take(struct peer *peer, FILE *out)
{
	bool any = false;

	for (unsigned i = 0; i < peer->listeners_len; i++) {
		const struct listener *listener = &peer->listeners[i];
		int fd = accept4(listener->fd, NULL, NULL, SOCK_CLOEXEC);

		if (fd < 0)
			continue;
		add_connection(peer, fd, listener->tls, true);
		fprintf(out, "* connection %u opens\n", peer->connections_len);
		any = true;
	}
	for (unsigned i = 0; i < peer->connections_len; i++)
		if (connection_take(peer->connections[i], out)) {
			peer->heard = peer->connections[i];
			any = true;
		}
	return any;
}
