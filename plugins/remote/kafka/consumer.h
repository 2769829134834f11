/* SPDX-License-Identifier: MIT */
/* A consumer of librdkafka, of some topics: as a member of a group, or of partitions that are
 * given.  One thread; all callbacks come to it, from consumer_poll() and consumer_close().
 *
 * Source: librdkafka's CONFIGURATION.md and rdkafka.h. */
#pragma once

#include <librdkafka/rdkafka.h>

#include <collector/plugin.h>

#include "kit/net/kafka_handle.h"

struct consumer_topic {
	const char *name;
	const int64_t *partitions; /* To be read; 'partitions_len' is 0 in a group. */
	size_t partitions_len;
};

struct consumer_calls {
	/* A partition is to be read from now on, or not any more. */
	void (*assign)(void *argument, const char *topic, int32_t partition);
	void (*revoke)(void *argument, const char *topic, int32_t partition);

	/* All partitions that are assigned now are not read yet. */
	void (*prepare_assign)(void *argument);

	/* All partitions that are revoked now are still to be read. */
	void (*prepare_revoke)(void *argument);

	/* Kafka has taken an offset. */
	void (*committed)(void *argument, const char *topic, int32_t partition, int64_t offset);
};

struct consumer_options {
	const struct mc_strings *properties;
	const char *group;
	const struct consumer_topic *topics;
	size_t topics_len;
	int wake; /* An eventfd: written to when there is something to poll. */
	const struct consumer_calls *calls;
	void *argument;
};

struct consumer { /* All zero at first. */
	const struct consumer_options *options;
	rd_kafka_t *handle;
	bool committing; /* An offset is on its way. */
	bool paused;
	char why[MC_KAFKA_WHY_SIZE]; /* It does not get on; "": unknown. */
};

/* Whether the plugin sets this property itself. */
bool consumer_owns(const char *property);

/* 0; or -EINVAL, and 'why'.  The options live as long as the consumer. */
int consumer_open(struct consumer *, const struct consumer_options *);

/* Leaves the group; waits for that up to 'milliseconds'.  A closed one is fine. */
void consumer_close(struct consumer *, int milliseconds);

/* The next message, for rd_kafka_message_destroy(), or NULL. */
rd_kafka_message_t *consumer_poll(struct consumer *);

/* Whether it can be used no more, and is to be opened again. */
bool consumer_is_broken(const struct consumer *);

/* Stops to fetch from all partitions, or goes on. */
void consumer_pause(struct consumer *, bool pause);

/* Commits offsets, of which calls->committed() reports; -EAGAIN if 'committing'. */
int consumer_commit(struct consumer *, rd_kafka_topic_partition_list_t *);

struct consumer_range { /* Offsets of a partition; < 0: none. */
	int64_t committed, low, high;
};

/* Asks Kafka for them, for a second at most each.  False: it does not answer. */
bool consumer_range(struct consumer *, const char *topic, int32_t partition,
		    struct consumer_range *);

/* Goes on at these offsets, of all partitions that are assigned.  False: it cannot be done now. */
bool consumer_restart(struct consumer *, const rd_kafka_topic_partition_list_t *);
