/* SPDX-License-Identifier: MIT */
/* The certificate, the key and the authority of a listener: a connection keeps those that it began
 * with, and those that begin later have what was read last.  Thread: any. */
#pragma once

#include <pthread.h>

#include <gnutls/gnutls.h>

#include <collector/kit/lock.h>

struct http_credential;
struct http_credentials {
	pthread_mutex_t lock;
	/* NULL: there is no TLS. */
	struct http_credential *current MC_GUARDED_BY(lock);
};

/* PEM.  The authority may be NULL. */
struct http_credentials_text {
	const char *certificate, *key, *ca;
};

void http_credentials_init(struct http_credentials *);
void http_credentials_done(struct http_credentials *) MC_NO_LOCK;

/* Credentials for connections that begin from now on. 0, or an error of GnuTLS: nothing has
 * changed then. */
int http_credentials_set(struct http_credentials *, const struct http_credentials_text *);

/* Gives a session that begins the current ones; http_credentials_leave() is due when it has ended.
 *  NULL without any. */
struct http_credential *http_credentials_enter(struct http_credentials *, gnutls_session_t);
void http_credentials_leave(struct http_credential *);
