/* SPDX-License-Identifier: MIT */
/* Where a durable writer stands between the journal and its queue. */
#include "engine/write/durable/catch_up.h"

#include "engine/write/durable/consumer.h"

static struct mc_offset later(struct mc_offset a, struct mc_offset b)
{
	return a.seq < b.seq ? b : a;
}

/* An offset that is out of step, by a record whose head was damaged, must not
 * make a negative number. */
static uint64_t between(const struct mc_offset *from, const struct mc_offset *to)
{
	return to->seq > from->seq && to->samples > from->samples ? to->samples - from->samples : 0;
}

uint64_t catch_up_open(struct catch_up *catch_up, struct journal *journal, const char *writer,
		       uint64_t *lost)
{
	struct journal_status status;
	uint64_t samples;

	catch_up->journal = journal;
	catch_up->cursor = journal_cursor(journal, writer, &catch_up->next);
	catch_up->reader = journal_reader_new(journal);
	journal_count(journal, &status);
	catch_up->end = catch_up->known = status.end;
	catch_up->stored = catch_up->resume = catch_up->begin = catch_up->next;
	samples = between(&catch_up->next, &catch_up->end);
	*lost = catch_up_skip(catch_up, &status.oldest);
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

bool catch_up_is_next(const struct catch_up *catch_up, const struct queue_item *first)
{
	return catch_up->cursor == NULL || first->offset.seq <= catch_up->next.seq;
}

bool catch_up_has(const struct catch_up *catch_up, const struct queue_item *first,
		  struct mc_offset *limit)
{
	*limit = catch_up->end;
	if (first != NULL)
		*limit = first->offset;
	return catch_up->cursor != NULL && catch_up->next.seq < limit->seq;
}

/* Where the part begins that lies on disk after the part in memory. */
static struct mc_offset disk_part(const struct catch_up *catch_up, const struct queue_item *first)
{
	struct mc_offset from = later(catch_up->next, catch_up->resume);

	return first != NULL ? later(from, first->offset) : from;
}

uint64_t catch_up_on_disk(const struct catch_up *catch_up, const struct queue_item *first)
{
	struct mc_offset from = disk_part(catch_up, first);
	uint64_t samples = between(&from, &catch_up->end);

	if (first != NULL)
		samples += between(&catch_up->next, &first->offset);
	return samples;
}

uint64_t catch_up_skip(struct catch_up *catch_up, const struct mc_offset *to)
{
	uint64_t samples = between(&catch_up->next, to);

	if (to->seq <= catch_up->next.seq)
		return 0;
	catch_up->next.seq = to->seq;
	catch_up->next.samples += samples;
	if (catch_up->next.seq >= catch_up->stored.seq)
		catch_up->next = later(catch_up->next, catch_up->resume);
	return samples;
}

void catch_up_offer(struct catch_up *catch_up, const struct mc_offset *end, bool in_memory)
{
	catch_up->end = *end;
	if (in_memory)
		catch_up->stored = catch_up->resume = *end;
}

uint64_t catch_up_trim(struct catch_up *catch_up, const struct queue_item *first,
		       const struct mc_offset *oldest)
{
	struct mc_offset to = *oldest, from;
	uint64_t lost = 0;

	if (first != NULL) {
		if (first->offset.seq < to.seq)
			to = first->offset;
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

void catch_up_delivered(struct catch_up *catch_up, const struct mc_offset *upto)
{
	if (catch_up->cursor != NULL)
		cursor_move(catch_up->cursor, upto);
}
