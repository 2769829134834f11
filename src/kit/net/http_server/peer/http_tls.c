/* SPDX-License-Identifier: MIT */
/* libmicrohttpd gives GnuTLS the descriptor; sending is left as it is. */
#include "kit/net/http_server/peer/http_tls.h"

#include <errno.h>
#include <poll.h>
#include <sys/socket.h>

#define AHEAD_MAX 65536 /* Bytes. */

static ssize_t pull(gnutls_transport_ptr_t argument, void *bytes, size_t size)
{
	struct http_tls *tls = argument;
	bool waits = !tls->done && tls->handshakes != NULL;
	ssize_t got;

	if (waits && !http_handshakes_begin(tls->handshakes, &tls->handshake)) {
		errno = EAGAIN;
		return -1;
	}
	if (tls->handshake.gone)
		return 0;
	if (tls->left == 0) {
		atomic_fetch_add(tls->refused, 1);
		gnutls_transport_set_errno(tls->session, EMSGSIZE);
		return -1;
	}
	got = recv(tls->fd, bytes, size < tls->left ? size : tls->left, 0);
	if (got > 0)
		tls->left -= (size_t)got;
	if (got < 0 && errno == EAGAIN && waits) {
		http_handshakes_wait(tls->handshakes, &tls->handshake);
		errno = EAGAIN;
	}
	return got;
}

/* Nobody waits in GnuTLS. */
static int pull_timeout(gnutls_transport_ptr_t argument, unsigned milliseconds)
{
	const struct http_tls *tls = argument;
	struct pollfd fd = { .fd = tls->fd, .events = POLLIN };

	(void)milliseconds;
	return poll(&fd, 1, 0);
}

/* The client's Finished is the last that it has to send. */
static int take_finished(gnutls_session_t session, unsigned type, unsigned when, unsigned incoming,
			 const gnutls_datum_t *message)
{
	gnutls_transport_ptr_t receives, sends;
	struct http_tls *tls;

	(void)type, (void)when, (void)message;
	gnutls_transport_get_ptr2(session, &receives, &sends);
	tls = receives;
	if (incoming == 0)
		return 0;
	tls->done = true;
	if (tls->handshakes != NULL)
		http_handshakes_rest(tls->handshakes, &tls->handshake);
	if (tls->sessions != NULL)
		http_sessions_count(tls->sessions, session);
	return 0;
}

void http_tls_begin(struct http_tls *tls, gnutls_session_t session, int fd,
		    _Atomic uint64_t *refused)
{
	gnutls_transport_ptr_t receives, sends;

	*tls = (struct http_tls){
		.session = session,
		.fd = fd,
		.left = AHEAD_MAX,
		.refused = refused,
	};
	gnutls_transport_get_ptr2(session, &receives, &sends);
	gnutls_transport_set_ptr2(session, tls, sends);
	gnutls_transport_set_pull_function(session, pull);
	gnutls_transport_set_pull_timeout_function(session, pull_timeout);
	gnutls_handshake_set_hook_function(session, GNUTLS_HANDSHAKE_FINISHED, GNUTLS_HOOK_POST,
					   take_finished);
}

void http_tls_serves(struct http_tls *tls)
{
	tls->left = AHEAD_MAX;
}
