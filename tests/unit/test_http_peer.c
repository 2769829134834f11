/* SPDX-License-Identifier: MIT */
/* What a certificate says of its owner. */
#include "unit.h"

#include "kit/net/http_server/peer/http_peer.h"

#include <stdio.h>
#include <string.h>

#include <gnutls/gnutls.h>

mc_time mc_now(void)
{
	return 0;
}

mc_time mc_wall(void)
{
	return 0;
}

void mc_log(struct mc_ctx *ctx, enum mc_level level, const char *fmt, ...)
{
	(void)ctx, (void)level, (void)fmt;
}

struct mc_series *mc_series(struct mc_batch *batch, struct mc_id id)
{
	(void)batch, (void)id;
	return NULL;
}

void mc_derive(struct mc_batch *batch, struct mc_series *series, int64_t total)
{
	(void)batch, (void)series, (void)total;
}

/* A certificate, as far as names go, of that common name. */
static void open_peer(struct http_peer *peer, const char *name)
{
	*peer = (struct http_peer){ .identified = true };
	assert_int_equal(gnutls_x509_crt_init(&peer->certificate), 0);
	assert_int_equal(gnutls_x509_crt_set_dn_by_oid(peer->certificate,
						       GNUTLS_OID_X520_COMMON_NAME, 0, name,
						       strlen(name)),
			 0);
	snprintf(peer->known.name, sizeof(peer->known.name), "%s", name);
}

/* Signs it, by itself, and reads it back: until then it has no names. */
static void sign(struct http_peer *peer)
{
	gnutls_x509_crt_t crt = peer->certificate;
	gnutls_x509_privkey_t key;
	unsigned char serial = 1;
	gnutls_datum_t der;

	assert_int_equal(gnutls_x509_privkey_init(&key), 0);
	assert_int_equal(
		gnutls_x509_privkey_generate(key, GNUTLS_PK_ECDSA,
					     GNUTLS_CURVE_TO_BITS(GNUTLS_ECC_CURVE_SECP256R1), 0),
		0);
	assert_int_equal(gnutls_x509_crt_set_version(crt, 3), 0);
	assert_int_equal(gnutls_x509_crt_set_serial(crt, &serial, 1), 0);
	assert_int_equal(gnutls_x509_crt_set_activation_time(crt, 0), 0);
	assert_int_equal(gnutls_x509_crt_set_expiration_time(crt, 1), 0);
	assert_int_equal(gnutls_x509_crt_set_key(crt, key), 0);
	assert_int_equal(gnutls_x509_crt_sign2(crt, crt, key, GNUTLS_DIG_SHA256, 0), 0);
	assert_int_equal(gnutls_x509_crt_export2(crt, GNUTLS_X509_FMT_DER, &der), 0);
	gnutls_x509_privkey_deinit(key);
	gnutls_x509_crt_deinit(crt);
	assert_int_equal(gnutls_x509_crt_init(&peer->certificate), 0);
	assert_int_equal(gnutls_x509_crt_import(peer->certificate, &der, GNUTLS_X509_FMT_DER), 0);
	gnutls_free(der.data);
}

static void close_peer(struct http_peer *peer)
{
	gnutls_x509_crt_deinit(peer->certificate);
}

static void add_name(struct http_peer *peer, const char *name)
{
	assert_int_equal(gnutls_x509_crt_set_subject_alt_name(peer->certificate, GNUTLS_SAN_DNSNAME,
							      name, strlen(name),
							      GNUTLS_FSAN_APPEND),
			 0);
}

static void test_names(void **state)
{
	char longer[MC_HTTPD_NAME_SIZE + 20];
	struct http_peer peer;

	(void)state;
	memset(longer, 'l', sizeof(longer) - 1);
	longer[sizeof(longer) - 1] = '\0';
	open_peer(&peer, "a.example.org");
	add_name(&peer, longer);
	add_name(&peer, "b.example.org");
	add_name(&peer, "*.guests.example.org");
	sign(&peer);
	assert_true(mc_httpd_peer_is(&peer.known, "b.example.org"));
	assert_true(mc_httpd_peer_is(&peer.known, "b"));
	assert_true(mc_httpd_peer_is(&peer.known, "a"));
	assert_true(mc_httpd_peer_is(&peer.known, "vm.guests.example.org"));
	assert_false(mc_httpd_peer_is(&peer.known, "c"));
	assert_false(mc_httpd_peer_is(&peer.known, "vm.example.org"));
	close_peer(&peer);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
