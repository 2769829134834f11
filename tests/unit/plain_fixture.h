/* SPDX-License-Identifier: MIT */
/* For the tests of the plain text protocol: a few types, one of each kind, and
 * what a line is parsed with.  Include it after cmocka.h. */
#pragma once

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "formats/plaintext/plaintext.h"

#define PLAIN_TYPE(ident, len, ...)                                                                \
	static const struct mc_type ident = { .name = #ident,                                      \
					      .sources_len = len,                                  \
					      .sources = { __VA_ARGS__ } }
#define PLAIN_SOURCE(ident, ident_kind)                                                            \
	{                                                                                          \
#ident, ident_kind, NAN, NAN                                                       \
	}

PLAIN_TYPE(gauge, 1, PLAIN_SOURCE(value, MC_GAUGE));
PLAIN_TYPE(derive, 1, PLAIN_SOURCE(value, MC_DERIVE));
PLAIN_TYPE(counter, 1, PLAIN_SOURCE(value, MC_COUNTER));
PLAIN_TYPE(absolute, 1, PLAIN_SOURCE(value, MC_ABSOLUTE));
PLAIN_TYPE(if_octets, 2, PLAIN_SOURCE(rx, MC_DERIVE), PLAIN_SOURCE(tx, MC_DERIVE));
PLAIN_TYPE(mixed, 4, PLAIN_SOURCE(g, MC_GAUGE), PLAIN_SOURCE(d, MC_DERIVE),
	   PLAIN_SOURCE(c, MC_COUNTER), PLAIN_SOURCE(a, MC_ABSOLUTE));

static inline const struct mc_type *plain_find(void *argument, const char *name)
{
	static const struct mc_type *const types[] = { &gauge,    &derive,    &counter,
						       &absolute, &if_octets, &mixed };

	(void)argument;
	for (size_t i = 0; i < sizeof(types) / sizeof(*types); i++) {
		if (strcmp(types[i]->name, name) == 0)
			return types[i];
	}
	return NULL;
}

#define PLAIN_NOW (INT64_C(1700000000) * MC_SECOND + 5)

static const struct mc_plain_context plain_context = {
	.now = PLAIN_NOW,
	.interval = 10 * MC_SECOND,
	.find = plain_find,
};

/* Parses a line that lies alone in a block of its size, so that the sanitizers
 * see a byte too far, and fails the test if it is not accepted, or refused, as
 * expected.  Returns the line, for free(). */
static inline char *plain_parse(struct mc_plain *request, const char *text, bool expected)
{
	size_t size = strlen(text);
	char *line = malloc(size + 1);

	memcpy(line, text, size);
	line[size] = '\n';
	if (mc_plain_parse(request, line, size, &plain_context) != expected)
		fail_msg("'%s': %s", text, expected ? request->error : "was accepted");
	return line;
}
