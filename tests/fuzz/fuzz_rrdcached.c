/* SPDX-License-Identifier: MIT */
/* Any bytes as the answers of rrdcached: batches are answered as they say, and
 * whatever they say, every line that came in is accounted for. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "backlog.h"
#include "reply.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static uint64_t refused_lines(struct backlog *backlog,
			      const struct reply_line *reply)
{
	struct backlog_line line;

	if (reply->kind != REPLY_DETAIL || !reply->numbered ||
	    !backlog_refused(backlog, reply->number, &line))
		return 0;
	assert(line.size == 1 && line.text[1] == '\n');
	if (reply->number % 2 == 0)
		backlog_keep(backlog, &line);
	return line.replay ? 0 : 1;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct backlog backlog = { .limit = 100, .replay_limit = 20 };
	const char *at = (const char *)data, *end = at + size;
	static char text[BACKLOG_TEXT_SIZE];
	struct reply reply = { 0 };
	struct reply_line line;

	do {
		uint64_t before = backlog.waiting.len;

		for (int i = 0; i < 3 && backlog.waiting.len < 20; i++) {
			memcpy(backlog_room(&backlog, 2), "x\n", 2);
			backlog_put(&backlog, 2);
		}
		if (backlog_ready(&backlog))
			backlog_send(&backlog, text);
		assert(backlog.waiting.len >= before);
		line = reply_next(&reply, &at, end);
		before = backlog.waiting.len;
		before -= refused_lines(&backlog, &line);
		assert(backlog.waiting.len <= before);
		if (line.kind == REPLY_BROKEN)
			backlog_rewind(&backlog);
		else if (line.last && backlog.flight_len > 0)
			backlog_done(&backlog);
		assert(lines_size(&backlog.replay) <= 20);
		assert(lines_size(&backlog.waiting) == 2 * backlog.waiting.len);
	} while (line.kind != REPLY_NONE);
	backlog_free(&backlog);
	return 0;
}
