/* SPDX-License-Identifier: MIT */
/* How much a client may send by TLS before it is something that we asked for.
 *
 * GnuTLS keeps a message of a handshake until it is complete, of up to 16 MiB, and others like it
 * after the handshake.  Within 64 KiB there must be a request, or more of its body. */
#pragma once

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include <gnutls/gnutls.h>

#include "kit/net/http_server/peer/http_handshakes.h"
#include "kit/net/http_server/peer/http_sessions.h"

struct http_tls {                 /* Of a connection; one thread at a time. */
	gnutls_session_t session; /* NULL: plain HTTP. */
	int fd;
	size_t left;                        /* Bytes that may come. */
	_Atomic uint64_t *refused;          /* Connections that sent more. */
	struct http_handshakes *handshakes; /* NULL: it waits for nothing; the caller sets it. */
	struct http_handshake handshake;
	struct http_sessions *sessions; /* NULL: it cannot be resumed; the caller sets it, too. */
	bool done; /* The handshake is, as far as the client has to do with it. */
};

/* The session has not begun its handshake; the struct stays as long as it. */
void http_tls_begin(struct http_tls *, gnutls_session_t, int fd, _Atomic uint64_t *refused);

/* Something of a request has come: as much may follow. */
void http_tls_serves(struct http_tls *);
