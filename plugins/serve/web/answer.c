/* SPDX-License-Identifier: MIT */
#include "answer.h"

#include <string.h>

#define API_VERSION                                                                                \
	1 /* Greater when a key is gone or means something else.                                   \
	   */

void answer_headers(struct mc_httpd_request *request, const char *cache)
{
	/* Scripts, styles and data from here only, and no frame around it: a
	 * name of a host that holds HTML does nothing. */
	mc_httpd_add_header(request, "Content-Security-Policy",
			    "default-src 'none'; script-src 'self'; "
			    "style-src 'self'; img-src 'self' data:; "
			    "connect-src 'self'; base-uri 'none'; "
			    "form-action 'none'; frame-ancestors 'none'");
	mc_httpd_add_header(request, "X-Content-Type-Options", "nosniff");
	mc_httpd_add_header(request, "Referrer-Policy", "no-referrer");
	mc_httpd_add_header(request, "Cross-Origin-Resource-Policy", "same-origin");
	mc_httpd_add_header(request, "Cache-Control", cache);
}

void answer_bytes(struct mc_httpd_request *request, const char *type, const void *bytes,
		  size_t size)
{
	answer_headers(request, "no-store");
	mc_httpd_answer_packed(request, type, bytes, size);
}

struct mc_json *answer_begin(void)
{
	struct mc_json *json = mc_json_new(false);

	mc_json_map(json, NULL);
	mc_json_signed(json, "v", API_VERSION);
	return json;
}

void answer_json(struct mc_httpd_request *request, struct mc_json *json)
{
	const char *bytes;
	size_t size;

	mc_json_map_end(json);
	bytes = mc_json_bytes(json, &size);
	answer_bytes(request, "application/json", bytes, size);
	mc_json_free(json);
}

static const char *title_of(unsigned status)
{
	switch (status) {
	case 400:
		return "Bad Request";
	case 404:
		return "Not Found";
	case 421:
		return "Misdirected Request";
	case 429:
		return "Too Many Requests";
	default:
		return status < 500 ? "Refused" : "Cannot Answer";
	}
}

void answer_refuse(struct mc_httpd_request *request, unsigned status, const char *why)
{
	struct mc_json *json = mc_json_new(false);
	const char *bytes;
	size_t size;

	mc_json_map(json, NULL);
	mc_json_text(json, "title", title_of(status));
	mc_json_unsigned(json, "status", status);
	mc_json_text(json, "detail", why);
	mc_json_map_end(json);
	bytes = mc_json_bytes(json, &size);
	answer_headers(request, "no-store");
	mc_httpd_answer(request, status, "application/problem+json", bytes, size);
	mc_json_free(json);
}
