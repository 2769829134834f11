/* SPDX-License-Identifier: MIT */
/* Where a durable writer stands between the journal and its queue. */
#include "engine/write/catch_up.h"

#include "engine/write/consumer.h"

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

uint64_t catch_up_open(struct catch_up *catch_up, struct journal *journal,
		       const char *writer, uint64_t *lost)
{
	struct journal_status status;
	struct cursor_place place;
	struct queue_place oldest;
	uint64_t samples;

	catch_up->journal = journal;
	catch_up->cursor = journal_cursor(journal, writer, &place);
	catch_up->reader = journal_reader_new(journal);
	catch_up->epoch = place.epoch;
	catch_up->next = (struct queue_place){ place.next, place.before };
	journal_count(journal, &status);
	catch_up->end = (struct queue_place){ status.next, status.samples };
	catch_up->stored = catch_up->resume = catch_up->begin = catch_up->next;
	oldest = (struct queue_place){ status.oldest, status.oldest_before };
	samples = between(&catch_up->next, &catch_up->end);
	*lost = catch_up_skip(catch_up, &oldest);
	catch_up->behind = catch_up->next.seq < catch_up->end.seq;
	return samples;
}

void catch_up_close(struct catch_up *catch_up)
{
	consumer_free(catch_up->consumers);
	journal_reader_free(catch_up->reader);
	catch_up->consumers = NULL;
	catch_up->reader = NULL;
}

void catch_up_let_go(struct catch_up *catch_up)
{
	if (catch_up->cursor != NULL)
		cursor_let_go(catch_up->cursor);
	consumer_let_go(catch_up->consumers);
}

bool catch_up_is_next(const struct catch_up *catch_up,
		      const struct queue_item *first)
{
	return catch_up->cursor == NULL ||
	       first->place.seq <= catch_up->next.seq;
}

bool catch_up_has(const struct catch_up *catch_up,
		  const struct queue_item *first, struct queue_place *limit)
{
	*limit = catch_up->end;
	if (first != NULL)
		*limit = (struct queue_place){ first->place.seq,
					       first->place.before };
	return catch_up->cursor != NULL && catch_up->next.seq < limit->seq;
}

/* Where the part begins that lies on disk behind what is in memory. */
static struct queue_place disk_part(const struct catch_up *catch_up,
				    const struct queue_item *first)
{
	struct queue_place from = later(catch_up->next, catch_up->resume);

	return first != NULL ? later(from, first->place) : from;
}

uint64_t catch_up_on_disk(const struct catch_up *catch_up,
			  const struct queue_item *first)
{
	struct queue_place from = disk_part(catch_up, first);
	uint64_t samples = between(&from, &catch_up->end);

	if (first != NULL)
		samples += between(&catch_up->next, &first->place);
	return samples;
}

uint64_t catch_up_skip(struct catch_up *catch_up, const struct queue_place *to)
{
	uint64_t samples = between(&catch_up->next, to);

	if (to->seq <= catch_up->next.seq)
		return 0;
	catch_up->next.seq = to->seq;
	catch_up->next.before += samples;
	if (catch_up->next.seq >= catch_up->stored.seq)
		catch_up->next = later(catch_up->next, catch_up->resume);
	return samples;
}

void catch_up_offer(struct catch_up *catch_up, const struct queue_place *end,
		    bool in_memory)
{
	catch_up->end = *end;
	if (in_memory)
		catch_up->stored = catch_up->resume = *end;
}

uint64_t catch_up_trim(struct catch_up *catch_up,
		       const struct queue_item *first,
		       const struct queue_place *oldest)
{
	struct queue_place to = *oldest, from;
	uint64_t lost = 0;

	if (first != NULL) {
		if (first->place.seq < to.seq)
			to = first->place;
		lost = catch_up_skip(catch_up, &to);
	}
	from = disk_part(catch_up, first);
	to = oldest->seq < catch_up->end.seq ? *oldest : catch_up->end;
	if (from.seq >= to.seq)
		return lost;
	lost += between(&from, &to);
	catch_up->resume = to;
	if (catch_up->next.seq >= catch_up->stored.seq)
		catch_up->next = later(catch_up->next, to);
	return lost;
}

void catch_up_delivered(struct catch_up *catch_up,
			const struct queue_place *upto)
{
	struct cursor_place place = { catch_up->epoch, upto->seq,
				      upto->before };

	if (catch_up->cursor != NULL)
		cursor_move(catch_up->cursor, &place);
}
