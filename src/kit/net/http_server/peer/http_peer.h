/* SPDX-License-Identifier: MIT */
/* The identity of the peer of a connection, found once for all its requests.  A connection is
 * served by one thread at a time. */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include <gnutls/x509.h>
#include <microhttpd.h>

#include <collector/kit/http_server.h>
#include <collector/kit/refusals.h>

#include "kit/net/http_server/peer/http_credentials.h"
#include "kit/net/http_server/peer/http_tls.h"
#include "kit/net/http_server/peer/http_watch.h"

enum http_refused { /* Reasons, for all servers the same. */
		    HTTP_REFUSED_NOTHING,
		    HTTP_REFUSED_REQUESTS,
		    HTTP_REFUSED_CLIENTS, /* There are too many, or it makes way. */
		    HTTP_REFUSED_TLS,     /* A handshake that is too long, or one too many. */
		    HTTP_REFUSED_SLOW,    /* It takes too long. */
		    HTTP_REFUSED_REASONS,
};

struct http_peer {
	struct mc_httpd_peer known; /* The first: see mc_httpd_peer_is(). */
	struct http_watch_line line;
	struct admission *admission;        /* It outlives the peer. */
	struct http_credential *credential; /* With TLS. */
	struct http_tls tls;                /* With TLS. */
	gnutls_x509_crt_t certificate;      /* Valid; NULL: none. */
	bool identified;                    /* Else nothing is known. */
};

struct http_peer_keepers { /* Shared by all peers that a thread serves. */
	const struct mc_strings *trusted_proxies;
	struct mc_ctx *ctx;
	struct http_watch *watch;
	struct http_credentials *credentials;
	struct mc_refusals *refusals; /* By enum http_refused. */
	struct http_sessions *sessions;
	struct http_handshakes *handshakes; /* Of the thread. */
};

/* An MHD_NotifyConnectionCallback: gives every connection a peer, which is
 * watched, and has the credentials that are current.  The first argument is struct
 * http_peer_keepers. */
void http_peer_notify(void *keepers, struct MHD_Connection *, void **peer,
		      enum MHD_ConnectionNotificationCode);

/* The peer of a connection; NULL: there was no memory for one. */
struct http_peer *http_peer_of(struct MHD_Connection *);

/* The address in the form in which limits and logs take it; of other families than IP that alone.
 */
struct sockaddr_storage http_peer_address(const struct sockaddr *);

/* The same for limits on connections: of no family if it is a server in front. */
struct sockaddr_storage http_peer_limited(const struct sockaddr *,
					  const struct mc_strings *trusted_proxies);

/* Whether the peer may ask at all: if 'identified', only with a certificate
 * that is valid.  If so it gets back its handshake. */
bool http_peer_identify(struct http_peer *, struct MHD_Connection *, bool identified);
