/* SPDX-License-Identifier: MIT */
/* One address that is listened at, by threads of our own. */
#pragma once

#include <collector/kit/http_server.h>

#define HTTP_FILE_MAX 262144 /* Bytes of certificates or passwords. */

struct http_listener;

/* Whether it has TLS for viewers of whom it neither asks a certificate nor a password. */
static inline bool http_listen_is_open(const struct mc_httpd_listen *listen)
{
	return listen->certificate != NULL && listen->ca == NULL && listen->passwords == NULL;
}

/* NULL and what mc_fail() returned, if it cannot listen there. */
struct http_listener *http_listener_new(struct mc_httpd *, const struct mc_httpd_listen *,
					int *status);

/* Reads its files again, for connections that begin from now on.  0, or what mc_fail() returned. */
int http_listener_renew(struct http_listener *);

/* Answers no more; requests under way are answered before it returns. */
void http_listener_free(struct http_listener *);
