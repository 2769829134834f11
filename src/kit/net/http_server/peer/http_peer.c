/* SPDX-License-Identifier: MIT */
/* Facts: RFC 6125 for what names of a certificate mean, as GnuTLS does it. */
#include "kit/net/http_server/peer/http_peer.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>

#include <gnutls/gnutls.h>

#include <collector/kit/alloc.h>

#include "kit/net/http_server/peer/http_proxy.h"

static const struct sockaddr *address_of(struct MHD_Connection *connection)
{
	const union MHD_ConnectionInfo *info =
		MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);

	return info != NULL ? info->client_addr : NULL;
}

/* Of a connection; NULL: it is a plain one. */
static gnutls_session_t session_of(struct MHD_Connection *connection)
{
	const union MHD_ConnectionInfo *info =
		MHD_get_connection_info(connection, MHD_CONNECTION_INFO_GNUTLS_SESSION);

	return info != NULL ? info->tls_session : NULL;
}

struct sockaddr_storage http_peer_address(const struct sockaddr *from)
{
	struct sockaddr_storage address = { .ss_family = AF_UNSPEC };

	if (from != NULL && from->sa_family == AF_INET)
		memcpy(&address, from, sizeof(struct sockaddr_in));
	else if (from != NULL && from->sa_family == AF_INET6)
		memcpy(&address, from, sizeof(struct sockaddr_in6));
	return address;
}

static void watch(const struct http_peer_keepers *keepers, struct http_peer *peer,
		  struct MHD_Connection *connection)
{
	struct sockaddr_storage from =
		http_peer_limited(address_of(connection), keepers->trusted_proxies);
	bool evicted, entered, tls = session_of(connection) != NULL;

	entered = http_watch_add(keepers->watch, &peer->line, &from, tls, &evicted);
	if (evicted || !entered)
		mc_refuse(keepers->refusals, keepers->ctx, HTTP_REFUSED_CLIENTS,
			  &(struct mc_refused){
				  .what = "a connection",
				  .text = evicted ? "it was idle" : NULL,
				  .size = evicted ? strlen("it was idle") : 0,
			  });
}

static struct http_peer *begin(const struct http_peer_keepers *keepers,
			       struct MHD_Connection *connection)
{
	const union MHD_ConnectionInfo *info =
		MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
	struct http_peer *peer = mc_alloc_zero(sizeof(*peer));
	gnutls_session_t session = session_of(connection);

	peer->admission = keepers->watch->admission;
	if (session != NULL) {
		peer->credential = http_credentials_enter(keepers->credentials, session);
		http_tls_begin(&peer->tls, session, info->connect_fd,
			       &keepers->refusals->counts[HTTP_REFUSED_TLS]);
		peer->tls.handshakes = keepers->handshakes;
		peer->tls.sessions = keepers->sessions;
		http_sessions_enter(keepers->sessions, session);
		peer->tls.handshake.connection = connection;
		peer->tls.handshake.fd = info->connect_fd;
		peer->tls.handshake.line = &peer->line;
	}
	peer->line.fd = info->connect_fd;
	watch(keepers, peer, connection);
	return peer;
}

static void end(const struct http_peer_keepers *keepers, struct http_peer *peer)
{
	if (peer == NULL)
		return;
	if (keepers->handshakes != NULL)
		http_handshakes_forget(keepers->handshakes, &peer->tls.handshake);
	http_watch_remove(keepers->watch, &peer->line);
	http_credentials_leave(peer->credential);
	if (peer->certificate != NULL)
		gnutls_x509_crt_deinit(peer->certificate);
	free(peer);
}

void http_peer_notify(void *keepers, struct MHD_Connection *connection, void **slot,
		      enum MHD_ConnectionNotificationCode code)
{
	if (code == MHD_CONNECTION_NOTIFY_STARTED) {
		*slot = begin(keepers, connection);
		return;
	}
	end(keepers, *slot);
	*slot = NULL;
}

struct http_peer *http_peer_of(struct MHD_Connection *connection)
{
	const union MHD_ConnectionInfo *info =
		MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);

	return info != NULL ? info->socket_context : NULL;
}

/* --- Finding out --------------------------------------------------------- */

/* As "::" may take both, an address of IPv4 may come as one of IPv6. */
static bool is_v4(const struct sockaddr *address, struct in_addr *v4)
{
	const struct sockaddr_in6 *six = (const void *)address;

	if (address->sa_family == AF_INET) {
		*v4 = ((const struct sockaddr_in *)(const void *)address)->sin_addr;
		return true;
	}
	if (address->sa_family != AF_INET6 || !IN6_IS_ADDR_V4MAPPED(&six->sin6_addr))
		return false;
	memcpy(v4, six->sin6_addr.s6_addr + 12, sizeof(*v4));
	return true;
}

/* As a number; "local" of a unix socket. */
static void print_address(const struct sockaddr *address, char out[INET6_ADDRSTRLEN])
{
	struct in_addr v4;

	snprintf(out, INET6_ADDRSTRLEN, "%s",
		 address != NULL && address->sa_family == AF_UNIX ? "local" : "unknown");
	if (address != NULL && is_v4(address, &v4))
		inet_ntop(AF_INET, &v4, out, INET6_ADDRSTRLEN);
	else if (address != NULL && address->sa_family == AF_INET6)
		inet_ntop(AF_INET6,
			  &((const struct sockaddr_in6 *)(const void *)address)->sin6_addr, out,
			  INET6_ADDRSTRLEN);
}

