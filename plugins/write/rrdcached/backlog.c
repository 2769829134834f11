/* SPDX-License-Identifier: MIT */
#include "backlog.h"

#include <collector/journal.h>

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include <collector/kit/alloc.h>

struct backlog_chunk {
	struct backlog_chunk *next;
	struct mc_offset offset; /* The oldest of its lines. */
	size_t size, room;       /* Bytes in use, and all. */
	uint64_t len;            /* Lines. */
	bool sealed;             /* It takes no more. */
	char text[];
};

/* --- Chunks ----------------------------------------------------------- */

/* A mark at the end of a chunk that has another behind it is at its start. */
static void settle(struct backlog_mark *mark)
{
	if (mark->chunk != NULL && mark->size == mark->chunk->size &&
	    mark->chunk->next != NULL)
		*mark = (struct backlog_mark){ .chunk = mark->chunk->next };
}

static struct backlog_chunk *new_chunk(struct backlog *backlog, size_t room)
{
	size_t head = sizeof(struct backlog_chunk);
	struct backlog_chunk *chunk = backlog->free_chunk;

	if (chunk != NULL && chunk->room >= room) {
		backlog->free_chunk = NULL;
	} else {
		if (room < BACKLOG_CHUNK_SIZE - head)
			room = BACKLOG_CHUNK_SIZE - head;
		chunk = mc_alloc(head + room);
		chunk->room = room;
	}
	chunk->next = NULL;
	chunk->offset = BACKLOG_NO_OFFSET;
	chunk->size = 0;
	chunk->len = 0;
	chunk->sealed = false;
	return chunk;
}

/* One is kept, so that in the long run none is allocated. */
static void free_chunk(struct backlog *backlog, struct backlog_chunk *chunk)
{
	free(backlog->free_chunk);
	backlog->free_chunk = chunk;
}

char *backlog_room(struct backlog *backlog, size_t size)
{
	struct backlog_chunk *last = backlog->last;

	if (last != NULL && !last->sealed && last->room - last->size >= size)
		return last->text + last->size;
	last = new_chunk(backlog, size);
	if (backlog->first == NULL) {
		backlog->first = last;
		backlog->acked = (struct backlog_mark){ .chunk = last };
		backlog->sent = backlog->acked;
	} else {
		backlog->last->next = last;
	}
	backlog->last = last;
	settle(&backlog->acked);
	settle(&backlog->sent);
	return last->text;
}

void backlog_put(struct backlog *backlog, size_t size, struct mc_offset offset)
{
	struct backlog_chunk *last = backlog->last;

	assert(size <= last->room - last->size);
	if (offset.seq < last->offset.seq)
		last->offset = offset;
	last->size += size;
	last->len++;
	backlog->waiting_size += size;
	backlog->waiting_len++;
	backlog->put++;
}

/* The size of the line that begins at the mark, with its newline. */
static size_t line_size(const struct backlog_mark *mark, size_t skip)
{
	const char *text = mark->chunk->text + mark->size + skip;
	const char *end =
		memchr(text, '\n', mark->chunk->size - mark->size - skip);

	return (size_t)(end - text) + 1;
}

/* Gives up what waits in the oldest chunk that has such lines; nothing is in
 * flight. */
static void drop_oldest(struct backlog *backlog, struct backlog_drop *drop)
{
	struct backlog_chunk *chunk = backlog->acked.chunk;
	struct backlog_chunk **link = &backlog->first;
	struct backlog_mark at = backlog->acked;
	size_t size;

	for (; at.size < chunk->size; at.size += size) {
		size = line_size(&at, 0);
		drop->counted += drop->count(drop->argument,
					     chunk->text + at.size, size - 1);
	}
	backlog->waiting_size -= chunk->size - backlog->acked.size;
	backlog->waiting_len -= chunk->len - backlog->acked.len;
	chunk->size = backlog->acked.size;
	chunk->len = backlog->acked.len;
	settle(&backlog->acked);
	backlog->sent = backlog->acked;
	if (chunk->len > 0 || chunk->next == NULL)
		return;
	while (*link != chunk)
		link = &(*link)->next;
	*link = chunk->next;
	free_chunk(backlog, chunk);
}

bool backlog_make_room(struct backlog *backlog, size_t size,
		       struct backlog_drop *drop)
{
	if (backlog->flight_len > 0)
		return backlog_fits(backlog, size);
	while (!backlog_fits(backlog, size) && backlog->waiting_len > 0)
		drop_oldest(backlog, drop);
	return backlog_fits(backlog, size);
}

/* Acknowledged chunks that are not needed any more. */
static void trim(struct backlog *backlog)
{
	while (backlog->first != backlog->acked.chunk &&
	       backlog->replay_size - backlog->first->size >=
		       backlog->replay_limit) {
		struct backlog_chunk *chunk = backlog->first;

		backlog->replay_size -= chunk->size;
		backlog->replay_len -= chunk->len;
		backlog->first = chunk->next;
		free_chunk(backlog, chunk);
	}
}

/* --- Batches ---------------------------------------------------------- */

bool backlog_ready(const struct backlog *backlog)
{
	if (backlog->flight_len == BACKLOG_FLIGHT_MAX)
		return false;
	if (backlog->replaying)
		return true;
	if (backlog->sent.chunk != backlog->last)
		return true;
	return backlog->flight_len == 0 && backlog->last != NULL &&
	       backlog->sent.size < backlog->last->size;
}

