/* SPDX-License-Identifier: MIT */
/* /api/1/related: which series moved as one did, in a span of time. */
#pragma once

#include <collector/kit/http_server.h>

/* ?match=GLOB&from=S&to=S&points=N&group=PARTS&function=F   as of /api/1/history
 * &of=NAME         the group or series of that answer that others are compared with; the first
 * &source=NAME     its source; the first
 * &limit=N         how many of its host, and of all others */
void related_answer(struct mc_httpd_request *);
