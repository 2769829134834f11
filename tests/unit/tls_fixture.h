/* SPDX-License-Identifier: MIT */
/* Credentials that need no file. */
#pragma once

#include "unit.h"

#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include <gnutls/gnutls.h>
#include <gnutls/x509.h>

#include <collector/kit/tls_stream.h>

#define TLS_PATH_SIZE 32

/* A file in memory, and its path. */
static inline int tls_make_file(const gnutls_datum_t *text, char path[TLS_PATH_SIZE])
{
	int fd = memfd_create("pem", MFD_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text->data, text->size), text->size);
	snprintf(path, TLS_PATH_SIZE, "/proc/self/fd/%d", fd);
	return fd;
}

/* A certificate that is signed by itself, and its key, in such files. */
struct tls_pair {
	char certificate[TLS_PATH_SIZE], key[TLS_PATH_SIZE];
	int fds[2];
};

static inline void tls_make_pair(struct tls_pair *pair)
{
	gnutls_datum_t crt_text, key_text;
	gnutls_x509_privkey_t secret;
	unsigned char serial = 1;
	gnutls_x509_crt_t crt;

	gnutls_x509_privkey_init(&secret);
	gnutls_x509_privkey_generate(secret, GNUTLS_PK_ECDSA,
				     GNUTLS_CURVE_TO_BITS(GNUTLS_ECC_CURVE_SECP256R1), 0);
	gnutls_x509_crt_init(&crt);
	gnutls_x509_crt_set_version(crt, 3);
	gnutls_x509_crt_set_serial(crt, &serial, 1);
	gnutls_x509_crt_set_activation_time(crt, 0);
	gnutls_x509_crt_set_expiration_time(crt, 1);
	gnutls_x509_crt_set_key(crt, secret);
	gnutls_x509_crt_sign2(crt, crt, secret, GNUTLS_DIG_SHA256, 0);
	gnutls_x509_crt_export2(crt, GNUTLS_X509_FMT_PEM, &crt_text);
	gnutls_x509_privkey_export2(secret, GNUTLS_X509_FMT_PEM, &key_text);
	pair->fds[0] = tls_make_file(&crt_text, pair->certificate);
	pair->fds[1] = tls_make_file(&key_text, pair->key);
	gnutls_free(crt_text.data);
	gnutls_free(key_text.data);
	gnutls_x509_crt_deinit(crt);
	gnutls_x509_privkey_deinit(secret);
}

static inline void tls_close_pair(const struct tls_pair *pair)
{
	close(pair->fds[0]);
	close(pair->fds[1]);
}

/* With such a certificate. */
static inline struct mc_tls *tls_make_server(void)
{
	struct mc_tls_files files;
	char why[MC_TLS_WHY];
	struct tls_pair pair;
	struct mc_tls *tls;

	tls_make_pair(&pair);
	files = (struct mc_tls_files){ .certificate = pair.certificate, .key = pair.key };
	assert_true(mc_tls_new(&files, &tls, why));
	tls_close_pair(&pair);
	return tls;
}
