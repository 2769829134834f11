/* SPDX-License-Identifier: MIT */
/* A server of Redis: its settings, and what it is asked. */
#pragma once

#include <collector/kit/once.h>
#include <collector/plugin.h>

#include "kit/net/dialogue.h"

struct node_query { /* A Query block. */
	const char *text, *type, *instance;
	int64_t database;
	bool selected; /* Of this interval: the server has that database. */
	struct mc_once trouble;
};

struct node { /* A Node block. */
	const char *name, *host, *port, *socket, *user, *password;
	int64_t timeout_ms;
	bool report_command_stats, report_cpu_usage;
	struct mc_blocks queries; /* struct node_query */
	struct mc_quota_limits limits;

	/* Of the conversation: how many replies came, and how many of them are for AUTH. */
	size_t replies, before;
	int64_t hits, misses; /* Of the interval before. */
};

extern const struct dialogue_kind node_kind;
