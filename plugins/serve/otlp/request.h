/* SPDX-License-Identifier: MIT */
/* One request of OTLP/HTTP, from its head to the answer. */
#pragma once

#include <collector/kit/http_server.h>

/* The requests served; mc_httpd_argument() is struct server. */
extern const struct mc_httpd_route request_routes[];

/* Answers what is refused, in the encoding of the request. */
void request_refuse(struct mc_httpd_request *, unsigned status, const char *why);
