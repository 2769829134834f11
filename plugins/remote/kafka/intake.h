/* SPDX-License-Identifier: MIT */
/* Records of a topic into batches, each record once.
 *
 * A record with the headers X-Stream and X-Seq has these as its dedup id, and is a batch of its
 * own; others share a batch, whose dedup id is the offset of the last of them.  So a record that is
 * read again after a kill, of this reader or of the sender, is known.  Thread: run()'s. */
#pragma once

#include <pthread.h>
#include <stdatomic.h>

#include <librdkafka/rdkafka.h>

#include <collector/kit/backoff.h>
#include <collector/kit/lock.h>
#include <collector/kit/once.h>
#include <collector/quota.h>

#include "dedup.h"
#include "hosts.h"
#include "partition.h"
#include "record.h"
#include "refused.h"

struct topic_options {
	const char *name;
	int format;              /* enum record_format */
	const char *state_topic; /* NULL: states are not shared. */
	struct mc_ints partitions;
	struct mc_paths_options paths;
	struct mc_quota_limits limits;
};

struct topic {
	const struct topic_options *options;
	struct mc_paths *paths;
	struct mc_quota *quota;
	struct mc_once once; /* It cannot be read. */
};

struct intake { /* All zero but the first at first. */
	struct mc_ctx *ctx;
	const char *group;
	size_t size_max; /* Of a record. */
	size_t refused_max, template_bytes;
	bool shares;        /* Partitions go to other readers, with their hosts. */
	int wake;           /* An eventfd: written to when a piece has a result. */
	rd_kafka_t *handle; /* Of the consumer. */

	struct dedup dedup;
	struct hosts hosts; /* If it 'shares'. */
	struct record_reader records;
	struct refused refused;

	struct partition *partition; /* Of the last record. */
	struct mc_batch *batch;      /* To which records of it are added; or NULL. */
	struct piece *piece;         /* Its piece, the last of the partition. */
	uint64_t samples;            /* In it. */

	unsigned pending; /* Pieces on their way, and their size. */
	size_t pending_size;
	struct mc_backoff backoff; /* After a piece that failed. */

	pthread_mutex_t lock;
	struct piece *done MC_GUARDED_BY(lock); /* Pieces with a result. */

	_Atomic uint64_t records_len, samples_len, bytes, duplicates;
};

void intake_init(struct intake *);
void intake_done(struct intake *);

/* Whether more records may be on their way. */
bool intake_has_room(const struct intake *);

/* The partition is read by another reader now, or by this one again: whether its hosts are expected
 * to fall silent. */
void intake_expect_silence(struct intake *, const struct partition *, bool expected);

/* Takes a record. */
void intake_take(struct intake *, struct topic *, struct partition *, const rd_kafka_message_t *);

/* The offset after the last record of the partition without a number that is in the journal;
 * PARTITION_UNKNOWN: none is. */
int64_t intake_known(struct intake *, struct partition *);

/* The partition will have other records under the same offsets. */
void intake_forget(struct partition *);

/* Sends the batch that was begun to the journal. */
void intake_commit(struct intake *);

/* Takes the results that have come. */
void intake_settle(struct intake *, struct partition *const *partitions, size_t len);
