/* SPDX-License-Identifier: MIT */
/* How web answers: every answer forbids what a page of ours never does. */
#pragma once

#include <collector/kit/http_server.h>
#include <collector/kit/json.h>

/* Answers with bytes of that type, which are kept nowhere. */
void answer_bytes(struct mc_httpd_request *, const char *type, const void *bytes, size_t size);

/* A map with the version of the API in it, to be filled; answer_json() closes,
 * sends and frees it. */
struct mc_json *answer_begin(void);
void answer_json(struct mc_httpd_request *, struct mc_json *);

/* Refuses: RFC 9457, a problem as JSON. */
void answer_refuse(struct mc_httpd_request *, unsigned status, const char *why);

/* The headers alone. */
void answer_headers(struct mc_httpd_request *, const char *cache);
