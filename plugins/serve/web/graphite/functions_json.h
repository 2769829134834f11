/* SPDX-License-Identifier: MIT */
/* /functions of Graphite's API: the functions that Grafana's editor offers. */
#pragma once

#include <collector/kit/http_server.h>

#define FUNCTIONS_JSON_PATH "/functions/" /* And the name of one. */

/* ?group=G: of that group only; grouped=1: by group. */
void functions_json_answer(struct mc_httpd_request *);
void functions_json_one(struct mc_httpd_request *);

/* /version: the version of Graphite whose API this is. */
void functions_json_version(struct mc_httpd_request *);
