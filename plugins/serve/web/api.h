/* SPDX-License-Identifier: MIT */
/* The JSON API, /api/1/: what collectorctl --json prints, with the same keys,
 * described in doc/collectorctl.schema.json. */
#pragma once

#include <collector/kit/http_server.h>

void api_status(struct mc_httpd_request *);
void api_alerts(struct mc_httpd_request *);

/* ?match=GLOB&limit=N&offset=N: names and times. */
void api_series(struct mc_httpd_request *);

/* ?match=GLOB&limit=N&offset=N: last values and rates. */
void api_latest(struct mc_httpd_request *);

#define API_EXPLAIN "/api/1/explain/" /* And the name. */
void api_explain(struct mc_httpd_request *);

/* A whole number of the query; 'otherwise' if it is missing.  False, and refused, if it is invalid
 * or out of bounds. */
struct api_bounds {
	int64_t least, most, otherwise;
};
bool api_number(struct mc_httpd_request *, const char *name, struct api_bounds, int64_t *number);
