/* SPDX-License-Identifier: MIT */
/* Signing and encrypting packets with what a user and a password make. */
#pragma once

#include "formats/binary/binary.h"

struct crypt_key;

/* Prepares the library; false: it cannot be used. */
bool crypt_ready(void);

/* NULL if the library fails.  Freed by crypt_key_free(); one thread at a time. */
struct crypt_key *crypt_key_new(const char *password);
void crypt_key_free(struct crypt_key *);

/* Sets seal->code; or makes IV and checksum, and encrypts in place.  False if the library fails. */
bool crypt_sign(struct crypt_key *, struct mc_binary_envelope *);
bool crypt_encrypt(struct crypt_key *, struct mc_binary_envelope *);

/* Whether the signature is right. */
bool crypt_verify(struct crypt_key *, const struct mc_binary_envelope *);

/* Decrypts in place.  False, if the checksum in it is wrong. */
bool crypt_decrypt(struct crypt_key *, const struct mc_binary_envelope *);
