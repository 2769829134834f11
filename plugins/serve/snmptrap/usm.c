/* SPDX-License-Identifier: MIT */
#include "usm.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <net-snmp/net-snmp-config.h>

#include <net-snmp/net-snmp-includes.h>

#include <net-snmp/library/keytools.h>
#include <net-snmp/library/scapi.h>

#include <collector/kit/alloc.h>

#include "formats/snmp/protocol.h"

#define PASSPHRASE_MIN 8 /* RFC 3414, 11.2. */
#define EPOCH 1577836800 /* 2020: since then boots are counted. */
#define IV_SIZE 16
#define DES_KEY_SIZE 8 /* After it are the bytes that the salt is mixed with. */

struct usm_account {
	const struct usm_user *user;
	const struct mc_snmp_protocol *auth, *privacy; /* NULL: none. */
	struct usm_key auth_key, privacy_key;          /* Of no engine yet. */
};

struct usm_engine { /* An engine with one of its users. */
	struct mc_lru_node node;
	/* Number of the account, engine. */
	uint8_t key[sizeof(uint32_t) + MC_SNMP_ENGINE_MAX];
	size_t key_size;
	struct usm_key auth, privacy;
};

/* --- Keys ----------------------------------------------------------------- */

const char *usm_fault(const struct usm_user *user)
{
	if (user->auth == NULL && user->privacy == NULL)
		return NULL;
	if (user->auth == NULL)
		return "has a PrivacyProtocol and no AuthProtocol";
	if (user->auth_passphrase == NULL || strlen(user->auth_passphrase) < PASSPHRASE_MIN)
		return "needs an AuthPassphrase of eight characters or more";
	if (user->privacy != NULL &&
	    (user->privacy_passphrase == NULL || strlen(user->privacy_passphrase) < PASSPHRASE_MIN))
		return "needs a PrivacyPassphrase of eight characters or more";
	return NULL;
}

static bool make_key(const struct mc_snmp_protocol *auth, const char *passphrase,
		     struct usm_key *key)
{
	key->size = sizeof(key->bytes);
	return generate_Ku(auth->id, (u_int)auth->len, (const u_char *)passphrase,
			   strlen(passphrase), key->bytes, &key->size) == SNMPERR_SUCCESS;
}

static bool make_keys(struct usm_account *account)
{
	const struct usm_user *user = account->user;

	if (user->auth == NULL)
		return true;
	account->auth = mc_snmp_auth(user->auth);
	if (account->auth == NULL ||
	    !make_key(account->auth, user->auth_passphrase, &account->auth_key))
		return false;
	if (user->privacy == NULL)
		return true;
	account->privacy = mc_snmp_privacy(user->privacy);
	return account->privacy != NULL &&
	       make_key(account->auth, user->privacy_passphrase, &account->privacy_key);
}

/* The key for an engine, at least 'size_min' bytes of it. */
static bool make_local(const struct usm_account *account, const struct usm_key *from,
		       const struct mc_ber *engine, size_t size_min, struct usm_key *to)
{
	const struct mc_snmp_protocol *auth = account->auth;
	size_t size = sizeof(to->bytes);
	u_char *bytes = mc_alloc_zero(size); /* The library may replace it. */
	bool good = generate_kul(auth->id, (u_int)auth->len, engine->at, engine->size, from->bytes,
				 from->size, bytes, &size) == SNMPERR_SUCCESS;

	if (good && size < size_min)
		good = netsnmp_extend_kul(
			       (u_int)size_min, auth->id, (u_int)auth->len,
			       sc_get_privtype(account->privacy->id, (u_int)account->privacy->len),
			       engine->at, (u_int)engine->size, &bytes, &size,
			       sizeof(to->bytes)) == SNMPERR_SUCCESS;
	if (good && size >= size_min && size <= sizeof(to->bytes)) {
		memcpy(to->bytes, bytes, size);
		to->size = size;
	} else {
		good = false;
	}
	free(bytes);
	return good;
}

