/* SPDX-License-Identifier: MIT */
/* How far a partition of a topic is: records that were read from it are pieces on their way to the
 * journal, and an offset is safe when all pieces before it are there.  One thread, but for the
 * result of a piece. */
#pragma once

#include <collector/journal.h>
#include <collector/kit/backoff.h>
#include <collector/plugin.h>
#include <collector/serve.h>

#define PARTITION_UNKNOWN (-1) /* Of an offset. */

struct intake;
struct partition;

struct piece { /* A batch of one record, or of several in a row. */
	struct piece *next;
	struct partition *partition;
	int64_t end; /* Offset after its last record. */
	size_t size; /* Bytes of its records. */
	struct mc_dedup_id id;
	bool numbered; /* 'id' is the sender's, not that of the offset. */
	struct mc_rejected late;

	/* Its result, and the owner's: */
	struct intake *intake;
	struct piece *next_done;
	bool done;
	int rc; /* Of mc_commit_then(). */
};

struct partition {
	const char *topic;
	const char *state_topic; /* Where states of its series are; NULL: nowhere. */
	int32_t number;
	bool assigned;           /* It is this reader's to read. */
	bool fresh;              /* Since states_read(). */
	int64_t next;            /* Offset after the last record that was read. */
	int64_t safe;            /* Below it all is in the journal, or not to be had. */
	int64_t start;           /* Where it is to go on instead; PARTITION_UNKNOWN: at 'next'. */
	int64_t told;            /* 'safe' as Kafka knows it. */
	bool again;              /* A piece has failed: it is read again from 'safe' on. */
	bool anew;               /* It has other records than before under the same offsets. */
	bool reset;              /* Its next offset is not known, or is gone: one is to be found. */
	struct mc_backoff asked; /* After no answer to that. */
	char id[MC_DEDUP_ID_MAX + 1]; /* Of records without a number; "": not made. */
	struct piece *first, *last;   /* Under way, in their order. */
};

/* Reading begins, at an offset that is not known yet. */
void partition_assign(struct partition *);

/* All pieces are settled, and reading goes on at that offset. */
void partition_go_on(struct partition *, int64_t offset);

/* A record at that offset came.  False: it is to be passed over, as the partition is not
 * assigned, or is about to be read again. */
bool partition_read(struct partition *, int64_t offset);

/* The record before 'next' needs no storing, or cannot be. */
void partition_pass(struct partition *);

/* Begins a piece with the record before 'next'; of the caller, until partition_settle() returns
 * it. */
struct piece *partition_begin(struct partition *);

/* The record before 'next' goes into the last piece, too. */
void partition_extend(struct partition *, size_t size);

/* Whether its records are in the journal.  Without one nothing is kept safely: the site's own
 * affair. */
bool partition_is_stored(const struct piece *);

/* Returns the pieces with a result, as a list, that come before all others under way.  After one
 * that was not stored 'safe' stays. */
struct piece *partition_settle(struct partition *);
