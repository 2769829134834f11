/* SPDX-License-Identifier: MIT */
/* Text on its way to a client, which grows as it is written, up to a limit.  Any thread,
 * one at a time. */
#pragma once

#include <stdbool.h>

#include <collector/kit/buffer.h>
#include <collector/plugin.h>

/* The longest text: a LISTVAL of a million series is about this long. */
#define REPLY_MAX ((size_t)128 << 20)

/* Append to a text; false, and it is as before: it would be too long.  Inline, as each
 * PUTVAL has a reply. */
static inline bool reply_add(struct mc_buffer *reply, const char *text, size_t size)
{
	if (size > REPLY_MAX - reply->size)
		return false;
	mc_buffer_add(reply, text, size);
	return true;
}
bool reply_print(struct mc_buffer *, const char *fmt, ...) MC_PRINTF(2, 3);

/* The same, put in at 'at', before what was added since: the first line of a reply says
 * how many follow. */
bool reply_insert(struct mc_buffer *, size_t at, const char *text, size_t size);