static bool make_local_keys(const struct usm_account *account, const struct mc_ber *id,
			    struct usm_engine *engine)
{
	int size_min;

	if (account->auth == NULL)
		return true;
	if (!make_local(account, &account->auth_key, id, 0, &engine->auth))
		return false;
	if (account->privacy == NULL)
		return true;
	size_min = sc_get_proper_priv_length(account->privacy->id, (u_int)account->privacy->len);
	return size_min > 0 &&
	       make_local(account, &account->privacy_key, id, (size_t)size_min, &engine->privacy);
}

/* --- Start and end -------------------------------------------------------- */

/* A local one (RFC 3411, SnmpEngineID): net-snmp's number, and a text.  Boots are the seconds since
 * 2020 at the start: they grow with each, and no file is needed. */
static void make_engine(struct usm *usm, const char *name)
{
	static const uint8_t head[] = { 0x80, 0x00, 0x1f, 0x88, 0x04 };
	size_t room = sizeof(usm->engine) - sizeof(head);
	size_t size = strlen(name);

	size = size < room ? size : room;
	memcpy(usm->engine, head, sizeof(head));
	memcpy(usm->engine + sizeof(head), name, size);
	usm->engine_size = sizeof(head) + size;
	usm->boots = (uint32_t)(mc_wall() / MC_SECOND - EPOCH) & INT32_MAX;
	usm->started = mc_now();
	usm->salt = (uint64_t)mc_wall();
}

static uint32_t engine_time(const struct usm *usm)
{
	return (uint32_t)((mc_now() - usm->started) / MC_SECOND);
}

bool usm_init(struct usm *usm, const struct usm_user *users, size_t users_len, const char *name)
{
	make_engine(usm, name);
	usm->accounts = mc_alloc_array(users_len, sizeof(*usm->accounts));
	for (size_t i = 0; i < users_len; i++) {
		usm->accounts[i].user = &users[i];
		usm->accounts_len++;
		if (!make_keys(&usm->accounts[i]))
			return false;
	}
	return true;
}

static void forget(struct usm *usm, struct usm_engine *engine)
{
	mc_lru_remove(&usm->engines, &engine->node);
	explicit_bzero(engine, sizeof(*engine));
	free(engine);
}

void usm_done(struct usm *usm)
{
	while (usm->engines.oldest != NULL)
		forget(usm, (struct usm_engine *)usm->engines.oldest);
	mc_lru_done(&usm->engines);
	replays_stop(&usm->replays);
	if (usm->accounts != NULL)
		explicit_bzero(usm->accounts, usm->accounts_len * sizeof(*usm->accounts));
	free(usm->accounts);
	usm->accounts = NULL;
	usm->accounts_len = 0;
}

/* --- The sender ------------------------------------------------------------ */

static struct usm_account *find_account(const struct usm *usm, const struct mc_ber *name)
{
	for (size_t i = 0; i < usm->accounts_len; i++) {
		const char *known = usm->accounts[i].user->name;

		if (strlen(known) == name->size && memcmp(known, name->at, name->size) == 0)
			return &usm->accounts[i];
	}
	return NULL;
}

/* Fills a new one, or returns one that is known. */
static struct usm_engine *find_engine(struct usm *usm, const struct usm_account *account,
				      const struct mc_ber *id, struct usm_engine *fresh)
{
	uint32_t number = (uint32_t)(account - usm->accounts);
	struct mc_lru_node *node;

	*fresh = (struct usm_engine){ .key_size = sizeof(number) + id->size };
	memcpy(fresh->key, &number, sizeof(number));
	memcpy(fresh->key + sizeof(number), id->at, id->size);
	node = mc_lru_find(&usm->engines, fresh->key, fresh->key_size);
	if (node == NULL)
		return make_local_keys(account, id, fresh) ? fresh : NULL;
	mc_lru_use(&usm->engines, node);
	return (struct usm_engine *)node;
}

