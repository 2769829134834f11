/* SPDX-License-Identifier: MIT */
/* Any bytes as the answers of rrdcached: batches are answered as they say, and
 * whatever they say, every line that came in is accounted for. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include <collector/journal.h>

#include "backlog.h"
#include "formats/rrdcached/reply.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Long enough that a chunk has room for few of them. */
enum { LINE_SIZE = 9000, LINES_MAX = 20, KEPT_SIZE = 20000 };

static void put(struct backlog *backlog)
{
	char *out = backlog_room(backlog, LINE_SIZE);

	memset(out, 'x', LINE_SIZE - 1);
	out[LINE_SIZE - 1] = '\n';
	backlog_put(backlog, LINE_SIZE, 1, (struct mc_offset){ backlog->put, 0 });
}

static uint64_t count_one(void *argument, const char *line, size_t size)
{
	(void)argument;
	assert(size == LINE_SIZE - 1 && line[size] == '\n');
	return 1;
}

static void refuse(struct backlog *backlog, const struct reply_line *reply)
{
	struct backlog_line line;

	if (reply->kind != REPLY_DETAIL || !reply->numbered ||
	    !backlog_refused(backlog, reply->number, &line))
		return;
	assert(line.size == LINE_SIZE - 1 && line.text[line.size] == '\n');
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct backlog backlog = { .limit = LINES_MAX * LINE_SIZE,
				   .replay_limit = KEPT_SIZE,
				   .count = count_one };
	const char *at = (const char *)data, *end = at + size;
	struct reply reply = { 0 };
	struct reply_line line;
	size_t sent;

	do {
		uint64_t waited = backlog.waiting_len, dropped = 0, before;
		bool fits = backlog_make_room(&backlog, 3 * LINE_SIZE, &dropped);

		assert(dropped == 0 || fits);
		assert(dropped == waited - backlog.waiting_len);
		for (int i = 0; i < 3 && fits; i++)
			put(&backlog);
		if (backlog_ready(&backlog))
			assert(backlog_send(&backlog, &sent) != NULL && sent > 0 &&
			       sent % LINE_SIZE == 0);
		before = backlog.waiting_len;
		line = reply_next(&reply, &at, end);
		refuse(&backlog, &line);
		if (line.kind == REPLY_BROKEN)
			backlog_rewind(&backlog);
		else if (line.last && backlog.flight_len > 0)
			backlog_done(&backlog);
		assert(backlog.waiting_len <= before);
		assert(backlog.waiting_size == LINE_SIZE * backlog.waiting_len);
		assert(backlog.waiting_samples == backlog.waiting_len);
		assert(backlog.waiting_len <= LINES_MAX);
		assert(backlog.replay_size == LINE_SIZE * backlog.replay_len);
		assert(backlog_oldest(&backlog).seq <= backlog.put);
	} while (line.kind != REPLY_NONE);
	backlog_free(&backlog);
	return 0;
}
