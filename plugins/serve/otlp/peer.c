/* SPDX-License-Identifier: MIT */
/* Facts: RFC 6125 for what names of a certificate mean, as GnuTLS does it. */
#include "peer.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>

#include <gnutls/crypto.h>
#include <gnutls/gnutls.h>

#include <collector/kit/alloc.h>

#define SENDER_HEADER "X-Sender"
#define OWN_LEN 32 /* Characters of the hash in the name of a stream. */

static const struct sockaddr *address_of(struct MHD_Connection *connection)
{
	const union MHD_ConnectionInfo *info = MHD_get_connection_info(
		connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);

	return info != NULL ? info->client_addr : NULL;
}

/* Of a connection; NULL: it is a plain one. */
static gnutls_session_t session_of(struct MHD_Connection *connection)
{
	const union MHD_ConnectionInfo *info = MHD_get_connection_info(
		connection, MHD_CONNECTION_INFO_GNUTLS_SESSION);

	return info != NULL ? info->tls_session : NULL;
}

static struct peer *begin(const struct peer_keepers *keepers,
			  struct MHD_Connection *connection)
{
	const union MHD_ConnectionInfo *info = MHD_get_connection_info(
		connection, MHD_CONNECTION_INFO_CONNECTION_FD);
	const struct sockaddr *from = address_of(connection);
	struct peer *peer = mc_alloc_zero(sizeof(*peer));

	peer->addresses = keepers->addresses;
	if (from != NULL)
		peer->counted = address_enter(keepers->addresses, from);
	if (session_of(connection) != NULL)
		peer->credential = credentials_enter(keepers->credentials,
						     session_of(connection));
	watch_add(keepers->watch, &peer->line, info->connect_fd);
	return peer;
}

static void end(const struct peer_keepers *keepers, struct peer *peer)
{
	if (peer == NULL)
		return;
	watch_remove(keepers->watch, &peer->line);
	address_leave(keepers->addresses, peer->counted);
	credentials_leave(peer->credential);
	if (peer->certificate != NULL)
		gnutls_x509_crt_deinit(peer->certificate);
	free(peer);
}

void peer_notify(void *keepers, struct MHD_Connection *connection, void **slot,
		 enum MHD_ConnectionNotificationCode code)
{
	if (code == MHD_CONNECTION_NOTIFY_STARTED) {
		*slot = begin(keepers, connection);
		return;
	}
	end(keepers, *slot);
	*slot = NULL;
}

struct peer *peer_of(struct MHD_Connection *connection)
{
	const union MHD_ConnectionInfo *info = MHD_get_connection_info(
		connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);

	return info != NULL ? info->socket_context : NULL;
}

/* --- Finding out --------------------------------------------------------- */

/* As "::" may take both, an address of IPv4 may come as one of IPv6. */
static bool is_v4(const struct sockaddr *address, struct in_addr *v4)
{
	const struct sockaddr_in6 *six = (const void *)address;

	if (address->sa_family == AF_INET) {
		*v4 = ((const struct sockaddr_in *)(const void *)address)
			      ->sin_addr;
		return true;
	}
	if (!IN6_IS_ADDR_V4MAPPED(&six->sin6_addr))
		return false;
	memcpy(v4, six->sin6_addr.s6_addr + 12, sizeof(*v4));
	return true;
}

/* A host may have as many addresses of an IPv6 network (RFC 4291, section
 * 2.5.4) as it likes, so that is the client. */
static void find_address(struct peer *peer, struct MHD_Connection *connection)
{
	const struct sockaddr *address = address_of(connection);
	struct in6_addr six;
	struct in_addr v4;

	snprintf(peer->address, sizeof(peer->address), "unknown");
	if (address != NULL && is_v4(address, &v4)) {
		inet_ntop(AF_INET, &v4, peer->address, sizeof(peer->address));
	} else if (address != NULL && address->sa_family == AF_INET6) {
		six = ((const struct sockaddr_in6 *)(const void *)address)
			      ->sin6_addr;
		inet_ntop(AF_INET6, &six, peer->address, sizeof(peer->address));
		memset(six.s6_addr + 8, 0, 8);
		inet_ntop(AF_INET6, &six, peer->client, sizeof(peer->client));
		return;
	}
	memcpy(peer->client, peer->address, sizeof(peer->address));
}

/* The client's certificate, if it is of our authority; else NULL. */
static gnutls_x509_crt_t find_certificate(struct MHD_Connection *connection)
{
	gnutls_session_t session = session_of(connection);
	gnutls_x509_crt_t certificate;
	const gnutls_datum_t *chain;
	unsigned status = 0, len = 0;

	if (session == NULL ||
	    gnutls_certificate_verify_peers2(session, &status) < 0 ||
	    status != 0)
		return NULL;
	chain = gnutls_certificate_get_peers(session, &len);
	if (chain == NULL || len == 0 || gnutls_x509_crt_init(&certificate) < 0)
		return NULL;
	if (gnutls_x509_crt_import(certificate, &chain[0],
				   GNUTLS_X509_FMT_DER) == 0)
		return certificate;
	gnutls_x509_crt_deinit(certificate);
	return NULL;
}

