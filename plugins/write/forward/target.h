/* SPDX-License-Identifier: MIT */
/* A receiver of OTLP, and the requests to it. */
#pragma once

#include <collector/kit/http_client.h>
#include <collector/kit/once.h>
#include <collector/private/otlp.h>

#include "formats/otlp/otlp.h"

#include "numbers.h"

#define TARGET_METRICS "/v1/metrics"

extern const struct mc_http_protocol target_protocol;

struct stream { /* Values or notifications, which are accepted or rejected
		 * independently. */
	const char *path;
	const char *tenant; /* Of the next request; NULL: nobody's. */
	struct mc_http_stream http;
	uint64_t rejected;          /* As the last reply says; ... */
	char why[MC_OTLP_WHY_SIZE]; /* ... and why. */
};

struct target { /* A receiver of its own, or the one of several URLs that answers. */
	struct mc_http_settings http;
	struct mc_http_client *client;
	struct stream values, notifications;
	struct mc_once trouble; /* While others stand in for it. */
};

/* Its settings are there, and stay.  0, or what mc_fail() returned. */
int target_start(struct mc_ctx *, struct target *);

/* Sends to one of its streams; what the reply says is in the stream. */
enum mc_http_verdict target_send(struct mc_ctx *, struct target *, struct stream *,
				 const struct mc_otlp_bytes *, const struct number *);

/* mc_fail() with what the last reply was. */
int target_fail(struct mc_ctx *, const struct stream *, int errnum);

/* Logs once that others get the values of 'first', which does not answer, or that it has them
 * again. */
void target_report(struct mc_ctx *, struct target *first, const struct target *taker);
