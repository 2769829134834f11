/* SPDX-License-Identifier: MIT */
/* Whatever fails on this side is in the outcome of the case, or, if it is a
 * mistake in the script, ends the program. */
#include "peer.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"

#define LINE_SIZE 4096

struct peer {
	FILE *script;
	bool connects, tcp;
	unsigned listens; /* Steps that wait for a connection. */
	int listener;     /* -1: there is none. */
	int fd;           /* -1: not connected. */
	char folder[64];  /* Of the socket. */
	char path[80];
	unsigned port;
	pthread_t thread;
	bool running, joined;

	/* The thread's, until peer_finish(). */
	char received[LINE_SIZE];
	size_t received_size;
	char *text;
	size_t text_size;
	FILE *out;
};

static void die(const char *what)
{
	fprintf(stderr, "peer: %s: %s\n", what, strerror(errno));
	exit(99);
}

/* --- Places --------------------------------------------------------------- */

static socklen_t address_of(const struct peer *peer, struct sockaddr_storage *out)
{
	*out = (struct sockaddr_storage){ 0 };
	if (peer->tcp) {
		struct sockaddr_in *in = (struct sockaddr_in *)out;

		in->sin_family = AF_INET;
		in->sin_port = htons((uint16_t)peer->port);
		in->sin_addr.s_addr = htonl(INADDR_LOOPBACK);
		return sizeof(*in);
	}
	struct sockaddr_un *un = (struct sockaddr_un *)out;

	un->sun_family = AF_UNIX;
	snprintf(un->sun_path, sizeof(un->sun_path), "%s", peer->path);
	return sizeof(*un);
}

static int new_socket(const struct peer *peer)
{
	int fd = socket(peer->tcp ? AF_INET : AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd < 0)
		die("socket");
	return fd;
}

static void stop_listening(struct peer *peer)
{
	close(peer->listener);
	peer->listener = -1;
}

/* Where the peer listens; or where nobody does, for the plugin to. */
static void take_place(struct peer *peer)
{
	const char *temporary = getenv("TMPDIR");
	struct sockaddr_storage address;
	socklen_t size = sizeof(address);

	snprintf(peer->folder, sizeof(peer->folder), "%s/peer.XXXXXX",
		 temporary != NULL ? temporary : "/tmp");
	if (mkdtemp(peer->folder) == NULL)
		die(peer->folder);
	snprintf(peer->path, sizeof(peer->path), "%s/socket", peer->folder);
	if (!peer->tcp && peer->connects)
		return;
	peer->listener = new_socket(peer);
	if (bind(peer->listener, (struct sockaddr *)&address, address_of(peer, &address)) != 0 ||
	    listen(peer->listener, 1) != 0 ||
	    getsockname(peer->listener, (struct sockaddr *)&address, &size) != 0)
		die("bind");
	if (peer->tcp)
		peer->port = ntohs(((struct sockaddr_in *)&address)->sin_port);
	if (peer->connects)
		stop_listening(peer);
}

/* --- Steps ---------------------------------------------------------------- */

static bool is_ready(int fd, short events)
{
	struct pollfd poll_fd = { .fd = fd, .events = events };

	return poll(&poll_fd, 1, PEER_LIMIT_MS) == 1;
}

static void wait_for_plugin(struct peer *peer)
{
	if (peer->fd >= 0)
		close(peer->fd);
	peer->fd = -1;
	peer->received_size = 0;
	if (is_ready(peer->listener, POLLIN))
		peer->fd = accept(peer->listener, NULL, NULL);
	if (--peer->listens == 0)
		stop_listening(peer);
	if (peer->fd < 0)
		fprintf(peer->out, "nobody connects\n");
}

static void connect_to_plugin(struct peer *peer)
{
	const struct timespec pause = { .tv_nsec = 10000000 };
	struct sockaddr_storage address;
	socklen_t size = address_of(peer, &address);
	int fd = new_socket(peer);

	for (int tries = PEER_LIMIT_MS / 10; tries > 0; tries--) {
		if (connect(fd, (struct sockaddr *)&address, size) == 0) {
			peer->fd = fd;
			return;
		}
		nanosleep(&pause, NULL);
	}
	fprintf(peer->out, "cannot connect\n");
	close(fd);
}

/* Prints one line; false if there was none any more. */
static bool receive(struct peer *peer)
{
	for (;;) {
		char *end = memchr(peer->received, '\n', peer->received_size);
		size_t size =
			end != NULL ? (size_t)(end - peer->received) + 1 : peer->received_size;
		bool full = peer->received_size == sizeof(peer->received);
		ssize_t n = -1;

		if (end == NULL && !full && is_ready(peer->fd, POLLIN))
			n = read(peer->fd, peer->received + peer->received_size,
				 sizeof(peer->received) - peer->received_size);
		if (n > 0) {
			peer->received_size += (size_t)n;
			continue;
		}
		if (end == NULL && !full && n < 0)
			fprintf(peer->out, "nothing comes\n");
		if (size == 0)
			return false;
		fprintf(peer->out, "%.*s%s", (int)size, peer->received, end != NULL ? "" : "\n");
		peer->received_size -= size;
		memmove(peer->received, peer->received + size, peer->received_size);
		return true;
	}
}

