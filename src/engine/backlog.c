/* SPDX-License-Identifier: MIT */
/* Where a durable writer stands between the journal and its queue. */
#include "engine/backlog.h"

#include "engine/track.h"

static struct queue_place later(struct queue_place a, struct queue_place b)
{
	return a.seq < b.seq ? b : a;
}

/* A place that is out of step, by a record whose head was damaged, must not
 * make a negative number. */
static uint64_t between(const struct queue_place *from,
			const struct queue_place *to)
{
	return to->seq > from->seq && to->before > from->before
		       ? to->before - from->before
		       : 0;
}

uint64_t backlog_open(struct backlog *backlog, struct journal *journal,
		      const char *writer, uint64_t *lost)
{
	struct journal_status status;
	struct cursor_place place;
	struct queue_place oldest;
	uint64_t samples;

	backlog->journal = journal;
	backlog->cursor = journal_cursor(journal, writer, &place);
	backlog->reader = reader_new(journal);
	backlog->epoch = place.epoch;
	backlog->next = (struct queue_place){ place.next, place.before };
	journal_count(journal, &status);
	backlog->end = (struct queue_place){ status.next, status.samples };
	backlog->stored = backlog->resume = backlog->begin = backlog->next;
	oldest = (struct queue_place){ status.oldest, status.oldest_before };
	samples = between(&backlog->next, &backlog->end);
	*lost = backlog_skip(backlog, &oldest);
	backlog->behind = backlog->next.seq < backlog->end.seq;
	return samples;
}

void backlog_close(struct backlog *backlog)
{
	track_free(backlog->tracks);
	reader_free(backlog->reader);
	backlog->tracks = NULL;
	backlog->reader = NULL;
}

void backlog_let_go(struct backlog *backlog)
{
	if (backlog->cursor != NULL)
		cursor_let_go(backlog->cursor);
	track_let_go(backlog->tracks);
}

bool backlog_is_next(const struct backlog *backlog,
		     const struct queue_item *first)
{
	return backlog->cursor == NULL || first->place.seq <= backlog->next.seq;
}

bool backlog_has(const struct backlog *backlog, const struct queue_item *first,
		 struct queue_place *limit)
{
	*limit = backlog->end;
	if (first != NULL)
		*limit = (struct queue_place){ first->place.seq,
					       first->place.before };
	return backlog->cursor != NULL && backlog->next.seq < limit->seq;
}

/* Where the part begins that lies on disk behind what is in memory. */
static struct queue_place disk_part(const struct backlog *backlog,
				    const struct queue_item *first)
{
	struct queue_place from = later(backlog->next, backlog->resume);

	return first != NULL ? later(from, first->place) : from;
}

uint64_t backlog_on_disk(const struct backlog *backlog,
			 const struct queue_item *first)
{
	struct queue_place from = disk_part(backlog, first);
	uint64_t samples = between(&from, &backlog->end);

	if (first != NULL)
		samples += between(&backlog->next, &first->place);
	return samples;
}

uint64_t backlog_skip(struct backlog *backlog, const struct queue_place *to)
{
	uint64_t samples = between(&backlog->next, to);

	if (to->seq <= backlog->next.seq)
		return 0;
	backlog->next.seq = to->seq;
	backlog->next.before += samples;
	if (backlog->next.seq >= backlog->stored.seq)
		backlog->next = later(backlog->next, backlog->resume);
	return samples;
}

void backlog_offer(struct backlog *backlog, const struct queue_place *end,
		   bool in_memory)
{
	backlog->end = *end;
	if (in_memory)
		backlog->stored = backlog->resume = *end;
}

uint64_t backlog_trim(struct backlog *backlog, const struct queue_item *first,
		      const struct queue_place *oldest)
{
	struct queue_place to = *oldest, from;
	uint64_t lost = 0;

	if (first != NULL) {
		if (first->place.seq < to.seq)
			to = first->place;
		lost = backlog_skip(backlog, &to);
	}
	from = disk_part(backlog, first);
	to = oldest->seq < backlog->end.seq ? *oldest : backlog->end;
	if (from.seq >= to.seq)
		return lost;
	lost += between(&from, &to);
	backlog->resume = to;
	if (backlog->next.seq >= backlog->stored.seq)
		backlog->next = later(backlog->next, to);
	return lost;
}

void backlog_delivered(struct backlog *backlog, const struct queue_place *upto)
{
	struct cursor_place place = { backlog->epoch, upto->seq, upto->before };

	if (backlog->cursor != NULL)
		cursor_move(backlog->cursor, &place);
}
