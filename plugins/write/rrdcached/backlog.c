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
	uint64_t len;            /* Lines, */
	uint64_t samples;        /* and what these have. */
	bool sealed;             /* It takes no more. */
	char text[];
};

/* --- Chunks ----------------------------------------------------------- */

/* A mark at the end of a chunk with a next one is at the start of that. */
static void settle(struct backlog_mark *mark)
{
	if (mark->chunk != NULL && mark->size == mark->chunk->size && mark->chunk->next != NULL)
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
	chunk->samples = 0;
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

void backlog_put(struct backlog *backlog, size_t size, uint64_t samples, struct mc_offset offset)
{
	struct backlog_chunk *last = backlog->last;

	assert(size <= last->room - last->size);
	if (offset.seq < last->offset.seq)
		last->offset = offset;
	last->size += size;
	last->len++;
	last->samples += samples;
	backlog->waiting_size += size;
	backlog->waiting_len++;
	backlog->waiting_samples += samples;
	backlog->put++;
}

/* The size of the line that begins at the mark, with its newline. */
static size_t line_size(const struct backlog_mark *mark, size_t skip)
{
	const char *text = mark->chunk->text + mark->size + skip;
	const char *end = memchr(text, '\n', mark->chunk->size - mark->size - skip);

	return (size_t)(end - text) + 1;
}

/* Gives up what waits in the oldest chunk that has such lines; nothing is in flight. */
static void drop_oldest(struct backlog *backlog, uint64_t *dropped)
{
	struct backlog_chunk *chunk = backlog->acked.chunk;
	struct backlog_chunk **link = &backlog->first;

	*dropped += chunk->samples - backlog->acked.samples;
	backlog->waiting_size -= chunk->size - backlog->acked.size;
	backlog->waiting_len -= chunk->len - backlog->acked.len;
	backlog->waiting_samples -= chunk->samples - backlog->acked.samples;
	chunk->size = backlog->acked.size;
	chunk->len = backlog->acked.len;
	chunk->samples = backlog->acked.samples;
	settle(&backlog->acked);
	backlog->sent = backlog->acked;
	if (chunk->len > 0 || chunk->next == NULL)
		return;
	while (*link != chunk)
		link = &(*link)->next;
	*link = chunk->next;
	free_chunk(backlog, chunk);
}

bool backlog_make_room(struct backlog *backlog, size_t size, uint64_t *dropped)
{
	if (backlog->flight_len > 0)
		return backlog_fits(backlog, size);
	while (!backlog_fits(backlog, size) && backlog->waiting_len > 0)
		drop_oldest(backlog, dropped);
	return backlog_fits(backlog, size);
}

/* Acknowledged chunks that are not needed any more. */
static void trim(struct backlog *backlog)
{
	while (backlog->first != backlog->acked.chunk &&
	       backlog->replay_size - backlog->first->size >= backlog->replay_limit) {
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
	batch->left_samples = (is_last ? end->samples : chunk->samples) - mark->samples;
	mark->size += batch->left_size;
	mark->len += batch->left_len;
	mark->samples += batch->left_samples;
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
		backlog->replaying =
			backlog->again.chunk != end->chunk || backlog->again.size < end->size;
	} else {
		take(&backlog->sent, NULL, batch);
	}
	*size = batch->left_size;
	return batch->seen.chunk->text + batch->seen.size;
}

/* Lines at the start of a batch: bytes, lines, samples. */
struct part {
	size_t size;
	uint64_t len, samples;
};

/* The next lines of the batch are done. */
static void pass(struct backlog *backlog, struct backlog_batch *batch, struct part part)
{
	batch->seen.size += part.size;
	batch->seen.len += part.len;
	batch->seen.samples += part.samples;
	batch->seen_len += part.len;
	batch->left_size -= part.size;
	batch->left_len -= part.len;
	batch->left_samples -= part.samples;
	if (batch->replay)
		return;
	backlog->acked = batch->seen;
	settle(&backlog->acked);
	backlog->waiting_size -= part.size;
	backlog->waiting_len -= part.len;
	backlog->waiting_samples -= part.samples;
	backlog->replay_size += part.size;
	backlog->replay_len += part.len;
}

/* Adds the next line of the batch; returns its size. */
static size_t extend(const struct backlog *backlog, const struct backlog_batch *batch,
		     struct part *part)
{
	size_t size = line_size(&batch->seen, part->size);
	const char *text = batch->seen.chunk->text + batch->seen.size + part->size;

	part->samples +=
		backlog->count == NULL ? 1 : backlog->count(backlog->argument, text, size - 1);
	part->size += size;
	part->len++;
	return size;
}

bool backlog_refused(struct backlog *backlog, long number, struct backlog_line *line)
{
	struct backlog_batch *batch = &backlog->flight[0];
	uint64_t len = (uint64_t)number - 1 - batch->seen_len;
	struct part part = { 0 };
	size_t size;

	if (backlog->flight_len == 0 || number < 1 || (uint64_t)number <= batch->seen_len ||
	    len >= batch->left_len)
		return false;
	while (part.len < len)
		extend(backlog, batch, &part);
	size = extend(backlog, batch, &part);
	*line = (struct backlog_line){
		.text = batch->seen.chunk->text + batch->seen.size + part.size - size,
		.size = size - 1,
		.replay = batch->replay,
		.offset = batch->seen.chunk->offset,
	};
	pass(backlog, batch, part);
	return true;
}

uint64_t backlog_done(struct backlog *backlog)
{
	struct backlog_batch *batch = &backlog->flight[0];
	bool replay = batch->replay;
	uint64_t len = batch->seen_len + batch->left_len;

	assert(backlog->flight_len > 0);
	pass(backlog, batch,
	     (struct part){ batch->left_size, batch->left_len, batch->left_samples });
	backlog->flight_len--;
	memmove(batch, batch + 1, backlog->flight_len * sizeof(*batch));
	if (replay)
		return 0;
	trim(backlog);
	return len;
}

bool backlog_walk(const struct backlog *backlog, struct backlog_mark *at, struct backlog_line *line)
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

/* Where lines in between were given up, those before count as later than they are, and are not
 * passed over. */
bool backlog_seek(const struct backlog *backlog, uint64_t number, struct backlog_mark *at)
{
	uint64_t before = backlog->put - backlog->waiting_len - backlog->replay_len;
	const struct backlog_chunk *chunk = backlog->first;
	struct backlog_line line;

	for (; chunk != NULL && before + chunk->len <= number; chunk = chunk->next)
		before += chunk->len;
	*at = (struct backlog_mark){ .chunk = (struct backlog_chunk *)(uintptr_t)chunk };
	if (chunk == NULL)
		return false;
	for (; before < number; before++)
		backlog_walk(backlog, at, &line);
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

	for (const struct backlog_chunk *chunk = backlog->first; chunk != NULL; chunk = chunk->next)
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
