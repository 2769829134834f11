/* SPDX-License-Identifier: MIT */
/* Questions to a chronyd, and its answers.  A session has copies of all it needs, as it may outlive
 * the plugin's instance. */
#pragma once

#include <stddef.h>

#include "kit/net/slow_source.h"
#include "packet.h"

#define SESSION_SOURCES_MAX 1000

struct session_settings {
	const char *host, *port;
	int64_t timeout; /* Seconds. */
};

struct session_source {
	struct packet_source data;
	struct packet_statistics statistics; /* 0 if it is not reachable. */
};

struct session_answers { /* Of the last question. */
	bool has_tracking;
	struct packet_tracking tracking;
	const struct session_source *sources;
	size_t len;
};

void *session_open(const void *settings);
bool session_ask(void *session, char why[SLOW_SOURCE_WHY]);
const struct session_answers *session_answers(const void *session);
void session_close(void *session);
