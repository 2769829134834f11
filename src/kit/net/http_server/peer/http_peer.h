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

#include "kit/net/http_server/peer/http_address.h"
#include "kit/net/http_server/peer/http_credentials.h"
#include "kit/net/http_server/peer/http_tls.h"
#include "kit/net/http_server/peer/http_watch.h"

struct http_peer {
	struct mc_httpd_peer known; /* The first: see mc_httpd_peer_is(). */
	struct http_watch_line line;
	struct http_addresses *addresses;   /* They outlive the peer. */
	struct http_address *counted;       /* Where it is; or NULL. */
	struct http_credential *credential; /* With TLS. */
	struct http_tls tls;                /* With TLS. */
	gnutls_x509_crt_t certificate;      /* Valid; NULL: none. */
	bool identified;                    /* Else nothing is known. */
};

struct http_peer_keepers { /* Shared by all peers. */
	struct http_watch *watch;
	struct http_addresses *addresses;
	struct http_credentials *credentials;
	/* Connections that are refused, by enum http_address_verdict. */
	_Atomic uint64_t *kept_out;
};

/* An MHD_NotifyConnectionCallback: gives every connection a peer, which is
 * watched, has the credentials that are current and counted at its address. The
 * first argument is struct http_peer_keepers. */
void http_peer_notify(void *keepers, struct MHD_Connection *, void **peer,
		      enum MHD_ConnectionNotificationCode);

/* The peer of a connection; NULL: there was no memory for one. */
struct http_peer *http_peer_of(struct MHD_Connection *);

/* Whether the peer may ask at all: if 'identified', only with a certificate
 * that is valid.  If so it gets back its handshake. */
bool http_peer_identify(struct http_peer *, struct MHD_Connection *, bool identified);
