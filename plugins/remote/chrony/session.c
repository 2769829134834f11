/* SPDX-License-Identifier: MIT */
#include "session.h"

#include <errno.h>
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include <collector/kit/alloc.h>

#include "kit/net/datagram_client.h"

struct session {
	char *host, *port;
	struct datagram_client client;
	struct session_answers answers;
	struct session_source *sources;
};

/* Waits for the reply; ignores other packets.  0, or a negative errno. */
static int await_reply(const struct session *session, const struct packet_question *question,
		       struct packet_reply *reply)
{
	uint8_t bytes[2048];
	ssize_t size;

	while ((size = datagram_client_receive(&session->client, bytes, sizeof(bytes))) >= 0)
		switch (packet_read(question, bytes, (size_t)size, reply)) {
		case PACKET_REPLY:
			return 0;
		case PACKET_REFUSED:
			return -ENOENT;
		case PACKET_OTHER:
			break;
		}
	return (int)size;
}

static int ask(struct session *session, enum packet_topic topic, uint32_t position,
	       struct packet_reply *reply)
{
	struct packet_question question = { .topic = topic, .position = position };
	uint8_t bytes[PACKET_QUESTION_SIZE];
	int rc;

	if (getrandom(&question.number, sizeof(question.number), 0) < 0)
		return -errno;
	packet_write(&question, bytes);
	rc = datagram_client_send(&session->client, bytes, sizeof(bytes));
	return rc == 0 ? await_reply(session, &question, reply) : rc;
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

static int ask_all(void *argument)
{
	struct session *session = argument;
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

bool session_ask(void *argument, char why[SLOW_SOURCE_WHY])
{
	struct session *session = argument;
	int rc;

	session->answers.has_tracking = false;
	session->answers.len = 0;
	rc = datagram_client_ask(&session->client, ask_all, session);
	if (rc > 0)
		snprintf(why, SLOW_SOURCE_WHY, "there is no such host: %s", gai_strerror(-rc));
	else if (rc < 0)
		snprintf(why, SLOW_SOURCE_WHY, "chronyd does not answer: %s", reason_of(rc));
	return rc == 0;
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
	session->client = (struct datagram_client){
		.host = session->host,
		.port = session->port,
		.timeout_ms = settings->timeout * 1000,
		.fd = -1,
	};
	return session;
}

void session_close(void *argument)
{
	struct session *session = argument;

	datagram_client_close(&session->client);
	free(session->sources);
	free(session->host);
	free(session->port);
	free(session);
}
