/* SPDX-License-Identifier: MIT */
/* A topic: its messages on their way to Kafka.  Many are under way at a time, each until Kafka has
 * acknowledged it.  The caller locks. */
#pragma once

#include <collector/kit/backoff.h>
#include <collector/kit/once.h>

#include "messages.h"
#include "producer.h"
#include "unacked.h"

struct topic_options {
	const char *name;
	struct mc_strings properties;
	struct messages_options messages;
	int64_t tenants_max;
	mc_time patience; /* With topics of tenants that are missing. */
};

struct sender {
	struct mc_ctx *ctx;
	const struct topic_options *options;
	struct messages_options messages_options;
	struct producer_options producer_options;
	char *stream;
	struct producer producer;
	struct messages messages;
	struct unacked unacked;
	struct tenant_topics tenants; /* If the topic has "%{tenant}". */
	struct mc_once too_many;      /* Tenants. */
	mc_time looked_at;            /* When they were looked at last; 0: never. */
	mc_time stored;               /* When Kafka took a message last. */
	bool made;                    /* All messages of the batch that write() has. */
	uint64_t samples;             /* In them. */
	uint64_t answers;             /* Messages that Kafka has answered. */
	bool failed;                  /* A message failed: all that are not done are sent again. */
	struct mc_backoff backoff;
	char refusal[MC_KAFKA_WHY_SIZE]; /* Why a message was refused, last. */
	uint64_t looked;                 /* 'answers', when sender_waits() was asked last. */
	struct mc_once once;
};

struct sender_settings {
	const struct topic_options *topic;
	const struct mc_strings *properties;
	size_t number; /* Of the topic. */
	size_t size_max;
	int wake; /* An eventfd: written to when there is something to do. */
};

/* 0, or what mc_fail() returned; sender_stop() follows in any case. */
int sender_start(struct sender *, struct mc_ctx *, const struct sender_settings *);
void sender_stop(struct sender *);

/* Makes the messages of a batch, of which it is to begin or to go on with, and puts them into the
 * queue.  False: that has no room for all of them.  Thread: write()'s. */
void sender_begin(struct sender *, const struct mc_batch *);
bool sender_go_on(struct sender *, const struct mc_batch *, struct unacked_batch *);

/* Takes the answers that are there, and sends again what failed.  Thread: run()'s. */
void sender_step(struct sender *);

/* Whether messages are under way, and none was answered since this was asked last. */
bool sender_waits(struct sender *);
