/* SPDX-License-Identifier: MIT */
/* collector/kit/tls_stream.h - TLS for the streams of kit/stream.h, from the first byte or in
 * mid-conversation (STARTTLS), in libkit_tls, with GnuTLS.
 *
 * No function logs, but those of a server that say so.  Credentials are for any number of streams,
 * of any threads. */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include <collector/kit/stream.h>

struct mc_tls; /* Credentials. */

struct mc_tls_files {                  /* Paths of PEM files. */
	const char *certificate, *key; /* NULL: none. */
	const char *ca;                /* Or a folder; NULL: the authorities of the system. */
	bool verify;                   /* The peer must have a certificate that is valid. */
	bool tls13;                    /* Nothing older than TLS 1.3. */
};

#define MC_TLS_WHY 256 /* Of a reason, with '\0'. */

/* Reads the files.  False, and 'why', of MC_TLS_WHY bytes. */
bool mc_tls_new(const struct mc_tls_files *, struct mc_tls **, char *why);

/* NULL is fine.  Streams on which TLS has begun keep what they need. */
void mc_tls_free(struct mc_tls *);

/* Whether it has a certificate, which a TLS server needs. */
bool mc_tls_has_certificate(const struct mc_tls *);

/* The credentials of a server, which a reload renews while clients come.  All zero: it has none. */
struct mc_tls_server {
	struct mc_tls *tls;               /* Of the clients' thread. */
	_Atomic(struct mc_tls *) renewed; /* To take its place, or NULL. */
};

/* Checks the options of MC_TLS_SERVER_OPTIONS: that TLSCertificate and TLSKey are there together
 * and belong together, and that TLSClientCA has certificates.  Thread: check()'s. */
void mc_tls_server_check(struct mc_ctx *, const char *const *certificate, const char *const *key,
			 const char *const *ca);

/* Reads the files, for streams that begin from now on; nothing without a certificate.  Returns 0,
 * or what mc_fail() returned: the files of before stay.  For start() and renew(). */
int mc_tls_server_renew(struct mc_tls_server *, struct mc_ctx *, const struct mc_tls_files *);

/* Those that were read last, which stay until the next call; NULL without any.  Thread: the one of
 * the clients. */
struct mc_tls *mc_tls_latest(struct mc_tls_server *);

/* Leaves it without any. */
void mc_tls_server_free(struct mc_tls_server *);

/* How TLS begins, as its server or client.  'host', which may be NULL, is the name that the
 * certificate of the peer must have, if it is verified at all. */
struct mc_tls_start {
	struct mc_tls *tls;
	bool as_server;
	const char *host;
};

/* Begins TLS: before the stream is open, or in a callback of the stream, after what was added has
 * been sent.  Bytes that have come but are not taken yet are of TLS.  0, or a
 * negative errno; -EAGAIN: the socket does not take what was added.  Thread: the loop's. */
int mc_tls_stream_begin(struct mc_stream *, const struct mc_tls_start *);

/* Begins TLS with a client of that server, if it has a certificate: for begin() of
 * kit/stream_server.h.  False: there is no memory.  Thread: the loop's. */
bool mc_tls_server_begin(struct mc_tls_server *, struct mc_stream *);
