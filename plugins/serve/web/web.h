/* SPDX-License-Identifier: MIT */
/* Shared by the files of web. */
#pragma once

#include <collector/kit/http_server.h>
#include <collector/serve.h>

#include "graph.h"
#include "host_tables.h"
#include "live.h"
#include "notifications.h"
#include "silent.h"

struct web {
	struct mc_blocks listens;    /* Of struct mc_httpd_listen. */
	struct mc_httpd_listen file; /* A unix socket; path NULL: none. */
	struct mc_httpd_limits limits;
	struct mc_strings proxies; /* Web servers in front. */
	struct mc_httpd *http;     /* NULL: start() has not made it. */
	struct mc_ctx *ctx;
	struct live live;
	struct notifications notifications;
	struct graphs graphs;
	struct silent silent;
	struct host_tables hosts;
};

/* Of the instance that answers the request. */
static inline struct mc_ctx *web_ctx(const struct mc_httpd_request *request)
{
	return ((struct web *)mc_httpd_argument(request))->ctx;
}

static inline struct graphs *web_graphs(const struct mc_httpd_request *request)
{
	return &((struct web *)mc_httpd_argument(request))->graphs;
}

static inline struct live *web_live(const struct mc_httpd_request *request)
{
	return &((struct web *)mc_httpd_argument(request))->live;
}

static inline struct silent *web_silent(const struct mc_httpd_request *request)
{
	return &((struct web *)mc_httpd_argument(request))->silent;
}

static inline struct host_tables *web_hosts(const struct mc_httpd_request *request)
{
	return &((struct web *)mc_httpd_argument(request))->hosts;
}

static inline struct notifications *web_notifications(const struct mc_httpd_request *request)
{
	return &((struct web *)mc_httpd_argument(request))->notifications;
}
