/* SPDX-License-Identifier: MIT */
/* The state of an instance, for the files of this plugin.  The writer's thread. */
#pragma once

#include <collector/kit/buffer.h>
#include <collector/kit/http_client.h>
#include <collector/private/otlp.h>
#include <collector/writer.h>

#include "kit/base/quarantine.h"

#include "division.h"
#include "numbers.h"
#include "shards.h"
#include "spread.h"
#include "target.h"

struct forward {
	struct mc_http_settings http;
	mc_time merge;
	int64_t size_max, refused_max;
	int names; /* enum mc_names */
	int spread_by;

	struct spread spread;
	struct shards shards;
	struct target *targets; /* One; with Spread hash one for each URL. */
	struct mc_otlp_writer *writer;
	/* Of a batch to be offered again, the shard that is sent, and the last sample of it that
	 * is done with. */
	const struct shard *shard; /* NULL: none is begun. */
	const struct mc_sample *sent;
	const struct stream *answer; /* To the last request. */
	bool doubtful;               /* That may be stored, though it was not taken. */
	struct mc_buffer gathered;   /* Notifications of a request, or values of a shard. */
	struct numbers numbers;
	struct mc_quarantine quarantine;
	char rejection[MC_OTLP_WHY_SIZE]; /* Log lines about values that were rejected, ... */
	mc_time rejection_logged;         /* ... since when; 0: never. */

	struct division division; /* The request that is under way, if it was refused. */
	mc_time start;            /* Older samples may have been sent before. */
	char refusal[448];        /* Of the last value that was refused alone, for the log; ... */
	int refusal_why;          /* ... its kind; ... */
	mc_time refusal_logged;   /* ... and since when; 0: never. */
	struct shard whole; /* That of all series, if there are not several; its size is open. */
};
