/* SPDX-License-Identifier: MIT */
/* A target: an exporter whose page is read.  The thread of run(). */
#pragma once

#include <collector/kit/scrape.h>
#include <collector/quota.h>

#include "known.h"

struct target_taken { /* A number that was read. */
	struct mc_series *series;
	union mc_value value;
	mc_time time;
};

struct target_state { /* The series "up" and its like, held. */
	struct mc_series *up, *duration, *samples;
};

struct target { /* A block of the options, and what it needs. */
	struct mc_scrape_settings http;
	struct described_target names;
	mc_time interval;
	int64_t sample_limit; /* 0: none. */
	bool honor_timestamps;
	struct mc_quota_limits limits;

	struct mc_ctx *ctx;
	struct mc_quota *quota;
	struct known known;
	struct target_state state;
	struct target_taken *taken; /* Of the page being read. */
	size_t taken_len, taken_room;
	uint64_t shared;               /* Series with a name of their own, as was logged. */
	char host[256], instance[300]; /* By the URL. */
};

void target_start(struct mc_ctx *, struct target *);
void target_stop(struct target *);

/* For struct mc_scrape_target. */
bool target_take(void *target, const struct mc_scrape_reply *, struct mc_batch *,
		 char why[MC_SCRAPE_WHY_SIZE]);
void target_fail(void *target, const struct mc_scrape_reply *, struct mc_batch *);

/* The host of a URL, and "HOST:PORT", as Prometheus calls the instance. */
void target_address(const char *url, char *host, size_t host_size, char *instance,
		    size_t instance_size);
