/* SPDX-License-Identifier: MIT */
/* Disks of guests that wait for those of others, from the series that virt sends: of this host, and
 * at an aggregator of all hosts that share a storage. */
#pragma once

#include <collector/kit/once.h>
#include <collector/plugin.h>
#include <collector/writer.h>

#include "disks.h"
#include "report.h"

struct disks_writer { /* All zero, but for options: it is not wanted. */
	/* Options. */
	int64_t disks_max;
	double latency_min, factor; /* Milliseconds; times the mean. */

	struct contention_rule rule;
	bool guests_are_hosts, is_wanted;
	struct disks disks;
	struct report report; /* Its own: that of reads is of another thread. */
	size_t refused;       /* Series without room. */
	struct mc_once full;
};

/* Has the functions below called.  Thread: start()'s. */
void disks_writer_start(struct disks_writer *, struct mc_ctx *ctx, unsigned hits,
			bool guests_are_hosts);

/* Slots of series stay. */
void disks_writer_stop(struct disks_writer *);

/* As those of struct mc_writer. */
void disks_writer_write(struct disks_writer *, struct mc_ctx *ctx, const struct mc_batch *batch);
void disks_writer_ended(struct disks_writer *, struct mc_ctx *ctx, const struct mc_series *series);
void disks_writer_forget(struct disks_writer *, void *slot);

/* Prints the sentence about the guest of the series.  Thread: any. */
void disks_writer_explain(struct disks_writer *, const struct mc_series *series,
			  struct mc_answer *answer);
