/* SPDX-License-Identifier: MIT */
/* What a certificate says of its owner. */
#include "peer.h"

#include "unit.h"

#include <stdio.h>
#include <string.h>

#include <gnutls/gnutls.h>

mc_time mc_now(void)
{
	return 0;
}

/* A certificate, as far as names go, of that common name. */
static void open_peer(struct peer *peer, const char *name)
{
	*peer = (struct peer){ .known = true };
	assert_int_equal(gnutls_x509_crt_init(&peer->certificate), 0);
	assert_int_equal(gnutls_x509_crt_set_dn_by_oid(
				 peer->certificate, GNUTLS_OID_X520_COMMON_NAME,
				 0, name, strlen(name)),
			 0);
	snprintf(peer->name, sizeof(peer->name), "%s", name);
}

/* Signs it, by itself, and reads it back: until then it has no names. */
static void sign(struct peer *peer)
{
	gnutls_x509_crt_t crt = peer->certificate;
	gnutls_x509_privkey_t key;
	unsigned char serial = 1;
	gnutls_datum_t der;

	assert_int_equal(gnutls_x509_privkey_init(&key), 0);
	assert_int_equal(
		gnutls_x509_privkey_generate(
			key, GNUTLS_PK_ECDSA,
			GNUTLS_CURVE_TO_BITS(GNUTLS_ECC_CURVE_SECP256R1), 0),
		0);
	assert_int_equal(gnutls_x509_crt_set_version(crt, 3), 0);
	assert_int_equal(gnutls_x509_crt_set_serial(crt, &serial, 1), 0);
	assert_int_equal(gnutls_x509_crt_set_activation_time(crt, 0), 0);
	assert_int_equal(gnutls_x509_crt_set_expiration_time(crt, 1), 0);
	assert_int_equal(gnutls_x509_crt_set_key(crt, key), 0);
	assert_int_equal(
		gnutls_x509_crt_sign2(crt, crt, key, GNUTLS_DIG_SHA256, 0), 0);
	assert_int_equal(
		gnutls_x509_crt_export2(crt, GNUTLS_X509_FMT_DER, &der), 0);
	gnutls_x509_privkey_deinit(key);
	gnutls_x509_crt_deinit(crt);
	assert_int_equal(gnutls_x509_crt_init(&peer->certificate), 0);
	assert_int_equal(gnutls_x509_crt_import(peer->certificate, &der,
						GNUTLS_X509_FMT_DER),
			 0);
	gnutls_free(der.data);
}

static void close_peer(struct peer *peer)
{
	gnutls_x509_crt_deinit(peer->certificate);
}

static void add_name(struct peer *peer, const char *name)
{
	assert_int_equal(gnutls_x509_crt_set_subject_alt_name(
				 peer->certificate, GNUTLS_SAN_DNSNAME, name,
				 strlen(name), GNUTLS_FSAN_APPEND),
			 0);
}

static void test_names(void **state)
{
	char longer[PEER_NAME_SIZE + 20];
	struct peer peer;

	(void)state;
	memset(longer, 'l', sizeof(longer) - 1);
	longer[sizeof(longer) - 1] = '\0';
	open_peer(&peer, "a.example.org");
	add_name(&peer, longer);
	add_name(&peer, "b.example.org");
	add_name(&peer, "*.guests.example.org");
	sign(&peer);
	assert_true(peer_is(&peer, "b.example.org"));
	assert_true(peer_is(&peer, "b"));
	assert_true(peer_is(&peer, "a"));
	assert_true(peer_is(&peer, "vm.guests.example.org"));
	assert_false(peer_is(&peer, "c"));
	assert_false(peer_is(&peer, "vm.example.org"));
	close_peer(&peer);
}

static void make_own(struct peer *peer, char stream[65], const char *text)
{
	memset(stream, 0, 65);
	snprintf(stream, 65, "%s", text);
	peer_own(peer, stream, 65);
}

/* Two runs are two, however long their names are. */
static void test_streams(void **state)
{
	static const char one[] =
		"s/0123456789012345678901234567890123456789-1";
	static const char two[] =
		"s/0123456789012345678901234567890123456789-2";
	char a[65], b[65];
	struct peer peer, other;

	(void)state;
	open_peer(&peer, "a");
	open_peer(&other, "b");
	make_own(&peer, a, "s/1");
	make_own(&peer, b, "s/2");
	assert_int_equal(strlen(a), 34);
	assert_memory_equal(a, b, 33);
	assert_string_equal(a + 32, "/1");
	make_own(&other, b, "s/1");
	assert_memory_not_equal(a, b, 32);
	make_own(&peer, b, one);
	assert_memory_equal(a, b, 33);
	make_own(&peer, a, two);
	assert_memory_equal(a, b, 33);
	assert_string_not_equal(a, b);
	make_own(&peer, b, two);
	assert_string_equal(a, b);
	close_peer(&peer);
	close_peer(&other);
	/* Without a certificate it stays as it is. */
	make_own(&(struct peer){ 0 }, b, one);
	assert_string_equal(b, one);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_streams),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
