/* SPDX-License-Identifier: MIT */
/* One HTTP connection, by libcurl. */
#pragma once

#include <curl/curl.h>

#include <collector/kit/http_client.h>

#include "kit/net/http_client/http_header.h"
#include "kit/net/http_client/http_pack.h"

struct http_connection;

/* NULL if libcurl has no memory.  Settings and protocol must outlive it. */
struct http_connection *http_connection_new(struct mc_ctx *, const struct mc_http_settings *,
					    const struct mc_http_protocol *);
void http_connection_free(struct http_connection *);

/* If a certificate, the key or the authority has changed since the connection
 * began, the next request has a new one, in which nothing of the session before
 * is taken up. */
void http_connection_renew(struct http_connection *);

/* Sends a request to 'url' followed by its path, with those headers of the
 * user's, and waits for the reply. */
struct http_sending {
	const char *url;
	const struct mc_http_request *request;
	const struct http_headers *headers;
	struct http_body body;
};
void http_connection_send(struct http_connection *, const struct http_sending *,
			  struct mc_http_reply *);

/* --- What all transfers of libcurl have ----------------------------------- */

/* Sets what settings and protocol say of connecting, of TLS, of redirections,
 * of user and password and of times; they must outlive 'curl'. */
void http_connection_set(CURL *curl, const struct mc_http_settings *,
			 const struct mc_http_protocol *);

/* Writes why a transfer has failed: libcurl's words, which are in 'error', its
 * CURLOPT_ERRORBUFFER, and the system's if it knows more. */
void http_connection_why(CURL *curl, CURLcode, const char *error, char *out, size_t size);

/* Takes " after 12 ms" and " after 12 milliseconds" out of libcurl's words:
 * with another figure each time, the same failure would be logged each time. */
void http_connection_strip_duration(char *reason);
