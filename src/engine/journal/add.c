/* SPDX-License-Identifier: MIT */
/* Records on their way into the journal: after the tail until they are committed, together with
 * the dedup ids of their senders. */
#include <string.h>

#include "base/alloc.h"
#include "engine/journal/journal_internal.h"
#include "formats/journal/dedup_id.h"

void journal_keep_dedup(struct journal *journal)
{
	int rc;

	if (!journal->dedup.used || journal->dedup.saved == journal->done.seq)
		return;
	rc = dedup_save(&journal->dedup, journal->folder, journal->epoch, journal->done.seq,
			journal->sync != JOURNAL_SYNC_OFF);
	if (rc < 0)
		journal->write_failures++; /* The old table is still there. */
}

/* Receipts of records that were added.  The first ever needs a table before its record is written:
 * without one no start would look for it. */
static void sign(struct journal *journal, const struct mc_dedup_id *receipt)
{
	if (!journal->dedup.used)
		dedup_save(&journal->dedup, journal->folder, journal->epoch, journal->done.seq,
			   journal->sync != JOURNAL_SYNC_OFF);
	if (journal->signed_len == journal->signed_room) {
		journal->signed_room = journal->signed_room * 2 + 16;
		journal->signed_for = alloc_resize(journal->signed_for, journal->signed_room,
						   sizeof(*journal->signed_for));
	}
	journal->signed_for[journal->signed_len++] = receipt;
}

/* Room after the tail; records appended there stay. */
static uint8_t *tail_room(struct journal *journal, size_t size)
{
	if (journal->tail_size + size > journal->tail_room) {
		journal->tail_room = 2 * (journal->tail_size + size);
		journal->tail = alloc_resize(journal->tail, journal->tail_room, 1);
	}
	return journal->tail + journal->tail_size;
}

void journal_append(struct journal *journal, const void *bytes, size_t size)
{
	size_t used = FRAME_HEAD_SIZE + journal->appended;

	if (size > 0)
		memcpy(tail_room(journal, used + size) + used, bytes, size);
	journal->appended += size;
}

uint64_t journal_add(struct journal *journal, const struct journal_record *record)
{
	struct frame frame = { .type = record->type,
			       .samples = record->samples,
			       .seq = journal->staged.seq,
			       .before = journal->staged.samples,
			       .time = record->time };
	uint8_t *at;

	journal_append(journal, record->payload, record->size);
	frame.size = journal->appended;
	journal->appended = 0;
	if (frame.size > FRAME_PAYLOAD_MAX - DEDUP_ID_SIZE_MAX)
		return 0;
	at = tail_room(journal, frame_size(frame.size + DEDUP_ID_SIZE_MAX));
	frame.payload = at + FRAME_HEAD_SIZE;
	if (record->receipt != NULL) {
		frame.size += dedup_id_write(at + FRAME_HEAD_SIZE + frame.size, record->receipt);
		sign(journal, record->receipt);
	}
	frame_write(at, &frame, journal->epoch);
	journal->tail_size += frame_size(frame.size);
	journal->staged.seq++;
	journal->staged.samples += record->samples;
	return frame.seq;
}
