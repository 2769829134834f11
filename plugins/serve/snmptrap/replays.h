/* SPDX-License-Identifier: MIT */
/* State of the engines of senders, so that no message is taken twice: the number of boots of each
 * and its latest time, in a file over a restart, and the recent messages.  RFC 3414, 3.2, 7, has
 * no memory of messages: it lets one that was recorded come again for 150 seconds.
 *
 * The file has a line an engine, "IDENTIFIER BOOTS TIME SUM"; the last of an identifier counts.  A
 * message not newer than the file is not taken after a restart.  Thread: one. */
#pragma once

#include <collector/kit/map.h>
#include <collector/kit/once.h>
#include <collector/kit/state_file.h>
#include <collector/plugin.h>

#include "formats/snmp/message.h"

#define REPLAYS_ENGINES_MAX 4096
#define REPLAYS_WINDOW 150 /* Seconds (RFC 3414, 2.2.3). */

/* A message may be as far ahead of our engine's clock as late. */
#define REPLAYS_MEMORY (2 * REPLAYS_WINDOW * MC_SECOND)
#define REPLAYS_MESSAGES_MAX 32768 /* SenderLimit, that long. */

#define REPLAYS_TEXT_SIZE (2 * MC_SNMP_ENGINE_MAX + 1)

struct replays {
	struct mc_ctx *ctx;     /* NULL: not started. */
	struct mc_lru engines;  /* struct replays_engine */
	struct mc_lru messages; /* struct replays_message, by their digest. */
	struct mc_state_file file;
	struct mc_once unwritable;
	struct mc_buffer text;
};

/* Reads the file NAME.engines, and writes it anew. */
void replays_start(struct replays *, struct mc_ctx *);
void replays_stop(struct replays *);

enum replays_result {
	REPLAYS_NEW,
	REPLAYS_BEFORE, /* It was here before. */
	REPLAYS_LATE,   /* Its time is over. */
	REPLAYS_BOOTS,  /* Its engine was booted less often than before. */
};

struct replays_message_id {
	struct mc_ber engine;
	uint32_t boots, time;
	struct mc_ber digest; /* Which was right. */
};

/* Whether a message whose digest is right can be taken; it then counts.  Of
 * 'ours', our own engine, the time has been looked at.  'now' is monotonic. */
enum replays_result replays_take(struct replays *, const struct replays_message_id *, bool ours,
				 mc_time now);

/* The identifier in hexadecimal digits. */
void replays_text(const struct mc_ber *engine, char out[REPLAYS_TEXT_SIZE]);