/* From 'mark', which moves to its end, to the end of the chunk or to 'end'. */
static void take(struct backlog_mark *mark, const struct backlog_mark *end,
		 struct backlog_batch *batch)
{
	const struct backlog_chunk *chunk = mark->chunk;
	bool is_last = end != NULL && end->chunk == chunk;

	batch->seen = *mark;
	batch->left_size = (is_last ? end->size : chunk->size) - mark->size;
	batch->left_len = (is_last ? end->len : chunk->len) - mark->len;
	mark->size += batch->left_size;
	mark->len += batch->left_len;
	settle(mark);
}

const char *backlog_send(struct backlog *backlog, size_t *size)
{
	struct backlog_batch *batch = &backlog->flight[backlog->flight_len];
	const struct backlog_mark *end = &backlog->acked;

	assert(backlog_ready(backlog));
	*batch = (struct backlog_batch){ .replay = backlog->replaying };
	backlog->flight_len++;
	if (backlog->replaying) {
		take(&backlog->again, end, batch);
		backlog->replaying = backlog->again.chunk != end->chunk ||
				     backlog->again.size < end->size;
	} else {
		take(&backlog->sent, NULL, batch);
	}
	*size = batch->left_size;
	return batch->seen.chunk->text + batch->seen.size;
}

/* The next 'len' lines of the batch are done, 'size' bytes. */
static void pass(struct backlog *backlog, struct backlog_batch *batch,
		 uint64_t len, size_t size)
{
	batch->seen.size += size;
	batch->seen.len += len;
	batch->seen_len += len;
	batch->left_size -= size;
	batch->left_len -= len;
	if (batch->replay)
		return;
	backlog->acked = batch->seen;
	settle(&backlog->acked);
	backlog->waiting_size -= size;
	backlog->waiting_len -= len;
	backlog->replay_size += size;
	backlog->replay_len += len;
}

bool backlog_refused(struct backlog *backlog, long number,
		     struct backlog_line *line)
{
	struct backlog_batch *batch = &backlog->flight[0];
	uint64_t len = (uint64_t)number - 1 - batch->seen_len;
	size_t before = 0, size;

	if (backlog->flight_len == 0 || number < 1 ||
	    (uint64_t)number <= batch->seen_len || len >= batch->left_len)
		return false;
	for (uint64_t i = 0; i < len; i++)
		before += line_size(&batch->seen, before);
	size = line_size(&batch->seen, before);
	*line = (struct backlog_line){
		.text = batch->seen.chunk->text + batch->seen.size + before,
		.size = size - 1,
		.replay = batch->replay,
		.offset = batch->seen.chunk->offset,
	};
	pass(backlog, batch, len + 1, before + size);
	return true;
}

uint64_t backlog_done(struct backlog *backlog)
{
	struct backlog_batch *batch = &backlog->flight[0];
	bool replay = batch->replay;
	uint64_t len = batch->seen_len + batch->left_len;

	assert(backlog->flight_len > 0);
	pass(backlog, batch, batch->left_len, batch->left_size);
	backlog->flight_len--;
	memmove(batch, batch + 1, backlog->flight_len * sizeof(*batch));
	if (replay)
		return 0;
	trim(backlog);
	return len;
}

bool backlog_walk(const struct backlog *backlog, struct backlog_mark *at,
		  struct backlog_line *line)
{
	if (at->chunk == NULL)
		at->chunk = backlog->first;
	settle(at);
	if (at->chunk == NULL || at->size == at->chunk->size)
		return false;
	*line = (struct backlog_line){
		.text = at->chunk->text + at->size,
		.size = line_size(at, 0) - 1,
		.offset = at->chunk->offset,
	};
	at->size += line->size + 1;
	at->len++;
	return true;
}

void backlog_seal(struct backlog *backlog)
{
	if (backlog->last != NULL)
		backlog->last->sealed = true;
}

uint64_t backlog_next(const struct backlog *backlog)
{
	uint64_t ahead = 0;

	if (backlog->replaying)
		return 0;
	for (unsigned i = 0; i < backlog->flight_len; i++)
		if (!backlog->flight[i].replay)
			ahead += backlog->flight[i].left_len;
	return backlog_passed(backlog) + ahead;
}

uint64_t backlog_rewind(struct backlog *backlog)
{
	backlog->flight_len = 0;
	backlog->sent = backlog->acked;
	backlog->again = (struct backlog_mark){ .chunk = backlog->first };
	backlog->replaying = backlog->replay_len > 0;
	return backlog->replay_len;
}

struct mc_offset backlog_oldest(const struct backlog *backlog)
{
	struct mc_offset oldest = BACKLOG_NO_OFFSET;

	for (const struct backlog_chunk *chunk = backlog->first; chunk != NULL;
	     chunk = chunk->next)
		if (chunk->offset.seq < oldest.seq)
			oldest = chunk->offset;
	return oldest;
}

void backlog_free(struct backlog *backlog)
{
	while (backlog->first != NULL) {
		struct backlog_chunk *chunk = backlog->first;

		backlog->first = chunk->next;
		free(chunk);
	}
	free(backlog->free_chunk);
	backlog->free_chunk = NULL;
}