struct sockaddr_storage http_peer_limited(const struct sockaddr *from,
					  const struct mc_strings *trusted_proxies)
{
	char text[INET6_ADDRSTRLEN];

	print_address(from, text);
	if (http_proxy_is_trusted(trusted_proxies, text))
		return (struct sockaddr_storage){ .ss_family = AF_UNSPEC };
	return http_peer_address(from);
}

/* A host may have as many addresses of an IPv6 network (RFC 4291, section
 * 2.5.4) as it likes, so that is the client. */
static void find_address(struct http_peer *peer, struct MHD_Connection *connection)
{
	const struct sockaddr *address = address_of(connection);
	struct mc_httpd_peer *known = &peer->known;
	struct in6_addr six;

	print_address(address, known->address);
	if (strchr(known->address, ':') != NULL) {
		six = ((const struct sockaddr_in6 *)(const void *)address)->sin6_addr;
		memset(six.s6_addr + 8, 0, 8);
		inet_ntop(AF_INET6, &six, known->client, sizeof(known->client));
		return;
	}
	memcpy(known->client, known->address, sizeof(known->address));
}

/* The client's certificate, if it is of our authority; else NULL. */
static gnutls_x509_crt_t find_certificate(struct MHD_Connection *connection)
{
	gnutls_session_t session = session_of(connection);
	gnutls_x509_crt_t certificate;
	const gnutls_datum_t *chain;
	unsigned status = 0, len = 0;

	if (session == NULL || gnutls_certificate_verify_peers2(session, &status) < 0 ||
	    status != 0)
		return NULL;
	chain = gnutls_certificate_get_peers(session, &len);
	if (chain == NULL || len == 0 || gnutls_x509_crt_init(&certificate) < 0)
		return NULL;
	if (gnutls_x509_crt_import(certificate, &chain[0], GNUTLS_X509_FMT_DER) == 0)
		return certificate;
	gnutls_x509_crt_deinit(certificate);
	return NULL;
}

bool mc_httpd_is_name(const char *name)
{
	size_t size = strlen(name);

	for (size_t i = 0; i < size; i++)
		if (name[i] <= ' ' || name[i] > '~' || name[i] == '/')
			return false;
	return size > 0 && size < MC_HTTPD_NAME_SIZE && name[0] != '.';
}

/* The name at that place among those of the certificate, if it is one of DNS;
 * 'more' says whether there are others after it. */
static bool name_at(gnutls_x509_crt_t certificate, unsigned at, char *name, bool *more)
{
	size_t size = MC_HTTPD_NAME_SIZE;
	int rc = gnutls_x509_crt_get_subject_alt_name(certificate, at, name, &size, NULL);

	*more = rc != GNUTLS_E_REQUESTED_DATA_NOT_AVAILABLE;
	return rc == GNUTLS_SAN_DNSNAME && strlen(name) == size;
}

/* The first name of the certificate that is not a pattern. */
static void find_name(struct http_peer *peer)
{
	struct mc_httpd_peer *known = &peer->known;
	size_t size = sizeof(known->name);
	bool more = true;

	for (unsigned i = 0; more; i++)
		if (name_at(peer->certificate, i, known->name, &more) &&
		    mc_httpd_is_name(known->name) && strchr(known->name, '*') == NULL)
			return;
	if (gnutls_x509_crt_get_dn_by_oid(peer->certificate, GNUTLS_OID_X520_COMMON_NAME, 0, 0,
					  known->name, &size) < 0 ||
	    !mc_httpd_is_name(known->name))
		known->name[0] = '\0';
}

bool http_peer_identify(struct http_peer *peer, struct MHD_Connection *connection, bool identified)
{
	struct mc_httpd_peer *known = &peer->known;

	if (!peer->identified) {
		find_address(peer, connection);
		if (identified)
			peer->certificate = find_certificate(connection);
		if (peer->certificate != NULL)
			find_name(peer);
		if (known->name[0] != '\0')
			memcpy(known->client, known->name, sizeof(known->client));
		known->certified = peer->certificate != NULL;
		if (!identified || known->certified)
			admission_serves(peer->admission, &peer->line.admitted);
		peer->identified = true;
	}
	return !identified || known->certified;
}

/* --- Names --------------------------------------------------------------- */

/* "a" is "a.example.org", for those whose certificate says so. */
static bool is_begin_of(const char *host, const char *name)
{
	size_t size = strlen(host);

	return strncasecmp(host, name, size) == 0 && name[size] == '.';
}

bool mc_httpd_peer_is(const struct mc_httpd_peer *known, const char *host)
{
	const struct http_peer *peer = (const struct http_peer *)known;
	char name[MC_HTTPD_NAME_SIZE];
	bool more = true;

	if (peer->certificate == NULL)
		return false;
	if (gnutls_x509_crt_check_hostname(peer->certificate, host) != 0)
		return true;
	if (is_begin_of(host, known->name))
		return true;
	for (unsigned i = 0; more; i++)
		if (name_at(peer->certificate, i, name, &more) && is_begin_of(host, name))
			return true;
	return false;
}
