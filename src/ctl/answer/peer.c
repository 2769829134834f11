/* SPDX-License-Identifier: MIT */
/* The other end.  SO_PEERCRED, SO_SNDTIMEO: socket(7), unix(7). */
#include "ctl/answer/peer.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include "formats/plaintext/plaintext.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "base/text.h"

#define ROOM_FIRST ((size_t)64 << 10)
#define ANSWER_PATIENCE 12 /* Timeouts that a whole answer may take. */

void peer_init(struct peer *peer, int fd, mc_time timeout)
{
	struct timeval limit = {
		.tv_sec = timeout / MC_SECOND,
		.tv_usec = timeout % MC_SECOND / 1000,
	};

	*peer = (struct peer){ .fd = fd, .timeout = timeout, .answer_max = PEER_ANSWER_MAX };
	/* Without it a write would wait for ever: no reason to give up. */
	setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit));
}

int peer_open(struct peer *peer, const char *path, mc_time timeout)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int fd;

	if (strlen(path) >= sizeof(address.sun_path))
		return -ENAMETOOLONG;
	memcpy(address.sun_path, path, strlen(path));
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -errno;
	peer_init(peer, fd, timeout);
	if (connect(fd, (struct sockaddr *)&address, sizeof(address)) < 0) {
		int failed = errno == EAGAIN ? ETIMEDOUT : errno;

		close(fd);
		return -failed;
	}
	return 0;
}

pid_t peer_process(const struct peer *peer)
{
	struct ucred who = { 0 };
	socklen_t size = sizeof(who);

	if (getsockopt(peer->fd, SOL_SOCKET, SO_PEERCRED, &who, &size) < 0)
		return 0;
	return who.pid;
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
			return errno == EAGAIN ? -ETIMEDOUT : -errno;
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

/* Makes room for another read after the present text. */
static void make_room(struct peer *peer)
{
	if (peer->end > peer->start)
		memmove(peer->buffer, peer->buffer + peer->start, peer->end - peer->start);
	peer->end -= peer->start;
	peer->start = 0;
	if (peer->end < peer->room)
		return;
	peer->room = peer->room == 0 ? ROOM_FIRST : 2 * peer->room;
	peer->buffer = alloc_resize(peer->buffer, peer->room, 1);
}

/* Reads what is there; -ETIMEDOUT if nothing comes, -EMSGSIZE if a line has no
 * end, 0 at the end, 1. */
static int receive(struct peer *peer, int timeout_ms)
{
	struct pollfd ready = { .fd = peer->fd, .events = POLLIN };
	int n = poll(&ready, 1, timeout_ms);
	ssize_t size;

	if (n == 0)
		return -ETIMEDOUT;
	if (n < 0)
		return -errno;
	if (peer->end - peer->start > PEER_LINE_MAX)
		return -EMSGSIZE;
	if (peer->start > 0 || peer->end == peer->room)
		make_room(peer);
	size = recv(peer->fd, peer->buffer + peer->end, peer->room - peer->end, 0);
	if (size < 0)
		return -errno;
	peer->end += (size_t)size;
	return size > 0;
}

/* The received part of a line: the line if it is whole; 'seen' bytes of it were scanned before. */
static char *take_line(struct peer *peer, size_t *seen)
{
	char *line = peer->buffer + peer->start;
	size_t size = peer->end - peer->start;
	char *end = NULL;

	if (size > *seen)
		end = memchr(line + *seen, '\n', size - *seen);
	*seen = size;
	if (end == NULL)
		return NULL;
	peer->start += (size_t)(end - line) + 1;
	*end = '\0';
	/* No text of the other end's may steer a terminal. */
	text_make_printable(line);
	return line;
}

char *peer_line(struct peer *peer, int timeout_ms, int *status)
{
	size_t seen = 0;
	char *line;

	while ((line = take_line(peer, &seen)) == NULL) {
		*status = receive(peer, timeout_ms);
		if (*status <= 0)
			return NULL;
	}
	return line;
}

/* Milliseconds until then, rounded up: 0 when it is over. */
static int left_ms(mc_time until)
{
	mc_time left = until - clock_now();

	return left <= 0 ? 0 : (int)((left + 999999) / 1000000);
}

/* A line of an answer, which must come, whole, before 'until'. */
static char *answer_line(struct peer *peer, mc_time until, int *status)
{
	mc_time next = clock_now() + peer->timeout;
	size_t seen = 0;
	char *line;

	if (next < until)
		until = next;
	while ((line = take_line(peer, &seen)) == NULL) {
		*status = receive(peer, left_ms(until));
		if (*status == -EINTR)
			continue;
		if (*status == 0)
			*status = -ECONNRESET;
		if (*status < 0)
			return NULL;
	}
	return line;
}

/* Adds a line, with its '\0', to the text of an answer; false if it is too much. */
static bool add_line(struct answer *answer, size_t *room, const char *line, size_t most)
{
	size_t size = strlen(line) + 1;

	if (answer->size + size + (answer->len + 1) * sizeof(*answer->lines) > most)
		return false;
	if (answer->size + size > *room) {
		*room = 2 * (*room + size);
		answer->text = alloc_resize(answer->text, *room, 1);
	}
	memcpy(answer->text + answer->size, line, size);
	answer->size += size;
	answer->len++;
	return true;
}

/* Points at each line, when the text does not move any more. */
static void index_lines(struct answer *answer)
{
	char *line = answer->text;

	answer->lines = alloc_array(answer->len + 1, sizeof(*answer->lines));
	for (size_t i = 0; i < answer->len; i++) {
		answer->lines[i] = line;
		line += strlen(line) + 1;
	}
}

/* The lines that the first one has promised.  0 or -errno. */
static int answer_lines(struct peer *peer, mc_time until, struct answer *answer)
{
	size_t room = 0;
	int status;

	for (long i = 0; i < answer->status; i++) {
		char *line = answer_line(peer, until, &status);

		if (line == NULL)
			return status;
		if (!add_line(answer, &room, line, peer->answer_max))
			return -EMSGSIZE;
	}
	index_lines(answer);
	return 0;
}

int peer_answer(struct peer *peer, struct answer *answer)
{
	mc_time until = clock_now() + ANSWER_PATIENCE * peer->timeout;
	const char *message;
	int status;
	char *line = answer_line(peer, until, &status);

	*answer = (struct answer){ 0 };
	if (line == NULL)
		return status;
	if (!mc_plain_status(line, &answer->status, &message))
		return -EPROTO;
	answer->message = alloc_copy(message);
	status = answer_lines(peer, until, answer);
	if (status < 0)
		peer_answer_done(answer);
	return status;
}

void peer_answer_done(struct answer *answer)
{
	free(answer->lines);
	free(answer->text);
	free(answer->message);
	*answer = (struct answer){ 0 };
}

int peer_ask(struct peer *peer, const char *line, struct answer *answer)
{
	int status = peer_send(peer, line);

	return status < 0 ? status : peer_answer(peer, answer);
}
