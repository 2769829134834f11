/* SPDX-License-Identifier: MIT */
/* /api/1/marks: events of a host, for lines in its graphs. */
#pragma once

#include <collector/kit/http_server.h>

/* ?host=NAME       whose alerts and notifications; starts and reloads are those of this collector
 * &from=S&to=S     as of /api/1/history */
void marks_answer(struct mc_httpd_request *);
