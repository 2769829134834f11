/* SPDX-License-Identifier: MIT */
/* Batches become records, a group of them at a time, and are then offered to
 * the durable writers. */
#include <collector/writer.h>

#include <string.h>

#include "engine/instance_set.h"
#include "engine/otlp/otlp_write.h"
#include "engine/store/store.h"
#include "engine/write/durable/durable.h"
#include "engine/write/durable/journal_writer_internal.h"
#include "engine/write/writer.h"
#include "formats/journal/recipients.h"

/* In front of each record of copies. */
static size_t append_recipients(struct journal *journal, const struct mc_batch *batch)
{
	uint8_t head[RECIPIENTS_HEAD_SIZE];
	size_t size;

	if (batch->recipients == NULL)
		return 0;
	size = strlen(batch->recipients);
	recipients_write(head, size);
	journal_append(journal, head, sizeof(head));
	journal_append(journal, batch->recipients, size);
	return sizeof(head) + size;
}

/* Adds as much of a batch after 'last' as a record has.  Returns the last sample of that. */
static const struct mc_sample *add_record(struct journal_writer *journal_writer,
					  struct journal_member *member,
					  const struct mc_sample *last)
{
	struct journal *journal = journal_writer->journal;
	struct journal_record record = { .type = FRAME_BATCH, .time = member->batch->time };
	struct mc_offset offset = { .samples = journal_samples(journal) };
	const struct mc_sample *next = last;
	struct mc_otlp_bytes bytes;
	size_t size = append_recipients(journal, member->batch);

	while (size < JOURNAL_RECORD_BYTES &&
	       (next = otlp_write_piece(journal_writer->encoder, member->batch, last, &bytes)) !=
		       NULL) {
		journal_append(journal, bytes.at, bytes.size);
		size += bytes.size;
		record.samples += bytes.samples_len;
		last = next;
	}
	/* The last of several records marks that all are there. */
	if (mc_next(member->batch, last) == NULL)
		record.receipt = member->batch->receipt;
	offset.seq = journal_add(journal, &record);
	if (member->records++ == 0)
		member->offset = offset;
	return last;
}

/* Adds a batch to the group; more records than one if it is very large. */
static void add_records(struct journal_writer *journal_writer, struct journal_member *member)
{
	const struct mc_sample *last = NULL;

	do
		last = add_record(journal_writer, member, last);
	while (mc_next(member->batch, last) != NULL);
}

/* One without samples only asks how those before it fared; and, if they were
 * not written, whether something can be written again. */
static bool has_record(const struct journal_writer *journal_writer,
		       const struct journal_member *member)
{
	return member->batch->accepted > 0 || journal_is_failing(journal_writer->journal);
}

bool journal_group_write(struct journal_writer *journal_writer, size_t len)
{
	bool ready = journal_is_ready(journal_writer->journal);

	for (size_t i = 0; i < len && ready; i++)
		if (has_record(journal_writer, &journal_writer->group[i]))
			add_records(journal_writer, &journal_writer->group[i]);
	if (ready && journal_commit(journal_writer->journal) == 0) {
		journal_writer->dirty = true;
		return true;
	}
	for (size_t i = 0; i < len; i++) {
		journal_writer->group[i].records = 0;
		journal_writer->bypassed += journal_writer->group[i].batch->accepted;
	}
	return false;
}

void journal_group_trim(struct journal_writer *journal_writer)
{
	struct journal_status status;
	struct instance_set_reader visit;

	journal_count(journal_writer->journal, &status);
	if (status.dropped_segments == journal_writer->dropped_segments)
		return;
	journal_writer->dropped_segments = status.dropped_segments;
	visit = instance_set_read_lock(journal_writer->instances);
	for (unsigned i = 0; i < visit.instance_set->writers_len; i++)
		durable_trim(visit.instance_set->writers[i], &status.oldest);
	instance_set_read_unlock(journal_writer->instances, visit);
}

void journal_group_offer(struct journal_writer *journal_writer, size_t len)
{
	struct instance_set_reader visit = instance_set_read_lock(journal_writer->instances);

	for (unsigned i = 0; i < visit.instance_set->writers_len; i++) {
		struct writer *writer = visit.instance_set->writers[i];

		if (!durable_is(writer))
			continue;
		for (size_t j = 0; j < len; j++) {
			struct journal_member *member = &journal_writer->group[j];

			if (member->records > 0 || member->batch->accepted > 0)
				durable_offer(writer, member->batch, &member->offset,
					      member->records);
		}
		writer_wake(writer);
	}
	instance_set_read_unlock(journal_writer->instances, visit);
	for (size_t i = 0; i < len; i++) {
		journal_writer->queued -= journal_writer->group[i].batch->accepted;
		store_release(journal_writer->store, journal_writer->group[i].batch);
	}
	journal_group_trim(journal_writer);
}
