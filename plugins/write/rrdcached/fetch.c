/* SPDX-License-Identifier: MIT */
#include "fetch.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "fetched.h"
#include "file.h"
#include "reply.h"

enum { COMMANDS_MAX = 2 * (FILE_PREFIX_MAX + 64) };
static const mc_time limit = 2 * MC_SECOND;

struct peer {
	int fd;
	mc_time until; /* Monotonic. */
};

/* Waits until the socket can be read or written; 0, or a negative errno. */
static int wait_for(const struct peer *peer, short events)
{
	struct pollfd fd = { .fd = peer->fd, .events = events };
	mc_time left = peer->until - mc_now();
	int ready;

	if (left <= 0)
		return -ETIMEDOUT;
	ready = poll(&fd, 1, (int)(left / MC_MILLISECOND) + 1);
	if (ready < 0)
		return errno == EINTR ? 0 : -errno;
	return ready == 0 ? -ETIMEDOUT : 0;
}

static int connect_to(struct peer *peer, const struct address_target *target)
{
	socklen_t size = sizeof(int);
	int rc, error = 0;

	peer->fd = socket(target->socket.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (peer->fd < 0)
		return -errno;
	if (connect(peer->fd, (const struct sockaddr *)&target->socket, target->size) == 0)
		return 0;
	if (errno != EINPROGRESS)
		return -errno;
	rc = wait_for(peer, POLLOUT);
	if (rc == 0 && getsockopt(peer->fd, SOL_SOCKET, SO_ERROR, &error, &size) != 0)
		error = errno;
	return rc != 0 ? rc : -error;
}

static int send_all(const struct peer *peer, const char *text, size_t size)
{
	while (size > 0) {
		ssize_t n = send(peer->fd, text, size, MSG_NOSIGNAL);
		int rc = 0;

		if (n >= 0) {
			text += n;
			size -= (size_t)n;
		} else if (errno == EAGAIN) {
			rc = wait_for(peer, POLLOUT);
		} else if (errno != EINTR) {
			rc = -errno;
		}
		if (rc != 0)
			return rc;
	}
	return 0;
}

/* --- Two replies ------------------------------------------------------------
 */

struct answer {
	struct reply reply;
	struct fetched *fetched[2]; /* Averages, maxima. */
	unsigned replies;           /* Begun. */
	char refusal[MC_HISTORY_WHY];
};

static int take_line(struct answer *answer, const struct reply_line *line)
{
	if (line->kind == REPLY_BROKEN)
		return -EPROTO;
	if (line->kind == REPLY_STATUS && ++answer->replies > 2)
		return -EPROTO;
	if (line->kind == REPLY_STATUS && line->number < 0 && answer->replies == 1)
		snprintf(answer->refusal, sizeof(answer->refusal), "%s", line->text);
	if (line->kind == REPLY_DETAIL)
		fetched_line(answer->fetched[answer->replies - 1], line->text);
	return 0;
}

static int take_bytes(struct answer *answer, const char *bytes, const char *end, bool *done)
{
	while (bytes < end && !*done) {
		struct reply_line line = reply_next(&answer->reply, &bytes, end);
		int rc;

		if (line.kind == REPLY_NONE)
			continue;
		rc = take_line(answer, &line);
		if (rc != 0)
			return rc;
		*done = line.last && answer->replies == 2;
	}
	return 0;
}

static int receive(const struct peer *peer, struct answer *answer)
{
	char bytes[16384];
	bool done = false;
	int rc = 0;

	while (rc == 0 && !done) {
		ssize_t n = recv(peer->fd, bytes, sizeof(bytes), 0);

		if (n > 0)
			rc = take_bytes(answer, bytes, bytes + n, &done);
		else if (n == 0)
			rc = -EPIPE;
		else if (errno == EAGAIN)
			rc = wait_for(peer, POLLIN);
		else if (errno != EINTR)
			rc = -errno;
	}
	return rc;
}

/* --- The whole --------------------------------------------------------------
 */

/* The two commands; 0: there can be no such file. */
static size_t print_commands(const struct fetch_file *file, const struct mc_history *history,
			     char out[COMMANDS_MAX])
{
	int64_t start = history->start / MC_SECOND;
	int64_t end = (history->start + history->step * history->points_len) / MC_SECOND;
	char prefix[FILE_PREFIX_MAX];
	size_t verb = strlen("UPDATE ");
	int path = (int)file_prefix(file->directory, file->name, prefix) - (int)verb - 1;

	if (path <= 0)
		return 0;
	return (size_t)snprintf(out, COMMANDS_MAX,
				"FETCH %.*s AVERAGE %" PRId64 " %" PRId64 "\n"
				"FETCH %.*s MAX %" PRId64 " %" PRId64 "\n",
				path, prefix + verb, start, end, path, prefix + verb, start, end);
}

static int talk(struct mc_ctx *ctx, const struct fetch_file *file, const struct mc_history *history,
		struct answer *answer)
{
	struct peer peer = { -1, mc_now() + limit };
	struct address_target target;
	char commands[COMMANDS_MAX];
	size_t size = print_commands(file, history, commands);
	int rc = size > 0 ? address_find(ctx, file->address, 0, &target) : -ENAMETOOLONG;

	if (rc == 0)
		rc = connect_to(&peer, &target);
	if (rc == 0)
		rc = send_all(&peer, commands, size);
	if (rc == 0)
		rc = receive(&peer, answer);
	if (peer.fd >= 0)
		close(peer.fd);
	return rc;
}

int fetch_file(struct mc_ctx *ctx, const struct fetch_file *file, struct mc_history *history,
	       char *why)
{
	struct fetched averages = { .type = history->type, .rules = file->rules };
	struct fetched maxima = { .type = history->type, .rules = file->rules };
	struct answer answer = { .fetched = { &averages, &maxima } };
	int rc = talk(ctx, file, history, &answer);

	if (rc == 0)
		fetched_add(&averages, &maxima, history);
	fetched_free(&averages);
	fetched_free(&maxima);
	if (rc != 0) {
		snprintf(why, MC_HISTORY_WHY, "rrdcached at '%s': %s", file->address->text,
			 strerror(-rc));
	} else if (answer.refusal[0] != '\0' && strstr(answer.refusal, "No such file") == NULL) {
		snprintf(why, MC_HISTORY_WHY, "rrdcached refuses: %.200s", answer.refusal);
		rc = -EIO;
	}
	return rc;
}
