/* SPDX-License-Identifier: MIT */
/* /metrics/find and /metrics/expand of Graphite's API. */
#pragma once

#include <collector/kit/http_server.h>

void find_answer(struct mc_httpd_request *);
void find_expand(struct mc_httpd_request *);
