/* SPDX-License-Identifier: MIT */
/* Which series belong together in one graph, as JSON: see <collector/graphs.h>. */
#pragma once

#include <collector/kit/http_server.h>

/* /api/1/graphs?match=GLOB&since=SECONDS */
void graphs_answer(struct mc_httpd_request *);
