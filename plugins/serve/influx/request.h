/* SPDX-License-Identifier: MIT */
/* Requests by HTTP: /write, /api/v2/write, /ping, /health, and as much of /query as a sender asks
 * before it writes. */
#pragma once

#include <collector/kit/http_server.h>
#include <collector/quota.h>

#include "points.h"

struct influx_server { /* Shared by all requests: mc_httpd_argument(). */
	struct mc_ctx *ctx;
	struct points points;
	struct mc_quota_limits limits; /* Of a client. */
	_Atomic uint64_t requests;     /* That wrote. */
};

extern const struct mc_httpd_route request_routes[];

/* A refusal as a client of InfluxDB reads it. */
void request_refuse(struct mc_httpd_request *, unsigned status, const char *why);