/* Only those whose digest was right are kept. */
static struct usm_engine *keep(struct usm *usm, struct usm_engine *engine,
			       const struct usm_engine *fresh)
{
	if (engine != fresh)
		return engine;
	if (usm->engines.map.len >= USM_ENGINES_MAX)
		forget(usm, (struct usm_engine *)usm->engines.oldest);
	engine = mc_alloc_zero(sizeof(*engine));
	*engine = *fresh;
	mc_lru_add(&usm->engines, &engine->node, engine->key, engine->key_size);
	return engine;
}

/* The digest is moved to 'digest': it is not a part of what it is made of. */
static bool digest_is_right(const struct usm_account *account, const struct usm_engine *engine,
			    struct mc_snmp_message *message, struct mc_ber *whole,
			    uint8_t digest[MC_SNMP_AUTH_MAX])
{
	const struct mc_snmp_protocol *auth = account->auth;
	int size = sc_get_auth_maclen(sc_get_authtype(auth->id, (u_int)auth->len));

	if (size <= 0 || message->digest.size != (size_t)size)
		return false;
	memcpy(digest, message->digest.at, message->digest.size);
	memset(message->digest.at, 0, message->digest.size);
	return sc_check_keyed_hash(auth->id, auth->len, engine->auth.bytes,
				   (u_int)engine->auth.size, whole->at, (u_int)whole->size, digest,
				   (u_int)message->digest.size) == SNMPERR_SUCCESS;
}

/* RFC 3414, 3.2, 7. a): of our own engine we know the time. */
static bool is_our_time(const struct usm *usm, const struct mc_snmp_message *message)
{
	int64_t ahead = (int64_t)message->time - engine_time(usm);

	return message->boots == usm->boots && ahead >= -REPLAYS_WINDOW && ahead <= REPLAYS_WINDOW;
}

/* 'digest' is that of the message, which has none any more. */
static enum usm_result check_time(struct usm *usm, const struct mc_snmp_message *message,
				  const struct mc_ber *digest, bool ours)
{
	static const enum usm_result results[] = {
		[REPLAYS_NEW] = USM_GOOD,
		[REPLAYS_BEFORE] = USM_BEFORE,
		[REPLAYS_LATE] = USM_TIME,
		[REPLAYS_BOOTS] = USM_BOOTS,
	};

	if (ours && !is_our_time(usm, message))
		return USM_TIME;
	return results[replays_take(&usm->replays,
				    &(struct replays_message_id){ .engine = message->engine,
								  .boots = message->boots,
								  .time = message->time,
								  .digest = *digest },
				    ours, mc_now())];
}

/* --- Encryption ----------------------------------------------------------- */

/* DES: the salt, mixed with the bytes after the key (RFC 3414, 8.1.1.1); AES: the engine's clock
 * and the salt (RFC 3826, 3.1.2.1). */
static void make_iv(const struct usm_account *account, const struct usm_engine *engine,
		    const struct mc_snmp_message *message, uint8_t iv[IV_SIZE])
{
	const uint32_t clock[] = { htonl(message->boots), htonl(message->time) };

	if (strcmp(account->privacy->name, "DES") == 0) {
		for (size_t i = 0; i < MC_SNMP_SALT_SIZE; i++)
			iv[i] = message->salt.at[i] ^ engine->privacy.bytes[DES_KEY_SIZE + i];
		return;
	}
	memcpy(iv, clock, sizeof(clock));
	memcpy(iv + sizeof(clock), message->salt.at, MC_SNMP_SALT_SIZE);
}

static size_t iv_size(const struct usm_account *account)
{
	return strcmp(account->privacy->name, "DES") == 0 ? MC_SNMP_SALT_SIZE : IV_SIZE;
}

static bool decrypt(const struct usm_account *account, const struct usm_engine *engine,
		    struct mc_snmp_message *message, uint8_t *plain)
{
	const struct mc_snmp_protocol *privacy = account->privacy;
	size_t size = MC_SNMP_MESSAGE_SIZE;
	uint8_t iv[IV_SIZE];

