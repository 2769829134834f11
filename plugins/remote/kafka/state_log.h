/* SPDX-License-Identifier: MIT */
/* Reads partitions of a compacted topic from begin to end.  One thread, which waits. */
#pragma once

#include <librdkafka/rdkafka.h>

#include <collector/plugin.h>

#include "kit/net/kafka_handle.h"

struct state_log { /* A partition. */
	const char *topic;
	int32_t number;
	void *owner; /* The caller's own. */

	int64_t end; /* Offset after its last record, when reading began. */
	bool open;
	rd_kafka_topic_t *handle;
};

struct state_logs {
	struct mc_ctx *ctx; /* Whose end ends the wait. */
	struct state_log *items;
	size_t len;
	int milliseconds; /* For all of them. */
	char why[MC_KAFKA_WHY_SIZE];
};

/* Shows each record; later ones of a key come later.  Returns whether all were read to their ends;
 * if not, 'why' says of the first one why. */
typedef void state_log_show(void *argument, const struct state_log *, const rd_kafka_message_t *);
bool state_log_read(rd_kafka_t *, struct state_logs *, state_log_show *show, void *argument);

/* The number of partitions of a topic; < 0: unknown, and why. */
int state_log_partitions(rd_kafka_t *, const char *topic, char why[MC_KAFKA_WHY_SIZE]);
