/* SPDX-License-Identifier: MIT */
/* Keys of states in their topic: GROUP, JUDGE and SERIES, with tabs between them.  Pure functions.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#define STATE_KEY_SIZE 2048   /* With '\0'. */
#define STATE_TEXT_SIZE 65536 /* Of a judge's text, with '\0'. */

struct state_key {
	char text[STATE_KEY_SIZE]; /* The parts, each with '\0'. */
	const char *judge, *series;
};

/* Returns the size, without '\0'; 0: it is too long. */
size_t state_key_write(char out[STATE_KEY_SIZE], const char *group, const char *judge,
		       const char *series);

enum state_key_kind {
	STATE_KEY_OURS,
	STATE_KEY_OTHERS, /* Of another group. */
	STATE_KEY_FOREIGN,
};

/* Takes a key apart; the bytes may be anything.  'out' is filled if it is ours. */
enum state_key_kind state_key_read(const void *bytes, size_t size, const char *group,
				   struct state_key *out);