	if (message->salt.size != MC_SNMP_SALT_SIZE)
		return false;
	make_iv(account, engine, message, iv);
	return sc_decrypt(privacy->id, privacy->len, (u_char *)engine->privacy.bytes,
			  (u_int)engine->privacy.size, iv, (u_int)iv_size(account), message->pdu.at,
			  (u_int)message->pdu.size, plain, &size) == SNMPERR_SUCCESS &&
	       mc_snmp_message_read_scoped(plain, size, message);
}

static bool encrypt(struct usm *usm, const struct usm_account *account,
		    const struct usm_engine *engine, struct mc_snmp_message *message,
		    uint8_t *cipher)
{
	const struct mc_snmp_protocol *privacy = account->privacy;
	uint8_t *plain = mc_alloc(MC_SNMP_MESSAGE_SIZE), iv[IV_SIZE], *start;
	size_t size = MC_SNMP_MESSAGE_SIZE;
	bool good = false;

	memcpy(message->salt.at, &usm->salt, MC_SNMP_SALT_SIZE);
	usm->salt++;
	make_iv(account, engine, message, iv);
	start = mc_snmp_message_write_scoped(message, plain, MC_SNMP_MESSAGE_SIZE);
	if (start != NULL)
		good = sc_encrypt(privacy->id, privacy->len, (u_char *)engine->privacy.bytes,
				  (u_int)engine->privacy.size, iv, (u_int)iv_size(account), start,
				  (u_int)(plain + MC_SNMP_MESSAGE_SIZE - start), cipher,
				  &size) == SNMPERR_SUCCESS;
	free(plain);
	message->pdu = (struct mc_ber){ cipher, size };
	return good;
}

/* --- What comes ----------------------------------------------------------- */

static bool is_ours(const struct usm *usm, const struct mc_ber *engine)
{
	return engine->size == usm->engine_size &&
	       memcmp(engine->at, usm->engine, engine->size) == 0;
}

/* A user's protocols must be used: a message without them could be forged. */
static bool is_level(const struct usm_account *account, unsigned flags)
{
	return (account->auth != NULL) == ((flags & MC_SNMP_AUTH) != 0) &&
	       (account->privacy != NULL) == ((flags & MC_SNMP_PRIV) != 0);
}

/* Checks the time of a message that its user has signed, and its contents. */
static enum usm_result open_signed(struct usm *usm, const struct usm_account *account,
				   struct mc_snmp_message *message, struct mc_ber *whole,
				   uint8_t *plain)
{
	bool ours = is_ours(usm, &message->engine);
	uint8_t bytes[MC_SNMP_AUTH_MAX];
	const struct mc_ber digest = { bytes, message->digest.size };
	struct usm_engine fresh, *engine;
	enum usm_result result;

	engine = find_engine(usm, account, &message->engine, &fresh);
	if (engine == NULL || !digest_is_right(account, engine, message, whole, bytes))
		return USM_DIGEST;
	engine = keep(usm, engine, &fresh);
	result = check_time(usm, message, &digest, ours);
	if (result != USM_GOOD && result != USM_BEFORE)
		return result;
	if (account->privacy != NULL && !decrypt(account, engine, message, plain))
		return USM_CIPHER;
	return result;
}

static enum usm_result open_it(struct usm *usm, struct mc_snmp_message *message,
			       struct mc_ber *whole, uint8_t *plain)
{
	struct usm_account *account = find_account(usm, &message->user);

	/* A request for our engine names no engine, and waits for a report. */
	if (message->engine.size == 0 ||
	    ((message->flags & MC_SNMP_REPORTABLE) && !is_ours(usm, &message->engine)))
		return USM_ENGINE;
	if (account == NULL)
		return USM_USER;
	if (!is_level(account, message->flags))
		return USM_LEVEL;
	if (account->auth == NULL)
		return USM_GOOD;
	return open_signed(usm, account, message, whole, plain);
}

