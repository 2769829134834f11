/* SPDX-License-Identifier: MIT */
/* HMAC-SHA256, and AES-256 in OFB mode with the SHA-256 of the password as its key and the packet's
 * SHA-1 in front: what collectd 5.12 does.  GnuTLS has no OFB, so this is libgcrypt. */
#include "crypt.h"

#include <stdlib.h>
#include <string.h>

#define GCRYPT_NO_DEPRECATED
#include <gcrypt.h>

#include <collector/kit/alloc.h>

#define KEY_SIZE 32 /* Of AES-256, and of SHA-256. */

struct crypt_key {
	gcry_md_hd_t mac;
	gcry_cipher_hd_t cipher;
};

bool crypt_ready(void)
{
	if (gcry_control(GCRYCTL_INITIALIZATION_FINISHED_P))
		return true;
	if (gcry_check_version("1.9.0") == NULL)
		return false;
	gcry_control(GCRYCTL_DISABLE_SECMEM, 0);
	gcry_control(GCRYCTL_INITIALIZATION_FINISHED, 0);
	return true;
}

struct crypt_key *crypt_key_new(const char *password)
{
	struct crypt_key *key = mc_alloc_zero(sizeof(*key));
	size_t size = strlen(password);
	unsigned char hash[KEY_SIZE];
	bool good;

	gcry_md_hash_buffer(GCRY_MD_SHA256, hash, password, size);
	good = gcry_md_open(&key->mac, GCRY_MD_SHA256, GCRY_MD_FLAG_HMAC) == 0 &&
	       gcry_md_setkey(key->mac, password, size) == 0 &&
	       gcry_cipher_open(&key->cipher, GCRY_CIPHER_AES256, GCRY_CIPHER_MODE_OFB, 0) == 0 &&
	       gcry_cipher_setkey(key->cipher, hash, sizeof(hash)) == 0;
	explicit_bzero(hash, sizeof(hash));
	if (good)
		return key;
	crypt_key_free(key);
	return NULL;
}

void crypt_key_free(struct crypt_key *key)
{
	if (key == NULL)
		return;
	gcry_md_close(key->mac);
	gcry_cipher_close(key->cipher);
	free(key);
}

static const unsigned char *compute_mac(struct crypt_key *key,
					const struct mc_binary_envelope *envelope)
{
	gcry_md_reset(key->mac);
	gcry_md_write(key->mac, envelope->covered, envelope->covered_size);
	return gcry_md_read(key->mac, GCRY_MD_SHA256);
}

bool crypt_sign(struct crypt_key *key, struct mc_binary_envelope *envelope)
{
	const unsigned char *mac = compute_mac(key, envelope);

	if (mac == NULL)
		return false;
	memcpy(envelope->code, mac, MC_BINARY_MAC_SIZE);
	return true;
}

/* Without an early end, from which a forger could learn by the time taken. */
static bool equal(const unsigned char *a, const unsigned char *b, size_t size)
{
	unsigned difference = 0;

	for (size_t i = 0; i < size; i++)
		difference |= a[i] ^ b[i];
	return difference == 0;
}

bool crypt_verify(struct crypt_key *key, const struct mc_binary_envelope *envelope)
{
	const unsigned char *mac = compute_mac(key, envelope);

	return mac != NULL && equal(mac, envelope->code, MC_BINARY_MAC_SIZE);
}

bool crypt_encrypt(struct crypt_key *key, struct mc_binary_envelope *envelope)
{
	gcry_create_nonce(envelope->code, MC_BINARY_IV_SIZE);
	gcry_md_hash_buffer(GCRY_MD_SHA1, envelope->covered, envelope->covered + MC_BINARY_SUM_SIZE,
			    envelope->covered_size - MC_BINARY_SUM_SIZE);
	return gcry_cipher_reset(key->cipher) == 0 &&
	       gcry_cipher_setiv(key->cipher, envelope->code, MC_BINARY_IV_SIZE) == 0 &&
	       gcry_cipher_encrypt(key->cipher, envelope->covered, envelope->covered_size, NULL,
				   0) == 0;
}

bool crypt_decrypt(struct crypt_key *key, const struct mc_binary_envelope *envelope)
{
	unsigned char sum[MC_BINARY_SUM_SIZE];

	if (gcry_cipher_reset(key->cipher) != 0 ||
	    gcry_cipher_setiv(key->cipher, envelope->code, MC_BINARY_IV_SIZE) != 0 ||
	    gcry_cipher_decrypt(key->cipher, envelope->covered, envelope->covered_size, NULL, 0) !=
		    0)
		return false;
	gcry_md_hash_buffer(GCRY_MD_SHA1, sum, envelope->covered + MC_BINARY_SUM_SIZE,
			    envelope->covered_size - MC_BINARY_SUM_SIZE);
	return equal(sum, envelope->covered, sizeof(sum));
}
