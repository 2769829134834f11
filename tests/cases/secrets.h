/* SPDX-License-Identifier: MIT */
/* Keys, certificates and TLS of the peer, with GnuTLS: an implementation that
 * does not use the collector's.  The files are in the folder of the case:
 *
 *   ca.pem                    an authority of its own
 *   server.pem, server.key    for 127.0.0.1 and localhost
 *   client.pem, client.key    for the name "client"
 *   other.pem, other.key      of another authority, for the name "other"
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct secrets;
struct secret_stream;

/* Whether this program has TLS. */
bool secrets_possible(void);

/* Makes the files in 'folder'. */
struct secrets *secrets_new(const char *folder);
void secrets_free(struct secrets *); /* NULL is fine. */

/* A session on a socket that does not block, and stays the caller's.  A client
 * shows its certificate where it is asked for, and takes any server's. */
struct secret_stream *secret_stream_new(const struct secrets *, int fd, bool server);
void secret_stream_free(struct secret_stream *); /* NULL is fine. */

/* As send(2) and recv(2); the handshake is part of it.  EPROTO: TLS has failed. */
ssize_t secret_stream_send(struct secret_stream *, const void *bytes, size_t size);
ssize_t secret_stream_receive(struct secret_stream *, void *bytes, size_t size);
const char *secret_stream_why(const struct secret_stream *); /* After EPROTO. */

/* After EAGAIN: POLLIN or POLLOUT, what it waits for. */
short secret_stream_events(const struct secret_stream *);

/* Says goodbye. */
void secret_stream_bye(struct secret_stream *);
