/* SPDX-License-Identifier: MIT */
/* The other end. */
#include "ctl/peer.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <collector/plaintext.h>

#include "base/alloc.h"

#define ROOM_FIRST ((size_t)64 << 10)

void peer_init(struct peer *peer, int fd)
{
	*peer = (struct peer){ .fd = fd };
}

int peer_open(struct peer *peer, const char *path)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int fd;

	if (strlen(path) >= sizeof(address.sun_path))
		return -ENAMETOOLONG;
	memcpy(address.sun_path, path, strlen(path));
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -errno;
	if (connect(fd, (struct sockaddr *)&address, sizeof(address)) < 0) {
		int failed = errno;

		close(fd);
		return -failed;
	}
	peer_init(peer, fd);
	return 0;
}

void peer_close(struct peer *peer)
{
	close(peer->fd);
	free(peer->buffer);
	*peer = (struct peer){ .fd = -1 };
}

static int send_all(struct peer *peer, const char *text, size_t size)
{
	while (size > 0) {
		ssize_t n = send(peer->fd, text, size, MSG_NOSIGNAL);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		text += n;
		size -= (size_t)n;
	}
	return 0;
}

int peer_send(struct peer *peer, const char *line)
{
	size_t size = strlen(line);
	char *text = alloc_resize(NULL, size + 1, 1);
	int status;

	memcpy(text, line, size);
	text[size] = '\n';
	status = send_all(peer, text, size + 1);
	free(text);
	return status;
}

/* Makes room for another read behind what is there. */
static void make_room(struct peer *peer)
{
	if (peer->end > peer->start)
		memmove(peer->buffer, peer->buffer + peer->start,
			peer->end - peer->start);
	peer->end -= peer->start;
	peer->start = 0;
	if (peer->end < peer->room)
		return;
	peer->room = peer->room == 0 ? ROOM_FIRST : 2 * peer->room;
	peer->buffer = alloc_resize(peer->buffer, peer->room, 1);
}

/* Reads what is there; -ETIMEDOUT if nothing comes, 0 at the end, 1. */
static int receive(struct peer *peer, int timeout_ms)
{
	struct pollfd ready = { .fd = peer->fd, .events = POLLIN };
	int n = poll(&ready, 1, timeout_ms);
	ssize_t size;

	if (n == 0)
		return -ETIMEDOUT;
	if (n < 0)
		return -errno;
	if (peer->start > 0 || peer->end == peer->room)
		make_room(peer);
	size = recv(peer->fd, peer->buffer + peer->end, peer->room - peer->end,
		    0);
	if (size < 0)
		return -errno;
	peer->end += (size_t)size;
	return size > 0;
}

char *peer_line(struct peer *peer, int timeout_ms, int *status)
{
	size_t seen = 0;

	for (;;) {
		char *line = peer->buffer + peer->start;
		size_t size = peer->end - peer->start;
		char *end = NULL;

		if (size > seen)
			end = memchr(line + seen, '\n', size - seen);
		if (end != NULL) {
			*end = '\0';
			peer->start += (size_t)(end - line) + 1;
			return line;
		}
		seen = size;
		*status = receive(peer, timeout_ms);
		if (*status <= 0)
			return NULL;
	}
}

/* A line of an answer, which must come. */
static char *answer_line(struct peer *peer, int *status)
{
	char *line;

	do
		line = peer_line(peer, -1, status);
	while (line == NULL && *status == -EINTR);
	if (line == NULL && *status == 0)
		*status = -ECONNRESET;
	return line;
}

int peer_answer(struct peer *peer, struct answer *answer)
{
	const char *message;
	int status;
	char *line = answer_line(peer, &status);

	*answer = (struct answer){ 0 };
	if (line == NULL)
		return status;
	if (!mc_plain_status(line, &answer->status, &message))
		return -EPROTO;
	answer->message = alloc_copy(message);
	for (long i = 0; i < answer->status; i++) {
		line = answer_line(peer, &status);
		if (line == NULL) {
			peer_answer_done(answer);
			return status;
		}
		/* Doubles as it grows: the number is the other end's word. */
		if ((answer->len & (answer->len + 1)) == 0)
			answer->lines =
				alloc_resize(answer->lines, 2 * answer->len + 2,
					     sizeof(*answer->lines));
		answer->lines[answer->len++] = alloc_copy(line);
	}
	return 0;
}

void peer_answer_done(struct answer *answer)
{
	for (size_t i = 0; i < answer->len; i++)
		free(answer->lines[i]);
	free(answer->lines);
	free(answer->message);
	*answer = (struct answer){ 0 };
}

int peer_ask(struct peer *peer, const char *line, struct answer *answer)
{
	int status = peer_send(peer, line);

	return status < 0 ? status : peer_answer(peer, answer);
}
