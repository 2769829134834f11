/* SPDX-License-Identifier: MIT */
/* A request that has come whole: what it says is taken, once. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include <collector/journal.h>
#include <collector/kit/http_server.h>
#include <collector/private/otlp.h>
#include <collector/serve.h>

#include "client.h"
#include "formats/otlp/otlp.h"
#include "server.h"

struct take {
	/* The request; stays until ingest_end(). */
	struct mc_httpd_request *http;
	bool logs;                          /* Of log records, not of metrics. */
	bool own_hosts;                     /* Only of hosts that the certificate is for. */
	bool json;                          /* Not in protobuf. */
	const char *stream, *numbers, *gap; /* Headers of our own, or NULL. */
	const struct mc_httpd_peer *peer;
	struct client *client;
	char sender[MC_HTTPD_NAME_SIZE];

	/* The answer: a status of HTTP; if not 200, result.why is set. */
	unsigned status;
	struct mc_otlp_result result;

	/* ingest.c's own. */
	struct mc_rejected late;    /* Values that the commit rejected, ... */
	char why[MC_OTLP_WHY_SIZE]; /* ... and why, for result.why. */
	bool numbered;              /* stream_begin() said so. */
	bool retried;               /* The same: its values are known. */
	bool unsafe;                /* Its commit has failed. */
	struct mc_dedup_id receipt;
	uint64_t first; /* Number in whose place it comes, too. */
};

/* Reads the request.  Returns a batch to be committed safely, whose result is then passed to
 * ingest_end(); or NULL: the answer is there.  Thread: any. */
struct mc_batch *ingest_begin(struct server *, struct take *);

/* Makes the answer; must follow, also if the batch was discarded. */
void ingest_end(struct server *, struct take *, int committed);
