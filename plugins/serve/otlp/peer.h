/* SPDX-License-Identifier: MIT */
/* Who is at the other end of a connection: found out once for all its requests.
 * A connection is served by one thread at a time. */
#ifndef OTLP_PEER_H
#define OTLP_PEER_H

#include <stdbool.h>
#include <stddef.h>

#include <gnutls/x509.h>
#include <microhttpd.h>

#include "address.h"
#include "credentials.h"
#include "watch.h"

#define PEER_NAME_SIZE 128 /* As a part of a series' name. */

struct peer {
	struct watch_line line;
	struct addresses *addresses;   /* They outlive the peer. */
	struct address *counted;       /* Where the connection is; or NULL. */
	struct credential *credential; /* With TLS. */
	bool known; /* It was found out; else the rest is 0. */
	gnutls_x509_crt_t certificate; /* Valid; NULL: none is asked for. */
	char address[64];              /* As a number, without the port. */
	char name[PEER_NAME_SIZE];     /* In the certificate; "": none. */
	char client[PEER_NAME_SIZE];   /* Who limits are for: the name, else the
					* address; of IPv6 the network. */
};

struct peer_keepers { /* Who knows of all peers. */
	struct watch *watch;
	struct addresses *addresses;
	struct credentials *credentials;
};

/* An MHD_NotifyConnectionCallback: gives every connection a peer, which is
 * watched, has the credentials that are current and counted at its address. The
 * first argument is struct peer_keepers. */
void peer_notify(void *keepers, struct MHD_Connection *, void **peer,
		 enum MHD_ConnectionNotificationCode);

/* The peer of a connection; NULL: there was no memory for one. */
struct peer *peer_of(struct MHD_Connection *);

/* Whether the peer may ask at all: if 'identified', only with a certificate
 * that is valid.  If so it gets back its handshake. */
bool peer_identify(struct peer *, struct MHD_Connection *, bool identified);

/* Whether the certificate is for that host: it has the name, or a pattern for
 * it, or the name followed by a domain. */
bool peer_is(const struct peer *, const char *host);

/* Makes the stream "SENDER/RUN" that of this peer alone, if it has a
 * certificate: what others call SENDER is another one then.  A run that would
 * not fit into 'size' bytes, at least 64, gets a short name that is its own. */
void peer_own(const struct peer *, char *stream, size_t size);

/* What the sender of a request is called: as the header X-Sender says, if the
 * certificate, where one is asked for, is for that host; else as the
 * certificate says, else by its address.  Writes PEER_NAME_SIZE bytes. */
void peer_sender(const struct peer *, struct MHD_Connection *, char *out);

#endif
