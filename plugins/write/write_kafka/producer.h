/* SPDX-License-Identifier: MIT */
/* A producer of librdkafka, for a topic or several.  It counts what Kafka has not answered yet, and
 * holds why it does not.
 *
 * Source: librdkafka's CONFIGURATION.md and rdkafka.h.  The caller locks; all callbacks come to
 * producer_poll(). */
#pragma once

#include <librdkafka/rdkafka.h>

#include <collector/plugin.h>

#include "kit/net/kafka_handle.h"

enum producer_answer {
	PRODUCER_STORED,
	PRODUCER_REFUSED,  /* No broker will ever take the message. */
	PRODUCER_FAILED,   /* It is to be sent again. */
	PRODUCER_NO_TOPIC, /* The same, but its topic is missing, or not allowed. */
};

struct producer_options {  /* Words: a name and its value, in turn. */
	const char *topic; /* NULL: each message has its own. */
	const struct mc_strings *common, *own;
	bool compress;
	int wake; /* An eventfd: written to when there is something to poll; < 0: none. */
	void (*answered)(void *argument, void *message, enum producer_answer);
	void *argument;
};

struct producer {
	rd_kafka_t *handle;
	rd_kafka_topic_t *topic;
	const struct producer_options *options;
	uint64_t waiting;            /* Messages without an answer. */
	char why[MC_KAFKA_WHY_SIZE]; /* Why messages wait or are refused; "": unknown. */
};

/* 0; or a negative errno, and 'why'.  'producer' must not move, and is all zero; the options live
 * as long as it does. */
int producer_open(struct producer *, const struct producer_options *);

/* Has messages that are not answered fail. */
void producer_give_up(struct producer *);

/* Has messages that are not sent yet fail. */
void producer_take_back(struct producer *);

/* Gives up what is not answered; 'why' stays.  A closed one is fine. */
void producer_close(struct producer *);

struct producer_message {
	const void *key, *bytes; /* 'key' NULL: any partition.  'bytes' live until the answer. */
	size_t key_size, size;
	const char *topic;           /* NULL: that of the options. */
	const char *stream, *number; /* Headers; NULL: none. */
	void *message;               /* For answered(). */
};

/* Puts the message into the queue.  0; -EAGAIN: that is full; -ENOENT: its topic is missing, or not
 * allowed; else it can never be sent. */
int producer_send(struct producer *, const struct producer_message *);

/* Takes answers, for which it waits up to 'milliseconds' if none is there. */
void producer_poll(struct producer *, int milliseconds);

/* Whether it can be used no more, and is to be opened again. */
bool producer_is_broken(const struct producer *);
