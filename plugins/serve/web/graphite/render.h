/* SPDX-License-Identifier: MIT */
/* /render of Graphite's API, in JSON: what Grafana's Graphite source asks for. */
#pragma once

#include <collector/kit/http_server.h>

void render_answer(struct mc_httpd_request *);
