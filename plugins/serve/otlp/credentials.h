/* SPDX-License-Identifier: MIT */
/* The certificate, the key and the authority of a listener: a connection keeps
 * those that it began with, and those that begin later have what was read last.
 * Any thread. */
#ifndef OTLP_CREDENTIALS_H
#define OTLP_CREDENTIALS_H

#include <pthread.h>

#include <gnutls/gnutls.h>

struct credential;
struct credentials {
	pthread_mutex_t lock;
	struct credential *current; /* Lock.  NULL: there is no TLS. */
};

/* PEM.  The authority may be NULL. */
struct credentials_text {
	const char *certificate, *key, *ca;
};

void credentials_init(struct credentials *);
void credentials_done(struct credentials *);

/* What connections that begin from now on have.  0, or an error of GnuTLS:
 * nothing has changed then. */
int credentials_set(struct credentials *, const struct credentials_text *);

/* Gives a session that begins the current ones; credentials_leave() is due when
 * it has ended.  NULL: there are none. */
struct credential *credentials_enter(struct credentials *, gnutls_session_t);
void credentials_leave(struct credential *);

#endif
