/* SPDX-License-Identifier: MIT */
/* Questions to an ntpd, and its answers.  A session has copies of all it needs, as it may outlive
 * the plugin's instance. */
#pragma once

#include <stddef.h>

#include "kit/net/slow_source.h"
#include "names.h"

#define SESSION_PEERS_MAX 1000

struct session_settings {
	const char *host, *port;
	bool looks_up;      /* The names of peers' addresses. */
	bool has_units;     /* Names of reference clocks have their unit. */
	int64_t timeout_ms; /* Of an answer. */
};

struct session_loop {         /* NaN: not known. */
	double frequency;     /* Parts per million. */
	double offset, error; /* Seconds. */
};

struct session_peer {
	char address[48];
	char name[NAMES_SIZE];
	int driver; /* Of a reference clock, or -1. */
	bool is_reachable, is_looked_up;
	double offset, delay, dispersion; /* Seconds. */
};

struct session_answers { /* Of the last question. */
	bool has_loop;
	struct session_loop loop;
	const struct session_peer *peers;
	size_t len;
};

void *session_open(const void *settings);
bool session_ask(void *session, char why[SLOW_SOURCE_WHY]);
const struct session_answers *session_answers(const void *session);
void session_close(void *session);
