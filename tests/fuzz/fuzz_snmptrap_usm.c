/* SPDX-License-Identifier: MIT */
/* Messages of SNMP 3 from a sender that knows the passphrases: any bytes, whose digest is made
 * right and whose encrypted part is encrypted before the receiver opens them. */
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <arpa/inet.h>

#include <net-snmp/net-snmp-config.h>

#include <net-snmp/net-snmp-includes.h>

#include <net-snmp/library/keytools.h>
#include <net-snmp/library/scapi.h>

#include "formats/snmp/message.h"
#include "formats/snmp/protocol.h"

#include "formats/snmp/trap.h"
#include "usm.h"

#include <collector/private/status.h>

#define DIGEST_SIZE 12 /* HMAC-SHA-96 (RFC 3414, 7). */
#define KEY_SIZE 20

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const struct usm_user users[] = {
	{ .name = "a", .auth = "SHA", .auth_passphrase = "12345678" },
	{ .name = "p",
	  .auth = "SHA",
	  .auth_passphrase = "12345678",
	  .privacy = "AES",
	  .privacy_passphrase = "12345678" },
};
static struct usm usm;

/* --- What the core does --------------------------------------------------- */

mc_time mc_now(void)
{
	return 1000 * MC_SECOND;
}

mc_time mc_wall(void)
{
	return INT64_C(1600000000) * MC_SECOND;
}

void mc_log(struct mc_ctx *ctx, enum mc_level level, const char *fmt, ...)
{
	(void)ctx, (void)level, (void)fmt;
}

void mc_count_failure(struct mc_ctx *ctx)
{
	(void)ctx;
}

/* --- The sender ----------------------------------------------------------- */

/* The key of both passphrases for that engine. */
static bool make_key(const struct mc_ber *engine, uint8_t key[KEY_SIZE])
{
	static uint8_t of_passphrase[USM_KEY_SIZE];
	static size_t of_passphrase_size;
	const struct mc_snmp_protocol *auth = mc_snmp_auth("SHA");
	uint8_t made[USM_KEY_SIZE];
	size_t size = sizeof(made);

	if (of_passphrase_size == 0) {
		of_passphrase_size = sizeof(of_passphrase);
		assert(generate_Ku(auth->id, (u_int)auth->len, (const u_char *)"12345678", 8,
				   of_passphrase, &of_passphrase_size) == SNMPERR_SUCCESS);
	}
	if (generate_kul(auth->id, (u_int)auth->len, engine->at, engine->size, of_passphrase,
			 of_passphrase_size, made, &size) != SNMPERR_SUCCESS ||
	    size != KEY_SIZE)
		return false;
	memcpy(key, made, KEY_SIZE);
	return true;
}

static bool encrypt(struct mc_snmp_message *message, uint8_t key[KEY_SIZE])
{
	static uint8_t cipher[MC_SNMP_MESSAGE_SIZE];
	const struct mc_snmp_protocol *privacy = mc_snmp_privacy("AES");
	const uint32_t clock[] = { htonl(message->boots), htonl(message->time) };
	size_t size = sizeof(cipher);
	uint8_t iv[16];

	if (message->salt.size != MC_SNMP_SALT_SIZE)
		return false;
	memcpy(iv, clock, sizeof(clock));
	memcpy(iv + sizeof(clock), message->salt.at, MC_SNMP_SALT_SIZE);
	if (sc_encrypt(privacy->id, privacy->len, key, KEY_SIZE, iv, sizeof(iv), message->pdu.at,
		       (u_int)message->pdu.size, cipher, &size) != SNMPERR_SUCCESS ||
	    size != message->pdu.size)
		return false;
	memcpy(message->pdu.at, cipher, size);
	return true;
}

/* Makes the digest right, and encrypts; false: there is nothing to be signed. */
static bool seal(uint8_t *bytes, size_t size)
{
	const struct mc_snmp_protocol *auth = mc_snmp_auth("SHA");
	struct mc_snmp_message message;
	uint8_t key[KEY_SIZE], digest[USM_KEY_SIZE];
	size_t digest_size = DIGEST_SIZE;

	if (!mc_snmp_message_read(bytes, size, &message) || message.version != MC_SNMP_V3 ||
	    message.digest.size != DIGEST_SIZE || !make_key(&message.engine, key))
		return false;
	if ((message.flags & MC_SNMP_PRIV) && !encrypt(&message, key))
		return false;
	memset(message.digest.at, 0, DIGEST_SIZE);
	if (sc_generate_keyed_hash(auth->id, auth->len, key, KEY_SIZE, bytes, (u_int)size, digest,
				   &digest_size) != SNMPERR_SUCCESS)
		return false;
	memcpy(message.digest.at, digest, DIGEST_SIZE);
	return true;
}

/* --- The receiver --------------------------------------------------------- */

/* What is sent back is a message. */
static void look_at_answer(uint8_t *out, size_t size, uint8_t *start)
{
	struct mc_snmp_message answer;

	if (start != NULL)
		assert(mc_snmp_message_read(start, (size_t)(out + size - start), &answer));
}

static enum usm_result receive(const uint8_t *sealed, size_t size)
{
	static uint8_t bytes[MC_SNMP_MESSAGE_SIZE], plain[MC_SNMP_MESSAGE_SIZE],
		out[2 * MC_SNMP_MESSAGE_SIZE];
	struct mc_snmp_message message;
	enum usm_result result;
	struct trap trap;

	memcpy(bytes, sealed, size); /* It is changed. */
	assert(mc_snmp_message_read(bytes, size, &message));
	result = usm_open(&usm, &message, bytes, size, plain);
	if (result == USM_GOOD) {
		trap_read(&trap, &message.pdu);
		trap_done(&trap);
		look_at_answer(out, sizeof(out), usm_answer(&usm, &message, out, sizeof(out)));
	} else {
		look_at_answer(out, sizeof(out),
			       usm_report(&usm, &message, result, out, sizeof(out)));
	}
	return result;
}

/* Each input finds the same receiver. */
static void forget(void)
{
	while (usm.engines.oldest != NULL) {
		struct mc_lru_node *node = usm.engines.oldest;

		mc_lru_remove(&usm.engines, node);
		free(node);
	}
	replays_stop(&usm.replays);
	usm.replays = (struct replays){ 0 };
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static uint8_t bytes[MC_SNMP_MESSAGE_SIZE];

	if (usm.accounts == NULL)
		assert(usm_init(&usm, users, sizeof(users) / sizeof(users[0]), "fuzz"));
	if (size > sizeof(bytes))
		return 0;
	if (size > 0)
		memcpy(bytes, data, size);
	if (!seal(bytes, size))
		return 0;
	if (receive(bytes, size) == USM_GOOD)
		assert(receive(bytes, size) == USM_BEFORE);
	assert(usm.counts[USM_DIGEST] == 0);
	forget();
	return 0;
}
