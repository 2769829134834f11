/* SPDX-License-Identifier: MIT */
/* The user-based security model (RFC 3414) of a receiver: of traps the sender's
 * engine counts, of informs ours.
 *
 * The cryptography is net-snmp's, its table of users and engines is not: it is one of the process,
 * without a lock (formats/snmp/message.h); usm_check_and_update_timeliness() accepts a
 * repeated trap for 150 seconds, and again after a restart; and a user is one of the engines that
 * were configured.  Here keys are made of passphrases at the start, and for an engine when its
 * first message comes.  One thread. */
#pragma once

#include <collector/kit/map.h>
#include <collector/plugin.h>

#include "formats/snmp/message.h"

#include "replays.h"

#define USM_ENGINES_MAX 4096 /* Of senders, with each of their users. */
#define USM_KEY_SIZE 64

struct usm_user { /* A <User> block. */
	const char *name;
	const char *auth, *auth_passphrase;
	const char *privacy, *privacy_passphrase;
};

enum usm_result { /* Not 0: the counter of RFC 3414, 5. */
		  USM_GOOD = 0,
		  USM_LEVEL = 1,
		  USM_TIME = 2,
		  USM_USER = 3,
		  USM_ENGINE = 4,
		  USM_DIGEST = 5,
		  USM_CIPHER = 6,
		  /* These have none. */
		  USM_BEFORE, /* It was here before. */
		  USM_BOOTS,  /* See replays.h. */
		  USM_RESULTS,
};

struct usm_key {
	uint8_t bytes[USM_KEY_SIZE];
	size_t size;
};

struct usm_account; /* A user with the keys of its passphrases. */

struct usm {
	uint8_t engine[MC_SNMP_ENGINE_MAX];
	size_t engine_size;
	uint32_t boots;
	mc_time started; /* Monotonic. */
	uint64_t salt;
	struct usm_account *accounts;
	size_t accounts_len;
	struct mc_lru engines;  /* struct usm_engine */
	struct replays replays; /* Kept in a file only if that was started. */
	uint32_t counts[USM_RESULTS];
};

/* Why keys cannot be made for the user; NULL: they can. */
const char *usm_fault(const struct usm_user *);

/* Makes the keys; false: the library cannot make one.  'name' becomes a part of
 * our engine's identifier. */
bool usm_init(struct usm *, const struct usm_user *users, size_t users_len, const char *name);
void usm_done(struct usm *);

/* Checks the sender of the message, which is of version 3, was read from 'bytes', and is changed;
 * and makes 'plain' of what is encrypted, with room for MC_SNMP_MESSAGE_SIZE bytes.  Of USM_BEFORE
 * the message is as whole as of USM_GOOD. */
enum usm_result usm_open(struct usm *, struct mc_snmp_message *message, uint8_t *bytes, size_t size,
			 uint8_t *plain);

/* The report for the sender of a message that usm_open() did not take; may be NULL.  Written so
 * that it ends at 'out' + 'out_size'. */
uint8_t *usm_report(struct usm *, const struct mc_snmp_message *, enum usm_result, uint8_t *out,
		    size_t out_size);

/* The same for the answer to a message that it did take, with the message's PDU. */
uint8_t *usm_answer(struct usm *, const struct mc_snmp_message *, uint8_t *out, size_t out_size);
