/* SPDX-License-Identifier: MIT */
#include "session.h"

#include <errno.h>
#include <math.h>
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include <collector/kit/alloc.h>

#include "control.h"
#include "kit/net/datagram_client.h"
#include "variables.h"

#define REFUSED (-EPROTO) /* As the answer's 'error' says. */

struct session {
	char *host, *port;
	bool looks_up, has_units;
	struct datagram_client client;
	struct control_answer answer;
	struct session_answers answers;
	struct session_peer *peers, *earlier;
	size_t earlier_len;
};

/* --- Questions ---------------------------------------------------------------- */

/* 0: the answer is whole; -EAGAIN: more is to come; or another negative errno. */
static int take_packet(struct session *session, const struct control_question *question)
{
	uint8_t bytes[2048];
	ssize_t size = datagram_client_receive(&session->client, bytes, sizeof(bytes));

	if (size < 0)
		return (int)size;
	switch (control_add(&session->answer, question, bytes, (size_t)size)) {
	case CONTROL_WHOLE:
		return 0;
	case CONTROL_REFUSED:
		return REFUSED;
	case CONTROL_BAD:
		return -EBADMSG;
	case CONTROL_PART:
	case CONTROL_OTHER:
		break;
	}
	return -EAGAIN;
}

static int ask(struct session *session, struct control_question question)
{
	uint8_t bytes[CONTROL_QUESTION_MAX];
	int rc;

	if (getrandom(&question.sequence, sizeof(question.sequence), 0) < 0)
		return -errno;
	control_begin(&session->answer);
	rc = datagram_client_send(&session->client, bytes, control_write(&question, bytes));
	if (rc != 0)
		return rc;
	do
		rc = take_packet(session, &question);
	while (rc == -EAGAIN);
	return rc;
}

/* --- The clock ------------------------------------------------------------------ */

/* Those that begin with 'k' are the kernel's, and 0 if it does not discipline the clock. */
static void read_loop(const char *text, struct session_loop *loop)
{
	struct session_loop kernel = { NAN, NAN, NAN };
	struct variable variable;

	*loop = kernel;
	while (variables_next(&text, &variable)) {
		const char *name = variable.name, *value = variable.value;

		if (strcmp(name, "frequency") == 0)
			loop->frequency = variables_number(value);
		else if (strcmp(name, "offset") == 0)
			loop->offset = variables_seconds(value);
		else if (strcmp(name, "clk_jitter") == 0)
			loop->error = variables_seconds(value);
		else if (strcmp(name, "kfreq") == 0)
			kernel.frequency = variables_number(value);
		else if (strcmp(name, "koffset") == 0)
			kernel.offset = variables_seconds(value);
		else if (strcmp(name, "kesterr") == 0)
			kernel.error = variables_seconds(value);
	}
	if (isfinite(kernel.frequency) && isfinite(kernel.offset) && isfinite(kernel.error) &&
	    (kernel.frequency != 0 || kernel.offset != 0 || kernel.error != 0))
		*loop = kernel;
}

/* A server that does not know one of the names answers none. */
static int ask_loop(struct session *session)
{
	static const char *const names[] = { "frequency,offset,clk_jitter,kfreq,koffset,kesterr",
					     "" };
	int rc = REFUSED;

	for (size_t i = 0; i < 2 && rc == REFUSED; i++) {
		rc = ask(session, (struct control_question){ .opcode = CONTROL_VARIABLES,
							     .names = names[i] });
		if (rc == REFUSED && session->answer.error != CONTROL_NO_VARIABLE)
			return rc;
	}
	if (rc == 0) {
		session->answers.has_loop = true;
		read_loop((const char *)session->answer.bytes, &session->answers.loop);
	}
	return rc;
}

/* --- Peers ---------------------------------------------------------------------- */

static void read_peer(const char *text, struct session_peer *peer)
{
	struct variable variable;

	*peer = (struct session_peer){
		.driver = -1, .offset = NAN, .delay = NAN, .dispersion = NAN
	};
	while (variables_next(&text, &variable)) {
		const char *name = variable.name, *value = variable.value;

		if (strcmp(name, "srcadr") == 0)
			snprintf(peer->address, sizeof(peer->address), "%.*s",
				 (int)strcspn(value + (*value == '['), "]"),
				 value + (*value == '['));
		else if (strcmp(name, "reach") == 0)
			peer->is_reachable = variables_is_odd(value);
		else if (strcmp(name, "offset") == 0)
			peer->offset = variables_seconds(value);
		else if (strcmp(name, "delay") == 0)
			peer->delay = variables_seconds(value);
		else if (strcmp(name, "dispersion") == 0)
			peer->dispersion = variables_seconds(value);
	}
}

static bool has_name(const struct session *session, const char *name)
{
	for (size_t i = 0; i < session->answers.len; i++)
		if (strcmp(session->peers[i].name, name) == 0)
			return true;
	return false;
}