/* Whether it can be the host of a series, and stand in a header or a file. */
static bool is_name(const char *name)
{
	size_t size = strlen(name);

	for (size_t i = 0; i < size; i++)
		if (name[i] <= ' ' || name[i] > '~' || name[i] == '/')
			return false;
	return size > 0 && size < PEER_NAME_SIZE && name[0] != '.';
}

/* The name at that place among those of the certificate, if it is one of DNS;
 * 'more' says whether there are others after it. */
static bool name_at(gnutls_x509_crt_t certificate, unsigned at, char *name,
		    bool *more)
{
	size_t size = PEER_NAME_SIZE;
	int rc = gnutls_x509_crt_get_subject_alt_name(certificate, at, name,
						      &size, NULL);

	*more = rc != GNUTLS_E_REQUESTED_DATA_NOT_AVAILABLE;
	return rc == GNUTLS_SAN_DNSNAME && strlen(name) == size;
}

/* The first name of the certificate that is no pattern. */
static void find_name(struct peer *peer)
{
	size_t size = sizeof(peer->name);
	bool more = true;

	for (unsigned i = 0; more; i++)
		if (name_at(peer->certificate, i, peer->name, &more) &&
		    is_name(peer->name) && strchr(peer->name, '*') == NULL)
			return;
	if (gnutls_x509_crt_get_dn_by_oid(peer->certificate,
					  GNUTLS_OID_X520_COMMON_NAME, 0, 0,
					  peer->name, &size) < 0 ||
	    !is_name(peer->name))
		peer->name[0] = '\0';
}

bool peer_identify(struct peer *peer, struct MHD_Connection *connection,
		   bool identified)
{
	if (!peer->known) {
		find_address(peer, connection);
		if (identified)
			peer->certificate = find_certificate(connection);
		if (peer->certificate != NULL)
			find_name(peer);
		if (peer->name[0] != '\0')
			memcpy(peer->client, peer->name, sizeof(peer->client));
		if (!identified || peer->certificate != NULL)
			address_serves(peer->addresses, peer->counted);
		peer->known = true;
	}
	return !identified || peer->certificate != NULL;
}

/* --- Names --------------------------------------------------------------- */

/* "a" is "a.example.org", for those whose certificate says so. */
static bool is_begin_of(const char *host, const char *name)
{
	size_t size = strlen(host);

	return strncasecmp(host, name, size) == 0 && name[size] == '.';
}

bool peer_is(const struct peer *peer, const char *host)
{
	char name[PEER_NAME_SIZE];
	bool more = true;

	if (peer->certificate == NULL)
		return false;
	if (gnutls_x509_crt_check_hostname(peer->certificate, host) != 0)
		return true;
	if (is_begin_of(host, peer->name))
		return true;
	for (unsigned i = 0; more; i++)
		if (name_at(peer->certificate, i, name, &more) &&
		    is_begin_of(host, name))
			return true;
	return false;
}

/* A part of the SHA-256 of a text, of which nobody finds a second one. */
static bool sum_of(const char *text, char out[OWN_LEN + 1])
{
	unsigned char hash[32];

	if (gnutls_hash_fast(GNUTLS_DIG_SHA256, text, strlen(text), hash) < 0)
		return false;
	for (unsigned i = 0; i < OWN_LEN / 2; i++)
		snprintf(out + 2 * i, 3, "%02x", hash[i]);
	return true;
}

void peer_own(const struct peer *peer, char *stream, size_t size)
{
	char both[PEER_NAME_SIZE + 80], run[80];
	char own[OWN_LEN + 1], sum[OWN_LEN + 1];
	size_t len = strcspn(stream, "/");

	if (peer == NULL || peer->certificate == NULL)
		return;
	snprintf(both, sizeof(both), "%s/%.*s", peer->name, (int)len, stream);
	snprintf(run, sizeof(run), "%s", stream + len);
	if (!sum_of(both, own) || !sum_of(run, sum))
		return;
	if (OWN_LEN + strlen(run) < size)
		snprintf(stream, size, "%s%s", own, run);
	else /* Cut, it might be that of another run. */
		snprintf(stream, size, "%s/%.*s", own, OWN_LEN - 2, sum);
}

void peer_sender(const struct peer *peer, struct MHD_Connection *connection,
		 char *out)
{
	const char *said = MHD_lookup_connection_value(
		connection, MHD_HEADER_KIND, SENDER_HEADER);
	const char *name = peer->name[0] != '\0' ? peer->name : peer->address;

	if (said != NULL && is_name(said) &&
	    (peer->certificate == NULL || peer_is(peer, said)))
		name = said;
	snprintf(out, PEER_NAME_SIZE, "%s", name);
}
