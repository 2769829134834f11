/* SPDX-License-Identifier: MIT */
/* libmicrohttpd reads a certificate once, at its start; GnuTLS takes another
 * one for a session until its handshake begins. */
#include "kit/net/http_server/peer/http_credentials.h"

#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <collector/kit/alloc.h>

struct http_credential {
	gnutls_certificate_credentials_t x509;
	atomic_uint users; /* Sessions, and whose current one it is. */
};

void http_credentials_init(struct http_credentials *credentials)
{
	*credentials = (struct http_credentials){ 0 };
	pthread_mutex_init(&credentials->lock, NULL);
}

void http_credentials_done(struct http_credentials *credentials)
{
	http_credentials_leave(credentials->current);
	pthread_mutex_destroy(&credentials->lock);
}

static gnutls_datum_t datum_of(const char *text)
{
	return (gnutls_datum_t){ (unsigned char *)(uintptr_t)text, (unsigned)strlen(text) };
}

/* 0, or an error of GnuTLS. */
static int fill(gnutls_certificate_credentials_t x509, const struct http_credentials_text *text)
{
	gnutls_datum_t certificate = datum_of(text->certificate);
	gnutls_datum_t key = datum_of(text->key), ca;
	int rc = gnutls_certificate_set_x509_key_mem(x509, &certificate, &key, GNUTLS_X509_FMT_PEM);

	if (rc < 0 || text->ca == NULL)
		return rc < 0 ? rc : 0;
	ca = datum_of(text->ca);
	rc = gnutls_certificate_set_x509_trust_mem(x509, &ca, GNUTLS_X509_FMT_PEM);
	return rc > 0 ? 0 : rc < 0 ? rc : GNUTLS_E_NO_CERTIFICATE_FOUND;
}

int http_credentials_set(struct http_credentials *credentials,
			 const struct http_credentials_text *text)
{
	struct http_credential *credential = mc_alloc_zero(sizeof(*credential));
	struct http_credential *before;
	int rc;

	rc = gnutls_certificate_allocate_credentials(&credential->x509);
	if (rc < 0) {
		free(credential);
		return rc;
	}
	atomic_init(&credential->users, 1);
	rc = fill(credential->x509, text);
	if (rc < 0) {
		http_credentials_leave(credential);
		return rc;
	}
	pthread_mutex_lock(&credentials->lock);
	before = credentials->current;
	credentials->current = credential;
	pthread_mutex_unlock(&credentials->lock);
	http_credentials_leave(before);
	return 0;
}

struct http_credential *http_credentials_enter(struct http_credentials *credentials,
					       gnutls_session_t session)
{
	struct http_credential *credential;

	pthread_mutex_lock(&credentials->lock);
	credential = credentials->current;
	if (credential != NULL)
		atomic_fetch_add(&credential->users, 1);
	pthread_mutex_unlock(&credentials->lock);
	if (credential != NULL)
		gnutls_credentials_set(session, GNUTLS_CRD_CERTIFICATE, credential->x509);
	return credential;
}

void http_credentials_leave(struct http_credential *credential)
{
	if (credential == NULL || atomic_fetch_sub(&credential->users, 1) > 1)
		return;
	gnutls_certificate_free_credentials(credential->x509);
	free(credential);
}
