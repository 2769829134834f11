/* SPDX-License-Identifier: MIT */
/* A connected socket that does not block, and TLS that begins on it: the layer below a stream with
 * TLS.  No function logs.  A session is for one thread at a time and must not move. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include <collector/kit/buffer.h>
#include <collector/kit/tls_stream.h>

struct mc_tls_stream {
	int fd;                 /* -1: it is closed. */
	void *session;          /* GnuTLS's; NULL: not begun. */
	struct mc_tls *tls;     /* Of the session. */
	bool wants_write;       /* The handshake waits for that. */
	size_t left;            /* Bytes that may come by TLS. */
	struct mc_buffer early; /* Was received before TLS, and is of it. */
	size_t early_used;
};

/* Takes over a connected socket. */
void mc_tls_stream_init(struct mc_tls_stream *, int fd);

/* Begins TLS.  0 or a negative errno. */
int mc_tls_stream_start(struct mc_tls_stream *, const struct mc_tls_start *);

/* Goes on with the handshake: 0, it is done; -EAGAIN; else the reason is in 'why', of MC_TLS_WHY
 * bytes, and the peer gets an alert.  The peer may send no more than 64 KiB before it is done. */
int mc_tls_stream_handshake(struct mc_tls_stream *, char *why);

/* After the handshake, as recv(2) and send(2), with a negative errno; -EPROTO: TLS is broken;
 * -ECONNABORTED: the connection has ended before TLS has, so that somebody on the way may have cut
 * what the peer has sent.  At most the 16,384 bytes of one record of TLS are received; with less
 * room poll(2) does not report the rest.  After 64 KiB of TLS in which there are no bytes for us it
 * is broken. */
ssize_t mc_tls_stream_recv(struct mc_tls_stream *, void *bytes, size_t size);
ssize_t mc_tls_stream_send(struct mc_tls_stream *, const void *bytes, size_t size);

void mc_tls_stream_close(struct mc_tls_stream *);
