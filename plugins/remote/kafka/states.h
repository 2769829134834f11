/* SPDX-License-Identifier: MIT */
/* States of judges in a compacted topic, so that the member of the group that takes a partition
 * over goes on where the one before it was.
 *
 * A partition of values has the partition of the same number of the topic of states.  The key of a
 * record there is GROUP, JUDGE and the name of the series, with tabs between them; its value is the
 * judge's text, or none where nothing stands any more.  Thread: run()'s, but for states_hear(). */
#pragma once

#include <librdkafka/rdkafka.h>

#include <collector/kit/lock.h>
#include <collector/kit/map.h>
#include <collector/kit/once.h>
#include <collector/private/judge_states.h>

#include "hosts.h"
#include "partition.h"
#include "refused.h"
#include "state_key.h"

struct states_options {
	const struct mc_strings *properties;
	const char *group;
	int wake; /* An eventfd: written to when there is something to write. */
	const struct hosts *hosts;
	struct refused *refused;
};

struct heard;
struct states {             /* All zero at first. */
	struct mc_ctx *ctx; /* NULL: no topic has states. */
	const struct states_options *options;
	rd_kafka_t *producer, *reader;
	struct mc_once once;  /* States cannot be written, ... */
	struct mc_once blind; /* ... or cannot be read. */
	bool looked;          /* All that others have were read since the start. */
	struct mc_map known;  /* Of struct state_node: what stands, by partition. */

	pthread_mutex_t lock;
	struct heard *first MC_GUARDED_BY(lock); /* From judges. */
	struct heard *last MC_GUARDED_BY(lock);
	size_t heard_size MC_GUARDED_BY(lock);
	uint64_t lost MC_GUARDED_BY(lock); /* There was no room. */
};

/* 0, or what mc_fail() returned; states_stop() follows in any case.  The options live as long. */
int states_start(struct states *, struct mc_ctx *, const struct states_options *);
void states_stop(struct states *);

/* A judge reports a state.  Thread: any. */
void states_hear(struct states *, const struct mc_judge_state *);

/* Reads the states of partitions that are 'fresh', which others may have had before, and has the
 * judges adopt them; at first also those of all other partitions, which judges then drop.  Waits
 * for Kafka, for some seconds at most: without an answer they go on as they are. */
void states_read(struct states *, struct partition *const *, size_t len, struct hosts *);

/* Writes what was heard. */
void states_write(struct states *);

/* Waits until it is written, for so long at most. */
void states_flush(struct states *, int milliseconds);

/* The partition belongs to another member: judges drop its states. */
void states_leave(struct states *, const struct partition *);
