/* SPDX-License-Identifier: MIT */
/* State of the journal: its folder, its content, whether it can be written. */
#include "base/clock.h"
#include "engine/journal/journal_internal.h"

bool journal_is_ready(const struct journal *journal)
{
	return !journal->failed || clock_now() >= journal->retry_at;
}

bool journal_is_failing(const struct journal *journal)
{
	return journal->failed;
}

uint64_t journal_samples(const struct journal *journal)
{
	return journal->staged.samples;
}

bool journal_is_safe(const struct journal *journal)
{
	return journal->sync != JOURNAL_SYNC_BATCH || journal->tail_size == 0;
}

const char *journal_path(const struct journal *journal)
{
	return journal->path;
}

int journal_folder(const struct journal *journal)
{
	return journal->folder;
}

uint64_t journal_epoch(const struct journal *journal)
{
	return journal->epoch;
}

struct mc_offset journal_start(struct journal *journal)
{
	const struct segment *oldest;
	struct mc_offset start;

	pthread_mutex_lock(&journal->lock);
	oldest = journal->segments;
	start = journal->segments_len > 0 ? (struct mc_offset){ oldest->first, oldest->before }
					  : journal->done;
	pthread_mutex_unlock(&journal->lock);
	return start;
}

bool journal_find(struct journal *journal, uint64_t seq, struct segment *segment, uint64_t *end)
{
	size_t i;
	bool found;

	pthread_mutex_lock(&journal->lock);
	i = journal->segments_len;
	while (i > 1 && journal->segments[i - 1].first > seq)
		i--;
	found = i > 0 && seq < journal->done.seq;
	if (found) {
		*segment = journal->segments[i - 1];
		*end = i < journal->segments_len ? journal->segments[i].first : journal->done.seq;
	}
	pthread_mutex_unlock(&journal->lock);
	return found;
}

void journal_add_damage(struct journal *journal, const struct segment_damage *damage)
{
	pthread_mutex_lock(&journal->lock);
	journal->damage.pieces += damage->pieces;
	journal->damage.bytes += damage->bytes;
	journal->damage.torn += damage->torn;
	pthread_mutex_unlock(&journal->lock);
}

/* Whether there is a writer for whom records are kept. */
static bool is_read(const struct journal *journal)
{
	const struct cursor *c = journal->cursors;

	while (c != NULL && c->next == UINT64_MAX)
		c = c->older;
	return c != NULL;
}

/* Files that no writer needs are removed one by one, and the newest stays; without a writer all
 * files are history, which makes room for new records. */
bool journal_has_room(struct journal *journal, uint64_t more)
{
	uint64_t bytes = 0;

	pthread_mutex_lock(&journal->lock);
	if (journal->segments_len > 1 && is_read(journal))
		bytes = journal->bytes;
	pthread_mutex_unlock(&journal->lock);
	return bytes + more <= journal->limit / 10 * 9;
}

void journal_count(struct journal *journal, struct journal_status *status)
{
	struct mc_offset oldest = journal_start(journal);

	pthread_mutex_lock(&journal->lock);
	*status = (struct journal_status){
		.epoch = journal->epoch,
		.end = journal->done,
		.oldest = oldest,
		.bytes = journal->bytes,
		.limit = journal->limit,
		.segments = journal->segments_len,
		.write_failures = journal->write_failures,
		.sync_failures = journal->sync_failures,
		.dropped_segments = journal->dropped_segments,
		.damage = journal->damage,
		.failed = journal->failed,
		.failed_since = journal->failed ? journal->failed_since : 0,
	};
	pthread_mutex_unlock(&journal->lock);
}
