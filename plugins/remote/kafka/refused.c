/* SPDX-License-Identifier: MIT */
#include "refused.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#include <collector/kit/once.h>

#define PAUSE (3600 * MC_SECOND)
#define NAME_SIZE 100 /* Of a file, without its time. */

static const char *const names[] = {
	[REFUSED_SIZE] = "size", [REFUSED_FORMAT] = "format", [REFUSED_VALUES] = "values",
	[REFUSED_GONE] = "gone", [REFUSED_LATE] = "late",     [REFUSED_STATES] = "states",
};

void refused_init(struct refused *refused, struct mc_ctx *ctx, size_t len_max)
{
	refused->ctx = ctx;
	mc_quarantine_init(&refused->quarantine, ctx->name, ".record", len_max);
}

void refused_done(struct refused *refused)
{
	mc_quarantine_done(&refused->quarantine);
}

void refused_count(struct refused *refused, enum refused_reason reason, uint64_t number,
		   const char *what, const char *why)
{
	uint64_t total = atomic_fetch_add(&refused->counts[reason], number) + number;

	if (mc_once_in(&refused->logged[reason], mc_now(), PAUSE))
		mc_log(refused->ctx, MC_WARN, "%s %s (%" PRIu64 " so far)", what, why, total);
}

/* Returns its part of the log's line.  A topic may have a name of 249 bytes. */
static const char *keep(struct refused *refused, enum refused_reason reason,
			const struct refused_record *record)
{
	char name[NAME_SIZE];
	int rc;

	snprintf(name, sizeof(name), "%s-%.40s-%" PRId32 "-%" PRId64, names[reason], record->topic,
		 record->partition, record->offset);
	rc = mc_quarantine_keep(&refused->quarantine, mc_wall(), name, record->bytes, record->size);
	if (rc == 0)
		return ", kept in BaseDir, see RefusedRecords";
	return rc == -ENOENT ? "" : ", it cannot be kept";
}

void refused_keep(struct refused *refused, enum refused_reason reason,
		  const struct refused_record *record, const char *why)
{
	char what[400], text[400];

	snprintf(what, sizeof(what),
		 "refuses a record of topic '%s', partition %" PRId32 ", offset %" PRId64 ":",
		 record->topic, record->partition, record->offset);
	snprintf(text, sizeof(text), "%s%s", why, keep(refused, reason, record));
	refused_count(refused, reason, 1, what, text);
}

void refused_report(const struct refused *refused, struct mc_batch *batch)
{
	for (unsigned i = 0; i < REFUSED_REASONS; i++)
		mc_put_derive(batch, (int64_t)refused->counts[i], .type = "errors",
			      .type_instance = names[i]);
}