enum usm_result usm_open(struct usm *usm, struct mc_snmp_message *message, uint8_t *bytes,
			 size_t size, uint8_t *plain)
{
	struct mc_ber whole = { bytes, size };
	enum usm_result result = open_it(usm, message, &whole, plain);

	usm->counts[result]++;
	return result;
}

/* --- What goes ------------------------------------------------------------ */

static void set_digest(const struct usm_account *account, const struct usm_engine *engine,
		       const struct mc_ber *whole, struct mc_ber *digest)
{
	const struct mc_snmp_protocol *auth = account->auth;
	uint8_t made[USM_KEY_SIZE] = { 0 };
	size_t size = digest->size;

	if (sc_generate_keyed_hash(auth->id, auth->len, engine->auth.bytes,
				   (u_int)engine->auth.size, whole->at, (u_int)whole->size, made,
				   &size) == SNMPERR_SUCCESS)
		memcpy(digest->at, made, digest->size);
}

/* Sends as our engine what 'message' has, with those of its flags that are set. */
static uint8_t *write_it(struct usm *usm, struct mc_snmp_message *message, uint8_t *out,
			 size_t out_size)
{
	const struct usm_account *account = find_account(usm, &message->user);
	const struct mc_ber ours = { usm->engine, usm->engine_size };
	uint8_t salt[MC_SNMP_SALT_SIZE], *start, *cipher = NULL, *digest;
	struct usm_engine fresh = { 0 }, *engine = &fresh;

	message->engine = ours;
	message->boots = usm->boots;
	message->time = engine_time(usm);
	message->salt = (struct mc_ber){ 0 };
	if (!(message->flags & MC_SNMP_AUTH))
		message->digest.size = 0;
	else if (account == NULL || (engine = find_engine(usm, account, &ours, &fresh)) == NULL)
		return NULL;
	if (message->flags & MC_SNMP_PRIV) {
		message->salt = (struct mc_ber){ salt, sizeof(salt) };
		cipher = mc_alloc(MC_SNMP_MESSAGE_SIZE);
		if (!encrypt(usm, account, engine, message, cipher)) {
			free(cipher);
			return NULL;
		}
	}
	start = mc_snmp_message_write(message, out, out_size, &digest);
	free(cipher);
	if (start != NULL && (message->flags & MC_SNMP_AUTH)) {
		struct mc_ber whole = { start, (size_t)(out + out_size - start) };

		message->digest.at = digest;
		set_digest(account, engine, &whole, &message->digest);
	}
	return start;
}

uint8_t *usm_answer(struct usm *usm, const struct mc_snmp_message *message, uint8_t *out,
		    size_t out_size)
{
	struct mc_snmp_message answer = *message;

	answer.flags &= MC_SNMP_AUTH | MC_SNMP_PRIV;
	return write_it(usm, &answer, out, out_size);
}

/* A report that the time is wrong has a digest, so that nobody else can set the
 * sender's clock; all others are sent without. */
uint8_t *usm_report(struct usm *usm, const struct mc_snmp_message *message, enum usm_result result,
		    uint8_t *out, size_t out_size)
{
	uint32_t request =
		message->flags & MC_SNMP_PRIV ? 0 : mc_snmp_message_request(&message->pdu);
	struct mc_snmp_message report = *message;
	uint8_t pdu[64], *start;

	if (!(message->flags & MC_SNMP_REPORTABLE) || result > USM_CIPHER)
		return NULL;
	start = mc_snmp_message_write_report(request, result, usm->counts[result], pdu,
					     sizeof(pdu));
	if (start == NULL)
		return NULL;
	report.flags = result == USM_TIME ? MC_SNMP_AUTH : 0;
	report.pdu = (struct mc_ber){ start, (size_t)(pdu + sizeof(pdu) - start) };
	report.context = (struct mc_ber){ 0 };
	report.context_engine = (struct mc_ber){ usm->engine, usm->engine_size };
	return write_it(usm, &report, out, out_size);
}
