/* SPDX-License-Identifier: MIT */
/* Values of the answers of a server. */
#pragma once

#include "session.h"

struct put_database { /* A Database block, and the state of its notifications. */
	struct mc_ctx *ctx;
	const struct session_settings *settings;
	bool io_stopped, sql_stopped;
};

void put_answers(void *database, void *session, struct mc_batch *batch);
