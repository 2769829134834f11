/* SPDX-License-Identifier: MIT */
/* Values out of messages: the last three parts of a topic are the series, the text is
 * "TIME:VALUE:...".  libmosquitto's thread. */
#pragma once

#include "broker.h"
#include "kit/series/plain_input.h"

struct subscribe_options {
	struct broker_options broker;
	const char *topic;
	bool clean_session;
};

struct subscribe {
	struct broker broker; /* First: callbacks of the library get it. */
	const struct subscribe_options *options;
	struct mc_plain_input input;
	struct mc_buffer line;
	mc_time interval;
	_Atomic uint64_t refused;
	mc_time refusal_logged;
};

int subscribe_open(struct subscribe *, struct mc_ctx *, const struct subscribe_options *,
		   const char *host);
void subscribe_close(struct subscribe *);