/* Names of hosts that were found once are kept as long as the peer is there. */
static void look_up(const struct session *session, struct session_peer *peer)
{
	for (size_t i = 0; i < session->earlier_len; i++) {
		const struct session_peer *earlier = &session->earlier[i];

		if (earlier->is_looked_up && strcmp(earlier->address, peer->address) == 0) {
			snprintf(peer->name, sizeof(peer->name), "%s", earlier->name);
			peer->is_looked_up = true;
			return;
		}
	}
	names_of_host(peer->address, peer->name);
	peer->is_looked_up = strcmp(peer->name, peer->address) != 0;
}

/* No two peers have the same name. */
static void name_peer(const struct session *session, struct session_peer *peer)
{
	int unit = 0;
	const char *driver;

	peer->driver = names_driver(peer->address, &unit);
	driver = names_of_driver(peer->driver);
	snprintf(peer->name, sizeof(peer->name), "%s", peer->address);
	if (driver != NULL) {
		if (!session->has_units)
			snprintf(peer->name, sizeof(peer->name), "%s", driver);
		if (session->has_units || has_name(session, peer->name))
			snprintf(peer->name, sizeof(peer->name), "%s-%d", driver, unit);
		return;
	}
	if (peer->driver < 0 && session->looks_up)
		look_up(session, peer);
	if (has_name(session, peer->name)) {
		snprintf(peer->name, sizeof(peer->name), "%s", peer->address);
		peer->is_looked_up = false;
	}
}

/* A peer may vanish between two questions; one that was not found yet has no address. */
static int ask_peer(struct session *session, uint16_t association)
{
	struct session_peer *peer = &session->peers[session->answers.len];
	int rc = ask(session,
		     (struct control_question){ .opcode = CONTROL_VARIABLES,
						.association = association,
						.names = "srcadr,reach,offset,delay,dispersion" });

	if (rc == REFUSED && session->answer.error == CONTROL_NO_ASSOCIATION)
		return 0;
	if (rc != 0)
		return rc;
	read_peer((const char *)session->answer.bytes, peer);
	if (peer->address[0] == '\0' || strcmp(peer->address, "0.0.0.0") == 0 ||
	    strcmp(peer->address, "::") == 0)
		return 0;
	name_peer(session, peer);
	if (!has_name(session, peer->name))
		session->answers.len++;
	return 0;
}

static int ask_peers(struct session *session)
{
	uint8_t list[4 * SESSION_PEERS_MAX];
	size_t len;
	int rc = ask(session, (struct control_question){ .opcode = CONTROL_STATUS, .names = "" });

	if (rc != 0)
		return rc;
	len = session->answer.size / 4;
	if (len > SESSION_PEERS_MAX)
		len = SESSION_PEERS_MAX;
	memcpy(list, session->answer.bytes, len * 4);
	free(session->earlier);
	session->earlier = session->peers;
	session->earlier_len = session->answers.len;
	session->answers.len = 0;
	session->peers = mc_alloc_array(len + 1, sizeof(*session->peers));
	session->answers.peers = session->peers;
	for (size_t i = 0; i < len && rc == 0; i++)
		rc = ask_peer(session, (uint16_t)(list[4 * i] << 8 | list[4 * i + 1]));
	return rc;
}

/* --- All of it -------------------------------------------------------------------- */

static int ask_all(void *argument)
{
	struct session *session = argument;
	int rc = ask_loop(session);

	return rc == 0 ? ask_peers(session) : rc;
}

static void explain(const struct session *session, int rc, char why[SLOW_SOURCE_WHY])
{
	if (rc > 0)
		snprintf(why, SLOW_SOURCE_WHY, "there is no such host: %s", gai_strerror(-rc));
	else if (rc == REFUSED)
		snprintf(why, SLOW_SOURCE_WHY, "ntpd refuses to answer: error %u",
			 session->answer.error);
	else if (rc == -EBADMSG)
		snprintf(why, SLOW_SOURCE_WHY, "its answer is not one of ntpd");
	else if (rc == -ETIMEDOUT)
		snprintf(why, SLOW_SOURCE_WHY, "ntpd does not answer in time");
	else
		snprintf(why, SLOW_SOURCE_WHY, "ntpd does not answer: %s", strerror(-rc));
}

bool session_ask(void *argument, char why[SLOW_SOURCE_WHY])
{
	struct session *session = argument;
	int rc;

	session->answers.has_loop = false;
	rc = datagram_client_ask(&session->client, ask_all, session);
	if (rc == 0)
		return true;
	explain(session, rc, why);
	session->answers.len = 0;
	return false;
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
	session->looks_up = settings->looks_up;
	session->has_units = settings->has_units;
	session->client = (struct datagram_client){
		.host = session->host,
		.port = session->port,
		.timeout_ms = settings->timeout_ms,
		.fd = -1,
	};
	return session;
}

void session_close(void *argument)
{
	struct session *session = argument;

	datagram_client_close(&session->client);
	free(session->peers);
	free(session->earlier);
	free(session->host);
	free(session->port);
	free(session);
}
