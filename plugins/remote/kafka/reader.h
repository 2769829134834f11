/* SPDX-License-Identifier: MIT */
/* Topics of Kafka to the journal, and then their offsets to Kafka.  Thread: run()'s, but for
 * reader_report(). */
#pragma once

#include <stdatomic.h>

#include <collector/kit/once.h>

#include "consumer.h"
#include "intake.h"
#include "states.h"

struct reader_options {
	struct mc_strings properties;
	const char *group;
	const struct topic_options *topics;
	size_t topics_len;
	bool shares;      /* Partitions, with other members of the group. */
	bool from_latest; /* Where the group has no offset. */
	int64_t size_max; /* Of a record. */
	int64_t refused_max, template_bytes;
};

struct reader {
	struct mc_ctx *ctx;
	const struct reader_options *options;
	struct consumer_topic *wanted;
	struct consumer_options consumer_options;
	struct consumer consumer;
	int wake;    /* An eventfd; 0: not made. */
	bool ending; /* All partitions are given back. */
	struct mc_once once;

	struct topic *topics;
	size_t topics_len;
	struct partition **partitions; /* All that were ever assigned. */
	size_t partitions_len, partitions_room;
	struct partition *last; /* That had a record. */

	struct intake intake;
	struct states_options states_options;
	struct states states;
	mc_time commit_due; /* Of offsets. */
	mc_time look_due;

	_Atomic int64_t lag; /* Records that are not read yet. */
};

/* 0, or what mc_fail() returned; reader_stop() follows in any case. */
int reader_start(struct reader *, struct mc_ctx *, const struct reader_options *);

/* A judge reports a state.  Thread: any. */
void reader_hear(struct reader *, const struct mc_judge_state *);

/* Runs until the instance must stop. */
int reader_run(struct reader *);
void reader_stop(struct reader *);

/* Its series. */
void reader_report(struct reader *, struct mc_batch *);
