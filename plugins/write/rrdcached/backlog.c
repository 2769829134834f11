/* SPDX-License-Identifier: MIT */
#include "backlog.h"

#include <assert.h>
#include <string.h>

static const char opening[] = "BATCH\n", closing[] = ".\n";

char *backlog_room(struct backlog *backlog, size_t size)
{
	return lines_room(&backlog->waiting, size);
}

void backlog_put(struct backlog *backlog, size_t size)
{
	lines_added(&backlog->waiting, size, 1);
	backlog->put++;
}

uint64_t backlog_make_room(struct backlog *backlog, size_t size, bool *fits)
{
	struct lines *waiting = &backlog->waiting;
	size_t used = lines_size(waiting) + size;
	uint64_t lost = 0;

	*fits = used <= backlog->limit;
	if (*fits || backlog->sent > 0)
		return 0;
	/* A sixteenth at once, so that this is not done for every line. */
	size = lines_at_least(lines_text(waiting), lines_size(waiting),
			      used - backlog->limit + backlog->limit / 16,
			      &lost);
	lines_remove(waiting, size, lost);
	*fits = used - size <= backlog->limit;
	return lost;
}

/* Bytes that are not in flight, of what is to be sent now. */
static size_t unsent(const struct backlog *backlog)
{
	if (backlog->replaying)
		return lines_size(&backlog->replay) - backlog->replay_sent;
	return lines_size(&backlog->waiting) - backlog->sent;
}

bool backlog_ready(const struct backlog *backlog)
{
	size_t size = unsent(backlog);

	if (size == 0 || backlog->flight_len == BACKLOG_FLIGHT_MAX)
		return false;
	return backlog->flight_len == 0 || backlog->replaying ||
	       size >= BACKLOG_BATCH_SIZE;
}

size_t backlog_send(struct backlog *backlog, char *out)
{
	struct backlog_batch *batch = &backlog->flight[backlog->flight_len];
	struct lines *lines =
		backlog->replaying ? &backlog->replay : &backlog->waiting;
	size_t *sent =
		backlog->replaying ? &backlog->replay_sent : &backlog->sent;
	const char *text = lines_text(lines) + *sent;

	assert(backlog_ready(backlog));
	*batch = (struct backlog_batch){ .replay = backlog->replaying };
	batch->size = lines_at_most(text, unsent(backlog), BACKLOG_BATCH_SIZE,
				    BACKLOG_BATCH_LEN, &batch->len);
	backlog->flight_len++;
	*sent += batch->size;
	if (backlog->replaying && unsent(backlog) == 0)
		backlog->replaying = false;
	memcpy(out, opening, strlen(opening));
	memcpy(out + strlen(opening), text, batch->size);
	memcpy(out + strlen(opening) + batch->size, closing, strlen(closing));
	return strlen(opening) + batch->size + strlen(closing);
}

/* Keeps lines that were acknowledged, and as many of the older ones as fit. */
static void keep(struct backlog *backlog, const char *text, size_t size,
		 uint64_t len)
{
	struct lines *replay = &backlog->replay;
	size_t limit = backlog->replay_limit;
	uint64_t gone = 0;
	size_t surplus;

	if (size > limit) {
		surplus = lines_at_least(text, size, size - limit, &gone);
		text += surplus;
		size -= surplus;
		len -= gone;
		gone = 0;
	}
	if (lines_size(replay) + size > limit) {
		surplus = lines_at_least(lines_text(replay), lines_size(replay),
					 lines_size(replay) + size - limit,
					 &gone);
		lines_remove(replay, surplus, gone);
	}
	if (size == 0)
		return;
	memcpy(lines_room(replay, size), text, size);
	lines_added(replay, size, len);
}

/* The next 'len' lines of the batch were done. */
static void pass(struct backlog *backlog, struct backlog_batch *batch,
		 uint64_t len)
{
	struct lines *lines =
		batch->replay ? &backlog->replay : &backlog->waiting;
	const char *text = lines_text(lines);
	uint64_t found = 0;
	size_t size = batch->size;

	if (batch->replay)
		text += backlog->replay_seen;
	if (len < batch->len - batch->seen)
		size = lines_at_most(text, batch->size, batch->size, len,
				     &found);
	batch->seen += len;
	batch->size -= size;
	if (batch->replay) {
		backlog->replay_seen += size;
		return;
	}
	keep(backlog, text, size, len);
	lines_remove(lines, size, len);
	backlog->sent -= size;
}

bool backlog_refused(struct backlog *backlog, long number,
		     struct backlog_line *line)
{
	struct backlog_batch *batch = &backlog->flight[0];
	uint64_t index = (uint64_t)number - 1, one = 0;
	size_t size;

	if (backlog->flight_len == 0 || number < 1 || index < batch->seen ||
	    index >= batch->len)
		return false;
	if (index > batch->seen)
		pass(backlog, batch, index - batch->seen);
	line->replay = batch->replay;
	line->text = batch->replay ? lines_text(&backlog->replay) +
					     backlog->replay_seen
				   : lines_text(&backlog->waiting);
	size = lines_at_most(line->text, batch->size, batch->size, 1, &one);
	line->size = size - 1;
	batch->seen++;
	batch->size -= size;
	if (batch->replay) {
		backlog->replay_seen += size;
	} else {
		lines_remove(&backlog->waiting, size, 1);
		backlog->sent -= size;
	}
	return true;
}

void backlog_keep(struct backlog *backlog, const struct backlog_line *line)
{
	if (!line->replay)
		keep(backlog, line->text, line->size + 1, 1);
}

uint64_t backlog_done(struct backlog *backlog)
{
	struct backlog_batch *batch = &backlog->flight[0];
	uint64_t len = batch->replay ? 0 : batch->len;

	assert(backlog->flight_len > 0);
	if (batch->seen < batch->len)
		pass(backlog, batch, batch->len - batch->seen);
	backlog->flight_len--;
	memmove(batch, batch + 1, backlog->flight_len * sizeof(*batch));
	lines_trim(&backlog->waiting);
	return len;
}

uint64_t backlog_rewind(struct backlog *backlog)
{
	backlog->flight_len = 0;
	backlog->sent = 0;
	backlog->replay_sent = 0;
	backlog->replay_seen = 0;
	backlog->replaying = backlog->replay.len > 0;
	return backlog->replay.len;
}

void backlog_free(struct backlog *backlog)
{
	lines_free(&backlog->waiting);
	lines_free(&backlog->replay);
}
