/* SPDX-License-Identifier: MIT */
/* Samples as messages: the topic is the prefix and the series, the text "TIME:VALUE:...", which
 * ends with '\0', as collectd's does.  write()'s thread. */
#pragma once

#include <collector/kit/buffer.h>
#include <collector/writer.h>

#include "broker.h"

struct publish_options {
	struct broker_options broker;
	const char *prefix;
	bool store_rates, retain;
};

struct publish {
	const struct publish_options *options;
	struct broker broker;
	struct mc_buffer topic, text;
	const struct mc_sample *last; /* Of the batch; its message is with the library. */
	bool begun, done;             /* With the batch. */
};

int publish_open(struct publish *, struct mc_ctx *, const struct publish_options *,
		 const char *host);
void publish_close(struct publish *);

/* Sends a batch, and waits until the broker has taken all, for some seconds.  False: it has not;
 * the batch is then offered again.  'skip' has the topics that are not sent, or is NULL. */
bool publish_batch(struct publish *, const struct mc_batch *, const struct mc_strings *skip);
