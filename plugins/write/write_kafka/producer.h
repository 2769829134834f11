/* SPDX-License-Identifier: MIT */
/* A producer of librdkafka for one topic.  It counts what Kafka has not acknowledged yet, and holds
 * why it does not.
 *
 * Source: librdkafka's CONFIGURATION.md and rdkafka.h.  One thread; all callbacks come to it. */
#pragma once

#include <librdkafka/rdkafka.h>

#include <collector/plugin.h>

#include "kit/net/kafka_handle.h"

struct producer {
	rd_kafka_t *handle;
	rd_kafka_topic_t *topic;
	uint64_t waiting;            /* Messages without an answer. */
	uint64_t refused;            /* Samples of messages that no broker will ever take; ... */
	bool failed;                 /* A message is to be sent again. */
	char why[MC_KAFKA_WHY_SIZE]; /* ... why, or why messages wait; "": unknown. */
};

struct producer_options { /* Words: a name and its value, in turn. */
	const char *topic;
	const struct mc_strings *common, *own;
	bool compress;
};

/* 0; or a negative errno, and 'why'.  'producer' must not move, and is all zero. */
int producer_open(struct producer *, const struct producer_options *);

/* Gives up what is not acknowledged.  A closed one is fine. */
void producer_close(struct producer *);

struct producer_message {
	const void *key, *bytes; /* 'key' NULL: any partition. */
	size_t key_size, size;
	const char *stream, *number; /* Headers; NULL: none. */
	unsigned samples_len;
};

/* Copies the message into the queue.  0; -EAGAIN: that is full; else it can never be sent. */
int producer_send(struct producer *, const struct producer_message *);

/* Takes answers, for which it waits up to 'milliseconds' if none is there. */
void producer_poll(struct producer *, int milliseconds);

/* Whether it can be used no more, and is to be opened again. */
bool producer_is_broken(const struct producer *);
