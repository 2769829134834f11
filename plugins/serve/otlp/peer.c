/* SPDX-License-Identifier: MIT */
#include "peer.h"

#include <stdio.h>
#include <string.h>

#include <gnutls/crypto.h>
#include <gnutls/gnutls.h>

#define SENDER_HEADER "X-Sender"
#define OWN_LEN 32 /* Characters of the hash in the name of a stream. */

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

void peer_own(const struct mc_httpd_peer *peer, char *stream, size_t size)
{
	char both[MC_HTTPD_NAME_SIZE + 80], run[80];
	char own[OWN_LEN + 1], sum[OWN_LEN + 1];
	size_t len = strcspn(stream, "/");

	if (!peer->certified)
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

void peer_sender(const struct mc_httpd_request *request, char *out)
{
	const struct mc_httpd_peer *peer = mc_httpd_peer(request);
	const char *claimed = mc_httpd_header(request, SENDER_HEADER);
	const char *name = peer->name[0] != '\0' ? peer->name : peer->address;

	if (claimed != NULL && mc_httpd_is_name(claimed) &&
	    (!peer->certified || mc_httpd_peer_is(peer, claimed)))
		name = claimed;
	snprintf(out, MC_HTTPD_NAME_SIZE, "%s", name);
}
