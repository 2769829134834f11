/* SPDX-License-Identifier: MIT */
/* Records that cannot be taken, by reason: counted, logged, and the newest kept as files.
 * Thread: run()'s, but for refused_report(). */
#pragma once

#include <stdatomic.h>

#include <collector/plugin.h>

#include "kit/base/quarantine.h"

enum refused_reason {
	REFUSED_SIZE,   /* It is larger than it may be. */
	REFUSED_FORMAT, /* It is not in its format. */
	REFUSED_VALUES, /* Some of its values cannot be taken. */
	REFUSED_GONE,   /* It was removed before it was read. */
	REFUSED_LATE,   /* Its values are older than others of their series. */
	REFUSED_STATES, /* It is no state, or cannot be written. */
	REFUSED_REASONS,
};

struct refused_record { /* Where it is, and its bytes. */
	const char *topic;
	int32_t partition;
	int64_t offset;
	const void *bytes;
	size_t size;
};

struct refused {
	struct mc_ctx *ctx;
	struct mc_quarantine quarantine;
	_Atomic uint64_t counts[REFUSED_REASONS]; /* Records; of REFUSED_LATE values. */
	mc_time logged[REFUSED_REASONS];
};

void refused_init(struct refused *, struct mc_ctx *, size_t len_max);
void refused_done(struct refused *);

void refused_keep(struct refused *, enum refused_reason, const struct refused_record *,
		  const char *why);

/* Counts what is not there to be kept; logged with 'what' and 'why', once in an hour. */
void refused_count(struct refused *, enum refused_reason, uint64_t number, const char *what,
		   const char *why);

/* The series errors-REASON. */
void refused_report(const struct refused *, struct mc_batch *);
