/* SPDX-License-Identifier: MIT */
/* Connections of HTTP to a receiver, by libcurl: one, or as many as requests are under way at
 * once. */
#pragma once

#include <curl/curl.h>

#include <collector/kit/http_client.h>

#include "kit/net/http_client/http_header.h"
#include "kit/net/http_client/http_pack.h"

struct http_connection;

/* Makes a connection in '*connection'; settings and protocol must outlive it.  0, or what
 * mc_fail() returned. */
int http_connection_new(struct mc_ctx *, const struct mc_http_settings *,
			const struct mc_http_protocol *, struct http_connection **connection);
void http_connection_free(struct http_connection *);

/* If a certificate, the key or the authority has changed since the connection began, the next
 * request has a new one, in which nothing of the session before is taken up. */
void http_connection_renew(struct http_connection *);

/* Sends a request to 'url' followed by its path, with those headers of the
 * user's, and waits for the reply. */
struct http_sending {
	const char *url;
	const struct mc_http_request *request;
	const struct http_headers *headers;
	struct http_body body;
	const char *dictionary; /* One more header; NULL, "": none. */
};
void http_connection_send(struct http_connection *, const struct http_sending *,
			  struct mc_http_reply *);

/* The same for several at once, each in a connection of its own. */
void http_connection_send_all(struct http_connection *, const struct http_sending *sendings,
			      struct mc_http_reply *const *replies, size_t len);

/* Sets in 'curl' what settings and protocol say of connecting, of TLS, of redirections, and of
 * user and password; they must outlive it. */
void http_connection_set(CURL *curl, const struct mc_http_settings *,
			 const struct mc_http_protocol *);
