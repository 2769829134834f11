/* SPDX-License-Identifier: MIT */
#include "session.h"

#include <errno.h>
#include <netdb.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include <collector/kit/address.h>
#include <collector/kit/alloc.h>

struct session {
	char *host, *port;
	int64_t timeout; /* Milliseconds. */
	int fd;          /* A socket of UDP; -1: none. */
	struct session_answers answers;
	struct session_source *sources;
};

static bool fail(char why[SLOW_SOURCE_WHY], const char *what, const char *reason)
{
	snprintf(why, SLOW_SOURCE_WHY, "%s: %s", what, reason);
	return false;
}

/* The clock of a thread that waits for a server, not that of the loop. */
static int64_t milliseconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* --- The socket --------------------------------------------------------------- */

static int connect_to(const struct sockaddr_storage *address)
{
	int fd = socket(address->ss_family, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), rc;

	if (fd < 0)
		return -errno;
	if (connect(fd, (const struct sockaddr *)address, mc_address_size(address)) == 0)
		return fd;
	rc = -errno;
	close(fd);
	return rc;
}

static void disconnect(struct session *session)
{
	if (session->fd >= 0)
		close(session->fd);
	session->fd = -1;
}

/* --- Questions ---------------------------------------------------------------- */

/* Waits for the reply; what else comes is passed over.  0, or a negative errno. */
static int await_reply(const struct session *session, const struct packet_question *question,
		       int64_t until, struct packet_reply *reply)
{
	uint8_t bytes[2048];

	for (;;) {
		struct pollfd file = { .fd = session->fd, .events = POLLIN };
		int64_t rest = until - milliseconds();
		ssize_t size;

		if (rest <= 0)
			return -ETIMEDOUT;
		if (poll(&file, 1, (int)rest) < 0 && errno != EINTR)
			return -errno;
		size = recv(session->fd, bytes, sizeof(bytes), 0);
		if (size < 0 && errno != EAGAIN && errno != EINTR)
			return -errno;
		if (size < 0)
			continue;
		switch (packet_read(question, bytes, (size_t)size, reply)) {
		case PACKET_REPLY:
			return 0;
		case PACKET_REFUSED:
			return -ENOENT;
		case PACKET_OTHER:
			break;
		}
	}
}

static int ask(const struct session *session, enum packet_topic topic, uint32_t position,
	       struct packet_reply *reply)
{
	struct packet_question question = { .topic = topic, .position = position };
	uint8_t bytes[PACKET_QUESTION_SIZE];

	if (getrandom(&question.number, sizeof(question.number), 0) < 0)
		return -errno;
	packet_write(&question, bytes);
	if (send(session->fd, bytes, sizeof(bytes), MSG_NOSIGNAL) < 0)
		return -errno;
	return await_reply(session, &question, milliseconds() + session->timeout, reply);
}

/* A source may vanish between two questions. */
static int ask_source(struct session *session, uint32_t position)
{
	struct session_source *source = &session->sources[session->answers.len];
	struct packet_reply reply;
	int rc = ask(session, PACKET_SOURCE, position, &reply);

	if (rc != 0)
		return rc != -ENOENT ? rc : 0;
	*source = (struct session_source){ .data = reply.source };
	if (source->data.reachability & 1) {
		rc = ask(session, PACKET_STATISTICS, position, &reply);
		if (rc != 0)
			return rc != -ENOENT ? rc : 0;
		source->statistics = reply.statistics;
	}
	session->answers.len++;
	return 0;
}

static int ask_all(struct session *session)
{
	struct packet_reply reply;
	uint32_t count;
	int rc = ask(session, PACKET_TRACKING, 0, &reply);

	if (rc != 0)
		return rc;
	session->answers.has_tracking = true;
	session->answers.tracking = reply.tracking;
	rc = ask(session, PACKET_COUNT, 0, &reply);
	if (rc != 0)
		return rc;
	count = reply.count < SESSION_SOURCES_MAX ? reply.count : SESSION_SOURCES_MAX;
	session->sources = mc_alloc_resize(session->sources, count, sizeof(*session->sources));
	session->answers.sources = session->sources;
	for (uint32_t i = 0; i < count && rc == 0; i++)
		rc = ask_source(session, i);
	return rc;
}

static const char *reason_of(int rc)
{
	switch (rc) {
	case -ETIMEDOUT:
		return "no answer in time";
	case -ENOENT:
		return "it refuses to answer";
	default:
		return strerror(-rc);
	}
}

/* A name may have several addresses, and chronyd listen at one of them. */
static bool ask_at(struct session *session, const struct mc_addresses *list,
		   char why[SLOW_SOURCE_WHY])
{
	int rc = 0;

	for (unsigned i = 0; i < list->len; i++) {
		rc = session->fd = connect_to(&list->items[i]);
		if (rc >= 0)
			rc = ask_all(session);
		if (rc == 0)
			return true;
		disconnect(session);
		if (rc != -ECONNREFUSED && rc != -EADDRNOTAVAIL && rc != -ENETUNREACH &&
		    rc != -EAFNOSUPPORT)
			break;
	}
	return fail(why, "chronyd does not answer", reason_of(rc));
}

bool session_ask(void *argument, char why[SLOW_SOURCE_WHY])
{
	struct session *session = argument;
	struct mc_addresses list;
	int rc;

	session->answers.has_tracking = false;
	session->answers.len = 0;
	if (session->fd >= 0) {
		rc = ask_all(session);
		if (rc == 0)
			return true;
		disconnect(session);
		return fail(why, "chronyd does not answer", reason_of(rc));
	}
	rc = mc_address_find(session->host, session->port, SOCK_DGRAM, 0, &list);
	if (rc != 0)
		return fail(why, "there is no such host", gai_strerror(rc));
	return ask_at(session, &list, why);
}

/* --- Life --------------------------------------------------------------------- */

const struct session_answers *session_answers(const void *session)
{
	return &((const struct session *)session)->answers;
}

void *session_open(const void *argument)
{
	const struct session_settings *settings = argument;
	struct session *session = mc_alloc_zero(sizeof(*session));

	session->host = mc_alloc_copy(settings->host);
	session->port = mc_alloc_copy(settings->port);
	session->timeout = settings->timeout * 1000;
	session->fd = -1;
	return session;
}

void session_close(void *argument)
{
	struct session *session = argument;

	disconnect(session);
	free(session->sources);
	free(session->host);
	free(session->port);
	free(session);
}
