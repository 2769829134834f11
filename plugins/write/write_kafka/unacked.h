/* SPDX-License-Identifier: MIT */
/* Batches whose messages Kafka has not acknowledged yet, in their order, and these messages by
 * topic.  An offset of the journal is safe when all batches before it are done.  The caller locks.
 */
#pragma once

#include <collector/journal.h>
#include <collector/plugin.h>

#include "messages.h"
#include "tenant_topic.h"

struct unacked_batch {
	struct unacked_batch *next;
	bool whole;           /* All its messages are made. */
	bool recorded;        /* 'end' is an offset of the journal. */
	struct mc_offset end; /* After it. */
	uint64_t samples;     /* In it. */
	size_t left;          /* Messages that are not done. */
	uint64_t refused[];   /* Samples that will never be taken, by topic. */
};

struct unacked_batches { /* The oldest first; all zero at first, but for 'topics_len'. */
	size_t topics_len;
	struct unacked_batch *first, *last;
};

struct unacked_message {
	struct unacked_message *next, *previous; /* Of its topic. */
	struct unacked_batch *batch;
	struct tenant_topic *tenant; /* Set by the caller; NULL: it has none. */
	bool sent;                   /* It is on its way. */
	bool held;                   /* Its topic does not take it for now. */
	unsigned samples_len;
	size_t key_size, size;
	const char *topic;           /* NULL: that of all. */
	const char *key, *bytes;     /* 'key' NULL: none. */
	const char *stream, *number; /* NULL: it has no number. */
	char text[];
};

struct unacked { /* Messages of a topic, the oldest first; all zero at first, but for 'topic'. */
	size_t topic; /* Its number. */
	struct unacked_message *first, *last;
	struct unacked_message *unsent; /* The first that is to be sent; NULL: none. */
	size_t held_size;               /* Bytes of messages that are held. */
};

struct unacked_batch *unacked_begin(struct unacked_batches *);

/* Copies a message of the batch to the end. */
void unacked_add(struct unacked *, struct unacked_batch *, const struct message *);

/* The message 'unsent' is on its way. */
void unacked_sent(struct unacked *);

/* Kafka has taken a message, or has 'refused' it for good.  It may be freed. */
void unacked_done(struct unacked *, struct unacked_message *, bool refused);

/* All that is not done, and not held, is to be sent again, in the same order. */
void unacked_again(struct unacked *);

/* Has a message wait for its topic, which it is not on its way to any more. */
void unacked_hold(struct unacked *, struct unacked_message *);

/* Those whose topics are due are to be sent again, in the same order. */
void unacked_release(struct unacked *, mc_time now);

struct unacked_result { /* Of batches that are done. */
	bool recorded;  /* 'end' is set. */
	struct mc_offset end;
	uint64_t samples, refused; /* A sample that several topics refuse is one. */
};

/* Takes the batches that are done, and before which all are; adds them to a result. */
void unacked_settle(struct unacked_batches *, struct unacked_result *);

/* Messages first; they are not on their way any more.  Returns the samples of whole batches. */
void unacked_free(struct unacked *);
uint64_t unacked_free_batches(struct unacked_batches *);
