/* SPDX-License-Identifier: MIT */
/* Messages of JSON-RPC in a stream: maps one after the other, with blanks between them or nothing
 * (RFC 7047, 4). */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct frame {     /* All zero: before a message. */
	size_t at; /* Bytes of it that were looked at. */
	unsigned depth;
	bool in_text, escaped;
};

enum frame_state { FRAME_PART, FRAME_WHOLE, FRAME_BAD };

/* Looks at a message that begins with these bytes, of which more may be there than the last time.
 * FRAME_WHOLE: it and blanks before it have '*size' bytes, and the next one may follow. */
enum frame_state frame_look(struct frame *, const char *bytes, size_t available, size_t *size);
