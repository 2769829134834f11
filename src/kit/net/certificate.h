/* SPDX-License-Identifier: MIT */
/* kit/net/certificate.h - for the check() of plugins that speak TLS: whether
 * files have what they are to have, in PEM.  They link with GnuTLS; the core
 * does not, so all of this is here.  For the thread of check(). */
#pragma once

#include <collector/check.h>

#include <gnutls/gnutls.h>
#include <gnutls/x509.h>

/* The certificates of a file that can be read; 0, and an error, if it has none.
 * With 'list' the caller frees what is put there by mc_certificates_free(). */
static inline unsigned mc_certificates_read(struct mc_ctx *ctx, const char *const *field,
					    gnutls_x509_crt_t **list)
{
	gnutls_datum_t text = { NULL, 0 };
	unsigned len = 0;
	int rc = gnutls_load_file(*field, &text);

	*list = NULL;
	if (rc == 0)
		rc = gnutls_x509_crt_list_import2(list, &len, &text, GNUTLS_X509_FMT_PEM, 0);
	gnutls_free(text.data);
	if (rc >= 0 && len > 0)
		return len;
	mc_check_error(ctx, field, "has no certificate in PEM: %s", gnutls_strerror(rc));
	return 0;
}

static inline void mc_certificates_free(gnutls_x509_crt_t *list, unsigned len)
{
	for (unsigned i = 0; i < len; i++)
		gnutls_x509_crt_deinit(list[i]);
	gnutls_free(list);
}

/* The file can be read and has certificates, of authorities for example; NULL
 * is right.  False, and an error, if not. */
static inline bool mc_check_certificates(struct mc_ctx *ctx, const char *const *field)
{
	gnutls_x509_crt_t *list;
	unsigned len;

	if (!mc_check_file(ctx, field))
		return false;
	if (*field == NULL || !mc_check_host(ctx))
		return true;
	len = mc_certificates_read(ctx, field, &list);
	mc_certificates_free(list, len);
	return len > 0;
}

/* The file of 'key' is a secret and has a key that is not encrypted; NULL is right. */
static inline bool mc_check_key(struct mc_ctx *ctx, const char *const *key)
{
	gnutls_x509_privkey_t made = NULL;
	gnutls_datum_t text = { NULL, 0 };
	int rc;

	if (!mc_check_secret(ctx, key))
		return false;
	if (*key == NULL || !mc_check_host(ctx))
		return true;
	rc = gnutls_load_file(*key, &text);
	if (rc == 0)
		rc = gnutls_x509_privkey_init(&made);
	if (rc == 0)
		rc = gnutls_x509_privkey_import2(made, &text, GNUTLS_X509_FMT_PEM, NULL, 0);
	if (rc < 0)
		mc_check_error(ctx, key,
			       "has no key in PEM that is not "
			       "encrypted: %s",
			       gnutls_strerror(rc));
	gnutls_x509_privkey_deinit(made);
	gnutls_memset(text.data, 0, text.size);
	gnutls_free(text.data);
	return rc == 0;
}

/* Both files have what they are to have, and the key is that of the
 * certificate. One that is NULL is right. */
static inline bool mc_check_key_pair(struct mc_ctx *ctx, const char *const *certificate,
				     const char *const *key)
{
	gnutls_certificate_credentials_t pair;
	bool fine = mc_check_certificates(ctx, certificate);
	int rc;

	fine = mc_check_key(ctx, key) && fine;
	if (!fine || *certificate == NULL || *key == NULL || !mc_check_host(ctx) ||
	    gnutls_certificate_allocate_credentials(&pair) < 0)
		return fine;
	rc = gnutls_certificate_set_x509_key_file(pair, *certificate, *key, GNUTLS_X509_FMT_PEM);
	gnutls_certificate_free_credentials(pair);
	if (rc < 0)
		mc_check_error(ctx, key, "is not the key of '%s': %s", *certificate,
			       gnutls_strerror(rc));
	return rc >= 0;
}

/* The options TLSCertificate, TLSKey and TLSClientCA of a server: the first two
 * need each other, and the last needs them; the files are right. */
static inline void mc_check_server_tls(struct mc_ctx *ctx, const char *const *certificate,
				       const char *const *key, const char *const *ca)
{
	if (*certificate != NULL && *key == NULL)
		mc_check_error(ctx, key, "is missing: TLSCertificate needs its key");
	if (*certificate == NULL && *key != NULL)
		mc_check_error(ctx, key,
			       "is without TLSCertificate: nothing would be "
			       "encrypted");
	if (*certificate == NULL && *ca != NULL)
		mc_check_error(ctx, ca,
			       "is without TLSCertificate: no client would be "
			       "asked for a certificate");
	mc_check_key_pair(ctx, certificate, key);
	mc_check_certificates(ctx, ca);
}
