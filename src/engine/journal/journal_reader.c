/* SPDX-License-Identifier: MIT */
/* Reads the journal's records in their order: a file at a time, through a
 * window that is as small as the records let it be. */
#include "engine/journal/journal_reader.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/alloc.h"
#include "engine/journal/journal.h"

#define WINDOW ((size_t)256 << 10)

struct reader {
	struct journal *journal;
	int file;
	uint64_t serial; /* Of the segment that is open; 0: none. */
	uint64_t at;     /* Where the window begins in it. */
	uint64_t last;   /* The record before. */
	uint8_t *data;
	size_t size, room;
	size_t used; /* Bytes of the window that are done with. */
};

struct reader *journal_reader_new(struct journal *journal)
{
	struct reader *reader = alloc_zero(sizeof(*reader));

	reader->journal = journal;
	reader->file = -1;
	return reader;
}

void journal_reader_rest(struct reader *reader)
{
	if (reader->file >= 0)
		close(reader->file);
	free(reader->data);
	reader->file = -1;
	reader->data = NULL;
	reader->size = reader->room = reader->used = 0;
}

void journal_reader_free(struct reader *reader)
{
	if (reader == NULL)
		return;
	journal_reader_rest(reader);
	free(reader);
}

/* At the first record of a file, whichever was open. */
static int open_segment(struct reader *reader, const struct segment *segment)
{
	if (reader->file >= 0)
		close(reader->file);
	reader->file = segment_open(journal_folder(reader->journal), segment->first,
				    journal_epoch(reader->journal));
	reader->serial = segment->serial;
	reader->at = FRAME_SEGMENT_SIZE;
	reader->last = segment->first - 1;
	reader->size = reader->used = 0;
	return reader->file < 0 ? reader->file : 0;
}

/* Has the window begin where it was done with, and reach 'size' bytes or as
 * far as the file is whole. */
static bool fill(struct reader *reader, const struct segment *segment, size_t size)
{
	ssize_t got;

	reader->at += reader->used;
	reader->size = reader->used = 0;
	if (reader->at >= segment->size)
		return false;
	if (size > segment->size - reader->at)
		size = segment->size - reader->at;
	if (size > reader->room) {
		free(reader->data);
		reader->data = alloc_zero(size);
		reader->room = size;
	}
	do
		got = pread(reader->file, reader->data, size, reader->at);
	while (got < 0 && errno == EINTR);
	reader->size = got > 0 ? got : 0;
	return got > 0;
}

static void keep_damage(struct reader *reader, const struct segment *segment, size_t from,
			size_t to)
{
	struct segment_damage damage = { .pieces = 1, .bytes = to - from };

	segment_keep_bad(journal_folder(reader->journal), segment, reader->at + from,
			 reader->data + from, to - from);
	journal_add_damage(reader->journal, &damage);
}

/* Whether the window holds all there is of the file. */
static bool is_whole(const struct reader *reader, const struct segment *segment)
{
	return reader->at + reader->size >= segment->size;
}

/* The next frame of the file that is open. */
static bool step(struct reader *reader, const struct segment *segment, struct frame *frame)
{
	for (;;) {
		struct frame_walk walk = { reader->data, reader->size, reader->used,
					   journal_epoch(reader->journal), reader->last };
		enum frame_step got;
		size_t from;

		got = frame_next(&walk, frame, &from);
		if (got == FRAME_RECORD) {
			reader->used = walk.at;
			reader->last = walk.last;
			return true;
		}
		if (got == FRAME_END || !is_whole(reader, segment)) {
			/* More of the file; all of it if that is not enough. */
			bool stuck = reader->used == 0 && reader->size > 0;

			if (!fill(reader, segment, stuck ? segment->size : WINDOW))
				return false;
			continue;
		}
		keep_damage(reader, segment, from, walk.at);
		reader->used = walk.at;
		reader->last = walk.last;
	}
}

/* The window is given back when it had to be large. */
static void shrink(struct reader *reader)
{
	if (reader->room <= WINDOW || reader->used < reader->size)
		return;
	reader->at += reader->used;
	reader->size = reader->used = reader->room = 0;
	free(reader->data);
	reader->data = NULL;
}

/* The record 'seq', or the first after it, in the file that is open. */
static bool seek(struct reader *reader, const struct segment *segment, uint64_t seq, uint64_t end,
		 struct frame *frame)
{
	while (step(reader, segment, frame) && frame->seq < end)
		if (frame->seq >= seq && frame->type != FRAME_SEAL)
			return true;
	return false;
}

static bool is_open(const struct reader *reader, const struct segment *segment, uint64_t seq)
{
	return reader->file >= 0 && reader->serial == segment->serial && reader->last < seq;
}

/* A lack of descriptors passes; missing or broken files are skipped. */
static bool is_lack(int rc)
{
	return rc == -EMFILE || rc == -ENFILE || rc == -ENOMEM;
}

int journal_reader_next(struct reader *reader, uint64_t seq, struct frame *frame)
{
	struct segment segment;
	uint64_t end;

	shrink(reader);
	while (journal_find(reader->journal, seq, &segment, &end)) {
		int rc = is_open(reader, &segment, seq) ? 0 : open_segment(reader, &segment);

		if (is_lack(rc))
			return rc;
		if (rc == 0 && seek(reader, &segment, seq, end, frame))
			return 1;
		seq = end > seq ? end : seq + 1; /* The rest is lost. */
	}
	return 0;
}
