/* SPDX-License-Identifier: MIT */
/* collector/kit/tls_stream.h - a connected socket that does not block, and TLS
 * that begins on it in mid-conversation (STARTTLS), in libkit_tls, with GnuTLS.
 *
 * No function logs.  A stream is for one thread at a time and must not move;
 * credentials are for any number of streams, of any threads. */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include <collector/kit/buffer.h>
#include <collector/kit/stream.h>
#include <collector/kit/timed_call.h>

struct mc_tls; /* Credentials. */

struct mc_tls_files {                  /* Paths of PEM files. */
	const char *certificate, *key; /* NULL: none. */
	const char *ca;                /* NULL: the authorities of the system. */
	bool verify;                   /* The peer must have a certificate that is valid. */
	bool tls13;                    /* Nothing older than TLS 1.3. */
};

/* mc_timed_file() of each, for start() and renew().  Returns 0, or what
 * mc_fail() returned. */
static inline int mc_tls_try(struct mc_ctx *ctx, const struct mc_tls_files *files)
{
	int rc = mc_timed_file(ctx, files->certificate);

	if (rc == 0)
		rc = mc_timed_file(ctx, files->key);
	return rc == 0 ? mc_timed_file(ctx, files->ca) : rc;
}

#define MC_TLS_WHY 256 /* Of a reason, with '\0'. */

/* Reads the files.  False, and 'why', of MC_TLS_WHY bytes. */
bool mc_tls_new(const struct mc_tls_files *, struct mc_tls **, char *why);

/* NULL is fine.  Streams on which TLS has begun keep what they need. */
void mc_tls_free(struct mc_tls *);

/* Whether it has a certificate, which a TLS server needs. */
bool mc_tls_has_certificate(const struct mc_tls *);

/* The credentials of a server, which a reload renews while clients come.  All
 * zero: it has none. */
struct mc_tls_server {
	struct mc_tls *tls;               /* Of the clients' thread. */
	_Atomic(struct mc_tls *) renewed; /* To take its place, or NULL. */
};

/* Reads the files, for streams that begin from now on.  False, and 'why', as mc_tls_new(): those
 * of before stay.  Thread: any. */
bool mc_tls_renew(struct mc_tls_server *, const struct mc_tls_files *, char *why);

/* Those that were read last, which stay until the next call; NULL without any.  Thread: the one of
 * the clients. */
struct mc_tls *mc_tls_latest(struct mc_tls_server *);

/* Leaves it without any. */
void mc_tls_server_free(struct mc_tls_server *);

struct mc_tls_stream {
	int fd;                 /* -1: it is closed. */
	void *session;          /* GnuTLS's; NULL: plain text. */
	struct mc_tls *tls;     /* Of the session. */
	bool wants_write;       /* The handshake waits for that. */
	size_t left;            /* Bytes that may come by TLS. */
	struct mc_buffer early; /* Was received before TLS, and is of it. */
	size_t early_used;
};

/* Takes over a connected socket. */
void mc_tls_stream_init(struct mc_tls_stream *, int fd);

/* Begins TLS, as its server or client; the 'early' bytes have been received
 * already.  'host', which may be NULL, is the name that the certificate of the
 * peer must have, if it is verified at all.  0 or a negative errno. */
struct mc_tls_start {
	struct mc_tls *tls;
	bool as_server;
	const char *host;
	const char *early;
	size_t early_size;
};
int mc_tls_stream_start(struct mc_tls_stream *, const struct mc_tls_start *);

/* Goes on with the handshake: 0, it is done; -EAGAIN; else the reason is in 'why', of MC_TLS_WHY
 * bytes, and the peer gets an alert.  The peer may send no more than 64 KiB before it is done. */
int mc_tls_stream_handshake(struct mc_tls_stream *, char *why);

/* As recv(2) and send(2), with a negative errno; -EPROTO: TLS is broken; -ECONNABORTED: the
 * connection has ended before TLS has, so that somebody on the way may have cut what the peer has
 * sent.  At most the 16,384 bytes of one record of TLS are received; with less room poll(2) does
 * not report the rest.  After 64 KiB of TLS in which there are no bytes for us it is broken. */
ssize_t mc_tls_stream_recv(struct mc_tls_stream *, void *bytes, size_t size);
ssize_t mc_tls_stream_send(struct mc_tls_stream *, const void *bytes, size_t size);

/* The same, but with TLS no more than the first line: Munin, on both sides, takes each record of
 * TLS for a line. */
ssize_t mc_tls_stream_send_line(struct mc_tls_stream *, const void *bytes, size_t size);

void mc_tls_stream_close(struct mc_tls_stream *);

/* --- A stream of kit/stream.h --------------------------------------------- */

/* Begins TLS: before mc_stream_open(), or in a callback of the stream, after what was
 * added has been sent.  Bytes that have come but are not taken yet are of TLS; nothing
 * is 'early'.  0, or a negative errno; -EAGAIN: the socket does not take what was
 * added.  Thread: the loop's. */
int mc_tls_stream_begin(struct mc_stream *, const struct mc_tls_start *);