static void take_step(struct peer *peer, char *line)
{
	line[strcspn(line, "\n")] = '\0';
	if (line[0] == '#' || line[0] == '\0')
		return;
	if (strncmp(line, "listen ", 7) == 0) {
		wait_for_plugin(peer);
	} else if (strncmp(line, "connect ", 8) == 0) {
		connect_to_plugin(peer);
	} else if (strncmp(line, "send ", 5) == 0) {
		if (peer->fd >= 0 && (dprintf(peer->fd, "%s\n", line + 5) < 0))
			fprintf(peer->out, "cannot send: %s\n", strerror(errno));
	} else if (strcmp(line, "receive") == 0) {
		if (peer->fd >= 0 && !receive(peer))
			fprintf(peer->out, "the connection is closed\n");
	} else {
		errno = EINVAL;
		die(line);
	}
}

static void *run(void *argument)
{
	struct peer *peer = argument;
	char line[LINE_SIZE];

	while (fgets(line, sizeof(line), peer->script) != NULL)
		take_step(peer, line);
	if (peer->fd < 0)
		return NULL;
	shutdown(peer->fd, SHUT_WR);
	while (receive(peer))
		;
	close(peer->fd);
	return NULL;
}

/* --- All of it ------------------------------------------------------------ */

struct peer *peer_new(const char *folder)
{
	struct peer *peer;
	char path[4096], line[LINE_SIZE];
	FILE *script;

	snprintf(path, sizeof(path), "%s/peer", folder);
	script = fopen(path, "re");
	if (script == NULL)
		return NULL;
	peer = alloc_zero(sizeof(*peer));
	peer->script = script;
	peer->listener = peer->fd = -1;
	while (fgets(line, sizeof(line), script) != NULL) {
		peer->listens += strncmp(line, "listen ", 7) == 0;
		peer->connects |= strncmp(line, "connect ", 8) == 0;
		peer->tcp |=
			strcmp(line, "listen tcp\n") == 0 || strcmp(line, "connect tcp\n") == 0;
	}
	rewind(script);
	take_place(peer);
	return peer;
}

char *peer_fill(const struct peer *peer, const char *conf)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	while (*conf != '\0') {
		if (strncmp(conf, "@socket@", 8) == 0) {
			fputs(peer->path, out);
			conf += 8;
		} else if (strncmp(conf, "@port@", 6) == 0) {
			fprintf(out, "%u", peer->port);
			conf += 6;
		} else {
			fputc(*conf++, out);
		}
	}
	fclose(out);
	return text;
}

void peer_hide(const struct peer *peer, char *text)
{
	char port[16], *at;
	const struct {
		const char *found, *shown;
	} places[] = { { peer->path, "@socket@" }, { port, "@port@" } };

	/* Shorter, or as long: "@port@" is shown for ":12345". */
	snprintf(port, sizeof(port), ":%u", peer->port);
	for (size_t i = 0; i < (peer->tcp ? 2 : 1); i++) {
		size_t size = strlen(places[i].found);
		size_t shown = strlen(places[i].shown);

		while (size >= shown && (at = strstr(text, places[i].found)) != NULL) {
			memcpy(at, places[i].shown, shown);
			memmove(at + shown, at + size, strlen(at + size) + 1);
		}
	}
}

void peer_start(struct peer *peer)
{
	peer->out = open_memstream(&peer->text, &peer->text_size);
	if (pthread_create(&peer->thread, NULL, run, peer) != 0)
		die("thread");
	peer->running = true;
}

bool peer_connects(const struct peer *peer)
{
	return peer->connects;
}

void peer_wait(struct peer *peer)
{
	if (peer->running && !peer->joined)
		pthread_join(peer->thread, NULL);
	peer->joined = peer->running;
}

void peer_finish(struct peer *peer, FILE *out)
{
	if (!peer->running)
		return;
	peer_wait(peer);
	peer->running = peer->joined = false;
	fclose(peer->out);
	fprintf(out, "--- peer\n%s", peer->text);
}

void peer_free(struct peer *peer)
{
	if (peer == NULL)
		return;
	if (peer->listener >= 0)
		close(peer->listener);
	unlink(peer->path);
	rmdir(peer->folder);
	fclose(peer->script);
	free(peer->text);
	free(peer);
}
